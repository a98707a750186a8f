package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// indexEntry is what the index or a tree has at a path. The zero value is
// nothing.
type indexEntry struct{ Mode, Blob string }

// indexEntries reads the entries of some paths. ErrUnmerged if one has
// conflicts. index "" is the user's own.
func (r *indexes) indexEntries(ctx context.Context, index string, paths []string) (map[string]indexEntry, error) {
	args := []string{"ls-files", "-s", "-z"}
	out, err := r.cmd.In(ctx, index, nil, withPaths(args, paths)...)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	want := setOf(paths)
	entries := make(map[string]indexEntry, len(paths))
	for rec := range splitRecords(out) {
		meta, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 || !want[path] {
			continue
		}
		if f[2] != "0" {
			return nil, fmt.Errorf("%s: %w: resolve it and run git add on it first", path, ErrUnmerged)
		}
		entries[path] = indexEntry{f[0], f[1]}
	}
	return entries, nil
}

// treeEntries reads the entries of some paths in a tree. nil is every path.
func (r *indexes) treeEntries(ctx context.Context, tree string, paths []string) (map[string]indexEntry, error) {
	out, err := r.cmd.Output(ctx, withPaths([]string{"ls-tree", "-r", "-z", "--full-tree", tree}, paths)...)
	if err != nil {
		return nil, fmt.Errorf("read the tree %s: %w", tree, err)
	}
	want := setOf(paths)
	entries := make(map[string]indexEntry, len(paths))
	for rec := range splitRecords(out) {
		meta, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(meta)
		if ok && len(f) == 3 && (paths == nil || want[path]) {
			entries[path] = indexEntry{f[0], f[2]}
		}
	}
	return entries, nil
}

// Traceless are those of the paths that are neither on the disk nor in a tree:
// files that came and went. Of very many it finds none.
func (r *Repo) Traceless(ctx context.Context, tree string, paths []string) ([]string, error) {
	var gone []string
	for _, p := range paths {
		if _, err := os.Lstat(filepath.Join(r.cmd.Root, filepath.FromSlash(p))); errors.Is(err, fs.ErrNotExist) {
			gone = append(gone, p)
		}
	}
	args := []string{"ls-tree", "-z", "--name-only", "--full-tree", tree}
	narrow := withPaths(args, gone)
	if len(gone) == 0 || len(narrow) == len(args) {
		return nil, nil
	}
	out, err := r.cmd.Output(ctx, narrow...)
	if err != nil {
		return nil, fmt.Errorf("read the tree %s: %w", tree, err)
	}
	in := map[string]bool{}
	for rec := range splitRecords(out) {
		in[rec] = true
	}
	return slices.DeleteFunc(gone, func(p string) bool { return in[p] }), nil
}

// setEntries writes entries into a temporary index; an empty entry removes the
// path, together with any conflict it has.
func (r *indexes) setEntries(ctx context.Context, index string, entries map[string]indexEntry) error {
	if len(entries) == 0 {
		return nil
	}
	var in bytes.Buffer
	// Removals first: a path may make room for a folder of its name.
	for path, e := range entries {
		if e.Mode == "" {
			fmt.Fprintf(&in, "0 %s\t%s\x00", r.cmd.NoObject(), path)
		}
	}
	for path, e := range entries {
		if e.Mode != "" {
			fmt.Fprintf(&in, "%s %s 0\t%s\x00", e.Mode, e.Blob, path)
		}
	}
	_, err := r.cmd.In(ctx, index, in.Bytes(), "update-index", "--replace", "-z", "--index-info")
	return err
}

// add is git add -A of exactly these paths: what is on disk goes into the index,
// what is not there goes from it.
func (r *indexes) add(ctx context.Context, index string, paths []string) error {
	return r.addWith(ctx, gitcmd.Command{Index: index}, paths)
}

func (r *indexes) addWith(ctx context.Context, c gitcmd.Command, paths []string) error {
	root, err := r.files.Open()
	if err != nil {
		return err
	}
	defer root.Close()
	var there bytes.Buffer
	gone := map[string]indexEntry{}
	for _, p := range paths {
		link, err := worktree.LinkAbove(root, p)
		if err != nil {
			return err
		}
		if _, err := root.Lstat(p); link != "" || err != nil {
			gone[p] = indexEntry{}
			continue
		}
		there.WriteString(p + "\x00")
	}
	if err := r.setEntries(ctx, c.Index, gone); err != nil {
		return err
	}
	if there.Len() == 0 {
		return nil
	}
	c.Stdin, c.Args = &there, []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}
	_, err = r.cmd.Run(ctx, c)
	return err
}

// maxPathArgs bounds the paths on a command line, in bytes; Windows has 32 KiB.
const maxPathArgs = 24 << 10

// withPaths narrows a command to paths, or not at all if they are too many:
// callers filter the result.
func withPaths(args, paths []string) []string {
	n := 0
	for _, p := range paths {
		n += len(p) + 3
	}
	if n > maxPathArgs {
		return args
	}
	return append(append(args, "--"), paths...)
}

// splitRecords splits what git prints with -z.
func splitRecords(out []byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for len(out) > 0 {
			rec, rest, _ := bytes.Cut(out, []byte{0})
			if !yield(string(rec)) {
				return
			}
			out = rest
		}
	}
}

func setOf(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}
