package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
)

// ourRefs is where all our refs are.
const ourRefs = "refs/ahp/"

func checkRef(name string) error {
	if !strings.HasPrefix(name, ourRefs) || len(name) == len(ourRefs) {
		return fmt.Errorf("ref %q: it must be under %s", name, ourRefs)
	}
	return nil
}

// Refs lists our refs below a prefix such as refs/ahp/turn/, sorted by name. The
// name of a ref is a prefix too.
func (r *Repo) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	if !strings.HasPrefix(prefix, ourRefs) {
		return nil, fmt.Errorf("list refs %q: they must be under %s", prefix, ourRefs)
	}
	out, err := r.cmd.Output(ctx, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(tree)%00%(committerdate:unix)%00%(contents)%00%00",
		strings.TrimSuffix(prefix, "/"))
	if err != nil {
		return nil, fmt.Errorf("list refs below %s: %w", prefix, err)
	}
	var refs []Ref
	for rec := range strings.SplitSeq(string(out), "\x00\x00\n") {
		f := strings.SplitN(rec, "\x00", 5)
		if len(f) != 5 {
			continue
		}
		sec, _ := strconv.ParseInt(f[3], 10, 64)
		refs = append(refs, Ref{Name: f[0], Commit: f[1], Tree: f[2], Message: f[4], Time: time.Unix(sec, 0)})
	}
	return refs, nil
}

// DeleteRef removes a ref under refs/ahp/. A ref that is not there is no error.
func (r *Repo) DeleteRef(ctx context.Context, name string) error {
	if err := checkRef(name); err != nil {
		return err
	}
	r.change.Lock()
	defer r.change.Unlock()
	if _, err := r.cmd.Output(ctx, "update-ref", "-d", name); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// DeleteRefs removes refs under refs/ahp/ that are still as they were read: all
// of them, in one go, or none.
func (r *Repo) DeleteRefs(ctx context.Context, refs []Ref) error {
	if len(refs) == 0 {
		return nil
	}
	var in bytes.Buffer
	for _, ref := range refs {
		if err := checkRef(ref.Name); err != nil {
			return err
		}
		fmt.Fprintf(&in, "delete %s\x00%s\x00", ref.Name, ref.Commit)
	}
	r.change.Lock()
	defer r.change.Unlock()
	if _, err := r.cmd.Run(ctx, gitcmd.Command{Args: []string{"update-ref", "-z", "--stdin"}, Stdin: &in}); err != nil {
		return fmt.Errorf("delete %d refs below %s: %w", len(refs), ourRefs, err)
	}
	return nil
}
