package store

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// model is what two stores on one folder should remember of one session.
type model struct {
	kept    map[string]map[string]bool
	anchors map[string]string // the text of each annotation
	unsent  []string
}

// However the updates of two stores follow each other, both read what one
// would that saw them all. Stores come and go meanwhile.
func TestTwoStoresAreOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "store")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		stores := []*Store{New(dir), New(dir)}
		m := model{map[string]map[string]bool{}, map[string]string{}, nil}
		lastRead := [][]json.RawMessage{nil, nil}
		some := func(label string, from ...string) []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, 2, rapid.ID[string]).Draw(t, label)
		}
		ctx := t.Context()
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			i := rapid.IntRange(0, 1).Draw(t, "store")
			s := stores[i]
			switch rapid.SampledFrom([]string{"keep", "anchors", "add", "read", "drop", "restart"}).Draw(t, "step") {
			case "keep":
				changes := map[string]map[string]bool{}
				for _, file := range some("files", "f", "g") {
					changes[file] = rapid.MapOfN(rapid.SampledFrom([]string{"x", "y", "z"}), rapid.Bool(), 0, 2).Draw(t, "changes")
					if m.kept[file] == nil {
						m.kept[file] = map[string]bool{}
					}
					maps.Copy(m.kept[file], changes[file])
				}
				require.NoError(t, s.Keep(ctx, one, changes))
			case "anchors":
				set, texts, forget := map[string]Anchor{}, map[string]string{}, some("forget", "a", "b", "c")
				for _, id := range forget {
					delete(m.anchors, id)
				}
				for _, id := range some("set", "a", "b", "c") {
					text := rapid.SampledFrom([]string{"", "one\n", "é𝒳\x00\xff"}).Draw(t, "text")
					set[id], texts[TextName(text)], m.anchors[id] = about(text), text, text
				}
				require.NoError(t, s.SaveAnchors(ctx, one, set, forget, texts))
			case "add":
				var actions []json.RawMessage
				for _, text := range some("actions", "1", "2", "<3>") {
					actions = append(actions, json.RawMessage(`{"text": "`+text+`"}`))
					m.unsent = append(m.unsent, text)
				}
				require.NoError(t, s.AddUnsent(ctx, one, actions...))
			case "read":
				lastRead[i], err = s.Unsent(ctx, one)
				require.NoError(t, err)
			case "drop":
				require.NoError(t, s.DropUnsent(ctx, one, lastRead[i]))
				for _, text := range texts(t, lastRead[i]) {
					if at := slices.Index(m.unsent, text); at >= 0 {
						m.unsent = slices.Delete(m.unsent, at, at+1)
					}
				}
			case "restart":
				stores[i] = New(dir)
			}
		}
		for _, s := range stores {
			m.check(t, s)
		}
	})
}

func (m model) check(t *rapid.T, s *Store) {
	want := map[string][]string{}
	for file, keys := range m.kept {
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if keys[key] {
				want[file] = append(want[file], key)
			}
		}
	}
	files, err := s.Kept(t.Context(), one)
	require.NoError(t, err)
	require.Equal(t, want, files)

	records, stored, err := s.Anchors(t.Context(), one)
	require.NoError(t, err)
	got := map[string]string{}
	for id, a := range records {
		require.Contains(t, stored, a.Text)
		require.Equal(t, about(stored[a.Text]), a)
		got[id] = stored[a.Text]
	}
	require.Equal(t, m.anchors, got)

	actions, err := s.Unsent(t.Context(), one)
	require.NoError(t, err)
	require.Equal(t, m.unsent, append(m.unsent[:0:0], texts(t, actions)...), "nil or empty as the model is")
}

func texts(t *rapid.T, actions []json.RawMessage) (list []string) {
	for _, raw := range actions {
		var a struct{ Text string }
		require.NoError(t, json.Unmarshal(raw, &a))
		list = append(list, a.Text)
	}
	return list
}

// Whatever a file holds, it is read or moved away, and the store goes on.
func FuzzRecord(f *testing.F) {
	for _, content := range damages {
		f.Add(content)
	}
	f.Add(`{"version":1,"scope":"` + one + `","session":"` + one + `","files":{"a":null,"b":["x"]},"anchors":{"a":null},"actions":[null]}`)
	f.Add(`{"version":2}`)
	f.Fuzz(func(t *testing.T, content string) {
		for _, face := range faces {
			s := New(t.TempDir())
			put(t, s.path(face.folder, one), content)
			_, err := face.read(t.Context(), s)
			d, failure := Damage(err)
			if failure != nil {
				require.ErrorAs(t, failure, new(*NewerVersion))
				require.Equal(t, content, get(t, s.path(face.folder, one)))
				continue
			}
			if d != nil {
				require.Equal(t, content, get(t, d.AsideAs))
			}
			require.NoError(t, face.write(t.Context(), s))
			n, err := face.read(t.Context(), s)
			require.NoError(t, err)
			require.NotZero(t, n)
		}
	})
}
