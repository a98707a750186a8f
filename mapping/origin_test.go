package mapping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func lines(words string) *Text {
	if words == "" {
		return NewText("")
	}
	return NewText(strings.Join(strings.Fields(words), "\n") + "\n")
}

func TestOrigins(t *testing.T) {
	for name, tc := range map[string]struct {
		texts []string // before the first change, and after each; the last is on disk
		skip  int      // how many of the last steps no change tells of: the user's
		want  [][]int  // by hunk; 0 is the newest change
	}{
		"one change":                      {[]string{"a b c d e f", "a B c d e F"}, 0, [][]int{{0}, {0}}},
		"a hunk each":                     {[]string{"a b c d e f", "a B c d e f", "a B c d e F"}, 0, [][]int{{1}, {0}}},
		"moved by a later one":            {[]string{"a b c d e f", "a b c d E f", "1 2 3 a b c d E f"}, 0, [][]int{{0}, {1}}},
		"rewritten":                       {[]string{"a b c", "a B c", "a X c"}, 0, [][]int{{0, 1}}},
		"side by side":                    {[]string{"a b c d", "a B c d", "a B C d"}, 0, [][]int{{0, 1}}},
		"removed":                         {[]string{"a b c d e f", "a c d e f", "a c d e"}, 0, [][]int{{1}, {0}}},
		"written and removed again":       {[]string{"a b c d e", "a b X Y c d e", "a b c d E"}, 0, [][]int{{0}}},
		"the user's edit":                 {[]string{"a b c d e f", "a B c d e f", "a B c d e F"}, 1, [][]int{{0}, nil}},
		"the user's edit of the agent's":  {[]string{"a b c d e f", "a B c d e f", "a U c d e f"}, 1, [][]int{{0}}},
		"the same text somewhere else":    {[]string{"a b c d e f g", "a b x c d e f g", "x c d e f g x"}, 1, [][]int{{0}, nil}},
		"a new file":                      {[]string{"", "a b", "a b c"}, 0, [][]int{{0, 1}}},
		"everything deleted":              {[]string{"a b", "a", ""}, 0, [][]int{{0, 1}}},
		"nothing left":                    {[]string{"a b", "a B", "a b"}, 0, [][]int{}},
		"two edits of one line by people": {[]string{"a b c", "a U c"}, 1, [][]int{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			last := len(tc.texts) - 1
			c := NewFileChange(lines(tc.texts[0]), lines(tc.texts[last]))
			var changes []*FileChange
			for i := last - tc.skip; i > 0; i-- {
				changes = append(changes, NewFileChange(lines(tc.texts[i-1]), lines(tc.texts[i])))
			}
			require.Equal(t, tc.want, c.Origins(changes))
		})
	}
}

// Without anybody else's edits every hunk is some change's, and no hunk is that
// of a change which did nothing. No two lines are alike: which of several alike
// ones was removed, nobody can say.
func TestEveryHunkHasAnOrigin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Fields("a b c d e f g h i j k l")[:rapid.IntRange(0, 12).Draw(t, "lines")]
		first := text
		var changes []*FileChange
		idle := map[int]bool{}
		for n := rapid.IntRange(1, 5).Draw(t, "changes"); n > 0; n-- {
			from := rapid.IntRange(0, len(text)).Draw(t, "from")
			to := rapid.IntRange(from, len(text)).Draw(t, "to")
			var insert []string
			for i := range rapid.IntRange(0, 3).Draw(t, "inserted") {
				insert = append(insert, fmt.Sprint("new", n, "-", i))
			}
			next := append(append(append([]string{}, text[:from]...), insert...), text[to:]...)
			changes = append([]*FileChange{NewFileChange(lines(strings.Join(text, " ")), lines(strings.Join(next, " ")))}, changes...)
			text = next
		}
		for i, c := range changes {
			idle[i] = len(c.Hunks) == 0
		}
		whole := NewFileChange(lines(strings.Join(first, " ")), lines(strings.Join(text, " ")))
		for i, origins := range whole.Origins(changes) {
			if len(origins) == 0 {
				t.Fatalf("hunk %v has no origin", whole.Hunks[i])
			}
			for _, o := range origins {
				if idle[o] {
					t.Fatalf("hunk %v is said to be of a change that did nothing", whole.Hunks[i])
				}
			}
		}
	})
}
