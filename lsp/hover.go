package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tliron/glsp"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
	"ahp-lsp/mapping"
	threadtext "ahp-lsp/mapping/thread"
)

func (s *Server) hover(_ *glsp.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	f := s.open(p.TextDocument.URI)
	if f == nil {
		return nil, nil
	}
	v, err := s.afterLoading(f, viewTimeout, func() (any, error) {
		text := f.text()
		if text == nil {
			return nil, nil
		}
		lines := selectedLines(text, s.fromRange(text, protocol.Range{Start: p.Position, End: p.Position}))
		return s.withOrigins(f, func(h mapping.PlacedHunk) bool { return h.Touches(lines) }, func() any { return s.hoverAt(f, p.Position) })
	})
	h, _ := v.(*protocol.Hover)
	return h, err
}

// hoverAt is what is told about a place, nil for nothing.
func (s *Server) hoverAt(f *file, position protocol.Position) *protocol.Hover {
	text := f.text()
	if text == nil {
		return nil
	}
	at := s.fromRange(text, protocol.Range{Start: position, End: position})
	lines := selectedLines(text, at)
	kind := protocol.MarkupKindMarkdown
	if formats := s.client.TextDocument.Hover.ContentFormat; len(formats) > 0 && !slices.Contains(formats, string(kind)) {
		kind = protocol.MarkupKindPlainText
	}
	var parts []string
	for _, t := range s.placedThreads(f, text) {
		switch {
		case !overlap(t.lines(text), lines):
		case kind == protocol.MarkupKindPlainText:
			parts = append(parts, strings.TrimSpace(threadtext.Text(t.annotation)))
		default:
			parts = append(parts, s.threadMarkdown(t, text))
		}
	}
	if c := f.primary(); c != nil && c.content != nil {
		for _, h := range c.hunks(text) {
			if !h.Touches(lines) || h.State == mapping.HunkUndone {
				continue
			}
			md := s.hunkMarkdown(c, h, text)
			if kind == protocol.MarkupKindPlainText {
				md = plainHunk(md)
			}
			parts = append(parts, md)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: kind, Value: strings.Join(parts, "\n\n---\n\n")}}
}

// plainHunk takes the marks of Markdown off what hunkMarkdown gives.
func plainHunk(md string) string {
	head, diff, _ := strings.Cut(md, "\n\n")
	lines := strings.Split(diff, "\n")
	return strings.ReplaceAll(head, "**", "") + "\n\n" + strings.Join(lines[1:len(lines)-1], "\n")
}

// threadMarkdown is the whole thread with what it is about.
func (s *Server) threadMarkdown(t placedThread, text *mapping.Text) string {
	turn := s.turnName(t.key.session, t.annotation.Turn())
	return threadtext.Markdown(t.annotation, t.place, turn, t.anchor.Quote, text.Slice(t.place.Span))
}

// turnName says which turn of a session an id is: "turn 3: add tests".
func (s *Server) turnName(session, id string) string {
	ses := s.sessions[session]
	if id == "" || ses == nil || ses.view == nil {
		return ""
	}
	turn, n := ses.view.Chat.Turn(id)
	if n == 0 {
		return ""
	}
	name := fmt.Sprintf("turn %d", n)
	if ses.view.Chat.Partial {
		name = "turn" // the host has older ones: it has another number
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(turn.Text), "\n"); line != "" {
		name += ": " + mapping.Shorten(line, 60)
	}
	return name
}

func (s *Server) hunkMarkdown(c *change, h mapping.PlacedHunk, text *mapping.Text) string {
	head := "**" + s.changesetName(c.view) + "**"
	if turn := s.originName(c, h); turn != "" {
		head += " · " + turn
	}
	if why := s.cannotRevert(c, h, text); why != "" {
		head += " · " + why
	}
	if why := c.view.Entry.Description; why != "" && c.view.Entry.Kind == bridge.KindPatchset {
		head += "\n\n" + why // the rationale
	}
	return head + "\n\n" + c.content.HunkMarkdown(h.Hunk)
}
