package workspace

import (
	"errors"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// Target translates what the user pointed at in the buffer into what the host
// is to act on: in the coordinates of the side of the change that has it. A
// hunk that only deletes is addressed on the before side, by the removed lines,
// one that a proposal only adds on the after side, by the added ones; everything
// else on the side the buffer holds. Without a range it is the whole file.
// revision is of the range, see Find.
func (w *Workspace) Target(c *Change, r *mapping.Range, revision int) (*ahp.OperationTarget, error) {
	t := &ahp.OperationTarget{Kind: ahp.ScopeResource, Resource: c.entry.URI()}
	text := c.file.Text()
	if c.file.doc != nil && text == nil {
		return nil, ErrOutOfStep
	}
	if r == nil {
		return t, nil
	}
	if c.content == nil || text == nil || c.load.state == changeLoading {
		// While it is read again, the text the host's lines count in is another one.
		return nil, ErrNoHunks(c)
	}
	t.Kind = ahp.ScopeRange
	placed := c.Hunks(text)
	if c.Stale(text) {
		return nil, errors.New("the buffer does not have the change; reload it first")
	}
	span, err := w.Find(c.file, text, *r, revision)
	if err != nil {
		return nil, err
	}
	lines := SelectedLines(text, span)
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
	base, side := c.content.After, c.placed.side
	if side == mapping.Before {
		base = c.content.Before
	}
	for _, h := range placed {
		if h.State == mapping.HunkLive && !h.Lines.Empty() && h.Lines == lines {
			lines := h.Hunk.After
			if side == mapping.Before {
				lines = h.Hunk.Before
			}
			return c.rangeTarget(t, side, base.Lines(lines)), nil
		}
	}
	whole := mapping.Span{Start: text.Line(lines.Start).Start, End: text.FullLine(lines.End - 1).End}
	mapped, ok := mapping.Align(text, base).MapSpan(whole)
	if !ok {
		return nil, ErrUnsaved
	}
	return c.rangeTarget(t, side, mapped), nil
}

func (c *Change) rangeTarget(t *ahp.OperationTarget, side mapping.Side, span mapping.Span) *ahp.OperationTarget {
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
	r := HostRange(text, span)
	t.Range = &r
	return t
}
