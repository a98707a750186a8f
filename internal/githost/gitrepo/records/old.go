package records

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

type namedCommit struct{ name, commit string }

// oldRefs are those that older versions have left in the user's repository.
func (s *Store) oldRefs(ctx context.Context) ([]namedCommit, error) {
	out, err := s.user.Output(ctx, "for-each-ref", "--format=%(refname) %(objectname)", strings.TrimSuffix(Prefix, "/"))
	if err != nil {
		return nil, err
	}
	return namedCommits(out), nil
}

func namedCommits(out []byte) (refs []namedCommit) {
	for line := range strings.Lines(string(out)) {
		if name, commit, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			refs = append(refs, namedCommit{name, commit})
		}
	}
	return refs
}

// moveOld moves the refs of older versions; s.mu is held. At every moment each commit
// is kept by one or the other.
func (s *Store) moveOld(ctx context.Context) error {
	old, err := s.oldRefs(ctx)
	if err != nil {
		return err
	}
	if len(old) == 0 {
		s.ready = true
		return nil
	}
	var commits []string
	var set, remove bytes.Buffer
	for _, ref := range old {
		commits = append(commits, ref.commit)
		fmt.Fprintf(&set, "update %s\x00%s\x00\x00", ref.name, ref.commit)
		fmt.Fprintf(&remove, "delete %s\x00%s\x00", ref.name, ref.commit)
	}
	if err := s.keepAll(ctx, commits); err != nil {
		return fmt.Errorf("move what older versions have recorded: %w", err)
	}
	if err := s.update(ctx, s.own, &set); err != nil {
		return fmt.Errorf("move what older versions have recorded: %w", err)
	}
	if err := s.update(ctx, s.user, &remove); err != nil {
		// Another process may have moved them just now.
		if left, lerr := s.oldRefs(ctx); lerr != nil || len(left) > 0 {
			return fmt.Errorf("move what older versions have recorded: %w", err)
		}
	}
	s.ready = true
	return nil
}
