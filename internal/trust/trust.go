// Package trust remembers which repositories may run the programs that their own
// configuration names: by a hash of the programs, so that another program, or another
// argument, is asked about again. What the file of a program contains is not part of
// the hash.
//
// The answers are the user's and are kept in their state directory, never in a
// repository. A [Store] can be used by several processes at the same time.
package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/gofrs/flock"

	"ahp-lsp/internal/atomicfile"
)

// Entry is one answer: the programs with the hash may run in the repository.
type Entry struct {
	Repository string    `json:"repository"` // its common git directory
	Hash       string    `json:"hash"`
	Programs   []string  `json:"programs"` // for people
	Allowed    time.Time `json:"allowed"`
}

// EntryOf is an answer that is given now.
func EntryOf(repository, hash string, programs []string) Entry {
	return Entry{repository, hash, programs, time.Now().UTC().Truncate(time.Second)}
}

// Store is a file of answers.
type Store struct{ path string }

// Default is the store of the user.
func Default() *Store { return Open(filepath.Join(xdg.StateHome, "ahp-lsp")) }

// Open is the store in a folder, which need not exist yet.
func Open(dir string) *Store { return &Store{filepath.Join(dir, "trust.json")} }

// maxFile is the size, in bytes, up to which the file is read.
const maxFile = 1 << 20

type file struct {
	Version int     `json:"version"`
	Entries []Entry `json:"entries"`
}

// List is all answers, sorted by repository. A store that cannot be read is an error:
// nothing in it counts, and nothing is added.
func (s *Store) List() ([]Entry, error) {
	entries, err := s.read()
	if err != nil {
		return nil, fmt.Errorf("read what has been allowed: %w", err)
	}
	return entries, nil
}

func (s *Store) read() ([]Entry, error) {
	info, err := os.Lstat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fmt.Errorf("%s is no file of this program; remove it", s.path)
	}
	data, err := os.ReadFile(s.path)
	if err != nil {
		return nil, err
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s is damaged (%v); remove it, and allow again what you trust", s.path, err)
	}
	if f.Version != 1 {
		return nil, fmt.Errorf("%s has the format %d, which this version of ahp-lsp does not know; update it", s.path, f.Version)
	}
	return f.Entries, nil
}

// Allowed reports whether the programs with a hash may run in a repository. What
// cannot be read allows nothing.
func (s *Store) Allowed(repository, hash string) bool {
	entries, err := s.read()
	return err == nil && hash != "" && slices.ContainsFunc(entries, func(e Entry) bool {
		return e.Repository == repository && e.Hash == hash
	})
}

// Allow adds an answer, in place of earlier ones for the repository.
func (s *Store) Allow(e Entry) error {
	_, err := s.change(e.Repository, []Entry{e})
	if err != nil {
		return fmt.Errorf("remember what is allowed: %w", err)
	}
	return nil
}

// Forget takes the answers for a repository away. It reports whether there were any.
func (s *Store) Forget(repository string) (bool, error) {
	had, err := s.change(repository, nil)
	if err != nil {
		return false, fmt.Errorf("forget what is allowed: %w", err)
	}
	return had, nil
}

// change replaces the answers for a repository, while no other process does.
func (s *Store) change(repository string, by []Entry) (had bool, err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return false, err
	}
	lock := flock.New(s.path + ".lock")
	if err := lock.Lock(); err != nil {
		return false, err
	}
	defer lock.Unlock()
	entries, err := s.read()
	if err != nil {
		return false, err
	}
	n := len(entries)
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Repository == repository })
	had = len(entries) < n
	entries = append(entries, by...)
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Repository, b.Repository) })
	data, err := json.MarshalIndent(file{1, entries}, "", "\t")
	if err != nil {
		return false, err
	}
	return had, atomicfile.Replace(s.path, append(data, '\n'), 0o600)
}
