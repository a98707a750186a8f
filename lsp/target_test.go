package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// changeOf is a server with one open file in one changeset.
func changeOf(t *testing.T, before, after, disk, buffer string) (*Server, *change) {
	t.Helper()
	s := New(Config{})
	f := s.file("file:///w/a.txt")
	f.doc = &document{uri: f.uri, version: 1, text: mapping.NewText(buffer)}
	f.disk = disked(disk)
	cs, err := ahp.DecodeChangeset([]byte(`{"status":"ready","files":[{"id":"a","edit":{
		"before":{"uri":"git:before","content":{"uri":"b"}},"after":{"uri":"file:///w/a.txt","content":{"uri":"a"}}}}],
		"operations":[{"id":"op","label":"Op","scopes":["range","resource"]}]}`))
	require.NoError(t, err)
	c := &change{
		view:  &bridge.ChangesetView{Channel: "c", Primary: true, State: cs, Entry: ahp.CatalogueEntry{Label: "Changes"}},
		entry: cs.Files()[0], file: f, state: changeReady,
		content: mapping.NewFileChange(mapping.NewText(before), mapping.NewText(after)),
	}
	f.changes = []*change{c}
	return s, c
}

func disked(text string) disk { return disk{known: true, text: mapping.NewText(text)} }

func lspRange(startLine, startChar, endLine, endChar uint32) *protocol.Range {
	return &protocol.Range{
		Start: protocol.Position{Line: startLine, Character: startChar}, End: protocol.Position{Line: endLine, Character: endChar},
	}
}

func TestTarget(t *testing.T) {
	const (
		before = "one\ntwo\nthree\nfour\nfive\nsix\n"
		after  = "one\nTWO\nthree\nfive\nnew\nsix\n" // 1 changed, 3 removed, 4 added
	)
	for _, c := range []struct {
		name, disk, buffer string
		at                 *protocol.Range
		want               string // kind side resource range, or the error
	}{
		{"the file", after, after, nil, "resource  file:///w/a.txt"},
		{"a hunk", after, after, lspRange(1, 0, 2, 0), "range after file:///w/a.txt 1:0-2:0"},
		{"a hunk by a cursor in it", after, after, lspRange(1, 1, 1, 1), "range after file:///w/a.txt 1:0-2:0"},
		{"a hunk that only removes", after, after, lspRange(3, 0, 3, 0), "range before git:before 3:0-4:0"},
		{"an added line", after, after, lspRange(4, 0, 5, 0), "range after file:///w/a.txt 4:0-5:0"},
		{"a selection over two hunks", after, after, lspRange(1, 2, 4, 1), "range after file:///w/a.txt 1:0-5:0"},
		{"a selection that ends at the start of a line", after, after, lspRange(0, 0, 2, 0), "range after file:///w/a.txt 0:0-2:0"},
		{"the last line", after, after, lspRange(5, 0, 5, 3), "range after file:///w/a.txt 5:0-6:0"},
		{"behind the end", after, after, lspRange(900, 0, 900, 0), "range after file:///w/a.txt 6:0-6:0"},
		{"typed above", after, "typed\n😀\n" + after, lspRange(3, 0, 4, 0), "range after file:///w/a.txt 1:0-2:0"},
		{"typed above what only removes", after, "typed\n" + after, lspRange(4, 0, 4, 0), "range before git:before 3:0-4:0"},
		{"typed below", after, after + "typed\n", lspRange(1, 0, 2, 0), "range after file:///w/a.txt 1:0-2:0"},
		{"typed inside", after, strings.Replace(after, "TWO", "TWO!", 1), lspRange(1, 0, 2, 0), "unsaved"},
		{"typed inside the selection", after, strings.Replace(after, "three", "three\ntyped", 1), lspRange(1, 0, 4, 0), "unsaved"},
		{"typed where lines were removed", after, strings.Replace(after, "three\n", "three\ntyped\n", 1), lspRange(3, 0, 3, 0), "unsaved"},
		{"only what was typed", after, strings.Replace(after, "three\n", "three\ntyped\n", 1), lspRange(3, 0, 4, 0), "unsaved"},
		{"not reloaded", after, before, lspRange(1, 0, 2, 0), "reload"},
		{"proposed", before, before, lspRange(1, 0, 2, 0), "range before git:before 1:0-2:0"},
		{"proposed removal", before, before, lspRange(3, 0, 4, 0), "range before git:before 3:0-4:0"},
		{"proposed addition", before, before, lspRange(5, 0, 5, 0), "range after file:///w/a.txt 4:0-5:0"},
		{"proposed, typed above", before, "typed\n" + before, lspRange(2, 0, 3, 0), "range before git:before 1:0-2:0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, change := changeOf(t, before, after, c.disk, c.buffer)
			target, err := s.target(change, &targetArgs{URI: change.file.uri, Range: c.at})
			if err != nil {
				require.Contains(t, err.Error(), c.want)
				return
			}
			raw, _ := json.Marshal(target)
			got := strings.TrimSpace(target.Kind + " " + target.Side + " " + target.Resource)
			if target.Range != nil {
				got += " " + strings.Trim((&renderer{}).inline(parseOrdered(mustJSON(target.Range))), `"`)
			}
			require.Equal(t, c.want, got, "%s", raw)
		})
	}
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// The editor counts in its encoding, the host in UTF-16.
func TestTargetEncodings(t *testing.T) {
	const (
		before = "a\nx 😀é y\nb\n"
		after  = "a\nx 😀é z\nb\n"
	)
	for _, c := range []struct {
		encoding mapping.Encoding
		columns  [4]uint32 // of x, 😀, é, z
	}{
		{mapping.UTF8, [4]uint32{0, 2, 6, 9}},
		{mapping.UTF16, [4]uint32{0, 2, 4, 6}},
		{mapping.UTF32, [4]uint32{0, 2, 3, 5}},
	} {
		s, change := changeOf(t, before, after, after, after)
		s.encoding = c.encoding
		for i, want := range []string{"x", "😀", "é", "z"} {
			span := s.fromRange(change.file.text(), *lspRange(1, c.columns[i], 1, c.columns[i]+1))
			require.True(t, strings.HasPrefix(after[span.Start:], want), "%s: %q", c.encoding, after[span.Start:])
			require.Equal(t, c.columns[i], s.toRange(change.file.text(), span).Start.Character, c.encoding)
		}
		z := strings.Index(after, "z")
		r := hostRange(change.file.text(), mapping.Span{Start: z, End: z + 1})
		require.Equal(t, ahp.Position{Line: 1, Character: 6}, r.Start, c.encoding)
		require.Equal(t, mapping.Span{Start: z, End: z + 1}, hostSpan(change.file.text(), r))
	}
}

func TestRevertLines(t *testing.T) {
	const (
		before = "a\n1\n2\n3\nz\nold\n"
		after  = "a\nI\nII\nz\n"
	)
	s, c := changeOf(t, before, after, after, after)
	text := c.file.text()
	apply := func(lines mapping.LineRange) string {
		out := text.String()
		var parts []mapping.PlacedHunk
		for _, h := range c.hunks(text) {
			if p, ok := partOf(text, h, lines); ok {
				parts = append(parts, p)
			}
		}
		for i := len(parts) - 1; i >= 0; i-- {
			span, replacement := c.content.Revert(parts[i], text)
			out = out[:span.Start] + replacement + out[span.End:]
		}
		return out
	}
	for _, x := range []struct {
		from, to int
		want     string
	}{
		{0, 1, after},
		{1, 2, "a\n1\nII\nz\n"},
		{2, 3, "a\nI\n2\n3\nz\n"},
		{1, 3, "a\n1\n2\n3\nz\n"},
		{0, 4, "a\n1\n2\n3\nz\n"},
		{0, 5, before},
	} {
		require.Equal(t, x.want, apply(mapping.LineRange{Start: x.from, End: x.to}), "lines %d–%d", x.from, x.to)
	}
	l := &actionList{s: s, kind: kindChange}
	s.revertLinesAction(l, c, text, mapping.LineRange{Start: 1, End: 3})
	require.Empty(t, l.list, "that is the hunk")
}
