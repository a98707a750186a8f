package mapping

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The first character on a line that was indented already, and the last one
// taken from it, count for where a change is best cut: placements after typing
// are those of the text, however it came about.
func TestTypingOnAnIndentedLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "x", " x", "    x", "y"}), 0, 7)
		margins := rapid.SampledFrom([]string{"\t", "   ", "  ", "\v"})
		base := NewText(strings.Join(append([]string{"top", "x"}, lines.Draw(t, "base")...), "\n") + "\nend\n")
		above, below := lines.Draw(t, "above"), lines.Draw(t, "below")
		head := "top\nx\n" + strings.Join(append(above, margins.Draw(t, "typed")), "\n")
		tail := "\n" + strings.Join(append(below, "end"), "\n") + "\n"

		var anchors []Anchor
		for i := range base.LineCount() {
			anchors = append(anchors, NewAnchor(base, base.Line(i)))
		}
		tr := NewTracker(NewText(head + tail))
		for _, e := range []struct{ was, is string }{{"", "q"}, {"q", ""}, {"", margins.Draw(t, "more")}} {
			placements(tr, anchors)
			tr.Edit(Span{len(head), len(head) + len(e.was)}, e.is)
			fresh := Align(base, NewText(tr.Text().String()))
			for i, an := range anchors {
				require.Equal(t, fresh.Place(an), tr.Place(an), "line %d of %q in %q", i, base.String(), tr.Text().String())
			}
		}
	})
}
