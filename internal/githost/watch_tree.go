package githost

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ahp-lsp/internal/githost/disk"
)

// rescan watches the directories of the work tree that are not watched yet.
func (w *watcher) rescan(ctx context.Context) {
	clear(w.ignored)
	dirs, err := w.h.repo.Dirs(ctx)
	if w.incomplete = err != nil; w.incomplete {
		w.h.logGit(ctx, "list the folders to watch", err)
		w.updateGapless()
		return
	}
	for _, rel := range dirs {
		if !w.dirs[rel] {
			w.dirs[rel] = true
			w.add(filepath.Join(w.h.repo.Root(), filepath.FromSlash(rel)))
		}
	}
	w.updateGapless()
}

// forget drops the watches of a directory that has gone: one that comes back under
// its name is another, and one that was only moved would be reported under its old
// name.
func (w *watcher) forget(name string) {
	rel, err := filepath.Rel(w.h.repo.Root(), name)
	if rel = filepath.ToSlash(rel); err != nil || !w.dirs[rel] || rel == "." {
		return
	}
	w.moved = true
	for dir := range w.dirs {
		if dir != rel && !strings.HasPrefix(dir, rel+"/") {
			continue
		}
		delete(w.dirs, dir)
		if w.fs != nil {
			// There is none any more where the directory was deleted.
			_ = w.fs.Remove(filepath.Join(w.h.repo.Root(), filepath.FromSlash(dir)))
		}
	}
}

// wanted leaves out what git ignores.
func (w *watcher) wanted(ctx context.Context, paths []string) []string {
	var unknown []string
	for _, p := range paths {
		if _, known := w.ignored[p]; !known {
			unknown = append(unknown, p)
		}
	}
	if len(unknown) > 0 {
		if len(w.ignored) > 1<<16 {
			clear(w.ignored)
		}
		ignored, err := w.h.repo.Ignored(ctx, unknown)
		if err != nil {
			w.h.logGit(ctx, "list ignored files", err)
		}
		for _, p := range unknown {
			w.ignored[p] = ignored[p]
		}
	}
	return slices.DeleteFunc(paths, func(p string) bool { return w.ignored[p] })
}

// expand watches new directories, and puts what is in them in their place:
// files may have been written there before they were watched.
func (w *watcher) expand(ctx context.Context, paths []string) (files []string) {
	for len(paths) > 0 {
		var inside []string
		for _, rel := range paths {
			name := filepath.Join(w.h.repo.Root(), filepath.FromSlash(rel))
			info, err := os.Lstat(name)
			if err != nil || !info.IsDir() {
				files = append(files, rel)
				continue
			}
			if w.dirs[rel] {
				continue // only its time has changed
			}
			w.dirs[rel], w.moved = true, true
			w.add(name)
			entries, _ := os.ReadDir(name)
			for _, e := range entries {
				if sub := rel + "/" + e.Name(); disk.Allowed(sub) {
					inside = append(inside, sub)
				}
			}
		}
		paths = w.wanted(ctx, inside)
	}
	return files
}
