package command

import (
	"context"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// keepHunks is ahp.hunk.keep: every hunk on the range's lines.
func (c *Commands) keepHunks(ctx context.Context, p protocol.KeepArgs) (Result, error) {
	h, r, err := c.hunksOf(ctx, p.URI)
	if h == nil || err != nil {
		return r, err
	}
	lines, err := c.state().FindLines(h.file, h.text, protocol.Mapped(p.Range), p.Revision)
	if err != nil {
		return c.fail("cannot keep the hunk: %v", err)
	}
	return c.keep(h, p.Keep, mapping.SelectHunks(h.change.Hunks(h.text), lines))
}

// keepFile is ahp.file.keep: every hunk of the file.
func (c *Commands) keepFile(ctx context.Context, p protocol.FileKeepArgs) (Result, error) {
	h, r, err := c.hunksOf(ctx, p.URI)
	if h == nil || err != nil {
		return r, err
	}
	return c.keep(h, p.Keep, h.change.Hunks(h.text))
}

// keep marks hunks as reviewed, or, with false, as not.
func (c *Commands) keep(h *hunks, flag *bool, meant []mapping.PlacedHunk) (Result, error) {
	keep := flag == nil || *flag
	indexes := make([]int, len(meant))
	for i, hunk := range meant {
		indexes[i] = hunk.Index
	}
	if len(indexes) == 0 {
		return c.fail("there is no hunk on these lines")
	}
	c.ws.Apply(workspace.HunksKept{Change: h.change, Hunks: indexes, Keep: keep})
	c.setReviewFlag(h, keep)
	kept, all := c.state().KeptCount(h.change)
	return done("kept", kept, "hunks", all), nil
}

// setReviewFlag sets the host's reviewed flag when the last hunk of a file was
// kept, and takes it back when one was given up.
func (c *Commands) setReviewFlag(h *hunks, reviewed bool) {
	flag, host := h.file.ReviewFlag(), c.host()
	if flag == nil || flag.Reviewed == reviewed || host == nil {
		return
	}
	if kept, all := c.state().KeptCount(h.change); reviewed && kept < all {
		return
	}
	a, err := ahp.ReviewFiles(host.Version(), []string{flag.ID}, reviewed)
	if err == nil {
		err = host.Dispatch(flag.Channel, a)
	}
	if err != nil {
		c.log.Warningf("mark %s as reviewed: %v", h.file.URI(), err)
	}
}

// setReviewed is ahp.file.setReviewed.
func (c *Commands) setReviewed(_ context.Context, p protocol.ReviewArgs) (Result, error) {
	cs, host := c.state().Changeset(p.Channel), c.host()
	switch {
	case cs == nil || host == nil:
		return c.fail("the changeset %s is not followed", p.Channel)
	case !cs.View().Entry.Review:
		return c.fail("%s has no reviewed flags", c.view().ChangesetName(cs.View()))
	}
	for _, id := range p.Files {
		if cs.Change(id) == nil {
			return c.fail("%s is not in %s", id, c.view().ChangesetName(cs.View()))
		}
	}
	a, err := ahp.ReviewFiles(host.Version(), p.Files, p.Reviewed)
	if err == nil {
		err = host.Dispatch(p.Channel, a)
	}
	if err != nil {
		return c.fail("%v", err)
	}
	return done(), nil
}
