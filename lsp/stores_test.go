package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
	"ahp-lsp/mapping"
)

// anchored is a store with one comment on a word of a text.
func anchored(t *testing.T, id, text, word string) (st *anchorStore, f anchorFile, a *ahp.Annotation) {
	t.Helper()
	base := mapping.NewText(text)
	at := strings.Index(text, word)
	anchor := mapping.NewAnchor(base, mapping.Span{Start: at, End: at + len(word)})
	r := hostRange(base, anchor.Span)
	a = &ahp.Annotation{ID: id, Resource: "file:///ws/a.txt", Range: &r}
	st = &anchorStore{anchors: map[string]storedAnchor{}, texts: map[string]*mapping.Text{}}
	st.remember(&thread{key: threadKey{one, id}, annotation: a, anchor: &anchor})
	require.True(t, st.dirty)
	return st, anchorFile{anchorVersion, one, st.anchors}, a
}

func TestAnchorsAreKept(t *testing.T) {
	dir := t.TempDir()
	st, f, a := anchored(t, "a1", "one\ntwo\nthree\n", "two")
	require.NoError(t, writeAnchors(dir, f, st.texts))

	again := readAnchors(dir, one)
	an := again.remembered(a)
	require.NotNil(t, an)
	require.Equal(t, "two", an.Quote)
	require.Equal(t, "one\ntwo\nthree\n", an.Base.String())

	require.Nil(t, again.remembered(&ahp.Annotation{ID: "a2", Range: a.Range}), "another comment")
	require.Nil(t, again.remembered(&ahp.Annotation{ID: "a1", Range: &ahp.Range{}}), "the host has named another place since")
	require.Nil(t, again.remembered(&ahp.Annotation{ID: "a1"}), "or none")
	require.Empty(t, readAnchors(dir, "ahp-session:/2").anchors, "another session")

	again.forget("a1")
	require.True(t, again.dirty)
	require.Nil(t, again.remembered(a))
	info, err := os.Stat(anchorPath(dir, one))
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077, "source code is nobody else's business")
}

// What was damaged is as if it had not been kept; nothing else is lost.
func TestDamagedAnchors(t *testing.T) {
	st, f, a := anchored(t, "a1", "one\ntwo\n", "two")
	name := f.Anchors["a1"].Text
	with := func(change func(*storedAnchor)) anchorFile {
		changed := f.Anchors["a1"]
		change(&changed)
		return anchorFile{anchorVersion, one, map[string]storedAnchor{"a1": changed}}
	}
	for what, damage := range map[string]func(dir string){
		"no JSON":          func(dir string) { write(t, anchorPath(dir, one), "{") },
		"another version":  func(dir string) { writeJSON(t, anchorPath(dir, one), anchorFile{anchorVersion + 1, one, f.Anchors}) },
		"another session":  func(dir string) { writeJSON(t, anchorPath(dir, one), anchorFile{anchorVersion, "x", f.Anchors}) },
		"no text":          func(dir string) { require.NoError(t, os.Remove(textPath(dir, name))) },
		"another text":     func(dir string) { write(t, textPath(dir, name), "one\ntwo!\n") },
		"outside the text": func(dir string) { writeJSON(t, anchorPath(dir, one), with(func(a *storedAnchor) { a.End = 1000 })) },
		"reversed": func(dir string) {
			writeJSON(t, anchorPath(dir, one), with(func(a *storedAnchor) { a.Start, a.End = 3, 1 }))
		},
		"outside the folder": func(dir string) {
			writeJSON(t, anchorPath(dir, one), with(func(a *storedAnchor) { a.Text = "../" + a.Text[3:] }))
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, writeAnchors(dir, f, st.texts))
			require.NotNil(t, readAnchors(dir, one).remembered(a))
			damage(dir)
			require.Nil(t, readAnchors(dir, one).remembered(a))
		})
	}
}

// The oldest texts go when there are too many bytes of them.
func TestStoredTextsAreBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "texts")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for i, name := range []string{"old", "middle", "new"} {
		path := filepath.Join(dir, name)
		write(t, path, "")
		require.NoError(t, os.Truncate(path, maxStoredBytes/2))
		at := time.Unix(int64(1000*(i+1)), 0)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	require.NoError(t, trimTexts(dir))
	require.NoFileExists(t, filepath.Join(dir, "old"))
	require.FileExists(t, filepath.Join(dir, "middle"))
	require.FileExists(t, filepath.Join(dir, "new"))
}

func TestAnchorsAreBounded(t *testing.T) {
	st, _, _ := anchored(t, "a", "one\ntwo\n", "two")
	base := mapping.NewText("text")
	remember := func(id string) {
		an := mapping.NewAnchor(base, mapping.Span{Start: 0, End: 4})
		st.remember(&thread{key: threadKey{one, id}, annotation: &ahp.Annotation{ID: id, Range: &ahp.Range{}}, anchor: &an})
	}
	for i := range maxStoredAnchors + 10 {
		remember(string(rune('A' + i)))
	}
	require.Len(t, st.anchors, maxStoredAnchors)
	require.Len(t, st.texts, 2, "one text is kept once")
}

// Texts that no comment is about any more are let go.
func TestAnchorTextsAreLetGo(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.cfg.StateDir = r.t.TempDir()
		r.commented()
		r.start()
		r.opens("greet.go")
		for i := range 20 {
			r.types("greet.go", "// Hello greets.", "// One more.\n// Hello greets.")
			r.saves("greet.go")
			out := r.commands("ahp.annotation.create", map[string]any{
				"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", "func Count(n int) {"), "text": fmt.Sprint("comment ", i),
			})
			r.does("another client deletes it", annotations, map[string]any{"type": ahp.TypeAnnotationsRemoved, "annotationId": out["annotation"]})
		}
		kept := make(chan int, 1)
		r.server.loop.post(func() { kept <- len(r.server.sessions[one].store.texts) })
		require.Equal(r.t, 1, <-kept)
	})
}

func TestKeptHunksAreKept(t *testing.T) {
	dir := t.TempDir()
	var k keptStore
	k.set(one, "file:///ws/a.go", "x", true)
	k.set(one, "file:///ws/a.go", "y", true)
	k.set(one, "file:///ws/a.go", "y", false)
	k.set("ahp-session:/2", "file:///ws/a.go", "z", true)
	require.NoError(t, writeKept(dir, k.take()))
	require.Empty(t, k.take(), "nothing is new")

	f, err := readKept(dir, one)
	require.NoError(t, err)
	var again keptStore
	again.set(one, "file:///ws/b.go", "since", true)
	again.add(f)
	require.True(t, again.has(one, "file:///ws/a.go", "x"))
	require.False(t, again.has(one, "file:///ws/a.go", "y"))
	require.False(t, again.has(one, "file:///ws/a.go", "z"))
	require.True(t, again.has(one, "file:///ws/b.go", "since"))

	none, err := readKept(dir, "ahp-session:/3")
	require.NoError(t, err)
	require.Empty(t, none.Files)
}

// A file that cannot be read is named, and left as it is.
func TestDamagedKeptHunks(t *testing.T) {
	for what, content := range map[string]string{
		"no JSON":         "{",
		"another version": `{"version":99,"scope":"` + one + `"}`,
		"another scope":   `{"version":1,"scope":"x"}`,
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			write(t, keptPath(dir, one), content)
			f, err := readKept(dir, one)
			require.ErrorContains(t, err, keptPath(dir, one))
			require.Empty(t, f)
			data, err := os.ReadFile(keptPath(dir, one))
			require.NoError(t, err)
			require.Equal(t, content, string(data))
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	write(t, path, string(data))
}

// Editors side by side keep their hunks in one file.
func TestKeptHunksOfTwoEditors(t *testing.T) {
	dir := t.TempDir()
	var a, b keptStore
	a.set(one, "file:///ws/a.go", "x", true)
	a.set(one, "file:///ws/a.go", "y", true)
	require.NoError(t, writeKept(dir, a.take()))
	b.set(one, "file:///ws/a.go", "z", true)
	require.NoError(t, writeKept(dir, b.take()))
	a.set(one, "file:///ws/a.go", "y", false)
	require.NoError(t, writeKept(dir, a.take()))

	f, err := readKept(dir, one)
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"file:///ws/a.go": {"x", "z"}}, f.Files)

	var c keptStore
	c.set(one, "file:///ws/a.go", "x", false)
	c.add(f)
	require.False(t, c.has(one, "file:///ws/a.go", "x"), "what was given up while it was read")
}

// A file of a later version is not written over.
func TestKeptHunksOfALaterVersion(t *testing.T) {
	dir := t.TempDir()
	content := `{"version":99,"scope":"` + one + `"}`
	write(t, keptPath(dir, one), content)
	var k keptStore
	k.set(one, "file:///ws/a.go", "x", true)
	require.ErrorContains(t, writeKept(dir, k.take()), "version 99")
	data, err := os.ReadFile(keptPath(dir, one))
	require.NoError(t, err)
	require.Equal(t, content, string(data))
}
