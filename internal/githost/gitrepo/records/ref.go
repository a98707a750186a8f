package records

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Ref is a commit of ours under refs/ahp/.
type Ref struct {
	Name, Commit, Tree string
	Message            string
	Time               time.Time
}

// CheckName refuses a name that is not one of ours.
func CheckName(name string) error {
	if !strings.HasPrefix(name, Prefix) || len(name) == len(Prefix) {
		return fmt.Errorf("ref %q: it must be under %s", name, Prefix)
	}
	return nil
}

// Refs lists our refs below a prefix such as refs/ahp/turn/, sorted by name. The
// name of a ref is a prefix too.
func (s *Store) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	if !strings.HasPrefix(prefix, Prefix) {
		return nil, fmt.Errorf("list refs %q: they must be under %s", prefix, Prefix)
	}
	if known, err := s.Known(ctx); err != nil {
		return nil, fmt.Errorf("list refs below %s: %w", prefix, err)
	} else if !known {
		return nil, nil
	}
	list := func() ([]byte, error) {
		return s.own.Output(ctx, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(tree)%00%(committerdate:unix)%00%(contents)%00%00",
			strings.TrimSuffix(prefix, "/"))
	}
	out, err := list()
	if err != nil && ctx.Err() == nil {
		// The user may have purged the objects: what is gone does not hide the rest.
		if _, lerr := s.Live(ctx); lerr == nil {
			out, err = list()
		}
	}
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

// Delete removes refs under refs/ahp/ that are still as they were read: all
// of them, in one go, or none.
func (s *Store) Delete(ctx context.Context, refs []Ref) error {
	if len(refs) == 0 {
		return nil
	}
	var in bytes.Buffer
	for _, ref := range refs {
		if err := CheckName(ref.Name); err != nil {
			return err
		}
		fmt.Fprintf(&in, "delete %s\x00%s\x00", ref.Name, ref.Commit)
	}
	if err := s.update(ctx, s.own, &in); err != nil {
		return fmt.Errorf("delete %d refs below %s: %w", len(refs), Prefix, err)
	}
	return nil
}
