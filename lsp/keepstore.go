package lsp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// keptStore remembers kept hunks: scope (a session) → file → keys. It
// belongs to the loop; what is written and read are copies.
type keptStore struct {
	scopes map[string]map[string]map[string]bool
	dirty  map[string]bool
}

func (k *keptStore) has(scope, file, key string) bool { return k.scopes[scope][file][key] }

func (k *keptStore) set(scope, file, key string, keep bool) {
	if k.scopes == nil {
		k.scopes, k.dirty = map[string]map[string]map[string]bool{}, map[string]bool{}
	}
	files := k.scopes[scope]
	if files == nil {
		files = map[string]map[string]bool{}
		k.scopes[scope] = files
	}
	if files[file] == nil {
		files[file] = map[string]bool{}
	}
	if keep {
		files[file][key] = true
	} else {
		delete(files[file], key)
	}
	k.dirty[scope] = true
}

// keptFile is how a scope's kept hunks are stored.
type keptFile struct {
	Version int                 `json:"version"`
	Scope   string              `json:"scope"`
	Saved   time.Time           `json:"saved"`
	Files   map[string][]string `json:"files"`
}

const keptVersion = 1

// take returns the scopes that changed since it was called last, to be written.
func (k *keptStore) take() (out []keptFile) {
	for scope := range k.dirty {
		f := keptFile{Version: keptVersion, Scope: scope, Saved: time.Now().UTC(), Files: map[string][]string{}}
		for file, keys := range k.scopes[scope] {
			if len(keys) > 0 {
				f.Files[file] = slices.Sorted(maps.Keys(keys))
			}
		}
		out = append(out, f)
	}
	clear(k.dirty)
	return out
}

// add puts what was read into the store; what was kept since stays.
func (k *keptStore) add(f keptFile) {
	for file, keys := range f.Files {
		for _, key := range keys {
			k.set(f.Scope, file, key, true)
		}
	}
	delete(k.dirty, f.Scope)
}

func keptPath(dir, scope string) string {
	sum := sha256.Sum256([]byte(scope))
	return filepath.Join(dir, "kept", hex.EncodeToString(sum[:12])+".json")
}

// writeKept replaces each scope's file as a whole: a crash leaves the old one.
func writeKept(dir string, scopes []keptFile) error {
	for _, f := range scopes {
		path := keptPath(dir, f.Scope)
		data, err := json.Marshal(f)
		if err != nil {
			return err
		}
		if err := replaceFile(path, data); err != nil {
			return err
		}
	}
	return nil
}

// readKept reads a scope's file. None is no error; one that cannot be read is
// left where it is and said so.
func readKept(dir, scope string) (keptFile, error) {
	var f keptFile
	path := keptPath(dir, scope)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return keptFile{}, fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case f.Version != keptVersion:
		return keptFile{}, fmt.Errorf("%s: format version %d, want %d; it is left as it is", path, f.Version, keptVersion)
	case f.Scope != scope:
		return keptFile{}, fmt.Errorf("%s: it is of %s, not of %s; it is left as it is", path, f.Scope, scope)
	}
	return f, nil
}
