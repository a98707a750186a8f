package gitrepo

import (
	"context"
	"fmt"

	"ahp-lsp/internal/githost/gitrepo/records"
)

// Ref is a commit of ours under refs/ahp/. It is in a repository of our own; see
// package records.
type Ref = records.Ref

// Refs lists our refs below a prefix such as refs/ahp/turn/, sorted by name. The
// name of a ref is a prefix too.
func (r *Repo) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	return r.records.Refs(ctx, prefix)
}

// DeleteRef removes a ref under refs/ahp/. A ref that is not there is no error.
func (r *Repo) DeleteRef(ctx context.Context, name string) error {
	if err := records.CheckName(name); err != nil {
		return err
	}
	r.change.Lock()
	defer r.change.Unlock()
	if err := r.records.Remove(ctx, name); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// DeleteRefs removes refs under refs/ahp/ that are still as they were read: all
// of them, in one go, or none.
func (r *Repo) DeleteRefs(ctx context.Context, refs []Ref) error {
	r.change.Lock()
	defer r.change.Unlock()
	return r.records.Delete(ctx, refs)
}
