package mapping

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMovedBlocks(t *testing.T) {
	body := "func moved() error {\n\tdefer closeAll(connections)\n\treturn store.Load(context.Background())\n}\n"
	other := "func a() { firstThing() }\nfunc b() { secondThing() }\nfunc c() { thirdThing() }\nfunc d() { fourthThing() }\nfunc e() { fifthThing() }\n"
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(body, "\n"), "\n", "\n\t") + "\n"
	for name, c := range map[string]struct {
		before, after string
		want          []MovedBlock
	}{
		"down":          {body + other, other + body, []MovedBlock{{LineRange{0, 4}, LineRange{5, 9}, 0, 1}}},
		"up":            {other + body, body + other, []MovedBlock{{LineRange{5, 9}, LineRange{0, 4}, 1, 0}}},
		"indented":      {body + other, other + "if x {\n" + indented + "}\n", []MovedBlock{{LineRange{0, 4}, LineRange{6, 10}, 0, 1}}},
		"other ends":    {body + other, strings.ReplaceAll(other+body, "\n", "\r\n"), []MovedBlock{{LineRange{0, 4}, LineRange{5, 9}, 0, 2}}},
		"indented here": {body + other, "if x {\n" + indented + "}\n" + other, nil},
		"copied":        {body + other, body + other + body, nil},
		"removed":       {body + other, other, nil},
		"twice there":   {body + other, other + body + "x\n" + body, nil},
		"too short":     {"x := newThing(argument)\n}\n" + other, other + "x := newThing(argument)\n}\n", nil},
		"little said":   {"{\n}\na\n" + other, other + "{\n}\na\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, NewFileChange(NewText(c.before), NewText(c.after)).Moved())
		})
	}
}

// requireMoved: both sides of a block are equal but for indentation, were removed
// and added, and no line is in two blocks.
func requireMoved(t require.TestingT, before, after *Text) []MovedBlock {
	hunks := Hunks(before, after)
	blocks := MovedBlocks(before, after, hunks)
	from, to := map[int]bool{}, 0
	for _, b := range blocks {
		require.Equal(t, b.From.Len(), b.To.Len())
		require.GreaterOrEqual(t, b.To.Start, to)
		to = b.To.End
		was, is := hunks[b.FromHunk].Before, hunks[b.ToHunk].After
		require.True(t, was.Start <= b.From.Start && b.From.End <= was.End && is.Start <= b.To.Start && b.To.End <= is.End)
		for k := range b.From.Len() {
			require.Equal(t, strings.TrimSpace(before.content(b.From.Start+k)), strings.TrimSpace(after.content(b.To.Start+k)))
			require.False(t, from[b.From.Start+k])
			from[b.From.Start+k] = true
		}
	}
	return blocks
}

// A block of a real file that is moved is found, whole but for lines that are
// elsewhere too.
func TestMovedBlocksOfRealFiles(t *testing.T) {
	found, all := 0, 0
	for i, p := range rewrittenSources(t) {
		rng := rand.New(rand.NewPCG(uint64(i), 13))
		lines := contents(p.before)
		if len(lines) < 60 {
			continue
		}
		at, n := rng.IntN(len(lines)-25), 6+rng.IntN(15)
		block := append([]string(nil), lines[at:at+n]...)
		rest := append(append([]string(nil), lines[:at]...), lines[at+n:]...)
		to := (at + 30 + rng.IntN(len(rest)-30)) % len(rest)
		moved := append(append(append([]string(nil), rest[:to]...), block...), rest[to:]...)
		all++
		if len(requireMoved(t, p.before, joined(moved))) > 0 {
			found++
		}
		requireMoved(t, p.before, p.after)
	}
	require.Greater(t, found*100, all*90, "%d of %d moves found", found, all)
	t.Logf("%d of %d moves found", found, all)
}

func TestMovedBlocksProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Map(rapid.IntRange(0, 30), func(n int) string { return fmt.Sprintf("\tstatement number %d of them", n) })
		lines := rapid.SliceOfN(line, 0, 40)
		requireMoved(t, joined(lines.Draw(t, "before")), joined(lines.Draw(t, "after")))
	})
}
