package mapping

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAdjacentTwins changes the lines that enclose equal blocks which follow each
// other, so that they alone tell the blocks apart, and removes or adds a block. A
// comment on a line of a block is where the block is, or is flagged, but for some
// that no text can place: where an added block took over the unchanged line that
// followed another, the lines before that line are taken to have stayed with it.
func TestAdjacentTwins(t *testing.T) {
	var count [outcomes]int
	shown := 0
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 16))
		base, current, truth := adjacentTwins(rng)
		a := Align(base, current)
		for i, at := range truth {
			p := a.Place(NewAnchor(base, base.Line(i)))
			o := right
			switch kept := p.State == Live || p.State == Moved; {
			case !kept:
				o = flagged
			case at < 0 || current.LineAt(p.Span.Start) != at:
				o = wrong
			}
			count[o]++
			if o == wrong {
				if shown++; os.Getenv("AHP_SHOW") != "" && shown < 12 {
					fmt.Printf("seed %d line %d %q: %v at %d (%.2f), want %d\n%s---\n%s=====\n", seed, i+1, base.content(i), p.State, current.LineAt(p.Span.Start)+1, p.Confidence, at+1, base, current)
				}
			}
		}
	}
	t.Logf("%d right, %d flagged, %d silently wrong", count[right], count[flagged], count[wrong])
	if all := count[right] + count[flagged] + count[wrong]; count[wrong]*50 > all {
		t.Errorf("%d of %d silently wrong", count[wrong], all)
	}
}

// Of a block whose enclosing line was removed, or stands elsewhere now, a twin
// that is next to the same line is not taken for it.
func TestTwinOfARemovedBlock(t *testing.T) {
	block := func(head string) string {
		return "\tif " + head + " {\n\t\tlog.Print(\"failed\")\n\t\treturn err\n\t}\n"
	}
	base := NewText("func top() {\n" + block("valid(a)") + block("closed(b)") + block("open(c)") + "\tbottom()\n}\n")
	removed := NewText("func top() {\n" + block("strict && valid(a)") + block("open(c)") + "\tbottom()\n}\n")
	for _, line := range []int{6, 7, 8} { // of the second block
		p := Align(base, removed).Place(NewAnchor(base, base.Line(line)))
		require.True(t, p.State == Outdated || p.State == Detached, "line %d: %v", line, p)
	}
	added := NewText("func top() {\n" + block("open(h)") + block("x0 && valid(a)") + block("x1 && closed(b)") + block("x2 && open(c)") + "\tbottom()\n}\n")
	for _, line := range []int{2, 3, 4} { // of the first block, which is the second now
		p := Align(base, added).Place(NewAnchor(base, base.Line(line)))
		kept := p.State == Live || p.State == Moved
		require.True(t, !kept || added.LineAt(p.Span.Start) == line+4, "line %d: %v", line, p)
	}
}

// adjacentTwins makes equal blocks below lines of their own, and changes these.
// truth is, for the lines of blocks, where they are, or -1.
func adjacentTwins(rng *rand.Rand) (base, current *Text, truth map[int]int) {
	head := func(k int) string {
		return fmt.Sprintf("\tif request.%s(%c) {", []string{"valid", "closed", "open", "empty", "known"}[k%5], 'a'+k)
	}
	var x, y []string
	truth = map[int]int{}
	body := []string{"\t\tlog.Print(\"failed\")", "\t\treturn err", "\t}"}[rng.IntN(2):]
	x, y = append(x, "func top() {"), append(y, "func top() {")
	add := func(h string) {
		y = append(y, h)
		y = append(y, body...)
	}
	// One block is removed or added, or none, so that the others tell which.
	blocks, kind := 2+rng.IntN(3), rng.IntN(3)
	which := rng.IntN(blocks)
	for k := range blocks {
		at := len(x)
		x = append(append(x, head(k)), body...)
		if kind == 1 && k == which {
			for i := range body {
				truth[at+1+i] = -1
			}
			continue
		}
		if kind == 2 && k == which {
			add(head(7 + k))
		}
		here := len(y)
		switch n := rng.IntN(4); {
		case n == 0 && kind == 0: // all other words
			add(fmt.Sprintf("\tfor range renamed%d {", k))
		case n < 2:
			add(head(k)[:4] + fmt.Sprintf("changed%d && ", k) + head(k)[4:])
		default:
			add(head(k))
		}
		for i := range body {
			truth[at+1+i] = here + 1 + i
		}
	}
	x, y = append(x, "\tbottom()", "}"), append(y, "\tbottom()", "}")
	return joined(x), joined(y), truth
}

// Typing in the lines that tell twins apart changes which are disputed: placements
// are those of the text as it is.
func TestTypingBetweenTwins(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 17))
		base, current, _ := adjacentTwins(rng)
		var anchors []Anchor
		for i := range base.contentLines() {
			anchors = append(anchors, NewAnchor(base, base.Line(i)))
		}
		tr := NewTracker(current)
		requireTracked(t, tr, anchors)
		for range 12 {
			at := tr.Text().Line(rng.IntN(tr.Text().LineCount()))
			word := []string{"x", " valid(a)", " request.open(c)", "y"}[rng.IntN(4)]
			tr.Edit(Span{at.End, at.End}, word)
			requireTracked(t, tr, anchors)
		}
	}
}
