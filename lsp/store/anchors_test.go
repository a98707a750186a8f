package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// about is an anchor on a whole text.
func about(text string) Anchor {
	return Anchor{TextName(text), Range{EndChar: len(text)}, 0, len(text)}
}

func named(list ...string) map[string]string {
	texts := map[string]string{}
	for _, text := range list {
		texts[TextName(text)] = text
	}
	return texts
}

// anchored is what is stored: the text of each annotation.
func anchored(t testing.TB, s *Store, session string) map[string]string {
	t.Helper()
	records, texts, err := s.Anchors(t.Context(), session)
	require.NoError(t, err)
	got, used := map[string]string{}, map[string]string{}
	for id, a := range records {
		text, ok := texts[a.Text]
		require.True(t, ok, id)
		require.Equal(t, a.Text, TextName(text))
		got[id], used[a.Text] = text, text
	}
	require.Equal(t, used, texts, "texts that nothing names")
	return got
}

func TestSaveAnchors(t *testing.T) {
	s := New(t.TempDir())
	for _, step := range []struct {
		name   string
		set    map[string]Anchor
		forget []string
		texts  map[string]string
		want   map[string]string
	}{
		{"nothing", nil, nil, nil, map[string]string{}},
		{"one", map[string]Anchor{"a": about("A")}, nil, named("A"), map[string]string{"a": "A"}},
		{"another, of the same text", map[string]Anchor{"b": about("A")}, nil, nil, map[string]string{"a": "A", "b": "A"}},
		{"one moves, and another comes", map[string]Anchor{"a": about("B"), "c": about("")}, nil, named("B", ""), map[string]string{"a": "B", "b": "A", "c": ""}},
		{"text that nothing names", nil, nil, named("C"), map[string]string{"a": "B", "b": "A", "c": ""}},
		{"text that is nowhere", map[string]Anchor{"d": about("D"), "b": about("D")}, nil, nil, map[string]string{"a": "B", "c": ""}},
		{"span outside", map[string]Anchor{"d": {Text: TextName("B"), End: 2}, "e": {Text: TextName("B"), Start: 1, End: 0}, "f": {Text: TextName("B"), Start: -1}}, nil, nil, map[string]string{"a": "B", "c": ""}},
		{"outside the folder", map[string]Anchor{"d": {Text: "../anchors/.lock"}, "e": {}}, nil, nil, map[string]string{"a": "B", "c": ""}},
		{"forgotten and set", map[string]Anchor{"a": about("A")}, []string{"a", "x"}, nil, map[string]string{"a": "A", "c": ""}},
		{"forgotten", nil, []string{"a", "c"}, nil, map[string]string{}},
	} {
		require.NoError(t, s.SaveAnchors(t.Context(), one, step.set, step.forget, step.texts), step.name)
		require.Equal(t, step.want, anchored(t, s, one), step.name)
	}
	require.NoFileExists(t, s.path(anchorsFolder, one), "nothing is left in it")
	require.NoFileExists(t, s.textPath(TextName("C")))
	require.ErrorContains(t, s.SaveAnchors(t.Context(), one, nil, nil, map[string]string{TextName("A"): "B"}), "not the name")
}

// Two servers know different comments, and neither's are lost.
func TestAnchorsOfTwoServers(t *testing.T) {
	dir := t.TempDir()
	a, b := New(dir), New(dir)
	require.NoError(t, a.SaveAnchors(t.Context(), one, map[string]Anchor{"a": about("A"), "both": about("A")}, nil, named("A")))
	require.NoError(t, b.SaveAnchors(t.Context(), one, map[string]Anchor{"b": about("B"), "both": about("B")}, nil, named("B")))
	require.NoError(t, a.SaveAnchors(t.Context(), one, map[string]Anchor{"c": about("A")}, []string{"a"}, nil))
	require.Equal(t, map[string]string{"b": "B", "both": "B", "c": "A"}, anchored(t, a, one))
	require.Empty(t, anchored(t, b, two))
}

// A text that was damaged takes its anchors with it, and can be stored again.
func TestDamagedTexts(t *testing.T) {
	for what, damage := range map[string]func(t *testing.T, path string){
		"gone":         func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"another text": func(t *testing.T, path string) { put(t, path, "C") },
		"cut short":    func(t *testing.T, path string) { put(t, path, "") },
		"too long":     func(t *testing.T, path string) { put(t, path, strings.Repeat("A", 100)) },
		"a pipe": func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			fifo(t, path)
		},
		"a link": func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+"~"))
			link(t, path+"~", path)
		},
	} {
		for _, read := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/read=%v", what, read), func(t *testing.T) {
				s := New(t.TempDir())
				s.limits.text = 10
				set := map[string]Anchor{"a": about("A"), "b": about("B")}
				require.NoError(t, s.SaveAnchors(t.Context(), one, set, nil, named("A", "B")))
				path := s.textPath(TextName("A"))
				damage(t, path)
				if read {
					require.Equal(t, map[string]string{"b": "B"}, anchored(t, s, one))
					_, err := os.Lstat(path)
					require.ErrorIs(t, err, os.ErrNotExist)
				}
				require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"a": about("A")}, nil, named("A")))
				require.Equal(t, map[string]string{"a": "A", "b": "B"}, anchored(t, s, one))
			})
		}
	}
}

// A record that something else wrote shows only what can be used.
func TestAnchorsThatCannotBeUsed(t *testing.T) {
	s := New(t.TempDir())
	require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"a": about("A")}, nil, named("A")))
	put(t, filepath.Join(s.dir, "secret"), "A")
	put(t, s.path(anchorsFolder, one), fmt.Sprintf(`{"version":1,"session":%q,"anchors":{
		"a":{"text":%[2]q,"start":0,"end":1},
		"outside":{"text":%[2]q,"start":0,"end":2},
		"reversed":{"text":%[2]q,"start":1,"end":0},
		"below":{"text":%[2]q,"start":-1,"end":0},
		"elsewhere":{"text":"../secret","start":0,"end":1},
		"nowhere":{}}}`, one, TextName("A")))
	require.Equal(t, map[string]string{"a": "A"}, anchored(t, s, one))
	require.FileExists(t, filepath.Join(s.dir, "secret"))
}

// The anchors of a session, and the bytes of its texts, are bounded: those of
// the texts that were named longest ago go, and those of this call last.
func TestAnchorsAreBounded(t *testing.T) {
	s := New(t.TempDir())
	s.limits.anchors, s.limits.text, s.limits.texts = 3, 8, 20
	for i, text := range []string{"aaaa", "bbbb", "cccc"} {
		require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{text[:1]: about(text)}, nil, named(text)))
		age(t, s.textPath(TextName(text)), time.Duration(3-i)*time.Hour)
	}
	// a's text is named once more: b's is now the oldest.
	require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"a": about("aaaa")}, nil, named("aaaa")))
	require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"d": about("dddd")}, nil, named("dddd")))
	require.Equal(t, map[string]string{"a": "aaaa", "c": "cccc", "d": "dddd"}, anchored(t, s, one), "too many")

	eight := "eeeeeeee"
	require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"d": about(eight), "a": about("ffffffff")}, nil, named(eight, "ffffffff")))
	require.Equal(t, map[string]string{"a": "ffffffff", "c": "cccc", "d": eight}, anchored(t, s, one), "just enough")
	require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"a": about("gggggggg"), "d": about("hhhhhhhh"), "c": about("iiiii")}, nil, named("gggggggg", "hhhhhhhh", "iiiii")))
	require.Equal(t, map[string]string{"d": "hhhhhhhh", "c": "iiiii"}, anchored(t, s, one), "too many bytes in one call")

	nine := "123456789"
	require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{"n": about(nine)}, nil, named(nine)))
	require.NotContains(t, anchored(t, s, one), "n", "too long")
	require.NoFileExists(t, s.textPath(TextName(nine)))
}

// Of all texts the oldest go, but none that the record names.
func TestTextsAreBounded(t *testing.T) {
	s := New(t.TempDir())
	s.limits.texts = 10
	for i, text := range []string{"aaaa", "bbbb"} {
		require.NoError(t, s.SaveAnchors(t.Context(), one, map[string]Anchor{text[:1]: about(text)}, nil, named(text)))
		age(t, s.textPath(TextName(text)), time.Duration(9-i)*time.Hour)
	}
	require.NoError(t, s.SaveAnchors(t.Context(), two, map[string]Anchor{"c": about("cccc")}, nil, named("cccc")))
	require.Equal(t, map[string]string{"b": "bbbb"}, anchored(t, s, one))
	require.Equal(t, map[string]string{"c": "cccc"}, anchored(t, s, two))

	// However old it is.
	age(t, s.textPath(TextName("cccc")), 24*time.Hour)
	require.NoError(t, s.SaveAnchors(t.Context(), two, map[string]Anchor{"d": about("dddd")}, nil, named("dddd")))
	require.Equal(t, map[string]string{"c": "cccc", "d": "dddd"}, anchored(t, s, two))
	require.Empty(t, anchored(t, s, one))
}
