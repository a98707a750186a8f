package lsp

import (
	"errors"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// errUnsaved: the target covers text that the host does not know.
var errUnsaved = errors.New("there are unsaved changes in these lines; save or undo them first")

// errBufferChanged: what the user pointed at may be somewhere else by now.
var errBufferChanged = errors.New("the buffer has changed meanwhile; choose it again")

// target translates what the user pointed at in the buffer into what the host
// is to act on: in the coordinates of the side of the change that has it. A
// hunk that only deletes is addressed on the before side, by the removed lines,
// one that a proposal only adds on the after side, by the added ones; everything
// else on the side the buffer holds.
func (s *Server) target(c *change, args *targetArgs) (*ahp.OperationTarget, error) {
	if args == nil {
		return nil, nil
	}
	t := &ahp.OperationTarget{Kind: ahp.ScopeResource, Resource: c.entry.URI()}
	text := c.file.text()
	if c.file.doc != nil && text == nil {
		return nil, errOutOfStep
	}
	if args.Range == nil {
		return t, nil
	}
	if c.content == nil || text == nil || c.state == changeLoading {
		// While it is read anew, the text the host's lines count in is another one.
		return nil, errors.New(noHunks(c))
	}
	t.Kind = ahp.ScopeRange
	placed := c.hunks(text)
	if c.stale(text) {
		return nil, errors.New("the buffer does not have the change; reload it first")
	}
	span, err := s.pointed(c.file, text, *args.Range, args.Seen)
	if err != nil {
		return nil, err
	}
	lines := selectedLines(text, span)
	if span.Empty() {
		for _, h := range placed {
			switch {
			case h.State != mapping.HunkLive || !h.Lines.Empty() || h.Span.Start != span.Start:
			case h.Hunk.Before.Empty(): // lines that a proposal would add
				return c.rangeTarget(t, mapping.After, c.content.After.Lines(h.Hunk.After)), nil
			default:
				return c.rangeTarget(t, mapping.Before, c.content.Before.Lines(h.Hunk.Before)), nil
			}
		}
	}
	base, side := c.content.After, c.side
	if side == mapping.Before {
		base = c.content.Before
	}
	for _, h := range placed {
		if h.State == mapping.HunkLive && !h.Lines.Empty() && h.Lines == lines {
			r := h.Hunk.After
			if side == mapping.Before {
				r = h.Hunk.Before
			}
			return c.rangeTarget(t, side, base.Lines(r)), nil
		}
	}
	whole := mapping.Span{Start: text.Line(lines.Start).Start, End: text.FullLine(lines.End - 1).End}
	mapped, ok := mapping.Align(text, base).MapSpan(whole)
	if !ok {
		return nil, errUnsaved
	}
	return c.rangeTarget(t, side, mapped), nil
}

func (c *change) rangeTarget(t *ahp.OperationTarget, side mapping.Side, span mapping.Span) *ahp.OperationTarget {
	text := c.content.After
	t.Side = side.String()
	if c.entry.After != nil {
		t.Resource = c.entry.After.URI
	}
	if side == mapping.Before {
		text = c.content.Before
		if c.entry.Before != nil {
			t.Resource = c.entry.Before.URI
		}
	}
	r := hostRange(text, span)
	t.Range = &r
	return t
}
