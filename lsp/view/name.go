package view

import (
	"fmt"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// TurnName says which turn of a session an id is: "turn 3: add tests".
func (v View) TurnName(session, id string) string {
	ses := v.w.Session(session)
	if id == "" || ses == nil || ses.View() == nil {
		return ""
	}
	turn, n := ses.View().Chat.Turn(id)
	if n == 0 {
		return ""
	}
	name := fmt.Sprintf("turn %d", n)
	if ses.View().Chat.Partial {
		name = "turn" // the host has older ones: it has another number
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(turn.Text), "\n"); line != "" {
		name += ": " + mapping.Shorten(line, 60)
	}
	return name
}

// originName says which turns wrote a hunk, "" if that is not known.
func (v View) originName(c *workspace.Change, h mapping.PlacedHunk) string {
	turns, outside := v.w.WrittenIn(c, h)
	var names []string
	for _, id := range turns {
		if name := v.TurnName(c.View().Session, id); name != "" {
			names = append(names, name)
		}
	}
	if outside {
		return "in none of the session's turns"
	}
	return strings.Join(names, " · ")
}

// ChangesetName is what a changeset is called: a turn's says which turn.
func (v View) ChangesetName(view *remote.ChangesetView) string {
	if name := v.TurnName(view.Session, view.Turn); name != "" {
		return strings.TrimRight(UpperFirst(name), ".:")
	}
	return view.Entry.Label
}

// changeTitle sums up what the agent did to a file.
func (v View) changeTitle(c *workspace.Change, text *mapping.Text) string {
	var open []mapping.PlacedHunk
	for _, p := range c.Hunks(text) {
		if p.State != mapping.HunkUndone {
			open = append(open, p)
		}
	}
	name := v.ChangesetName(c.View())
	title := fmt.Sprintf("%s: %s, %s", name, countHunks(c, len(open)), counts(open...))
	switch {
	case len(c.Content().Hunks) == 0:
		title = name + ": " + withoutHunks(c)
	case len(open) == 0:
		title = name + ": nothing of it is left in this buffer"
	}
	if kept, all := v.w.KeptCount(c); kept > 0 {
		title += fmt.Sprintf(", %d of %d hunks reviewed", kept, all)
	}
	switch {
	case c.Proposed():
		title += " proposed, not on disk"
	case c.Stale(text):
		title += " on disk, not in this buffer: reload it"
	}
	if c.View().State.Status == ahp.ChangesetError && c.View().State.Error != nil {
		title += " (error: " + c.View().State.Error.Message + ")"
	}
	return title
}

// countHunks says how many hunks of a change there are in a buffer.
func countHunks(c *workspace.Change, n int) string {
	switch {
	case c.Content().Created:
		return "new file"
	case c.Content().Deleted:
		return "deleted file"
	case n == 1:
		return "1 hunk"
	}
	return fmt.Sprintf("%d hunks", n)
}

// withoutHunks says what a change did that left every line as it was.
func withoutHunks(c *workspace.Change) string {
	before, after := c.Entry().Before, c.Entry().After
	switch {
	case c.Content().Created:
		return "new empty file"
	case c.Content().Deleted:
		return "deleted empty file"
	case before != nil && after != nil && ahp.CanonicalURI(before.URI) != ahp.CanonicalURI(after.URI) && workspace.BaseName(before.URI) != workspace.BaseName(after.URI):
		return "renamed from " + workspace.BaseName(before.URI)
	case before != nil && after != nil && ahp.CanonicalURI(before.URI) != ahp.CanonicalURI(after.URI):
		return "moved here, no line changed"
	}
	return "no line changed"
}

// counts is how many lines hunks added and removed.
func counts(hunks ...mapping.PlacedHunk) string {
	added, removed := 0, 0
	for _, p := range hunks {
		added += p.Hunk.After.Len()
		removed += p.Hunk.Before.Len()
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// linesLabel names lines as a user counts them.
func linesLabel(lines mapping.LineRange) string {
	if lines.Len() > 1 {
		return fmt.Sprintf("lines %d–%d", lines.Start+1, lines.End)
	}
	return fmt.Sprintf("line %d", lines.Start+1)
}

// FirstLine is the first line of a text that is not empty.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// UpperFirst is s with a capital at its beginning.
func UpperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
