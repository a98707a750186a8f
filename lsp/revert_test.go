package lsp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

// rewritten is a text with some lines removed, added and changed, and the text
// itself.
func rewritten(random *rand.Rand) (before, after string) {
	var b, a strings.Builder
	for i := range 5 + random.IntN(60) {
		line := fmt.Sprintf("line %d\n", i)
		switch random.IntN(8) {
		case 0:
			b.WriteString(line) // removed
		case 1:
			a.WriteString("added " + line)
		case 2:
			b.WriteString(line)
			a.WriteString("changed " + line)
		case 3:
			b.WriteString("\n")
			a.WriteString("\n")
			fallthrough
		default:
			b.WriteString(line)
			a.WriteString(line)
		}
	}
	return b.String() + "end\n", a.String() + "end\n"
}

// To take back all lines is to have the text before, whatever the agent did: also
// the hunks that only remove lines.
func TestRevertWholeFile(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		random := rand.New(rand.NewPCG(1, 2))
		befores := map[string]string{}
		var changed []string
		for i := range 40 {
			name := fmt.Sprintf("f%d.txt", i)
			before, after := rewritten(random)
			if before == after {
				continue
			}
			befores[name] = before
			r.write(name, after)
			r.host.SetContent("git-blob:"+name, before)
			changed = append(changed, r.changed(name, "git-blob:"+name))
		}
		r.world()
		r.host.SetChangeset(ofSession, r.changeset(nil, changed...))
		r.host.SetChangeset(uncommitted, r.changeset(nil))
		r.host.SetChangeset(turnOne, r.changeset(nil))
		r.start()
		for name, before := range befores {
			r.opens(name)
			out := r.commands("ahp.hunk.revert", map[string]any{
				"uri": r.uri(name), "range": rangeJSON([2]int{0, 0}, [2]int{strings.Count(r.buffer(name), "\n"), 0}),
			})
			require.Equal(r.t, true, out["ok"])
			require.Equal(r.t, before, r.buffer(name))
		}
	})
}

// A selection that ends on an empty line has that line: an editor says so with a
// character behind its end.
func TestRevertSelectionToEmptyLine(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.write("a.txt", "one\ntwo\n\nthree\nend\n")
		r.host.SetContent("git-blob:a", "end\n")
		r.world()
		r.host.SetChangeset(ofSession, r.changeset(nil, r.changed("a.txt", "git-blob:a")))
		r.host.SetChangeset(uncommitted, r.changeset(nil))
		r.host.SetChangeset(turnOne, r.changeset(nil))
		r.start()
		r.opens("a.txt")
		out := r.commands("ahp.hunk.revert", map[string]any{
			"uri": r.uri("a.txt"), "range": rangeJSON([2]int{1, 0}, [2]int{2, 1}), "exact": true,
		})
		require.Equal(r.t, true, out["ok"])
		require.Equal(r.t, "one\nthree\nend\n", r.buffer("a.txt"))
	})
}
