package workspace

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/mapping"
)

// changeOf is a workspace with one open file in one changeset.
func changeOf(t *testing.T, before, after, disk, buffer string) (*Workspace, *Change) {
	t.Helper()
	w := New(false, nil)
	w.Apply(Initialized{Encoding: mapping.UTF16})
	w.Apply(HostStarted{})
	w.Apply(DocumentOpened{URI: "file:///w/a.txt", Version: 1, Text: buffer})
	state, err := ahp.DecodeChangeset([]byte(`{"status":"ready","files":[{"id":"a","edit":{
		"before":{"uri":"git:before","content":{"uri":"b"}},"after":{"uri":"file:///w/a.txt","content":{"uri":"a"}}}}],
		"operations":[{"id":"op","label":"Op","scopes":["range","resource"]}]}`))
	require.NoError(t, err)
	view := &remote.ChangesetView{Channel: "c", Primary: true, State: state, Entry: ahp.CatalogueEntry{Label: "Changes"}}
	load := wanted[LoadChange](t, w.Apply(HostChanged{remote.ChangesetChanged{Channel: "c", View: view, Touched: state.Files()}}))
	w.Apply(DiskRead{File: load.Change.file, Disk: disked(disk)})
	w.Apply(DiskRead{File: load.Change.file, Disk: disked(disk)}) // it was wanted twice
	w.Apply(ChangeLoaded{Change: load.Change, Load: load.Load, Content: mapping.NewFileChange(mapping.NewText(before), mapping.NewText(after))})
	require.False(t, load.Change.file.Loading())
	return w, load.Change
}

// wanted is the effect of a type among others.
func wanted[E Effect](t *testing.T, effects []Effect) E {
	t.Helper()
	for _, e := range effects {
		if e, ok := e.(E); ok {
			return e
		}
	}
	var none E
	require.Fail(t, "no such effect", "%T in %v", none, effects)
	return none
}

func disked(text string) Disk { return Disk{Known: true, Text: mapping.NewText(text)} }

func rangeAt(startLine, startChar, endLine, endChar int) *mapping.Range {
	return &mapping.Range{
		Start: mapping.Position{Line: startLine, Character: startChar}, End: mapping.Position{Line: endLine, Character: endChar},
	}
}

func TestTarget(t *testing.T) {
	const (
		before = "one\ntwo\nthree\nfour\nfive\nsix\n"
		after  = "one\nTWO\nthree\nfive\nnew\nsix\n" // 1 changed, 3 removed, 4 added
	)
	for _, c := range []struct {
		name, disk, buffer string
		at                 *mapping.Range
		want               string // kind side resource range, or the error
	}{
		{"the file", after, after, nil, "resource  file:///w/a.txt"},
		{"a hunk", after, after, rangeAt(1, 0, 2, 0), "range after file:///w/a.txt 1:0-2:0"},
		{"a hunk by a cursor in it", after, after, rangeAt(1, 1, 1, 1), "range after file:///w/a.txt 1:0-2:0"},
		{"a hunk that only removes", after, after, rangeAt(3, 0, 3, 0), "range before git:before 3:0-4:0"},
		{"an added line", after, after, rangeAt(4, 0, 5, 0), "range after file:///w/a.txt 4:0-5:0"},
		{"a selection over two hunks", after, after, rangeAt(1, 2, 4, 1), "range after file:///w/a.txt 1:0-5:0"},
		{"a selection that ends at the start of a line", after, after, rangeAt(0, 0, 2, 0), "range after file:///w/a.txt 0:0-2:0"},
		{"the last line", after, after, rangeAt(5, 0, 5, 3), "range after file:///w/a.txt 5:0-6:0"},
		{"behind the end", after, after, rangeAt(900, 0, 900, 0), "range after file:///w/a.txt 6:0-6:0"},
		{"typed above", after, "typed\n😀\n" + after, rangeAt(3, 0, 4, 0), "range after file:///w/a.txt 1:0-2:0"},
		{"typed above what only removes", after, "typed\n" + after, rangeAt(4, 0, 4, 0), "range before git:before 3:0-4:0"},
		{"typed below", after, after + "typed\n", rangeAt(1, 0, 2, 0), "range after file:///w/a.txt 1:0-2:0"},
		{"typed inside", after, strings.Replace(after, "TWO", "TWO!", 1), rangeAt(1, 0, 2, 0), "unsaved"},
		{"typed inside the selection", after, strings.Replace(after, "three", "three\ntyped", 1), rangeAt(1, 0, 4, 0), "unsaved"},
		{"typed where lines were removed", after, strings.Replace(after, "three\n", "three\ntyped\n", 1), rangeAt(3, 0, 3, 0), "unsaved"},
		{"only what was typed", after, strings.Replace(after, "three\n", "three\ntyped\n", 1), rangeAt(3, 0, 4, 0), "unsaved"},
		{"not reloaded", after, before, rangeAt(1, 0, 2, 0), "reload"},
		{"proposed", before, before, rangeAt(1, 0, 2, 0), "range before git:before 1:0-2:0"},
		{"proposed removal", before, before, rangeAt(3, 0, 4, 0), "range before git:before 3:0-4:0"},
		{"proposed addition", before, before, rangeAt(5, 0, 5, 0), "range after file:///w/a.txt 4:0-5:0"},
		{"proposed, typed above", before, "typed\n" + before, rangeAt(2, 0, 3, 0), "range before git:before 1:0-2:0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, change := changeOf(t, before, after, c.disk, c.buffer)
			target, err := w.Target(change, c.at, 0)
			if err != nil {
				require.Contains(t, err.Error(), c.want)
				return
			}
			raw, _ := json.Marshal(target)
			got := strings.TrimSpace(target.Kind + " " + target.Side + " " + target.Resource)
			if target.Range != nil {
				r := target.Range
				got += fmt.Sprintf(" %d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
			}
			require.Equal(t, c.want, got, "%s", raw)
		})
	}
}

// The editor counts in its encoding, the host in UTF-16.
func TestTargetEncodings(t *testing.T) {
	const (
		before = "a\nx 😀é y\nb\n"
		after  = "a\nx 😀é z\nb\n"
	)
	for _, c := range []struct {
		encoding mapping.Encoding
		columns  [4]int // of x, 😀, é, z
	}{
		{mapping.UTF8, [4]int{0, 2, 6, 9}},
		{mapping.UTF16, [4]int{0, 2, 4, 6}},
		{mapping.UTF32, [4]int{0, 2, 3, 5}},
	} {
		w, change := changeOf(t, before, after, after, after)
		w.Apply(Initialized{Encoding: c.encoding})
		for i, want := range []string{"x", "😀", "é", "z"} {
			span := w.Span(change.file.Text(), *rangeAt(1, c.columns[i], 1, c.columns[i]+1))
			require.True(t, strings.HasPrefix(after[span.Start:], want), "%s: %q", c.encoding, after[span.Start:])
			require.Equal(t, c.columns[i], w.Range(change.file.Text(), span).Start.Character, c.encoding)
		}
		z := strings.Index(after, "z")
		r := HostRange(change.file.Text(), mapping.Span{Start: z, End: z + 1})
		require.Equal(t, ahp.Position{Line: 1, Character: 6}, r.Start, c.encoding)
		require.Equal(t, mapping.Span{Start: z, End: z + 1}, HostSpan(change.file.Text(), r))
	}
}
