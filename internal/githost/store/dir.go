// Package store is what the embedded host keeps in the git directory, besides the
// journal: turns as refs, proposals as files, and the word to a running host that
// there is something new.
//
// Everything here works with or without a host that runs: commands use it, too.
// It has no state of its own and is safe for concurrent use, also by several
// processes. Package githost imports it; it imports gitrepo and session.
package store

import (
	"os"
	"path/filepath"
	"time"

	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/internal/githost/gitrepo"
)

// Pokes: files that make a running host look again at what it cannot watch on disk
// without asking git.
const (
	PokeTurns     = "turns"
	PokePatchsets = "patchsets"
	PokeUndo      = "undo"
	PokeTrust     = "trust" // the engine looks at it, too
)

// Poke is best effort: without it a host notices at its next look.
func Poke(repo *gitrepo.Repo, what string) {
	dir := Dir(repo)
	if atomicfile.PrivateDir(dir) != nil {
		return
	}
	_ = os.WriteFile(filepath.Join(dir, "poke-"+what), []byte(time.Now().Format(time.RFC3339Nano)+"\n"), 0o600)
}

// Dir is where this program keeps what belongs to a repository.
func Dir(repo *gitrepo.Repo) string { return filepath.Join(repo.CommonDir(), "ahp") }

// File is the name of a file in Dir that belongs to one work tree: plain
// for the main one, with the name git has for it for a linked one. It stays the
// same when the work tree is moved.
func File(repo *gitrepo.Repo, name, suffix string) string {
	if filepath.Clean(repo.GitDir()) != filepath.Clean(repo.CommonDir()) {
		name += "-" + filepath.Base(repo.GitDir())
	}
	return filepath.Join(Dir(repo), name+suffix)
}
