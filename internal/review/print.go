package review

import (
	"fmt"
	"io"
	"strings"

	"ahp-lsp/internal/printable"
	"ahp-lsp/mapping"
)

// WriteJSON prints comments as JSON. Characters that are not to be printed are escaped.
func WriteJSON(w io.Writer, list []Comment) error {
	data, err := printable.JSON(list)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// WriteText prints comments for a person.
func WriteText(w io.Writer, list []Comment) error { return writeAll(w, list, Comment.plain) }

// WriteMarkdown prints comments to hand to an agent.
func WriteMarkdown(w io.Writer, list []Comment) error { return writeAll(w, list, Comment.markdown) }

func writeAll(w io.Writer, list []Comment, form func(Comment) string) error {
	for _, c := range list {
		if _, err := io.WriteString(w, printable.Text(form(c))); err != nil {
			return err
		}
	}
	return nil
}

// where is the place as FILE:LINE-LINE.
func (c Comment) where() string {
	name := printable.Line(c.File)
	switch {
	case c.Line == 0:
		return name
	case c.EndLine > c.Line:
		return fmt.Sprintf("%s:%d-%d", name, c.Line, c.EndLine)
	}
	return fmt.Sprintf("%s:%d", name, c.Line)
}

// note is what has to be known about the comment, in the words of editors.
func (c Comment) note() string {
	var notes []string
	switch {
	case c.deleted:
		notes = append(notes, "file deleted")
	case c.State == stateOutside:
		notes = append(notes, "not in this work tree")
	case c.State == stateUnknown:
		notes = append(notes, "the file cannot be read")
	case c.State == mapping.Outdated.String():
		notes = append(notes, "code changed since")
	case c.State == mapping.Detached.String():
		notes = append(notes, "code removed")
	}
	switch {
	case c.Branch != "":
		notes = append(notes, "made on branch "+printable.Label(c.Branch))
	case c.otherBranch:
		notes = append(notes, "made on another branch")
	}
	if c.Resolved {
		notes = append(notes, "resolved")
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, ", ") + ")"
}

func (c Comment) plain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s  [%s]\n", c.where(), c.note(), printable.Line(c.ID))
	if c.CodeNow == "" {
		b.WriteString(marked("    | ", c.Code))
	} else {
		b.WriteString(marked("    - ", c.Code) + marked("    + ", c.CodeNow))
	}
	for _, e := range c.Entries {
		text := printable.Text(strings.TrimSpace(e.Text))
		fmt.Fprintf(&b, "    %s: %s\n", printable.Label(e.Author), strings.ReplaceAll(text, "\n", "\n      "))
	}
	return b.String() + "\n"
}

func (c Comment) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s%s\n\nid: `%s`\n\n", c.where(), c.note(), printable.Line(c.ID))
	switch {
	case c.CodeNow != "":
		b.WriteString(mapping.Fence("diff", marked("-", c.Code)+marked("+", c.CodeNow)) + "\n\n")
	case c.Code != "":
		b.WriteString(mapping.Fence("", c.Code) + "\n\n")
	}
	for _, e := range c.Entries {
		fmt.Fprintf(&b, "**%s:** %s\n\n", printable.Label(e.Author), strings.TrimSpace(e.Text))
	}
	return b.String()
}

// marked puts a mark before each line of a text.
func marked(mark, text string) string {
	text = strings.TrimRight(printable.Text(text), "\n")
	if text == "" {
		return ""
	}
	return mark + strings.ReplaceAll(text, "\n", "\n"+mark) + "\n"
}
