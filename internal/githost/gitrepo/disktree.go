package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/gitfile"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// maxCounted is the number of untracked files up to which their lines are counted
// and renames into them are found: that reads every one of them.
const maxCounted = 5000

// compareDisk is tree → work tree. HEAD is the commit that the status is of.
func (r *Repo) compareDisk(ctx context.Context, tree string) ([]FileDiff, *status, error) {
	s, err := r.readStatus(ctx)
	if err != nil {
		return nil, nil, err
	}
	files, err := r.compareStatus(ctx, tree, s, nil)
	return files, s, err
}

// compareStatus is tree → work tree for a status that has just been read. The
// status says which files to look at; git compares these and nothing else, so
// that the cost is in proportion to what has changed. It is given a tree and an
// index of its own with just these paths: asked to leave the others out, it would
// hold each of them against each path. Files that are known are left out.
func (r *Repo) compareStatus(ctx context.Context, tree string, s *status, known []FileDiff) ([]FileDiff, error) {
	n, err := r.disk.narrow(ctx, tree, s)
	if err != nil {
		return nil, err
	}
	n.leaveOut(known)
	var files []FileDiff
	untracked := setOf(s.untracked)
	var big []string
	for _, p := range n.paths {
		info, err := os.Lstat(r.files.Abs(p))
		switch {
		case tree != HEAD && untracked[p] && n.tree[p].Mode == "" && gitfile.LooksSecret(p):
			// No tree has it, since checkpoints leave it out: that is no change.
			n.drop(p)
		case err == nil && untracked[p] && len(s.untracked) > maxCounted:
			files = append(files, FileDiff{Kind: Untracked, After: &Side{Path: p, Mode: worktree.GitMode(info), Disk: true}})
			n.drop(p)
		case err == nil && info.Mode().IsRegular() && info.Size() > bigDiff:
			big = append(big, p)
		case err == nil && n.index[p].Mode == "" && (untracked[p] || s.unstaged[p]) && !info.IsDir():
			// Git compares what has an entry: not what only "git add -N" has made
			// known, and an ignored file on purpose.
			n.extra[p] = indexEntry{ModeFile, r.cmd.EmptyObject("blob")}
		case err != nil && n.asCommitted[p] && n.index[p].Mode != "":
			n.hidden = append(n.hidden, p)
		}
	}
	if len(big) > 0 {
		found, err := r.disk.compareBig(ctx, n.tree, big)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
		n.drop(big...)
	}
	found, err := r.disk.compareNarrow(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("compare with the work tree: %w", err)
	}
	files = append(files, found...)
	for _, p := range s.nested {
		files = append(files, FileDiff{Kind: Submodule, After: &Side{Path: p, Mode: ModeSubmodule, Disk: true}})
	}
	for i := range files {
		f := &files[i]
		if f.Kind == Added && untracked[f.After.Path] {
			f.Kind = Untracked
		}
		_, f.Conflict = s.unmerged[f.Path()]
		if err := r.disk.complete(ctx, f); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(files, func(a, b FileDiff) int { return strings.Compare(a.Path(), b.Path()) })
	return files, nil
}

// comparer compares trees with the work tree.
type comparer struct {
	cmd     *gitcmd.Runner
	files   *worktree.Tree
	index   *indexes
	content *contents
}

// narrowed is a comparison with the work tree reduced to the paths that can make
// a difference: what the tree has there, and the index. An empty entry is
// nothing.
type narrowed struct {
	paths       []string
	tree, index map[string]indexEntry
	// extra: what the index does not have but the disk. Such a file may stand in
	// the place of a folder of the index, or the other way round.
	extra map[string]indexEntry
	// asCommitted: the status does not name the path, so the index has what HEAD
	// has, and the file on disk is the same, or is not looked for.
	asCommitted map[string]bool
	// hidden: not on disk and not missed, by a sparse checkout or because the user
	// said so. The index stands for the file.
	hidden []string
}

func (n *narrowed) leaveOut(known []FileDiff) {
	if len(known) == 0 {
		return
	}
	out := make(map[string]bool, len(known))
	for _, f := range known {
		for _, side := range []*Side{f.Before, f.After} {
			if side != nil {
				out[side.Path] = true
				n.drop(side.Path)
			}
		}
	}
	n.paths = slices.DeleteFunc(n.paths, func(p string) bool { return out[p] })
}

func (n *narrowed) drop(paths ...string) {
	for _, p := range paths {
		delete(n.tree, p)
		delete(n.index, p)
		delete(n.extra, p)
	}
}

func (r *comparer) narrow(ctx context.Context, tree string, s *status) (*narrowed, error) {
	n := &narrowed{tree: map[string]indexEntry{}, index: map[string]indexEntry{}, extra: map[string]indexEntry{}, asCommitted: map[string]bool{}}
	for _, p := range s.paths {
		n.tree[p], n.index[p] = s.committed[p], s.indexed[p]
	}
	for p, ours := range s.unmerged {
		n.index[p] = ours
	}
	n.paths = s.all()
	head := s.head
	if head == "" {
		head = r.cmd.EmptyObject("tree")
	}
	if unsure := r.unsure(s); len(unsure) > 0 {
		entries, err := r.index.treeEntries(ctx, head, unsure)
		if err != nil {
			return nil, err
		}
		for _, p := range unsure {
			_, conflict := s.unmerged[p]
			if n.tree[p] = entries[p]; entries[p].Mode == "" && !conflict {
				delete(n.index, p)
			}
		}
	}
	if tree != HEAD && tree != head {
		changes, err := r.changedPaths(ctx, tree, head)
		if err != nil {
			return nil, err
		}
		for p, c := range changes {
			n.tree[p] = c.before
			if _, ok := n.index[p]; !ok {
				n.asCommitted[p], n.index[p] = true, c.after
			}
			n.paths = append(n.paths, p)
		}
	}
	slices.Sort(n.paths)
	n.paths = slices.Compact(n.paths)
	for _, p := range s.untracked {
		delete(n.asCommitted, p)
	}
	return n, nil
}

// unsure are the paths of which the status does not say what HEAD has: unmerged
// ones, and those that only "git add -N" has made known and that have gone. Of
// these git says that HEAD and the index have an empty file.
func (r *comparer) unsure(s *status) (paths []string) {
	empty := r.cmd.EmptyObject("blob")
	for _, p := range s.paths {
		if _, ok := s.unmerged[p]; ok || s.committed[p].Blob == empty && s.indexed[p].Blob == empty {
			paths = append(paths, p)
		}
	}
	return paths
}

type treeChange struct{ before, after indexEntry }

// changedPaths lists what differs between two trees.
func (r *comparer) changedPaths(ctx context.Context, a, b string) (map[string]treeChange, error) {
	out, err := r.cmd.Output(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", a, b)
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", a, b, err)
	}
	changes := map[string]treeChange{}
	meta := ""
	for rec := range splitRecords(out) {
		if meta == "" {
			meta = rec
			continue
		}
		f := strings.Fields(strings.TrimPrefix(meta, ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("compare %s with %s: unexpected line %q", a, b, meta)
		}
		changes[rec] = treeChange{statusEntry(f[0], f[2]), statusEntry(f[1], f[3])}
		meta = ""
	}
	return changes, nil
}

// compareNarrow has git compare a tree and the work tree that have nothing but
// the narrowed paths.
func (r *comparer) compareNarrow(ctx context.Context, n *narrowed) ([]FileDiff, error) {
	if len(n.tree)+len(n.index)+len(n.extra) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", tempIndexPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a temporary index: %w", fault.Classify(err))
	}
	defer os.RemoveAll(dir)
	tree, objects, err := r.narrowTree(ctx, dir, n.tree)
	if err != nil {
		return nil, err
	}
	index := filepath.Join(dir, "index")
	if err := r.index.setEntries(ctx, index, present(n.index)); err != nil {
		return nil, err
	}
	if err := r.index.setEntries(ctx, index, n.extra); err != nil {
		return nil, err
	}
	if len(n.hidden) > 0 {
		if _, err := r.cmd.In(ctx, index, []byte(strings.Join(n.hidden, "\x00")+"\x00"), "update-index", "--skip-worktree", "-z", "--stdin"); err != nil {
			return nil, err
		}
	}
	// Git diff would look at every file once more, to write what it learnt into
	// the index, if it could have the lock.
	if err := os.WriteFile(index+".lock", nil, 0o600); err != nil {
		return nil, fault.Classify(err)
	}
	c := diffCommand(index, []string{tree})
	c.Env = objects
	out, err := r.cmd.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	files, err := parseDiff(out, true)
	hidden := setOf(n.hidden)
	for _, f := range files {
		if f.After != nil && hidden[f.After.Path] {
			f.After.Disk, f.After.Blob = false, n.index[f.After.Path].Blob
		}
	}
	return files, err
}

// narrowTree makes a tree of some entries in a folder of its own, and says how
// git finds it there. The repository gets no object that nobody asked for.
func (r *comparer) narrowTree(ctx context.Context, dir string, entries map[string]indexEntry) (tree string, env []string, err error) {
	entries = present(entries)
	if len(entries) == 0 {
		return r.cmd.EmptyObject("tree"), nil, nil
	}
	index, objects := filepath.Join(dir, "tree"), filepath.Join(dir, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return "", nil, fault.Classify(err)
	}
	if err := r.index.setEntries(ctx, index, entries); err != nil {
		return "", nil, err
	}
	out, err := r.cmd.Run(ctx, gitcmd.Command{Index: index, Env: []string{"GIT_OBJECT_DIRECTORY=" + objects}, Args: []string{"write-tree", "--missing-ok"}})
	if err != nil {
		return "", nil, err
	}
	return strings.TrimSpace(string(out)), []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quotePath(filepath.ToSlash(objects))}, nil
}

// present leaves out the empty entries.
func present(entries map[string]indexEntry) map[string]indexEntry {
	out := make(map[string]indexEntry, len(entries))
	for p, e := range entries {
		if e.Mode != "" {
			out[p] = e
		}
	}
	return out
}

// compareBig lists files that are too large to be compared: git would read them
// whole, more than once.
func (r *comparer) compareBig(ctx context.Context, entries map[string]indexEntry, paths []string) ([]FileDiff, error) {
	var files []FileDiff
	for _, p := range paths {
		info, err := os.Lstat(r.files.Abs(p))
		if err != nil {
			continue
		}
		d := FileDiff{Kind: Added, Binary: true, After: &Side{Path: p, Mode: worktree.GitMode(info), Disk: true}}
		if e := entries[p]; e.Mode != "" {
			d.Kind, d.Before = Modified, &Side{Path: p, Mode: e.Mode, Blob: e.Blob}
			if size, err := r.content.blobSize(ctx, e.Blob); err == nil && size == info.Size() {
				same, err := r.content.holds(ctx, p, worktree.Version{Blob: e.Blob, Clean: true})
				if err != nil {
					return nil, err
				}
				if same && e.Mode == d.After.Mode {
					continue
				}
				if same {
					d.Kind = ModeOnly
				}
			}
			if e.Mode == ModeSymlink || e.Mode == ModeSubmodule {
				d.Kind = TypeChange
			}
		}
		files = append(files, d)
	}
	return files, nil
}
