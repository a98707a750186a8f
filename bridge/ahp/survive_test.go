package ahp

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// An annotation without faults is written back as it was read, members that
// nobody here knows included, wherever they are.
func TestAnnotationSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := toJSON(t, genAnnotation(t))
		a, err := DecodeAnnotation(data)
		require.NoError(t, err)
		require.JSONEq(t, string(data), string(toJSON(t, a)))
		require.JSONEq(t, string(data), string(toJSON(t, a.Clone())))
		require.JSONEq(t, string(data), string(toJSON(t, must(SetAnnotation(a))["annotation"])))
	})
}

// What an action does not name survives the action.
func TestUnnamedMembersSurviveUpdates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := genAnnotation(t)
		state, err := DecodeAnnotations(toJSON(t, values{"annotations": []any{before}, "x": 1}))
		require.NoError(t, err)
		update := values{"type": TypeAnnotationsUpdated, "annotationId": before["id"], "resolved": rapid.Bool().Draw(t, "now")}
		maybe(t, update, "range", func() any {
			return values{"start": values{"line": 3000, "character": 1}, "end": values{"line": 3001, "character": 2}}
		})
		_, err = state.Apply(toAction(t, update))
		require.NoError(t, err)
		for _, member := range []string{"resolved", "range"} {
			if v, ok := update[member]; ok {
				before[member] = v
			}
		}
		require.JSONEq(t, string(toJSON(t, values{"annotations": []any{before}, "x": 1})), string(toJSON(t, state)))
	})
}

// The documented lenient fixes, applied once, are stable: what is written reads
// without them, and reads as the same.
func TestFaultyAnnotationSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genObject(3).Draw(t, "annotation")
		v["id"] = genID.Draw(t, "id")
		a, _ := DecodeAnnotation(toJSON(t, v))
		require.NotNil(t, a)
		once := toJSON(t, a)
		b, err := DecodeAnnotation(once)
		require.JSONEq(t, string(once), string(toJSON(t, b)))
		if p, ok := err.(Problems); ok {
			// What is not there cannot be made up.
			for _, text := range p {
				require.Regexp(t, `: (missing|none)$`, text)
			}
		}
	})
}

// An entry sent by itself carries what it was read with.
func TestEntrySurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := genEntry(t)
		a, err := DecodeAnnotation(toJSON(t, values{"id": "a", "resource": "/x", "entries": []any{entry}}))
		require.NoError(t, err)
		require.JSONEq(t, string(toJSON(t, entry)), string(toJSON(t, must(SetEntry("a", a.Entries[0]))["entry"])))

		// A new text replaces the old one, with everything that was beside it.
		edited := a.Entries[0]
		edited.Text = Plain("edited")
		entry["text"] = "edited"
		require.JSONEq(t, string(toJSON(t, entry)), string(toJSON(t, edited)))
	})
}

// must is the members of an action.
func must(a Action, err error) object {
	if err != nil {
		panic(err)
	}
	o, _ := parseObject(a.Raw)
	return o
}

// A changeset's files and operations keep what is beside what we know.
func TestChangesetSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file, ops := genFile(t), genOperations(t)
		data := toJSON(t, values{"status": "ready", "files": []any{file}, "operations": ops, "x": []any{1}})
		c, err := DecodeChangeset(data)
		require.NoError(t, err)
		for _, op := range ops {
			// A text has no use for members beside markdown here: it is not sent back.
			if text, ok := op.(values)["confirmation"].(values); ok {
				op.(values)["confirmation"] = values{"markdown": text["markdown"]}
			}
		}
		data = toJSON(t, values{"status": "ready", "files": []any{file}, "operations": ops, "x": []any{1}})
		require.JSONEq(t, string(data), string(toJSON(t, c)))
		require.JSONEq(t, string(data), string(toJSON(t, c.Clone())))
	})
}
