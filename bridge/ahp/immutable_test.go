package ahp

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// held remembers what a reader was given and what it looked like then.
type held struct {
	t     *rapid.T
	looks []func()
}

func hold[T any](h *held, v T, look func(T) string) {
	then := look(v)
	h.looks = append(h.looks, func() { require.Equal(h.t, then, look(v)) })
}

func (h *held) check() {
	for _, look := range h.looks {
		look()
	}
}

func look(v any) string { return fmt.Sprintf("%+v", v) }

// lookAll shows what a slice of pointers points to, nil places included.
func lookAll[T any](items []*T) (s string) {
	for _, item := range items {
		s += fmt.Sprintf("%p %+v\n", item, *item)
	}
	return s
}

// lookAnnotation shows everything, behind pointers too.
func lookAnnotation(a *Annotation) string {
	data, err := a.MarshalJSON()
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestAnnotationsAreImmutable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &held{t: t}
		s := NewAnnotations()
		for range rapid.IntRange(1, 12).Draw(t, "actions") {
			action := toAction(t, genAnnotationAction(t))
			id, change, err := DecodeAnnotationChange(action)
			require.NoError(t, err)
			require.NotNil(t, change)
			old := s.Get(id)
			// A change is a pure function: it gives the same twice.
			require.Equal(t, lookOrNil(change(old)), lookOrNil(change(old)))
			applied, err := s.Apply(action)
			require.NoError(t, err)
			if s.Get(id) == old {
				require.Empty(t, applied)
			} else {
				require.Equal(t, id, applied)
			}
			for a := range s.All() {
				hold(h, a, lookAnnotation)
			}
			h.check()
		}
	})
}

func lookOrNil(a *Annotation) string {
	if a == nil {
		return ""
	}
	return lookAnnotation(a)
}

// A clone may be changed in every way without the original noticing.
func TestAnnotationCloneIsItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, err := DecodeAnnotation(toJSON(t, genAnnotation(t)))
		require.NoError(t, err)
		h := &held{t: t}
		hold(h, a, lookAnnotation)
		c := a.Clone()
		if c.TurnID != nil {
			*c.TurnID = "changed"
		}
		if c.Origin != nil {
			c.Origin.Session, c.Origin.TurnID = "changed", "changed"
		}
		if c.Range != nil {
			c.Range.Start.Line, c.Range.End.Character = -7, -7
		}
		for i := range c.Entries {
			c.Entries[i].ID, c.Entries[i].Text = "changed", Plain("changed")
		}
		c.Entries = append(c.Entries[:0], Entry{ID: "other"})
		c.Resource, c.Resolved, c.Meta = "changed", !c.Resolved, []byte("{}")
		h.check()

		accepted := a.WithFeedbackState(FeedbackAccepted)
		f, ok := accepted.Feedback()
		require.True(t, ok)
		require.Equal(t, FeedbackAccepted, f.State)
		h.check()
	})
}

// texts are the states as snapshots have them.
func texts[S any](t *rapid.T, states []S) []string {
	out := make([]string, len(states))
	for i, s := range states {
		out[i] = string(toJSON(t, s))
	}
	return out
}

func TestChangesetIsImmutable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &held{t: t}
		states := []*Changeset{{}}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			i := rapid.IntRange(0, len(states)-1).Draw(t, "which")
			s := states[i]
			if rapid.IntRange(0, 4).Draw(t, "clone") == 0 {
				states = append(states, s.Clone())
				continue
			}
			others := texts(t, states)
			touched, _, err := s.Apply(toAction(t, genChangesetAction(t)))
			require.NoError(t, err)
			hold(h, touched, lookAll)
			hold(h, s.Files(), lookAll)
			hold(h, s.Operations, lookAll)
			checkChangeset(t, s)
			h.check()
			for j, now := range texts(t, states) {
				if j != i {
					require.Equal(t, others[j], now, "a clone changed with its original")
				}
			}
		}
	})
}

func genSessionAction(t *rapid.T) values {
	uri := rapid.SampledFrom([]string{"c:1", "c:2", "c:3"})
	v := values{"type": rapid.SampledFrom([]string{
		TypeSessionReady, TypeSessionCreationFailed, TypeSessionTitleChanged, TypeSessionDefaultChatChanged,
		TypeSessionChangesetsChanged, TypeSessionMetaChanged, TypeSessionChatAdded, TypeSessionChatAdded,
		TypeSessionChatRemoved, TypeSessionChatRemoved, TypeSessionChatUpdated, TypeSessionIsArchivedChanged, TypeSessionWorkingDirectorySet,
		TypeSessionWorkingDirectoryRemoved, TypeSessionWorkingDirectoryReplaced,
	}).Draw(t, "type")}
	v["chat"], v["defaultChat"], v["title"] = uri.Draw(t, "chat"), uri.Draw(t, "default"), genText.Draw(t, "title")
	v["summary"] = values{"resource": uri.Draw(t, "resource"), "title": genText.Draw(t, "chat title"), "status": 8}
	v["changes"] = values{"resource": "no", "title": genText.Draw(t, "new title"), "activity": nil}
	v["directory"], v["replacement"] = genURI.Draw(t, "directory"), genURI.Draw(t, "replacement")
	v["isArchived"], v["_meta"] = rapid.Bool().Draw(t, "archived"), values{"a": 1}
	maybe(t, v, "changesets", func() any { return []any{values{"label": "l", "uriTemplate": "x/{turnId}", "changeKind": "turn"}} })
	return v
}

func TestSessionIsImmutable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &held{t: t}
		first, err := DecodeSession([]byte(baseSession))
		require.NoError(t, err)
		states := []*Session{first, {}}
		for range rapid.IntRange(1, 24).Draw(t, "steps") {
			i := rapid.IntRange(0, len(states)-1).Draw(t, "which")
			s := states[i]
			if rapid.IntRange(0, 4).Draw(t, "clone") == 0 {
				states = append(states, s.Clone())
				continue
			}
			others := texts(t, states)
			hold(h, s.Chats, func(c []ChatSummary) string { return look(c) })
			hold(h, s.Changesets, func(c []CatalogueEntry) string { return look(c) })
			hold(h, s.Directories(), func(d []string) string { return look(d) })
			_, err := s.Apply(toAction(t, genSessionAction(t)))
			require.NoError(t, err)
			checkSession(t, s)
			h.check()
			for j, now := range texts(t, states) {
				if j != i {
					require.Equal(t, others[j], now, "a clone changed with its original")
				}
			}
		}
	})
}

func TestChatIsImmutable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &held{t: t}
		first, err := DecodeChat([]byte(baseChat))
		require.NoError(t, err)
		states := []*Chat{first, {}}
		for range rapid.IntRange(1, 24).Draw(t, "steps") {
			i := rapid.IntRange(0, len(states)-1).Draw(t, "which")
			s := states[i]
			if rapid.IntRange(0, 4).Draw(t, "clone") == 0 {
				states = append(states, s.Clone())
				continue
			}
			v := genChatAction(t)
			others := texts(t, states)
			hold(h, s.Turns, func(turns []Turn) string { return look(turns) })
			if s.Active != nil {
				hold(h, s.Active, func(turn *Turn) string { return look(*turn) })
			}
			_, err := s.Apply(toAction(t, v))
			require.NoError(t, err)
			h.check()
			for j, now := range texts(t, states) {
				if j != i {
					require.Equal(t, others[j], now, "a clone changed with its original")
				}
			}
		}
	})
}
