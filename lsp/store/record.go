package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// kind is how records of one folder are stored: each is a T, as JSON.
type kind[T any] struct {
	folder  string
	version int                      // the latest format; the formats from 1 on can be read
	header  func(*T) (*int, *string) // the members that hold version and key
	empty   func(*T) bool            // says that there is nothing to store
}

// view shows a key's record to look, under the lock; the zero T if there is none
// that can be used.
func (k kind[T]) view(ctx context.Context, s *Store, key string, look func(*T)) error {
	key = recordKey(key)
	if err := ctx.Err(); err != nil || !s.Remembers() {
		return err
	}
	if _, err := os.Lstat(s.path(k.folder, key)); errors.Is(err, fs.ErrNotExist) {
		return nil // and no folder is made for it
	}
	unlock, err := s.lock(ctx, k.folder)
	if err == nil {
		defer unlock()
	} else if !unwritable(err) {
		return err
	}
	record, damaged, err := k.load(s, key)
	if err == nil {
		look(&record)
	}
	return withDamage(damaged, err)
}

// update lets change edit a key's record, or the zero T if there is none that
// can be used, and stores it if change reports that it did.
func (k kind[T]) update(ctx context.Context, s *Store, key string, change func(*T) (bool, error)) error {
	key = recordKey(key)
	if err := ctx.Err(); err != nil || !s.Remembers() {
		return err
	}
	if !utf8.ValidString(key) {
		return fmt.Errorf("%q is no key of a record: it is not UTF-8", key)
	}
	unlock, err := s.lock(ctx, k.folder)
	if err != nil {
		return err
	}
	defer unlock()
	if f := s.folders[k.folder]; !f.swept {
		sweep(filepath.Join(s.dir, k.folder))
		f.swept = true
	}
	record, damaged, err := k.load(s, key)
	if err != nil {
		return withDamage(damaged, err)
	}
	changed, err := change(&record)
	if err == nil && changed {
		err = k.save(s, key, &record)
	}
	return withDamage(damaged, err)
}

// recordKey is the key that the record of a session has. The embedded host's session
// is git:/<id> and was ahp-session:/<id>: its records keep the key they had, and
// nothing of it is lost.
func recordKey(session string) string {
	if id, ok := strings.CutPrefix(session, "git:/"); ok {
		return "ahp-session:/" + id
	}
	return session
}

// load reads a record. One that is damaged is set aside, and an empty one
// returned with what happened; with an error there is none. The folder is locked.
func (k kind[T]) load(s *Store, key string) (record T, damaged *Damaged, err error) {
	path := s.path(k.folder, key)
	var empty T
	data, err := readFile(path, s.limits.record)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return empty, nil, nil
	case err == nil:
		if record, err = k.decode(path, key, data); err == nil {
			return record, nil, nil
		}
		var newer *NewerVersion
		if errors.As(err, &newer) {
			return empty, nil, err
		}
	case !errors.Is(err, errNotRegular) && !errors.Is(err, errTooLong):
		return empty, nil, err
	}
	damaged = &Damaged{Path: path, Cause: err}
	if damaged.AsideAs, err = setAside(path, s.limits.aside); err != nil {
		err = fmt.Errorf("move the damaged file away: %w", err)
	}
	return empty, damaged, err
}

func (k kind[T]) decode(path, key string, data []byte) (record T, err error) {
	// A later format may differ in everything but its version.
	var header struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &header); err != nil {
		return record, err
	}
	if header.Version > k.version {
		return record, &NewerVersion{Path: path, Version: header.Version, Known: k.version}
	}
	if header.Version < 1 {
		return record, fmt.Errorf("its format version is %d", header.Version)
	}
	if err := json.Unmarshal(data, &record); err != nil {
		return record, err
	}
	if _, inside := k.header(&record); *inside != key {
		return record, fmt.Errorf("it is the record of %q, not of %q", *inside, key)
	}
	return record, nil
}

// save replaces a record, or removes an empty one. The folder is locked.
func (k kind[T]) save(s *Store, key string, record *T) error {
	path := s.path(k.folder, key)
	if k.empty(record) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	version, inside := k.header(record)
	*version, *inside = k.version, key
	data, err := json.Marshal(record)
	switch {
	case err != nil:
		return err
	case int64(len(data)) > s.limits.record:
		return fmt.Errorf("%s would have %d bytes, and at most %d are read again; it is left as it is", path, len(data), s.limits.record)
	case !json.Valid(data): // actions may be nested as deep as is allowed, and are one deeper here
		return fmt.Errorf("%s could not be read again: what it would hold is nested too deeply", path)
	}
	return writeFile(path, data)
}
