package lsp

import (
	"context"
	"fmt"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/mapping"
)

// cannotRevert says why a hunk cannot be taken back in the buffer, "" if it
// can. Text the user typed is never at risk: only a hunk whose text stands
// there unchanged is replaced.
func (s *Server) cannotRevert(c *change, p mapping.PlacedHunk, text *mapping.Text) string {
	switch {
	case c.proposed():
		return "proposed, not applied yet"
	case c.stale(text):
		return "not in this buffer: reload it"
	case p.State == mapping.HunkEdited:
		return "edited since"
	case p.State == mapping.HunkUndone:
		return "reverted in this buffer"
	}
	return ""
}

// revertEdit is the edit that takes hunks of one change back. They must be
// live and in order.
func (s *Server) revertEdit(c *change, text *mapping.Text, hunks []mapping.PlacedHunk) protocol.WorkspaceEdit {
	edits := make([]protocol.TextEdit, 0, len(hunks))
	for _, p := range hunks {
		span, replacement := c.content.Revert(p, text)
		edits = append(edits, protocol.TextEdit{Range: s.toRange(text, span), NewText: replacement})
	}
	return s.edit(c.file.doc, edits)
}

// edit makes a workspace edit of one open document, bound to its version where
// the client can check it.
func (s *Server) edit(d *document, edits []protocol.TextEdit) protocol.WorkspaceEdit {
	if !s.client.versionedEdits() {
		return protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{d.uri: edits}}
	}
	version := protocol.Integer(d.version)
	list := make([]any, len(edits))
	for i, e := range edits {
		list[i] = e
	}
	return protocol.WorkspaceEdit{DocumentChanges: []any{protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: d.uri}, Version: &version,
		},
		Edits: list,
	}}}
}

type rangeArgs struct {
	URI   string         `json:"uri"`
	Range protocol.Range `json:"range"`
	Seen  int            `json:"seen,omitempty"` // see pointed
}

// linesOf are the lines that a command acts on.
func (s *Server) linesOf(f *file, text *mapping.Text, p rangeArgs) (mapping.LineRange, error) {
	span, err := s.pointed(f, text, p.Range, p.Seen)
	return selectedLines(text, span), err
}

// rangeOf is the argument of a command on a part of a file.
func (s *Server) rangeOf(f *file, text *mapping.Text, span mapping.Span) rangeArgs {
	return rangeArgs{f.editorURI(), s.toRange(text, span), s.shows(f, text)}
}

type uriArgs struct {
	URI string `json:"uri"`
}

// withHunks answers a command on an open file's hunks: with do, once its primary
// change c is loaded. text is the buffer's.
func (s *Server) withHunks(uri string, do func(f *file, c *change, text *mapping.Text) (any, error)) (any, error) {
	f := s.open(uri)
	if f == nil {
		return refuse("%s is not open", uri)
	}
	return s.afterLoading(f, loadingTimeout, func() (any, error) {
		c, text := f.primary(), f.text()
		switch {
		case f.doc != nil && text == nil:
			return s.sorry("%v", errOutOfStep)
		case c == nil || c.content == nil || text == nil:
			return s.sorry("%s", noHunks(c))
		}
		return do(f, c, text)
	})
}

// hunkRevert is ahp.hunk.revert: every live hunk on the range's lines.
func (s *Server) hunkRevert(args commandArgs) (any, error) {
	var p rangeArgs
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	return s.withHunks(p.URI, func(f *file, c *change, text *mapping.Text) (any, error) {
		lines, err := s.linesOf(f, text, p)
		if err != nil {
			return s.sorry("cannot revert: %v", err)
		}
		var live []mapping.PlacedHunk
		why := "there is no hunk on these lines"
		for _, h := range c.hunks(text) {
			if !h.Touches(lines) || h.Lines.Empty() && !exactly(h, lines) && len(live) > 0 {
				continue
			}
			if reason := s.cannotRevert(c, h, text); reason != "" {
				why = "the hunk is " + reason
				continue
			}
			live = append(live, h)
		}
		if len(live) == 0 {
			return s.sorry("cannot revert: %s", why)
		}
		edit := s.revertEdit(c, text, live)
		return nil, later{func(ctx context.Context) (any, error) {
			if err := s.applyEdit(ctx, "Revert hunk", edit); err != nil {
				return s.sorry("cannot revert the hunk: %v", err)
			}
			return done(map[string]any{"hunks": len(live)}), nil
		}}
	})
}

// noHunks says why a file has no hunks to act on; c is its primary change.
func noHunks(c *change) string {
	switch {
	case c == nil:
		return "there is no change of an agent in this file"
	case c.state == changeFailed:
		return "the change of this file cannot be shown: " + c.why
	}
	return "the change of this file is not known yet"
}

func exactly(h mapping.PlacedHunk, lines mapping.LineRange) bool { return h.Lines.Start == lines.Start }

// beforeShow is ahp.before.show: the text the agent found, in a file of its
// own, read only.
func (s *Server) beforeShow(args commandArgs) (any, error) {
	var p struct {
		URI   string          `json:"uri"`
		Range *protocol.Range `json:"range"`
		Seen  int             `json:"seen"`
	}
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	return s.withHunks(p.URI, func(f *file, c *change, text *mapping.Text) (any, error) {
		line := 0
		if p.Range != nil {
			lines, err := s.linesOf(f, text, rangeArgs{p.URI, *p.Range, p.Seen})
			if err != nil {
				return s.sorry("cannot show the text before the change: %v", err)
			}
			for _, h := range c.hunks(text) {
				if h.Touches(lines) {
					line = h.Hunk.Before.Start
					break
				}
			}
		}
		before := c.content.Before
		at := before.Line(line).Start
		selection := s.toRange(before, mapping.Span{Start: at, End: at})
		name := baseName(f.uri)
		return nil, later{func(ctx context.Context) (any, error) {
			uri, err := s.showText(ctx, "before-"+name, before.String(), &selection)
			if err != nil {
				return s.sorry("cannot show the text before the change: %v", err)
			}
			return done(map[string]any{"uri": uri, "text": before.String()}), nil
		}}
	})
}

func (r *reviewFlag) label() string {
	if r.reviewed {
		return "Mark as not reviewed"
	}
	return "Mark as reviewed"
}

// reviewFlag is the reviewed flag of a file in the changeset that has one.
type reviewFlag struct {
	channel  string
	id       string
	reviewed bool
}

func (r *reviewFlag) args() any {
	return reviewArgs{Channel: r.channel, Files: []string{r.id}, Reviewed: !r.reviewed}
}

// reviewed is the file's flag, nil if no changeset with the capability has it.
func (f *file) reviewed() *reviewFlag {
	for _, c := range f.changes {
		if c.view.Entry.Review {
			return &reviewFlag{c.view.Channel, c.entry.ID, c.entry.Reviewed}
		}
	}
	return nil
}

type reviewArgs struct {
	Channel  string   `json:"channel"`
	Files    []string `json:"files"`
	Reviewed bool     `json:"reviewed"`
}

func hunkLabel(p mapping.PlacedHunk) string { return fmt.Sprintf("Revert hunk (%s)", p.Title()) }
