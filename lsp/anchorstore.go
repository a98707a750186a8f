package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/mapping"
)

// What a comment is about is the text that was there when it was made. So that
// the next start knows that text although the file has changed meanwhile, it is
// kept in the state directory: texts by their hash, and for each session which
// comment is about what of them. Both are bounded; what is not kept is worked
// out as for a comment that is seen for the first time.

const (
	maxStoredAnchors = 2000     // of one session
	maxStoredText    = 1 << 20  // bytes of one text
	maxStoredBytes   = 64 << 20 // of all texts
	anchorVersion    = 1
)

// storedAnchor is what one comment is about.
type storedAnchor struct {
	Text  string    `json:"text"`  // SHA-256 of the text, as the name of its file
	Range ahp.Range `json:"range"` // the host's, when it was anchored
	Start int       `json:"start"` // bytes in the text
	End   int       `json:"end"`
}

// anchorStore is what is kept of a session; it belongs to the loop.
type anchorStore struct {
	loaded  bool
	anchors map[string]storedAnchor // by annotation
	texts   map[string]*mapping.Text
	dirty   bool
	writing bool
}

type anchorFile struct {
	Version int                     `json:"version"`
	Session string                  `json:"session"`
	Anchors map[string]storedAnchor `json:"anchors"`
}

// loadAnchors reads what is kept of a session, and then anchors its comments.
func (s *Server) loadAnchors(ses *session, uri string) {
	ses.store = &anchorStore{anchors: map[string]storedAnchor{}, texts: map[string]*mapping.Text{}}
	if s.cfg.StateDir == "" {
		ses.store.loaded = true
		return
	}
	dir := s.cfg.StateDir
	background(s, func(context.Context) *anchorStore { return readAnchors(dir, uri) }, func(st *anchorStore) {
		if st == nil {
			st = &anchorStore{anchors: map[string]storedAnchor{}, texts: map[string]*mapping.Text{}}
		}
		// What was made meanwhile is newer.
		maps.Copy(st.anchors, ses.store.anchors)
		maps.Copy(st.texts, ses.store.texts)
		st.loaded, st.dirty = true, ses.store.dirty
		ses.store = st
		s.anchorSession(ses)
	})
}

// remembered is the anchor a comment had in an earlier run, nil if that is not
// known or the host has said another place since.
func (st *anchorStore) remembered(a *ahp.Annotation) *mapping.Anchor {
	stored, ok := st.anchors[a.ID]
	text := st.texts[stored.Text]
	if !ok || text == nil || a.Range == nil || *a.Range != stored.Range {
		return nil
	}
	an := mapping.NewAnchor(text, mapping.Span{Start: stored.Start, End: stored.End})
	return &an
}

// remember keeps what a comment is about.
func (st *anchorStore) remember(t *thread) {
	an := t.anchor
	if an == nil || an.Base == nil || an.WholeFile || t.annotation.Range == nil || an.Base.Len() > maxStoredText {
		return
	}
	old, known := st.anchors[t.key.id]
	if known && old.Range == *t.annotation.Range && old.Start == an.Span.Start && old.End == an.Span.End && st.texts[old.Text] == an.Base {
		return
	}
	if !known && len(st.anchors) >= maxStoredAnchors {
		return
	}
	name := ""
	for n, text := range st.texts {
		if text == an.Base {
			name = n
		}
	}
	if name == "" {
		sum := sha256.Sum256([]byte(an.Base.String()))
		name = hex.EncodeToString(sum[:])
		st.texts[name] = an.Base
	}
	st.anchors[t.key.id] = storedAnchor{Text: name, Range: *t.annotation.Range, Start: an.Span.Start, End: an.Span.End}
	st.dirty = true
}

func (st *anchorStore) forget(id string) {
	if _, ok := st.anchors[id]; ok {
		delete(st.anchors, id)
		st.dirty = true
	}
}

// sweep lets go of the texts that no comment is about any more.
func (st *anchorStore) sweep() {
	used := make(map[string]bool, len(st.texts))
	for _, a := range st.anchors {
		used[a.Text] = true
	}
	maps.DeleteFunc(st.texts, func(name string, _ *mapping.Text) bool { return !used[name] })
}

// saveAnchors writes what changed, one write at a time.
func (s *Server) saveAnchors() {
	if s.cfg.StateDir == "" {
		return
	}
	for uri, ses := range s.sessions {
		st := ses.store
		if st == nil || !st.loaded || !st.dirty || st.writing {
			continue
		}
		st.dirty, st.writing = false, true
		st.sweep()
		dir, file := s.cfg.StateDir, anchorFile{anchorVersion, uri, maps.Clone(st.anchors)}
		texts := maps.Clone(st.texts)
		background(s, func(context.Context) error { return writeAnchors(dir, file, texts) }, func(err error) {
			st.writing = false
			if err != nil {
				s.log.Warningf("what comments are about is not kept: %v", err)
			}
		})
	}
}

func anchorPath(dir, session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(dir, "anchors", hex.EncodeToString(sum[:12])+".json")
}

func textPath(dir, name string) string { return filepath.Join(dir, "texts", name) }

// readAnchors reads a session's file and the texts it names; what cannot be
// read is left out.
func readAnchors(dir, session string) *anchorStore {
	st := &anchorStore{anchors: map[string]storedAnchor{}, texts: map[string]*mapping.Text{}}
	data, err := os.ReadFile(anchorPath(dir, session))
	var f anchorFile
	if err != nil || json.Unmarshal(data, &f) != nil || f.Version != anchorVersion || f.Session != session {
		return st
	}
	for id, a := range f.Anchors {
		if _, seen := st.texts[a.Text]; !seen {
			st.texts[a.Text] = readStoredText(dir, a.Text)
		}
		if text := st.texts[a.Text]; text != nil && a.Start >= 0 && a.Start <= a.End && a.End <= text.Len() {
			st.anchors[id] = a
		}
	}
	maps.DeleteFunc(st.texts, func(_ string, t *mapping.Text) bool { return t == nil })
	return st
}

// readStoredText reads a text and checks that it is the one its name says.
func readStoredText(dir, name string) *mapping.Text {
	if len(name) != 2*sha256.Size || filepath.Base(name) != name {
		return nil
	}
	data, err := os.ReadFile(textPath(dir, name))
	if err != nil {
		return nil
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != name {
		return nil
	}
	return mapping.NewText(string(data))
}

// writeAnchors writes the texts first: a file that names a text has it.
func writeAnchors(dir string, f anchorFile, texts map[string]*mapping.Text) error {
	for _, a := range f.Anchors {
		text := texts[a.Text]
		if _, err := os.Stat(textPath(dir, a.Text)); err == nil || text == nil {
			continue
		}
		if err := storeFile(textPath(dir, a.Text), []byte(text.String())); err != nil {
			return err
		}
	}
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := storeFile(anchorPath(dir, f.Session), data); err != nil {
		return err
	}
	return trimTexts(filepath.Join(dir, "texts"))
}

// trimTexts removes the oldest texts when there are too many.
func trimTexts(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type kept struct {
		name string
		size int64
		at   time.Time
	}
	var all []kept
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, kept{e.Name(), info.Size(), info.ModTime()})
			total += info.Size()
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return a.at.Compare(b.at) })
	for _, k := range all {
		if total <= maxStoredBytes {
			break
		}
		if err := os.Remove(filepath.Join(dir, k.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= k.size
	}
	return nil
}

// storeFile writes a file of a store, whose folder need not be there yet, as a whole.
func storeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Replace(path, data, 0o600)
}
