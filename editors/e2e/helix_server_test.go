package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

var gutterMark = regexp.MustCompile(`(?m)^● +(\d+) `)

// helixMarks are the lines that have a diagnostic, by the mark in the margin.
func helixMarks(screen string) []int {
	var lines []int
	for _, mark := range gutterMark.FindAllStringSubmatch(screen, -1) {
		line, _ := strconv.Atoi(mark[1])
		lines = append(lines, line)
	}
	return lines
}

// onLine matches a line of the file, shown with its number, that contains this text. A tab is
// four columns wide.
func onLine(number int, text string) string {
	return fmt.Sprintf(`(?m)^. +%d .*%s`, number, regexp.QuoteMeta(text))
}

func helixScenario(t *testing.T) (*scenario, *Helix) {
	t.Helper()
	s := newScenario(t)
	h := StartHelix(t, s.Dir, s.server, "greet.go")
	h.WaitScreen(fmt.Sprintf(`(?m)^● +%d `, helloLine))
	screen := h.WaitScreen(fmt.Sprintf(`(?m)^● +%d `, countCommentLine))
	require.Equal(t, []int{helloLine, countCommentLine}, helixMarks(screen))
	return s, h
}

func TestHelixShowsThreads(t *testing.T) {
	s, h := helixScenario(t)
	// The list of diagnostics has their texts, whatever the severity.
	h.Keys("Space", "d")
	h.WaitScreen(`ahp .*Should the greeting be`)
	h.WaitScreen(`ahp .*Count could take`)
	h.SaveScreen("diagnostics")
	h.Keys("Escape")
	h.WaitNoScreen(`ahp .*Count could take`)

	h.Cursor(helloLine)
	h.Hover(`(?is)│[^\n]*agent.*Should the greeting be`)

	// The threads go with their lines.
	h.Cursor(1)
	h.Insert("// a line above everything")
	h.WaitScreen(fmt.Sprintf(`(?m)^● +%d `, countCommentLine+1))
	h.Cursor(helloLine + 1)
	h.Hover(`│[^\n]*Should the greeting be`)
	s.requireNotInvoked()
}

func TestHelixResolves(t *testing.T) {
	s, h := helixScenario(t)
	h.Cursor(helloLine)
	h.CodeAction(resolveAction)
	s.waitResolved("Should the greeting be")
	h.WaitNoScreen(fmt.Sprintf(`(?m)^● +%d `, helloLine))
	require.Equal(t, []int{countCommentLine}, helixMarks(h.Screen()))
}

func TestHelixCommentsFromALine(t *testing.T) {
	s, h := helixScenario(t)
	h.Cursor(byeLine + 1)
	h.Insert("// ahp: please explain this")
	h.WaitScreen(onLine(byeLine+1, "ahp: please explain this"))
	h.CodeAction(createAction)
	h.WaitNoScreen(`ahp: please explain this`)
	h.WaitScreen(onLine(byeLine+1, `return "Bye " + name`))
	comment := s.agentSees("please explain this")
	require.Equal(t, s.uri(), comment.ResourceURI)
	require.Equal(t, byeLine+1, comment.Range.StartLine)
	screen := h.WaitScreen(fmt.Sprintf(`(?m)^● +%d `, byeLine+1))
	require.Equal(t, []int{helloLine, byeLine + 1, countCommentLine}, helixMarks(screen))
}

func TestHelixDiscards(t *testing.T) {
	s, h := helixScenario(t)
	s.WaitOperation("uncommitted", "discard-changes", "greet.go")
	h.Cursor(countLine)

	h.CodeAction(discardAction)
	h.WaitScreen(`│[^\n]*greet\.go`) // the question
	h.Choose(declineDiscard)
	h.CodeAction(discardAction)
	h.WaitScreen(`│[^\n]*greet\.go`)
	h.Keys("Escape")
	h.WaitNoScreen(`│[^\n]*greet\.go`)
	// Whatever is sent from here on comes after what must not have been sent.
	h.Cursor(helloLine)
	h.CodeAction(resolveAction)
	s.waitResolved("Should the greeting be")
	s.requireNotInvoked()

	h.Cursor(countLine)
	h.CodeAction(discardAction)
	h.WaitScreen(`│[^\n]*greet\.go`)
	h.Choose("!" + declineDiscard)
	s.waitDiscarded()
	h.Command("reload")
	h.WaitScreen(onLine(helloLine, `return "Hello " + name`))
}

func TestHelixRevertsAHunk(t *testing.T) {
	s, h := helixScenario(t)
	h.Cursor(countLine)
	h.CodeAction(revertAction)
	h.WaitScreen(onLine(countLine, "fmt.Println(i)"))
	h.WaitScreen(onLine(helloLine, "fmt.Sprintf"))
	h.SaveScreen("reverted")
	h.Keys("u")
	h.WaitScreen(onLine(countLine, "fmt.Println(i + 1)"))
	s.requireNotInvoked()
}
