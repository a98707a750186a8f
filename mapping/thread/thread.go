// Package thread puts the host's annotations into words: one line for a lens or
// an action, a diagnostic's message, a hover, plain text. It is pure.
package thread

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// Author names who wrote an entry: the name the host gives, or "you" for a
// person's own entry without one. An agent signs its entries; an unsigned entry
// that opens a review from outside is the reviewer's.
func Author(a *ahp.Annotation, e ahp.Entry) string {
	if name := e.Author(); name != "" {
		return name
	}
	f, ok := a.Feedback()
	if !ok {
		return "comment"
	}
	if len(a.Entries) > 0 && a.Entries[0].ID == e.ID {
		switch f.Kind {
		case "codeReview":
			return "agent"
		case "prReview":
			return "reviewer"
		}
	}
	return "you"
}

// Awaiting reports whether an agent's comment waits for a person to accept it.
func Awaiting(a *ahp.Annotation) bool {
	f, ok := a.Feedback()
	return ok && f.State == ahp.FeedbackCreated && !a.Resolved
}

// firstEntry is the thread's opening; hosts send threads without entries.
func firstEntry(a *ahp.Annotation) (author, text string) {
	if len(a.Entries) == 0 {
		return "comment", "(empty comment)"
	}
	text = strings.TrimSpace(a.Entries[0].Text.Value)
	if text == "" {
		text = "(empty comment)"
	}
	return Author(a, a.Entries[0]), text
}

// Summary is a thread in one line of at most limit characters: author, the
// first line of the first entry, the number of replies, and the state.
func Summary(a *ahp.Annotation, p mapping.Placement, limit int) string {
	author, text := firstEntry(a)
	line, _, more := strings.Cut(text, "\n")
	line = strings.Join(strings.Fields(line), " ")
	tail := ""
	switch n := len(a.Entries) - 1; {
	case n == 1:
		tail = " (+1 reply)"
	case n > 1:
		tail = fmt.Sprintf(" (+%d replies)", n)
	}
	if note := p.Note(); note != "" {
		tail += " " + note
	}
	if a.Range == nil {
		tail += " (whole file)"
	}
	if a.Resolved {
		tail += " (resolved)"
	}
	head := author + ": "
	room := max(limit-utf8.RuneCountInString(head)-utf8.RuneCountInString(tail), 12)
	if short := mapping.Shorten(line, room); short != line || more {
		line = strings.TrimSuffix(mapping.Shorten(line, room-1), "…") + "…"
	}
	return head + line + tail
}

// DiagnosticMessage is the message of a thread's diagnostic. With related, replies
// are shown elsewhere (relatedInformation); without, the message holds the whole
// thread.
func DiagnosticMessage(a *ahp.Annotation, p mapping.Placement, related bool) string {
	author, text := firstEntry(a)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", author, text)
	if note := p.Note(); note != "" {
		b.WriteString(" " + note)
	}
	if a.Range == nil {
		b.WriteString(" (whole file)")
	}
	if where := madeOn(a); where != "" {
		b.WriteString(" (" + where + ")")
	}
	if a.Resolved {
		b.WriteString(" (resolved)")
	}
	if related {
		return b.String()
	}
	for _, e := range a.Entries[min(1, len(a.Entries)):] {
		fmt.Fprintf(&b, "\n%s: %s", Author(a, e), strings.TrimSpace(e.Text.Value))
	}
	return b.String()
}

// madeOn says on which branch a comment was made, "" if on this one as far as is
// known.
func madeOn(a *ahp.Annotation) string {
	switch branch, other := a.OtherBranch(); {
	case !other:
		return ""
	case branch == "":
		return "made on another branch"
	default:
		return "made on branch " + branch
	}
}

// Markdown is the whole thread for a hover: every entry with its author,
// the turn it is about, its state, and the code it was about if that changed.
// turn names the turn ("turn 3: add tests"), "" if it is not known; then and
// now are the code it was about and what stands in its place.
func Markdown(a *ahp.Annotation, p mapping.Placement, turn, then, now string) string {
	var b strings.Builder
	for i, e := range a.Entries {
		if i > 0 {
			b.WriteString("\n\n")
		}
		text := strings.TrimSpace(e.Text.Value)
		if !e.Text.Markdown && e.Author() != "agent" {
			text = plainToMarkdown(text)
		}
		fmt.Fprintf(&b, "**%s:** %s", plainToMarkdown(Author(a, e)), text)
	}
	if len(a.Entries) == 0 {
		b.WriteString("*(empty comment)*")
	}
	facts := []string{state(a)}
	if turn != "" {
		facts = append(facts, plainToMarkdown(turn))
	}
	if a.Range == nil {
		facts = append(facts, "about the whole file")
	}
	if where := madeOn(a); where != "" {
		facts = append(facts, plainToMarkdown(where)+", where the file differs")
	}
	fmt.Fprintf(&b, "\n\n*%s*", strings.Join(facts, " · "))
	switch p.State {
	case mapping.Outdated:
		b.WriteString("\n\nThe code changed since:\n\n" + mapping.Fence("diff", marked("-", then)+marked("+", now)))
	case mapping.Detached:
		b.WriteString("\n\nThe code was removed. It was about:\n\n" + mapping.Fence("", then))
	}
	return b.String()
}

// marked puts a mark before each line of a text.
func marked(mark, text string) string {
	text = strings.TrimRight(mapping.WithLineEnds(text, "\n"), "\n")
	if text == "" {
		return ""
	}
	return mark + strings.ReplaceAll(text, "\n", "\n"+mark) + "\n"
}

func state(a *ahp.Annotation) string {
	if a.Resolved {
		return "resolved"
	}
	f, ok := a.Feedback()
	if !ok {
		return "open"
	}
	switch f.State {
	case ahp.FeedbackCreated:
		return "open, not accepted yet: the agent does not act on it"
	case ahp.FeedbackAccepted:
		return "open, accepted"
	case ahp.FeedbackSubmitted:
		return "open, submitted to the agent"
	}
	return "open"
}

// Text is the thread as plain text, one entry after the other.
func Text(a *ahp.Annotation) string {
	var b strings.Builder
	for _, e := range a.Entries {
		fmt.Fprintf(&b, "%s: %s\n", Author(a, e), strings.TrimSpace(e.Text.Value))
	}
	return b.String()
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "|", `\|`, "~", `\~`,
)

// plainToMarkdown escapes what Markdown would read as its own, so that a plain
// text is shown as it was typed.
func plainToMarkdown(s string) string {
	return strings.ReplaceAll(markdownEscapes.Replace(s), "\n", "  \n")
}
