package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
	"ahp-lsp/mapping/thread"
)

type commentsCommand struct {
	JSON     bool `help:"Print JSON."`
	Markdown bool `help:"Print Markdown, to hand to an agent."`
	Open     bool `help:"Only those that are not resolved."`
}

// commentView is a comment as the command prints it. Lines count from one and
// are those of the file as it is now.
type commentView struct {
	ID       string      `json:"id"`
	File     string      `json:"file"` // relative to the work tree
	Line     int         `json:"line,omitempty"`
	EndLine  int         `json:"endLine,omitempty"`
	State    string      `json:"state"` // live, moved, outdated, detached, unknown
	Resolved bool        `json:"resolved"`
	Code     string      `json:"code,omitempty"` // what it is about
	Entries  []entryView `json:"entries"`
}

type entryView struct {
	Author string `json:"author"`
	Text   string `json:"text"`
}

// Run prints the comments on the current work tree.
func (c *commentsCommand) Run(ctx context.Context) error {
	r, err := openReview(ctx)
	if err != nil {
		return fmt.Errorf("comments: %w", err)
	}
	defer r.close()
	all, err := r.annotations(ctx)
	if err != nil {
		return fmt.Errorf("comments: %w", err)
	}
	if told := r.view.State.Notes().Notice; told != "" { // such as that they cannot be read
		fmt.Fprintln(os.Stderr, "ahp-lsp:", strings.ReplaceAll(told, "\n", "\nahp-lsp: "))
	}
	texts := map[string]*mapping.Text{}
	list := []commentView{}
	for a := range all.All() {
		if !c.Open || !a.Resolved {
			list = append(list, r.look(a, texts))
		}
	}
	switch {
	case c.JSON:
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	case c.Markdown:
		for _, v := range list {
			fmt.Print(v.markdown())
		}
	default:
		for _, v := range list {
			fmt.Print(v.plain())
		}
		if len(list) == 0 {
			fmt.Fprintln(os.Stderr, "no comments")
		}
	}
	return nil
}

// look finds a comment in the file as it is now.
func (r *review) look(a *ahp.Annotation, texts map[string]*mapping.Text) commentView {
	v := commentView{ID: a.ID, Resolved: a.Resolved, State: "unknown", Entries: []entryView{}}
	for _, e := range a.Entries {
		v.Entries = append(v.Entries, entryView{thread.Author(a, e), e.Text.Value})
	}
	path, ok := ahp.FilePath(r.client.ToLocal(a.Resource))
	if v.File = a.Resource; !ok {
		return v
	}
	if rel, err := filepath.Rel(r.repo.Root(), filepath.FromSlash(path)); err == nil {
		v.File = filepath.ToSlash(rel)
	}
	text, seen := texts[path]
	if !seen {
		if data, err := os.ReadFile(filepath.FromSlash(path)); err == nil {
			text = mapping.NewText(string(data))
		}
		texts[path] = text
	}
	if a.Range == nil || text == nil {
		return v
	}
	span := text.Span(mapping.Range{Start: mapping.Position(a.Range.Start), End: mapping.Position(a.Range.End)}, mapping.UTF16)
	place := mapping.Placement{Span: span}
	v.State = "live"
	if fb, ok := a.Feedback(); ok && fb.CodeSelection != "" {
		v.Code = fb.CodeSelection
		if text.Slice(span) != fb.CodeSelection {
			place = mapping.PlaceQuote(mapping.QuoteAnchor(fb.CodeSelection, a.Range.Start.Line), text)
			v.State = place.State.String()
		}
	} else {
		v.Code = text.Slice(span)
	}
	v.Line = text.LineAt(place.Span.Start) + 1
	v.EndLine = max(v.Line, text.LineAt(max(place.Span.End-1, place.Span.Start))+1)
	return v
}

func (v commentView) where() string {
	switch {
	case v.Line == 0:
		return v.File
	case v.EndLine > v.Line:
		return fmt.Sprintf("%s:%d-%d", v.File, v.Line, v.EndLine)
	}
	return fmt.Sprintf("%s:%d", v.File, v.Line)
}

func (v commentView) note() string {
	var notes []string
	if v.Resolved {
		notes = append(notes, "resolved")
	}
	switch v.State {
	case "outdated":
		notes = append(notes, "code changed since")
	case "detached":
		notes = append(notes, "code removed")
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, ", ") + ")"
}

func (v commentView) plain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s  [%s]\n", v.where(), v.note(), v.ID)
	for _, line := range strings.Split(strings.TrimRight(v.Code, "\n"), "\n") {
		if v.Code != "" {
			fmt.Fprintf(&b, "    | %s\n", line)
		}
	}
	for _, e := range v.Entries {
		fmt.Fprintf(&b, "    %s: %s\n", e.Author, strings.ReplaceAll(strings.TrimSpace(e.Text), "\n", "\n      "))
	}
	return b.String() + "\n"
}

func (v commentView) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s%s\n\nid: `%s`\n\n", v.where(), v.note(), v.ID)
	if v.Code != "" {
		b.WriteString(mapping.Fence("", v.Code) + "\n\n")
	}
	for _, e := range v.Entries {
		fmt.Fprintf(&b, "**%s:** %s\n\n", e.Author, strings.TrimSpace(e.Text))
	}
	return b.String()
}
