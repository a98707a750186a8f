package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	out, err := r.run(ctx, diffCommand("", []string{"--cached", tree}))
	if err != nil {
		return nil, fmt.Errorf("compare HEAD with the index: %w", err)
	}
	return parseDiff(out, false)
}

// Branch is base → work tree, where base is the merge base of HEAD with the
// branch it will be merged into: the upstream if that is another branch (or the
// current one is the default branch), else the default branch, else HEAD.
func (r *Repo) Branch(ctx context.Context) (base string, files []FileDiff, err error) {
	if base, err = r.mergeBase(ctx); err != nil {
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
		files, _, err := r.compareDisk(ctx, a, treeA == HEAD)
		return files, err
	}
	b, err := r.treeOf(ctx, treeB)
	if err != nil {
		return nil, err
	}
	out, err := r.run(ctx, diffCommand("", []string{a, b}))
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", treeA, treeB, err)
	}
	return parseDiff(out, false)
}

// treeOf resolves a tree-ish; HEAD of an unborn branch is the empty tree.
func (r *Repo) treeOf(ctx context.Context, name string) (string, error) {
	if name == r.emptyObject("tree") {
		return name, nil // need not exist as an object
	}
	id, err := r.resolve(ctx, name+"^{tree}")
	if err != nil {
		return "", fmt.Errorf("find the tree %s: %w", name, err)
	}
	if id == "" && name == HEAD {
		return r.emptyObject("tree"), nil
	}
	if id == "" {
		return "", fmt.Errorf("find the tree %s: %w: there is no such commit or tree", name, ErrNotFound)
	}
	return id, nil
}

// maxCounted is the number of untracked files up to which their lines are counted
// and renames into them are found: that reads every one of them.
const maxCounted = 5000

// compareDisk is tree → work tree. Git status finds what to look at, so that the
// rest costs in proportion to what changed; git diff then compares these paths
// only. Untracked and unmerged files get an entry in a temporary index, which
// makes git diff compare them, and find their renames, like all others.
func (r *Repo) compareDisk(ctx context.Context, tree string, head bool) ([]FileDiff, *status, error) {
	s, err := r.readStatus(ctx)
	if err != nil {
		return nil, nil, err
	}
	paths := s.all()
	if !head {
		more, err := r.changedPaths(ctx, tree)
		if err != nil {
			return nil, nil, err
		}
		paths = append(paths, more...)
		slices.Sort(paths)
		paths = slices.Compact(paths)
	}
	var files []FileDiff
	extra := map[string]indexEntry{}
	untracked := setOf(s.untracked)
	var small, big []string
	for _, p := range paths {
		info, err := os.Lstat(r.abs(p))
		if err == nil && untracked[p] && len(s.untracked) > maxCounted {
			files = append(files, FileDiff{Kind: Untracked, After: &Side{Path: p, Mode: gitMode(info), Disk: true}})
			continue
		}
		if err == nil && info.Size() > bigDiff && info.Mode().IsRegular() {
			big = append(big, p)
			continue
		}
		small = append(small, p)
		if err == nil && untracked[p] {
			extra[p] = indexEntry{ModeFile, r.emptyObject("blob")}
		}
	}
	if len(big) > 0 {
		found, err := r.compareBig(ctx, tree, big)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, found...)
	}
	for p, ours := range s.unmerged {
		if ours.mode == "" {
			ours = indexEntry{ModeFile, r.emptyObject("blob")}
		}
		extra[p] = ours
	}
	if len(small) > 0 {
		index, _, done, err := r.tempIndex("")
		if err != nil {
			return nil, nil, err
		}
		defer done()
		if err := r.setEntries(ctx, index, extra); err != nil {
			return nil, nil, fmt.Errorf("compare with the work tree: %w", err)
		}
		// Git diff would look at every file once more, to write what it learnt
		// into the index, if it could have the lock.
		if err := os.WriteFile(index+".lock", nil, 0o600); err != nil {
			return nil, nil, fmt.Errorf("compare with the work tree: %w", classify(err))
		}
		out, err := r.run(ctx, diffCommand(index, withPaths([]string{tree}, small)))
		if err != nil {
			return nil, nil, fmt.Errorf("compare with the work tree: %w", err)
		}
		found, err := parseDiff(out, true)
		if err != nil {
			return nil, nil, err
		}
		if len(big) > 0 { // in case there were too many paths to name
			skip := setOf(big)
			found = slices.DeleteFunc(found, func(f FileDiff) bool { return f.After != nil && skip[f.After.Path] })
		}
		files = append(files, found...)
	}
	for _, p := range s.nested {
		files = append(files, FileDiff{Kind: Submodule, After: &Side{Path: p, Mode: ModeSubmodule, Disk: true}})
	}
	for i := range files {
		f := &files[i]
		if f.Kind == Added && untracked[f.After.Path] {
			f.Kind = Untracked
		}
		_, f.Conflict = s.unmerged[f.Path()]
		if err := r.complete(ctx, f); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(files, func(a, b FileDiff) int { return strings.Compare(a.Path(), b.Path()) })
	return files, s, nil
}

// compareBig lists files that are too large to be compared: git would read them
// whole, more than once.
func (r *Repo) compareBig(ctx context.Context, tree string, paths []string) ([]FileDiff, error) {
	entries, err := r.treeEntries(ctx, tree, paths)
	if err != nil {
		return nil, err
	}
	var files []FileDiff
	for _, p := range paths {
		info, err := os.Lstat(r.abs(p))
		if err != nil {
			continue
		}
		d := FileDiff{Kind: Added, Binary: true, After: &Side{Path: p, Mode: gitMode(info), Disk: true}}
		if e, ok := entries[p]; ok {
			d.Kind, d.Before = Modified, &Side{Path: p, Mode: e.mode, Blob: e.blob}
			if size, err := r.blobSize(ctx, e.blob); err == nil && size == info.Size() {
				same, err := r.holds(ctx, p, version{blob: e.blob, clean: true})
				if err != nil {
					return nil, err
				}
				if same && e.mode == d.After.Mode {
					continue
				}
				if same {
					d.Kind = ModeOnly
				}
			}
			if e.mode == ModeSymlink || e.mode == ModeSubmodule {
				d.Kind = TypeChange
			}
		}
		files = append(files, d)
	}
	return files, nil
}

// changedPaths lists what differs between a tree and HEAD, by name.
func (r *Repo) changedPaths(ctx context.Context, tree string) ([]string, error) {
	head, err := r.treeOf(ctx, HEAD)
	if err != nil || head == tree {
		return nil, err
	}
	out, err := r.git(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", tree, head)
	if err != nil {
		return nil, fmt.Errorf("compare %s with HEAD: %w", tree, err)
	}
	return slices.Collect(records(out)), nil
}

// complete adds what git diff does not say about files on disk: the commit of a
// submodule, and whether a binary file differs in more than its mode.
func (r *Repo) complete(ctx context.Context, f *FileDiff) error {
	if f.After == nil {
		return nil
	}
	if f.After.Mode == ModeSubmodule {
		f.After.Blob = r.submoduleCommit(ctx, f.After.Path)
		return ctx.Err()
	}
	if f.Kind == Modified && f.Binary && f.Before.Mode != f.After.Mode && f.Before.Mode != ModeSymlink {
		out, err := r.git(ctx, "hash-object", "--", f.After.Path)
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
	out, err := r.run(ctx, command{dir: r.abs(path), args: []string{"rev-parse", "-q", "--verify", "HEAD"}})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// abs is a path of the repository on this system.
func (r *Repo) abs(path string) string { return filepath.Join(r.root, filepath.FromSlash(path)) }
