package gitrepo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/records"
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
	resolve := r.cmd.Resolve
	if strings.HasPrefix(name, records.Prefix) {
		resolve = r.records.ResolveAny
	}
	id, err := resolve(ctx, name+"^{tree}")
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
func (r *comparer) complete(ctx context.Context, f *FileDiff) error {
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
func (r *comparer) submoduleCommit(ctx context.Context, path string) string {
	out, err := r.cmd.Run(ctx, gitcmd.Command{Dir: r.files.Abs(path), Args: []string{"rev-parse", "-q", "--verify", "HEAD"}})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// bigDiff is the size from which on files are not compared but count as binary.
const bigDiff = 64 << 20

// diffCommand compares with everything that configuration could change nailed
// down.
func diffCommand(index string, args []string) gitcmd.Command {
	return gitcmd.Command{Index: index, Config: []string{"core.bigFileThreshold=" + strconv.Itoa(bigDiff)},
		Args: append([]string{"diff", "--raw", "--numstat", "-z", "--no-abbrev", "--find-renames",
			"--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
			"--submodule=short", "--ignore-submodules=dirty", "--diff-algorithm=default"}, args...)}
}

// parseDiff reads git diff --raw --numstat -z. disk says that the second side is
// the work tree.
func parseDiff(out []byte, disk bool) ([]FileDiff, error) {
	var files []FileDiff
	at := map[string]int{} // by the path after
	var recs []string
	for rec := range splitRecords(out) {
		recs = append(recs, rec)
	}
	next := func() (s string) {
		if len(recs) > 0 {
			s, recs = recs[0], recs[1:]
		}
		return s
	}
	for len(recs) > 0 {
		rec := next()
		if meta, ok := strings.CutPrefix(rec, ":"); ok {
			f := strings.Fields(meta)
			if len(f) != 5 {
				return nil, fmt.Errorf("read git's diff: unexpected line %q", rec)
			}
			oldPath := next()
			newPath := oldPath
			if f[4][0] == 'R' || f[4][0] == 'C' {
				newPath = next()
			}
			if f[4][0] == 'U' {
				continue // the line that compares it follows
			}
			d := diffOf(f, oldPath, newPath, disk)
			at[newPath] = len(files)
			files = append(files, d)
			continue
		}
		f := strings.SplitN(rec, "\t", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("read git's diff: unexpected line %q", rec)
		}
		path := f[2]
		if path == "" {
			next()
			path = next()
		}
		i, ok := at[path]
		if !ok {
			continue
		}
		d := &files[i]
		if d.Kind == Submodule {
			continue
		}
		d.Binary = f[0] == "-"
		d.Added, _ = strconv.Atoi(f[0])
		d.Removed, _ = strconv.Atoi(f[1])
		if d.Kind == Modified && d.Before.Mode != d.After.Mode && !d.Binary && d.Added+d.Removed == 0 {
			d.Kind = ModeOnly
		}
		if d.Kind == Modified && !disk && d.Before.Mode != d.After.Mode && d.Before.Blob == d.After.Blob {
			d.Kind, d.Binary = ModeOnly, false
		}
	}
	slices.SortStableFunc(files, func(a, b FileDiff) int { return strings.Compare(a.Path(), b.Path()) })
	return files, nil
}

// diffOf makes a FileDiff of a raw line: modes, ids, status.
func diffOf(f []string, oldPath, newPath string, disk bool) FileDiff {
	var d FileDiff
	switch f[4][0] {
	case 'A':
		d.Kind = Added
	case 'D':
		d.Kind = Deleted
	case 'R':
		d.Kind = Renamed
	case 'C':
		d.Kind = Copied
	case 'T':
		d.Kind = TypeChange
	default:
		d.Kind = Modified
	}
	if d.Kind != Added {
		d.Before = &Side{Path: oldPath, Mode: f[0], Blob: f[2]}
	}
	if d.Kind != Deleted {
		d.After = &Side{Path: newPath, Mode: f[1], Blob: f[3]}
		if disk {
			d.After.Disk = true
			d.After.Blob = ""
		}
	}
	if (d.Before == nil || d.Before.Mode == ModeSubmodule) && (d.After == nil || d.After.Mode == ModeSubmodule) {
		d.Kind = Submodule
	}
	return d
}
