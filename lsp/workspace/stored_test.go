package workspace

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// anchored is what is stored after one comment on a word of a text.
func anchored(t *testing.T, id, text, word string) (st *storedAnchors, a *ahp.Annotation) {
	t.Helper()
	base := mapping.NewText(text)
	at := strings.Index(text, word)
	anchor := mapping.NewAnchor(base, mapping.Span{Start: at, End: at + len(word)})
	r := HostRange(base, anchor.Span)
	a = &ahp.Annotation{ID: id, Resource: "file:///ws/a.txt", Range: &r}
	st = newStoredAnchors()
	st.remember(&Thread{key: ThreadKey{"s:/1", id}, annotation: a, anchor: &anchor})
	require.True(t, st.changed[id])
	return st, a
}

func TestAnchorsAreRemembered(t *testing.T) {
	st, a := anchored(t, "a1", "one\ntwo\nthree\n", "two")
	an := st.remembered(a)
	require.NotNil(t, an)
	require.Equal(t, "two", an.Quote)
	require.Equal(t, "one\ntwo\nthree\n", an.Base.String())

	require.Nil(t, st.remembered(&ahp.Annotation{ID: "a2", Range: a.Range}), "another comment")
	require.Nil(t, st.remembered(&ahp.Annotation{ID: "a1", Range: &ahp.Range{}}), "the host has named another place since")
	require.Nil(t, st.remembered(&ahp.Annotation{ID: "a1"}), "or none")

	clear(st.changed)
	st.forget("a1")
	require.True(t, st.changed["a1"])
	require.Nil(t, st.remembered(a))
}

func TestAnchorsAreBounded(t *testing.T) {
	st, _ := anchored(t, "a", "one\ntwo\n", "two")
	base := mapping.NewText("text")
	for i := range maxStoredAnchors + 10 {
		an := mapping.NewAnchor(base, mapping.Span{Start: 0, End: 4})
		id := strconv.Itoa(i)
		st.remember(&Thread{key: ThreadKey{"s:/1", id}, annotation: &ahp.Annotation{ID: id, Range: &ahp.Range{}}, anchor: &an})
	}
	require.Len(t, st.anchors, maxStoredAnchors)
	require.Len(t, st.texts, 2, "one text is kept once")
}

// What is read does not undo what was made meanwhile, and what does not fit its
// text does not count.
func TestAnchorsRead(t *testing.T) {
	w := New(true, nil)
	w.session("s:/1")
	w.takeEffects()
	text := mapping.NewText("one\ntwo\n")
	good := StoredAnchor{Text: "t", Start: 0, End: 3}
	effects := w.Apply(AnchorsRead{Session: "s:/1", Texts: map[string]*mapping.Text{"t": text}, Anchors: map[string]StoredAnchor{
		"good": good, "outside": {Text: "t", Start: 0, End: 1000}, "reversed": {Text: "t", Start: 3, End: 1}, "no text": {Text: "u"},
	}})
	require.Empty(t, effects)
	st := w.sessions["s:/1"].stored
	require.Equal(t, map[string]StoredAnchor{"good": good}, st.anchors)
	require.Empty(t, w.Settle(), "nothing is new")
	st.forget("good")
	write := wanted[WriteAnchors](t, w.Settle())
	require.Equal(t, []string{"good"}, write.Forget)
	require.Empty(t, write.Set)
	require.Empty(t, w.Settle(), "one write at a time")
	w.Apply(AnchorsWritten{Session: "s:/1"})
	require.Empty(t, w.Settle())
	require.Empty(t, st.texts)
}
