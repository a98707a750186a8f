package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/lines"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// merge3 brings the change from base to theirs into ours: modes and contents.
// ErrConflict if that is not possible without asking.
func (r *Repo) merge3(ctx context.Context, base, ours, theirs worktree.Version) (worktree.Version, error) {
	out := ours
	switch {
	case ours.Mode == base.Mode:
		out.Mode = theirs.Mode
	case theirs.Mode == base.Mode || theirs.Mode == ours.Mode:
	default:
		return worktree.Version{}, fmt.Errorf("merge modes: %w", ErrConflict)
	}
	if out.Mode != ours.Mode {
		out.Perm = 0
	}
	for _, v := range []worktree.Version{base, ours, theirs} {
		if v.Large() || v.Blob != "" {
			return worktree.Version{}, fmt.Errorf("merge: %w: files of %s are not merged", ErrConflict, fault.SizeText(v.Size))
		}
	}
	switch {
	case bytes.Equal(ours.Data, base.Data):
		out.Data = theirs.Data
	case bytes.Equal(theirs.Data, base.Data), bytes.Equal(theirs.Data, ours.Data):
	case !base.Regular() || !ours.Regular() || !theirs.Regular():
		return worktree.Version{}, fmt.Errorf("merge links: %w", ErrConflict)
	default:
		data, err := r.mergeText(ctx, base.Data, ours.Data, theirs.Data, "")
		if errors.Is(err, ErrConflict) && lines.IsMix(base.Data, theirs.Data, ours.Data) {
			data, err = theirs.Data, nil
		}
		if err != nil {
			return worktree.Version{}, err
		}
		out.Data = data
	}
	out.Size, out.Info = int64(len(out.Data)), nil
	return out, nil
}

// mergeText is git's three-way merge of file contents. favour is "", for which a
// conflict is an error, or "--ours", which leaves ours where there is one.
func (r *Repo) mergeText(ctx context.Context, base, ours, theirs []byte, favour string) ([]byte, error) {
	for _, data := range [][]byte{base, ours, theirs} {
		if lines.IsBinary(data) {
			return nil, fmt.Errorf("merge: %w: binary content is not merged", ErrConflict)
		}
	}
	dir, err := os.MkdirTemp("", "ahp-merge-")
	if err != nil {
		return nil, fmt.Errorf("merge: %w", fault.Classify(err))
	}
	defer os.RemoveAll(dir)
	args := []string{"merge-file", "-p", "-q"}
	if favour != "" {
		args = append(args, favour)
	}
	for i, data := range [][]byte{ours, base, theirs} {
		name := filepath.Join(dir, []string{"ours", "base", "theirs"}[i])
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return nil, fmt.Errorf("merge: %w", fault.Classify(err))
		}
		args = append(args, name)
	}
	out, err := r.cmd.Output(ctx, args...)
	switch code := gitcmd.ExitCode(err); {
	case err == nil:
		return out, nil
	case code > 0 && code < 128:
		return nil, fmt.Errorf("merge: %w", ErrConflict)
	}
	return nil, fmt.Errorf("merge: %w", err)
}
