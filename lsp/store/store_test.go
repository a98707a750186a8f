package store

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	one = "ahp-session:/1"
	two = "ahp-session:/2"
	uri = "file:///ws/a.go"
)

// put writes a file of a store, as something else than the store would.
func put(t testing.TB, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func get(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// names are the files of a folder, without the lock's.
func names(t testing.TB, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() != ".lock" {
			list = append(list, e.Name())
		}
	}
	return list
}

// age makes a file as old as is said.
func age(t testing.TB, path string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	require.NoError(t, os.Chtimes(path, at, at))
}

func kept(t testing.TB, s *Store, scope string) map[string][]string {
	t.Helper()
	files, err := s.Kept(t.Context(), scope)
	require.NoError(t, err)
	return files
}

func unsent(t testing.TB, s *Store, session string) (list []string) {
	t.Helper()
	actions, err := s.Unsent(t.Context(), session)
	require.NoError(t, err)
	for _, a := range actions {
		list = append(list, string(a))
	}
	return list
}

func keep(keys ...string) map[string]map[string]bool {
	changes := map[string]bool{}
	for _, key := range keys {
		name, giveUp := strings.CutPrefix(key, "-")
		changes[name] = !giveUp
	}
	return map[string]map[string]bool{uri: changes}
}

func action(text string) json.RawMessage { return json.RawMessage(`{"text":"` + text + `"}`) }

// Files that today's version has written are read as they are.
func TestFilesOfToday(t *testing.T) {
	s := New(t.TempDir())
	text := "one\ntwo\n"
	put(t, s.path("kept", one), `{"version":1,"scope":"ahp-session:/1","saved":"2026-01-02T03:04:05Z","files":{"file:///ws/a.go":["x","y"]}}`)
	put(t, s.path("unsent", one), `{"version":1,"session":"ahp-session:/1","actions":[{"type":"annotations/set"}]}`)
	put(t, s.path("anchors", one), `{"version":1,"session":"ahp-session:/1","anchors":{"a1":{"text":"`+TextName(text)+
		`","range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"start":4,"end":7}}}`)
	put(t, filepath.Join(s.dir, "texts", TextName(text)), text)

	require.Equal(t, map[string][]string{uri: {"x", "y"}}, kept(t, s, one))
	require.Equal(t, []string{`{"type":"annotations/set"}`}, unsent(t, s, one))
	records, texts, err := s.Anchors(t.Context(), one)
	require.NoError(t, err)
	require.Equal(t, map[string]Anchor{"a1": {TextName(text), Range{1, 2, 3, 4}, 4, 7}}, records)
	require.Equal(t, map[string]string{TextName(text): text}, texts)
}

// And what is written is what today's version reads.
func TestFilesForToday(t *testing.T) {
	s := New(t.TempDir())
	text := "one\ntwo\n"
	a := Anchor{TextName(text), Range{1, 2, 3, 4}, 4, 7}
	require.NoError(t, s.Keep(t.Context(), one, keep("y", "x")))
	require.NoError(t, s.AddUnsent(t.Context(), one, action("thought")))
	require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"a1": a}, nil, map[string]string{a.Text: text}))

	var f keptRecord
	require.NoError(t, json.Unmarshal([]byte(get(t, s.path("kept", one))), &f))
	require.WithinDuration(t, time.Now(), f.Saved, time.Hour)
	f.Saved = time.Time{}
	require.Equal(t, keptRecord{Version: 1, Scope: one, Files: map[string][]string{uri: {"x", "y"}}}, f)
	require.Equal(t, `{"version":1,"session":"ahp-session:/1","actions":[{"text":"thought"}]}`, get(t, s.path("unsent", one)))
	require.Equal(t, `{"version":1,"session":"ahp-session:/1","anchors":{"a1":{"text":"`+a.Text+
		`","range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"start":4,"end":7}}}`, get(t, s.path("anchors", one)))
	require.Equal(t, text, get(t, s.textPath(a.Text)))

	if runtime.GOOS != "windows" {
		require.NoError(t, filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
			if info, ierr := e.Info(); err == nil && ierr == nil && path != s.dir {
				require.Zero(t, info.Mode().Perm()&0o077, "%s: source code is nobody else's business", path)
			}
			return err
		}))
	}
}

func TestPath(t *testing.T) {
	require.Equal(t, filepath.Join("d", "kept", "ab0d0c542fac5017b5aafbff.json"), New("d").path("kept", one))
}

// A store without a folder takes everything, and remembers nothing.
func TestStoreThatForgets(t *testing.T) {
	t.Chdir(t.TempDir())
	s := New("")
	require.False(t, s.Remembers())
	require.True(t, New("x").Remembers())
	require.NoError(t, s.Keep(t.Context(), one, keep("x")))
	require.NoError(t, s.AddUnsent(t.Context(), one, action("x")))
	require.NoError(t, s.DropUnsent(t.Context(), one, []json.RawMessage{action("x")}))
	require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"a": {Text: TextName("")}}, nil, map[string]string{TextName(""): ""}))
	require.Empty(t, kept(t, s, one))
	require.Empty(t, unsent(t, s, one))
	records, texts, err := s.Anchors(t.Context(), one)
	require.NoError(t, err)
	require.Empty(t, records)
	require.Empty(t, texts)
	require.Empty(t, names(t, "."))
}

// Reading what was never written makes no folder.
func TestReadingMakesNothing(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "state"))
	require.Empty(t, kept(t, s, one))
	require.Empty(t, unsent(t, s, one))
	require.NoError(t, s.DropUnsent(t.Context(), one, nil))
	require.NoDirExists(t, s.dir)
}

// What crashes left unfinished is removed, but not what may still be written.
func TestLeftoversAreSwept(t *testing.T) {
	s := New(t.TempDir())
	text := TextName("x")
	for _, folder := range []string{"kept", "texts"} {
		base := filepath.Base(s.path("kept", one))
		if folder == "texts" {
			base = text
		}
		for _, name := range []string{"." + base + "-123", "." + base + "-456", ".lock", "." + base + "-note.txt", base + ".damaged-1"} {
			path := filepath.Join(s.dir, folder, name)
			put(t, path, "")
			if !strings.HasSuffix(name, "-456") {
				age(t, path, 2*time.Hour)
			}
		}
	}
	require.NoError(t, s.Keep(t.Context(), one, keep("x")))
	require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"a": {Text: text}}, nil, map[string]string{text: "x"}))
	base := filepath.Base(s.path("kept", one))
	require.ElementsMatch(t, []string{"." + base + "-456", "." + base + "-note.txt", base + ".damaged-1", base}, names(t, filepath.Join(s.dir, "kept")))
	require.ElementsMatch(t, []string{"." + text + "-456", "." + text + "-note.txt", text + ".damaged-1", text}, names(t, filepath.Join(s.dir, "texts")))
}
