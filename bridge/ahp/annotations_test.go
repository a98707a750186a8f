package ahp

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestAnnotationsOrder: the state with its holes is a list in order of creation.
func TestAnnotationsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Annotations // the zero value is usable
		list := []string{}
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			id := fmt.Sprint(rapid.IntRange(0, 80).Draw(t, "id"))
			at := slices.Index(list, id)
			if rapid.IntRange(0, 2).Draw(t, "remove") > 0 {
				s.Remove(id)
				if at >= 0 {
					list = slices.Delete(list, at, at+1)
				}
				continue
			}
			s.Set(&Annotation{ID: id})
			if at < 0 {
				list = append(list, id)
			}
		}
		got := []string{}
		for a := range s.All() {
			got = append(got, a.ID)
		}
		require.Equal(t, list, got)
		checkAnnotations(t, &s)
	})
}

// TestRemoveWhileIterating: every annotation is met once, though removing them
// closes the holes several times meanwhile.
func TestRemoveWhileIterating(t *testing.T) {
	s := NewAnnotations()
	for i := range 1000 {
		s.Set(&Annotation{ID: fmt.Sprint(i)})
	}
	met := 0
	for a := range s.All() {
		require.Equal(t, fmt.Sprint(met), a.ID)
		met++
		s.Remove(a.ID)
	}
	require.Equal(t, 1000, met)
	require.Zero(t, s.Len())
	checkAnnotations(t, s)
}

func TestDuplicateIDsInASnapshot(t *testing.T) {
	s, err := DecodeAnnotations([]byte(`{"annotations":[{"id":"a","resource":"/1","entries":[{"id":"e","text":""}]},{"id":"b","resource":"/2","entries":[{"id":"e","text":""}]},{"id":"a","resource":"/3","entries":[{"id":"e","text":""}]}]}`))
	require.EqualError(t, err, `annotations state.annotations: two have the id "a", the last one counts`)
	require.Equal(t, 2, s.Len())
	require.Equal(t, "/3", s.Get("a").Resource)
	checkAnnotations(t, s)
}

func TestAnnotationsStates(t *testing.T) {
	for _, wire := range []string{``, `null`, `{}`, `{"annotations":null}`, `{"annotations":[]}`} {
		s, err := DecodeAnnotations([]byte(wire))
		require.NoError(t, err, wire)
		require.JSONEq(t, `{"annotations":[]}`, mustJSON(t, s))
	}
	for wire, problem := range map[string]string{
		`[]`:                      `annotations state: want an object, got an array`,
		`{"annotations":{}}`:      `annotations state.annotations: want an array, got an object`,
		`{"annotations":[1]}`:     `annotations state.annotations[0]: want an object, got a number`,
		`{"annotations":[{}]}`:    `annotations state.annotations[0].id: missing`,
		`{"annotations":[{"id":1`: `annotations state: not readable as JSON at byte 23 of 23: want a comma or the end of an object or array`,
	} {
		s, err := DecodeAnnotations([]byte(wire))
		require.EqualError(t, err, problem, wire)
		require.Zero(t, s.Len())
	}
}
