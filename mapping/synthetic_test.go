package mapping

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tagged is a line that remembers which line of the base it was, or -1.
type tagged struct {
	text   string
	from   int
	edited bool
}

// TestSynthetic rewrites the sources of this package at random, as an agent
// would, keeping track of every line. Unlike in [TestCorpus] the truth is known
// for every line, twins without any unique neighbour included. A few of them no
// text can place: which of two equal lines was removed, and whether a line was
// moved, or copied and then changed. The limits are for those.
func TestSynthetic(t *testing.T) {
	t.Run("without copies", func(t *testing.T) { synthetic(t, false, [3]float64{0.001, 0.02, 0.015}) })
	t.Run("with copies", func(t *testing.T) { synthetic(t, true, [3]float64{0.004, 0.06, 0.05}) })
}

// synthetic allows no more than most of kept, edited and gone lines to be
// silently wrong.
func synthetic(t *testing.T, copies bool, most [3]float64) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var count [3][outcomes]int // kept, edited, gone
	for seed := range uint64(400) {
		path := paths[int(seed)%len(paths)]
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		base := NewText(string(data))
		lines, truth := rewrite(base, rand.New(rand.NewPCG(seed, 3)), copies)
		current := joined(lines)
		a := Align(base, current)
		for i, at := range truth {
			p := a.Place(NewAnchor(base, base.Line(i)))
			k, o := judgeSynthetic(current, at, p)
			count[k][o]++
			if o == wrong && os.Getenv("AHP_SHOW") != "" {
				fmt.Printf("%s seed %d line %d %q: %v %d, want %d\n", path, seed, i+1, base.content(i), p, current.LineAt(p.Span.Start)+1, at.from+1)
			}
		}
	}
	for k, name := range []string{"kept", "edited", "gone"} {
		c := count[k]
		n := float64(c[right] + c[flagged] + c[wrong])
		t.Logf("%-6s %6.0f lines: %.2f %% right, %.2f %% flagged, %.3f %% silently wrong", name, n,
			100*float64(c[right])/n, 100*float64(c[flagged])/n, 100*float64(c[wrong])/n)
		require.LessOrEqual(t, float64(c[wrong])/n, most[k])
	}
}

// judgeSynthetic says what became of a line, and how p does.
func judgeSynthetic(current *Text, at tagged, p Placement) (int, outcome) {
	kept := p.State == Live || p.State == Moved
	line := current.LineAt(p.Span.Start)
	switch {
	case at.from < 0 && kept:
		return 2, wrong
	case at.from < 0:
		return 2, right
	case at.edited && kept:
		return 1, wrong
	case at.edited && p.State == Outdated && line == at.from:
		return 1, right
	case at.edited:
		return 1, flagged
	case !kept:
		return 0, flagged
	case line != at.from:
		return 0, wrong
	}
	return 0, right
}

// rewrite changes base at random. The second result tells for every line of the
// base where it is, with from as its line there.
func rewrite(base *Text, rng *rand.Rand, copies bool) ([]string, []tagged) {
	var lines []tagged
	for i := range base.contentLines() {
		lines = append(lines, tagged{base.content(i), i, false})
	}
	for range 1 + rng.IntN(8) {
		n := len(lines)
		if n < 20 {
			break
		}
		at := rng.IntN(n)
		size := min(1+rng.IntN(12), n-at)
		part := append([]tagged(nil), lines[at:at+size]...)
		kind := rng.IntN(6)
		if kind == 2 && !copies {
			kind = 3
		}
		switch kind {
		case 0: // remove
			lines = append(lines[:at:at], lines[at+size:]...)
		case 1: // move
			rest := append(lines[:at:at], lines[at+size:]...)
			to := rng.IntN(len(rest) + 1)
			lines = append(rest[:to:to], append(part, rest[to:]...)...)
		case 2: // copy
			for k := range part {
				part[k].from = -1
			}
			to := rng.IntN(n + 1)
			lines = append(lines[:to:to], append(part, lines[to:]...)...)
		case 3: // write new lines
			for k := range part {
				part[k] = tagged{fmt.Sprintf("\tnew%d := made(up, %d)", rng.IntN(1000), k), -1, true}
			}
			lines = append(lines[:at:at], append(part, lines[at:]...)...)
		case 4: // change a word in each
			for k := range part {
				if w := strings.Fields(part[k].text); len(w) > 1 {
					part[k].text = strings.Replace(part[k].text, w[rng.IntN(len(w))], fmt.Sprintf("word%d", rng.IntN(100)), 1)
					part[k].edited = true
				}
			}
			lines = append(lines[:at:at], append(part, lines[at+size:]...)...)
		case 5: // wrap in a block
			for k := range part {
				if part[k].text != "" {
					part[k].text = "\t" + part[k].text
					part[k].edited = true
				}
			}
			part = append([]tagged{{"\tif wrapped {", -1, true}}, append(part, tagged{"\t}", -1, true})...)
			lines = append(lines[:at:at], append(part, lines[at+size:]...)...)
		}
	}
	out := make([]string, len(lines))
	truth := make([]tagged, base.contentLines())
	for i := range truth {
		truth[i].from = -1
	}
	for j, l := range lines {
		out[j] = l.text
		if l.from >= 0 {
			truth[l.from] = tagged{l.text, j, l.edited}
		}
	}
	return out, truth
}
