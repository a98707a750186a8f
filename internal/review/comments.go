package review

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
	"ahp-lsp/mapping/thread"
)

// Comment is a comment and where it is now. Lines count from one and are those of the
// file on the disk.
type Comment struct {
	ID       string  `json:"id"`
	File     string  `json:"file"` // relative to the work tree; a URI or whole path outside
	Line     int     `json:"line,omitempty"`
	EndLine  int     `json:"endLine,omitempty"`
	State    string  `json:"state"` // live, moved, outdated, detached, outside, unknown
	Resolved bool    `json:"resolved"`
	Branch   string  `json:"branch,omitempty"`  // the one it was made on, if not this one
	Code     string  `json:"code,omitempty"`    // what it is about, as it was then
	CodeNow  string  `json:"codeNow,omitempty"` // what stands in its place, if it is outdated
	Entries  []Entry `json:"entries"`

	otherBranch bool // made on another branch, known or not
	deleted     bool // the file is
}

// Entry is a contribution to a comment's thread.
type Entry struct {
	Author string `json:"author"`
	Text   string `json:"text"`
}

// States of a comment that are not those of a placement.
const (
	stateOutside = "outside" // the file is not in the work tree: it is not read
	stateUnknown = "unknown" // the file cannot be read
)

// Comments are the comments on the work tree, as editors place and name them. With
// open, those that are resolved are left out.
func (r *Review) Comments(ctx context.Context, open bool) ([]Comment, error) {
	all, err := r.annotations(ctx)
	if err != nil {
		return nil, err
	}
	p := placer{review: r, files: map[string]file{}}
	list := []Comment{}
	for a := range all.All() {
		if !open || !a.Resolved {
			list = append(list, p.place(a))
		}
	}
	return list, nil
}

// placer finds comments in the files as they are now, and reads each file once.
type placer struct {
	review *Review
	files  map[string]file // by path
}

type file struct {
	text *mapping.Text // nil if it was not read
	err  error         // of reading
}

func (p *placer) read(rel string) file {
	f, ok := p.files[rel]
	if !ok {
		var data []byte
		if data, f.err = p.review.read(rel); f.err == nil {
			f.text = mapping.NewText(string(data))
		}
		p.files[rel] = f
	}
	return f
}

func (p *placer) place(a *ahp.Annotation) Comment {
	c := Comment{ID: a.ID, File: a.Resource, Resolved: a.Resolved, Entries: []Entry{}}
	c.Branch, c.otherBranch = a.OtherBranch()
	for _, e := range a.Entries {
		c.Entries = append(c.Entries, Entry{thread.Author(a, e), e.Text.Value})
	}
	if fb, ok := a.Feedback(); ok {
		c.Code = fb.CodeSelection
	}
	path, ok := ahp.FilePath(p.review.client.ToLocal(a.Resource))
	if !ok {
		c.State = stateOutside
		return c
	}
	c.File = path
	rel, err := p.review.inside(filepath.FromSlash(path))
	if err != nil {
		c.State = stateOutside
		return c
	}
	c.File = rel
	f := p.read(rel)
	switch {
	case errors.Is(f.err, fs.ErrNotExist):
		c.deleted, c.State = true, mapping.Detached.String()
		if a.Range != nil {
			c.Line, c.EndLine = a.Range.Start.Line+1, a.Range.End.Line+1
		}
	case f.err != nil:
		c.State = stateUnknown
	case a.Range == nil:
		c.State = mapping.Live.String()
	default:
		c.find(*a.Range, f.text)
	}
	return c
}

// find places a comment on a range as editors do: the quote proves the host's range,
// or is looked for.
func (c *Comment) find(at ahp.Range, text *mapping.Text) {
	span := text.Span(mapping.Range{Start: mapping.Position(at.Start), End: mapping.Position(at.End)}, mapping.UTF16)
	place := mapping.Placement{Span: span}
	quote := strings.TrimSpace(c.Code)
	switch {
	case quote == "":
		c.Code = mapping.Shorten(text.Slice(span), maxQuote)
	case !quotes(quote, text.Slice(span)):
		place = mapping.PlaceQuote(mapping.QuoteAnchor(quote, at.Start.Line), text)
	}
	c.State = place.State.String()
	if place.State == mapping.Outdated {
		c.CodeNow = mapping.Shorten(text.Slice(place.Span), maxQuote)
	}
	c.Line = text.LineAt(place.Span.Start) + 1
	c.EndLine = max(c.Line, text.LineAt(max(place.Span.End-1, place.Span.Start))+1)
}

// quotes reports whether a quote is of a text: the same but for white space at the ends
// and the kind of line ends, or the beginning of it if the quote was cut.
func quotes(quote, text string) bool {
	quote = strings.TrimSpace(mapping.WithLineEnds(quote, "\n"))
	text = strings.TrimSpace(mapping.WithLineEnds(text, "\n"))
	if quote == text {
		return true
	}
	start, cut := strings.CutSuffix(quote, "…")
	return cut && len(start) >= minCut && strings.HasPrefix(text, start)
}

// minCut is the length in bytes of the shortest quote that some program cuts.
const minCut = 256
