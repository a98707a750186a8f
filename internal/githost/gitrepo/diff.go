package gitrepo

import (
	"context"
	"fmt"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
)

// Uncommitted is HEAD → work tree, untracked files included, ignored ones not.
// Renames are found whether staged or not. Sorted by path.
func (r *Repo) Uncommitted(ctx context.Context) ([]FileDiff, error) {
	return r.Compare(ctx, HEAD, WorkTree)
}

// Staged is HEAD → index.
func (r *Repo) Staged(ctx context.Context) ([]FileDiff, error) {
	tree, err := r.treeOf(ctx, HEAD)
	if err != nil {
		return nil, err
	}
	out, err := r.cmd.Run(ctx, diffCommand("", []string{"--cached", tree}))
	if err != nil {
		return nil, fmt.Errorf("compare HEAD with the index: %w", err)
	}
	return parseDiff(out, false)
}

// Branch is Base → work tree.
func (r *Repo) Branch(ctx context.Context) (base string, files []FileDiff, err error) {
	if base, err = r.Base(ctx); err != nil {
		return "", nil, err
	}
	files, err = r.Compare(ctx, base, WorkTree)
	return base, files, err
}

// Compare is one tree against another, or against the work tree (WorkTree).
func (r *Repo) Compare(ctx context.Context, treeA, treeB string) ([]FileDiff, error) {
	a, err := r.treeOf(ctx, treeA)
	if err != nil {
		return nil, err
	}
	if treeB == WorkTree {
		if treeA == HEAD {
			a = HEAD // as it is when the status is read
		}
		files, _, err := r.compareDisk(ctx, a)
		return files, err
	}
	b, err := r.treeOf(ctx, treeB)
	if err != nil {
		return nil, err
	}
	out, err := r.cmd.Run(ctx, diffCommand("", []string{a, b}))
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", treeA, treeB, err)
	}
	return parseDiff(out, false)
}

// treeOf resolves a tree-ish; HEAD of an unborn branch is the empty tree.
func (r *Repo) treeOf(ctx context.Context, name string) (string, error) {
	if name == r.cmd.EmptyObject("tree") {
		return name, nil // need not exist as an object
	}
	id, err := r.cmd.Resolve(ctx, name+"^{tree}")
	if err != nil {
		return "", fmt.Errorf("find the tree %s: %w", name, err)
	}
	if id == "" && name == HEAD {
		return r.cmd.EmptyObject("tree"), nil
	}
	if id == "" {
		return "", fmt.Errorf("find the tree %s: %w: there is no such commit or tree", name, ErrNotFound)
	}
	return id, nil
}

// complete adds what git diff does not say about files on disk: the commit of a
// submodule, and whether a binary file differs in more than its mode.
func (r *Repo) complete(ctx context.Context, f *FileDiff) error {
	if f.After == nil {
		return nil
	}
	if f.After.Mode == ModeSubmodule && f.After.Disk {
		f.After.Blob = r.submoduleCommit(ctx, f.After.Path)
		return ctx.Err()
	}
	if f.Kind == Modified && f.Binary && f.After.Disk && f.Before.Mode != f.After.Mode && f.Before.Mode != ModeSymlink {
		out, err := r.cmd.Output(ctx, "hash-object", "--", f.After.Path)
		if err != nil {
			return fmt.Errorf("compare %s: %w", f.After.Path, err)
		}
		if strings.TrimSpace(string(out)) == f.Before.Blob {
			f.Kind = ModeOnly
		}
	}
	return nil
}

// submoduleCommit is the commit a nested repository is at, "" if it has none.
func (r *Repo) submoduleCommit(ctx context.Context, path string) string {
	out, err := r.cmd.Run(ctx, gitcmd.Command{Dir: r.files.Abs(path), Args: []string{"rev-parse", "-q", "--verify", "HEAD"}})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
