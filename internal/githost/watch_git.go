package githost

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
)

// watchGit watches git's own directories.
func (w *watcher) watchGit() {
	gitDir, common := w.h.repo.GitDir(), w.h.repo.CommonDir()
	_ = atomicfile.PrivateDir(store.Dir(w.h.repo)) // where commands of ours leave word
	for _, dir := range []string{gitDir, common, filepath.Join(gitDir, "logs"), store.Dir(w.h.repo), filepath.Join(common, "info"), filepath.Join(common, "reftable")} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			w.add(dir)
		}
	}
	for _, refs := range []string{"heads", "remotes"} {
		w.addBelow(filepath.Join(common, "refs", refs))
	}
}

// addBelow watches a directory and all below it.
func (w *watcher) addBelow(dir string) {
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			w.add(name)
		}
		return nil
	})
}

// inGit is the path of a file of git's own, relative to its directory. Of the
// directory that all work trees of a repository share, it is "" where the file
// belongs to another work tree.
func (w *watcher) inGit(name string) (string, bool) {
	own, common := w.h.repo.GitDir(), w.h.repo.CommonDir()
	if rel, err := filepath.Rel(own, name); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	rel, err := filepath.Rel(common, name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	if rel == "index" || strings.ToUpper(rel) == rel || strings.HasPrefix(rel, "logs/") || strings.HasPrefix(rel, "rebase-") {
		return "", true // HEAD and the like
	}
	return rel, true
}

// gitPart says what a file of git's own is about. Locks, temporary files and
// objects are about nothing.
func gitPart(rel string) (d session.Dirty) {
	switch rel {
	case "index":
		d.Index = true
	case "HEAD", "packed-refs", "config", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG",
		"rebase-merge", "rebase-apply", "logs/HEAD", "refs/heads", "refs/remotes", "reftable/tables.list":
		d.Head = true
	case "info/exclude", "info/attributes", "config.worktree":
		d.WorkTree = true
	case "ahp/poke-" + store.PokeTrust:
		d.Head, d.WorkTree = true, true
	case "ahp/poke-" + store.PokeTurns:
		d.Turns = true
	case "ahp/poke-" + store.PokePatchsets:
		d.Patchsets = true
	case "ahp/poke-" + store.PokeUndo:
		d.Undo = true
	}
	if (strings.HasPrefix(rel, "refs/heads/") || strings.HasPrefix(rel, "refs/remotes/")) && !strings.HasSuffix(rel, ".lock") {
		d.Head = true
	}
	return d
}
