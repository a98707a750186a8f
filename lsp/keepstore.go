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
	scopes  keptScopes
	changed keptScopes // since take was called last
}

// keptScopes says of hunks whether they are kept; false is one that was given up.
type keptScopes map[string]map[string]map[string]bool

func (k keptScopes) set(scope, file, key string, keep bool) {
	if k[scope] == nil {
		k[scope] = map[string]map[string]bool{}
	}
	if k[scope][file] == nil {
		k[scope][file] = map[string]bool{}
	}
	k[scope][file][key] = keep
}

func (k *keptStore) has(scope, file, key string) bool { return k.scopes[scope][file][key] }

func (k *keptStore) set(scope, file, key string, keep bool) {
	if k.scopes == nil {
		k.scopes = keptScopes{}
	}
	if k.changed == nil {
		k.changed = keptScopes{}
	}
	k.scopes.set(scope, file, key, keep)
	k.changed.set(scope, file, key, keep)
}

// keptFile is how a scope's kept hunks are stored.
type keptFile struct {
	Version int                 `json:"version"`
	Scope   string              `json:"scope"`
	Saved   time.Time           `json:"saved"`
	Files   map[string][]string `json:"files"`
}

const keptVersion = 1

// take returns what changed since it was called last, to be written.
func (k *keptStore) take() keptScopes {
	out := k.changed
	k.changed = nil
	return out
}

// add puts what was read into the store; what was kept or given up since stays.
func (k *keptStore) add(f keptFile) {
	if k.scopes == nil {
		k.scopes = keptScopes{}
	}
	for file, keys := range f.Files {
		for _, key := range keys {
			if _, known := k.scopes[f.Scope][file][key]; !known {
				k.scopes.set(f.Scope, file, key, true)
			}
		}
	}
}

func keptPath(dir, scope string) string {
	sum := sha256.Sum256([]byte(scope))
	return filepath.Join(dir, "kept", hex.EncodeToString(sum[:12])+".json")
}

// writeKept puts changes into the scopes' files: other editors keep theirs in the
// same ones. Each is replaced as a whole: a crash leaves the old one.
func writeKept(dir string, changed keptScopes) error {
	for scope, files := range changed {
		f, err := readKept(dir, scope)
		if err != nil {
			return err
		}
		all := map[string]map[string]bool{}
		for file, keys := range f.Files {
			all[file] = map[string]bool{}
			for _, key := range keys {
				all[file][key] = true
			}
		}
		for file, keys := range files {
			if all[file] == nil {
				all[file] = map[string]bool{}
			}
			maps.Copy(all[file], keys)
		}
		f = keptFile{Version: keptVersion, Scope: scope, Saved: time.Now().UTC(), Files: map[string][]string{}}
		for file, keys := range all {
			maps.DeleteFunc(keys, func(_ string, keep bool) bool { return !keep })
			if len(keys) > 0 {
				f.Files[file] = slices.Sorted(maps.Keys(keys))
			}
		}
		data, err := json.Marshal(f)
		if err != nil {
			return err
		}
		if err := storeFile(keptPath(dir, scope), data); err != nil {
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
		return keptFile{}, fmt.Errorf("%s is damaged (%w); move it away to begin anew", path, err)
	}
	switch {
	case f.Version != keptVersion:
		return keptFile{}, fmt.Errorf("%s: format version %d, want %d; it is left as it is", path, f.Version, keptVersion)
	case f.Scope != scope:
		return keptFile{}, fmt.Errorf("%s: it is of %s, not of %s; it is left as it is", path, f.Scope, scope)
	}
	return f, nil
}
