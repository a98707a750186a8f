package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// TextName is what a text is called in the store: its SHA-256, in hexadecimal.
func TextName(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// textName is what TextName may return: no other name comes near the disk.
var textName = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (s *Store) textPath(name string) string { return filepath.Join(s.dir, textsFolder, name) }

// readText reads a text, nil if it is not there. One that is not what its name
// says is removed, since nothing of it can be used. The folder of anchors is
// locked, as for all that follows.
func (s *Store) readText(name string) *string {
	if !textName.MatchString(name) {
		return nil
	}
	data, err := readFile(s.textPath(name), s.limits.text)
	if err == nil {
		if text := string(data); TextName(text) == name {
			return &text
		}
	}
	if err == nil || errors.Is(err, errNotRegular) || errors.Is(err, errTooLong) {
		os.Remove(s.textPath(name))
	}
	return nil
}

func (s *Store) statText(name string) (fs.FileInfo, bool) {
	if !textName.MatchString(name) {
		return nil, false
	}
	info, err := os.Lstat(s.textPath(name))
	return info, err == nil && info.Mode().IsRegular()
}

// writeTexts stores those of texts that named has, and reports whether one is new.
func (s *Store) writeTexts(named map[string]int64, texts map[string]string) (wrote bool, err error) {
	for name, text := range texts {
		if _, ok := named[name]; !ok {
			continue
		}
		path := s.textPath(name)
		if s.readText(name) != nil {
			now := time.Now()
			os.Chtimes(path, now, now) // its age decides only which text goes first
			continue
		}
		if err := writeFile(path, []byte(text)); err != nil {
			return wrote, err
		}
		wrote = true
	}
	return wrote, nil
}

// trimTexts removes what a crash left unfinished, and the oldest texts when all
// have too many bytes, but none of named.
func (s *Store) trimTexts(named map[string]int64) error {
	dir := filepath.Join(s.dir, textsFolder)
	sweep(dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var others []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		total += info.Size()
		if _, ok := named[e.Name()]; !ok {
			others = append(others, info)
		}
	}
	slices.SortFunc(others, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range others {
		if total <= s.limits.texts {
			break
		}
		if err := os.Remove(filepath.Join(dir, info.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= info.Size()
	}
	return nil
}
