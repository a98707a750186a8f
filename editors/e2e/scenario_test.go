package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The file that the agent works on, before and after its turn. The numbers of the lines that the
// tests point at are the same in both.
const (
	before = `package greet

import "fmt"

// Hello greets one person.
func Hello(name string) string {
	return "Hello " + name
}

// Bye says goodbye.
func Bye(name string) string {
	return "Bye " + name
}

// Count counts to n.
func Count(n int) {
	for i := 0; i < n; i++ {
		fmt.Println(i)
	}
}
`
	helloLine, oldHello, newHello = 7, `	return "Hello " + name`, `	return fmt.Sprintf("Hello, %s!", name)`
	countLine, oldCount, newCount = 18, `		fmt.Println(i)`, `		fmt.Println(i + 1)`
	byeLine                       = 11 // the agent left it alone

	helloComment     = "Should the greeting be **configurable**?"
	countCommentLine = 16
	countComment     = "Count could take a writer."
)

var after = strings.Replace(strings.Replace(before, oldHello, newHello, 1), oldCount, newCount, 1)

// What the server's menus are called: the verb is what matters.
const (
	resolveAction  = `^Resolve`
	createAction   = `(?i)from this line|^(create )?comment`
	discardAction  = `(?i)^Discard Changes`
	revertAction   = `(?i)^Revert hunk`
	declineDiscard = `(?i)cancel|^no\b|keep|don.t`
)

// A scenario is an agent's turn over greet.go: two hunks and two comments, with the server under
// test on its way to the host through a tap.
type scenario struct {
	*Session
	tap    *Tap
	server string // for StartNeovim and StartHelix
}

func newScenario(t *testing.T) *scenario {
	t.Helper()
	t.Parallel()
	host := SharedHost(t)
	s := host.NewSession(t, NewWorkspace(t, map[string]string{"greet.go": before}))
	s.RunTurn("Greet with Sprintf and count from one.",
		s.EditFile("greet.go", oldHello, newHello),
		s.EditFile("greet.go", oldCount, newCount),
		s.Comment("greet.go", helloLine, helloComment),
		s.Comment("greet.go", countCommentLine, countComment),
		Step{Text: "Both done; two remarks are in the file."})
	require.Equal(t, after, ReadFile(t, s.Dir, "greet.go"))
	tap := host.Tap(t)
	return &scenario{Session: s, tap: tap, server: Server(t, tap.URL, host.Token)}
}

func (s *scenario) uri() string { return fileURI(s.Dir, "greet.go") }

// waitComment waits until the host has a comment with this text.
func (s *scenario) waitComment(text string) Annotation {
	s.t.Helper()
	return s.WaitAnnotation("the comment "+text, func(a Annotation) bool {
		return len(a.Entries) > 0 && strings.Contains(string(a.Entries[0].Text), text)
	})
}

// waitResolved waits until the host, and with it this second client, has a comment resolved: as
// an action of someone else's that arrives, and in the state that the host gives.
func (s *scenario) waitResolved(text string) {
	s.t.Helper()
	id := s.waitComment(text).ID
	s.WaitFor("the comment's resolution", func(f Frame) bool {
		var action struct {
			AnnotationID string     `json:"annotationId"`
			Resolved     bool       `json:"resolved"`
			Annotation   Annotation `json:"annotation"`
		}
		if !strings.HasPrefix(f.Type, "annotations/") {
			return false
		}
		f.Decode(s.t, &action)
		return action.AnnotationID == id && action.Resolved || action.Annotation.ID == id && action.Annotation.Resolved
	})
	s.WaitAnnotation("the resolved comment", func(a Annotation) bool { return a.ID == id && a.Resolved })
}

// agentSees returns the comment with this text out of what the agent's own tool tells it.
func (s *scenario) agentSees(text string) AgentComment {
	s.t.Helper()
	s.waitComment(text)
	comments := s.AgentListComments()
	for _, comment := range comments {
		if comment.Text == text {
			return comment
		}
	}
	s.t.Fatalf("the agent does not see %q; it sees %+v", text, comments)
	return AgentComment{}
}

// requireNotInvoked is to be called after something later than the declined operation has
// reached the host: what was to be sent would be there by now.
func (s *scenario) requireNotInvoked() {
	s.t.Helper()
	require.Empty(s.t, s.tap.Sent("invokeChangesetOperation"))
	require.Equal(s.t, after, ReadFile(s.t, s.Dir, "greet.go"))
}

// waitDiscarded waits until the host has discarded the agent's changes, as asked once.
func (s *scenario) waitDiscarded() {
	s.t.Helper()
	s.WaitChangeset("uncommitted", "greet.go to leave it", func(c Changeset) bool { return !c.Has(s.uri()) })
	require.Equal(s.t, before, ReadFile(s.t, s.Dir, "greet.go"))
	invoked := s.tap.Sent("invokeChangesetOperation")
	require.Len(s.t, invoked, 1)
	require.Contains(s.t, invoked[0], `"discard-changes"`)
	require.Contains(s.t, invoked[0], s.uri())
}
