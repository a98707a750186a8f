package table

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A table is what a Go map is, and every older table stays what it was.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			table Table[int]
			want  map[string]int
		}
		versions := []version{{want: map[string]int{}}}
		key := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.IntRange(0, 400).Draw(t, "key")) })
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			from := versions[rapid.IntRange(0, len(versions)-1).Draw(t, "from")]
			next := version{from.table, maps.Clone(from.want)}
			for range rapid.IntRange(1, 30).Draw(t, "changes") {
				k := key.Draw(t, "k")
				if rapid.Bool().Draw(t, "remove") {
					next.table = next.table.Remove(k)
					delete(next.want, k)
				} else {
					next.table = next.table.Put(k, i, false)
					next.want[k] = i
				}
			}
			versions = append(versions, next)
		}
		for _, v := range versions {
			require.Equal(t, len(v.want), v.table.Len())
			for i := range 401 {
				k := fmt.Sprint(i)
				got, ok := v.table.Get(k)
				want, there := v.want[k]
				require.Equal(t, there, ok, k)
				require.Equal(t, want, got, k)
			}
		}
	})
}

// Where the hash is used up, keys are told apart by themselves.
func TestTableCollisions(t *testing.T) {
	const below = hashBits + 1
	var n *node[int]
	put := func(key string, value int, want bool) {
		t.Helper()
		next, added := n.put(7, below, slot[int]{key: key, value: value}, false)
		require.Equal(t, want, added)
		n = next
	}
	put("a", 1, true)
	put("b", 2, true)
	old := n
	put("a", 3, false)
	n = n.remove(7, below, "b")
	require.Equal(t, []slot[int]{{key: "a", value: 3}}, n.slots)
	require.Equal(t, []slot[int]{{key: "a", value: 1}, {key: "b", value: 2}}, old.slots)
	require.Nil(t, n.remove(7, below, "a"))
}
