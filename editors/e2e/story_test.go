package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One story, from an agent's turn to its next one, as a user of each editor lives it. Every step
// leaves a picture of the screen among the artefacts.

const (
	notesBefore  = "# Greetings\n\nThey are plain.\n\nNothing else.\n"
	oldNote      = "They are plain."
	newNote      = "They are formatted."
	noteLine     = 3
	notesComment = "Is this worth a note?"

	reply     = "Yes, from the environment."
	ownText   = "please explain this"
	ownLine   = byeLine + 1
	insertion = "// Package greet greets.\n//\n// It does so politely.\npackage greet"
)

var notesAfter = strings.Replace(notesBefore, oldNote, newNote, 1)

// A reader is the user of one editor. Lines count from 1.
type reader interface {
	open(file string)
	marks(lines ...int) // waits until exactly these lines of the file have a comment each
	at(line int)
	action(pattern string) // of those at the cursor
	hover(text string)     // asks for it until a part of it is there: the host may still be computing
	write(text string)     // into the empty file that asks for it, and saves that
	insert(text string)    // as a line of its own above the cursor
	line(number int, text string)
	undo()
	save()
	reload()
	answer(pattern string) // to a question
	picture(name string)
}

func TestNeovimLivesTheStory(t *testing.T) {
	s := newStory(t)
	n := StartNeovim(t, s.Dir, s.server)
	s.tell(&neovimReader{n})
}

func TestHelixLivesTheStory(t *testing.T) {
	s := newStory(t)
	h := StartHelix(t, s.Dir, s.server, "greet.go")
	s.tell(&helixReader{h})
}

func newStory(t *testing.T) *scenario {
	t.Helper()
	t.Parallel()
	host := SharedHost(t)
	s := host.NewSession(t, NewWorkspace(t, map[string]string{"greet.go": before, "notes.md": notesBefore}))
	s.RunTurn("Greet with Sprintf and count from one.",
		s.EditFile("greet.go", oldHello, newHello),
		s.EditFile("greet.go", oldCount, newCount),
		s.EditFile("notes.md", oldNote, newNote),
		s.Comment("greet.go", helloLine, helloComment),
		s.Comment("greet.go", countCommentLine, countComment),
		s.Comment("notes.md", noteLine, notesComment),
		Step{Text: "Done; three remarks are in the files."})
	tap := host.Tap(t)
	return &scenario{Session: s, tap: tap, server: Server(t, tap.URL, host.Token)}
}

func (s *scenario) tell(r reader) {
	t := s.t
	t.Helper()
	// The agent has edited two files and left three comments: the user sees them.
	r.open("greet.go")
	r.marks(helloLine, countCommentLine)
	r.picture("1 the agent's comments and hunks")
	s.waitAdded(2)
	r.at(helloLine)
	r.hover("turn 1")
	r.picture("2 the thread and the hunk under it")

	// They reply to one, and resolve another.
	r.action(`^Reply`)
	r.write(reply)
	s.WaitAnnotation("the reply", func(a Annotation) bool {
		return len(a.Entries) == 2 && strings.Contains(string(a.Entries[1].Text), reply)
	})
	r.open("greet.go")
	r.at(countCommentLine)
	r.action(resolveAction)
	s.waitResolved(countComment)
	r.marks(helloLine)
	r.picture("3 replied and resolved")

	// They revert one hunk, undo that, and revert it again.
	r.at(countLine)
	r.action(revertAction)
	r.line(countLine, strings.TrimSpace(oldCount))
	r.undo()
	r.line(countLine, strings.TrimSpace(newCount))
	r.action(revertAction)
	r.line(countLine, strings.TrimSpace(oldCount))
	r.save()
	r.picture("4 a hunk reverted")

	// The host discards the changes of the other file, after a question.
	s.WaitOperation("uncommitted", "discard-changes", "notes.md")
	r.open("notes.md")
	r.marks(noteLine)
	r.at(noteLine)
	r.action(discardAction)
	r.picture("5 the question")
	require.Equal(t, notesAfter, ReadFile(t, s.Dir, "notes.md"))
	require.Empty(t, s.tap.Sent("invokeChangesetOperation"))
	r.answer("!" + declineDiscard)
	s.WaitChangeset("uncommitted", "notes.md to leave it", func(c Changeset) bool { return !c.Has(fileURI(s.Dir, "notes.md")) })
	require.Equal(t, notesBefore, ReadFile(t, s.Dir, "notes.md"))
	require.Len(t, s.tap.Sent("invokeChangesetOperation"), 1)
	r.reload()
	r.line(noteLine, oldNote)
	r.picture("6 discarded")

	// They add a comment, and the agent reads it.
	r.open("greet.go")
	r.at(ownLine)
	r.insert("// ahp: " + ownText)
	r.action(createAction)
	r.line(ownLine, `return "Bye " + name`)
	r.marks(helloLine, ownLine)
	comment := s.agentSees(ownText)
	require.Equal(t, s.uri(), comment.ResourceURI)
	require.Equal(t, ownLine, comment.Range.StartLine)
	r.picture("7 a comment for the agent")

	// The agent rewrites the file: the comments follow.
	r.save()
	s.RunTurn("Explain, and be polite.",
		s.EditFile("greet.go", "package greet", insertion),
		s.EditFile("greet.go", `return "Bye " + name`, `return "So long, " + name`))
	r.reload()
	shift := strings.Count(insertion, "\n")
	r.line(ownLine+shift, `return "So long, " + name`)
	r.marks(helloLine+shift, ownLine+shift)
	r.at(ownLine + shift)
	r.hover("The code changed since")
	r.picture("8 the comments followed")
	s.waitAdded(2 + shift)
	r.at(ownLine + shift)
	r.hover("turn 3") // the second was the agent's look at the comments
	require.Equal(t, 0, strings.Count(ReadFile(t, s.Dir, "greet.go"), "ahp:"))
}

// waitAdded waits until the host has computed the session's changes.
func (s *scenario) waitAdded(lines int) {
	s.t.Helper()
	s.WaitChangeset("session", "the agent's changes", func(c Changeset) bool { return c.Added(s.uri()) == lines })
}

type neovimReader struct{ *Neovim }

func (r *neovimReader) open(file string) { r.Open(file) }

func (r *neovimReader) marks(lines ...int) {
	r.t.Helper()
	r.WaitLua(fmt.Sprintf("comments on the lines %v alone", lines), fmt.Sprintf(`
		local found = vim.tbl_map(function(d) return d.lnum + 1 end, vim.diagnostic.get(0))
		table.sort(found)
		return table.concat(found, ' ') == %q`, strings.Trim(fmt.Sprint(lines), "[]")), nil)
}

func (r *neovimReader) at(line int)           { r.Cursor(line) }
func (r *neovimReader) action(pattern string) { r.t.Helper(); r.CodeAction(pattern) }

func (r *neovimReader) hover(text string) {
	r.t.Helper()
	for until := time.Now().Add(Patience); ; {
		shown := r.Hover()
		if strings.Contains(shown, text) {
			return
		}
		if time.Now().After(until) {
			require.Contains(r.t, shown, text)
		}
		// A second request would go into the window of the first.
		r.Lua("for _, w in ipairs(vim.api.nvim_list_wins()) do if vim.api.nvim_win_get_config(w).relative ~= '' then vim.api.nvim_win_close(w, true) end end", nil)
	}
}

func (r *neovimReader) write(text string) {
	r.t.Helper()
	r.WaitLua("a file that asks for a text", "return vim.api.nvim_buf_get_name(0):find('ahp%-%w+%.md$') ~= nil", nil)
	r.Type("i" + text + "<Esc>")
	r.Lua("vim.cmd.write()", nil)
}

func (r *neovimReader) insert(text string) { r.Type("O" + text + "<Esc>") }

func (r *neovimReader) line(number int, text string) {
	r.t.Helper()
	r.WaitLua(fmt.Sprintf("line %d to be %q", number, text),
		fmt.Sprintf("return vim.trim(vim.api.nvim_buf_get_lines(0, %d, %d, false)[1] or '') == %s", number-1, number, lua(text)), nil)
}

func (r *neovimReader) undo()                 { r.Type("u") }
func (r *neovimReader) save()                 { r.Lua("vim.cmd('silent write')", nil) }
func (r *neovimReader) reload()               { r.Lua("vim.cmd.checktime()", nil) }
func (r *neovimReader) answer(pattern string) { r.t.Helper(); r.Choose(pattern) }

func (r *neovimReader) picture(name string) {
	r.t.Helper()
	if strings.HasPrefix(name, "5 ") {
		require.Contains(r.t, r.WaitPrompt().Prompt, "notes.md")
	}
	r.SaveScreen(name)
	r.Type("<Esc>")
}

type helixReader struct{ *Helix }

func (r *helixReader) open(file string) {
	r.t.Helper()
	status := regexp.MustCompile(`(?m)^ NOR .*` + regexp.QuoteMeta(file))
	if status.MatchString(r.Screen()) {
		return
	}
	r.Command("open " + file)
	r.WaitScreen(status.String())
}

func (r *helixReader) marks(lines ...int) {
	r.t.Helper()
	r.wait(fmt.Sprintf("comments on the lines %v alone", lines), func() bool {
		return fmt.Sprint(helixMarks(r.Screen())) == fmt.Sprint(lines)
	})
}

func (r *helixReader) at(line int)           { r.t.Helper(); r.Cursor(line) }
func (r *helixReader) action(pattern string) { r.t.Helper(); r.CodeAction(pattern) }

func (r *helixReader) hover(text string) {
	r.t.Helper()
	shown := regexp.MustCompile(`│[^\n]*` + regexp.QuoteMeta(text))
	r.wait("a hover with "+text, func() bool {
		r.Keys("Space", "k")
		r.WaitScreen(`│`)
		if shown.MatchString(r.Screen()) {
			return true
		}
		r.closePopup()
		return false
	})
}

func (r *helixReader) write(text string) {
	r.t.Helper()
	r.WaitScreen(`(?m)^ NOR .*ahp-\w+\.md`)
	r.Insert(text)
	r.Command("write-buffer-close")
}

func (r *helixReader) insert(text string)           { r.t.Helper(); r.Insert(text) }
func (r *helixReader) line(number int, text string) { r.t.Helper(); r.WaitScreen(onLine(number, text)) }
func (r *helixReader) undo()                        { r.Keys("u") }
func (r *helixReader) save()                        { r.t.Helper(); r.Command("write") }
func (r *helixReader) reload()                      { r.t.Helper(); r.Command("reload") }
func (r *helixReader) answer(pattern string)        { r.t.Helper(); r.Choose(pattern) }

func (r *helixReader) picture(name string) {
	r.t.Helper()
	if strings.HasPrefix(name, "5 ") {
		r.WaitScreen(`│[^\n]*notes\.md`)
		r.SaveScreen(name)
		return
	}
	if strings.Contains(r.SaveScreen(name), "│") {
		r.closePopup()
	}
}

// closePopup waits until Escape has had its effect: a key right behind it would be taken for one
// with Alt. Helix at times leaves a piece of the popup's border behind.
func (r *helixReader) closePopup() {
	r.t.Helper()
	shown := r.Screen()
	r.Keys("Escape")
	r.wait("the popup to close", func() bool { return r.Screen() != shown })
	r.Command("redraw")
	r.WaitNoScreen(`│`)
}
