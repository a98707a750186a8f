package view

import (
	"slices"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// offered is a host's operation as it is offered to the user at some place.
type offered struct {
	label  string
	why    string // not "": cannot be invoked now
	asks   bool   // the host wants it confirmed
	args   protocol.OperationArgs
	change *workspace.Change
}

// NotNow says why an operation cannot be invoked at the moment.
func NotNow(op *ahp.Operation) string {
	switch op.Status {
	case ahp.OperationDisabled:
		return "the host has disabled it for now (it does while the agent is working)"
	case ahp.OperationRunning:
		return "it is running"
	}
	return ""
}

func (v View) operationLabel(view *remote.ChangesetView, op *ahp.Operation, what string) string {
	label := op.Label
	if label == "" {
		label = op.ID
	}
	if what == "" {
		what = v.ChangesetName(view)
	}
	label += ": " + what
	if op.Status == ahp.OperationError && op.Error != nil && op.Error.Message != "" {
		label += " (failed before: " + mapping.Shorten(FirstLine(op.Error.Message), 60) + ")"
	}
	return label
}

// resourceOperations are the operations on the whole file. Where several
// changesets offer the same verb, the one whose hunks are shown is meant.
func (v View) resourceOperations(f *workspace.File) (out []offered) {
	seen := map[string]bool{}
	for _, c := range f.Changes() {
		for _, op := range c.View().State.Operations {
			if !op.Allows(ahp.ScopeResource) || workspace.Unusable(op.ID) || seen[op.ID] {
				continue
			}
			seen[op.ID] = true
			out = append(out, offered{label: v.operationLabel(c.View(), op, workspace.BaseName(f.URI())), why: NotNow(op), asks: op.Confirmation != nil, change: c, args: protocol.OperationArgs{
				Channel: c.View().Channel, Operation: op.ID, Target: &protocol.TargetArgs{URI: f.EditorURI()},
			}})
		}
	}
	return out
}

// changesetOperations are those on whole changesets that have the file, each
// verb once.
func (v View) changesetOperations(f *workspace.File) (out []offered) {
	seen := map[string]bool{}
	for _, c := range f.Changes() {
		for _, op := range c.View().State.Operations {
			if op.Allows(ahp.ScopeChangeset) && !workspace.Unusable(op.ID) && !seen[op.ID] {
				seen[op.ID] = true
				out = append(out, offered{
					label: v.operationLabel(c.View(), op, ""), why: NotNow(op), asks: op.Confirmation != nil, change: c,
					args: protocol.OperationArgs{Channel: c.View().Channel, Operation: op.ID},
				})
			}
		}
	}
	return out
}

// rangeOperations are those on one hunk.
func (v View) rangeOperations(c *workspace.Change, h mapping.PlacedHunk, text *mapping.Text) (out []offered) {
	r := v.Range(text, h.Span)
	why := ""
	if h.State != mapping.HunkLive {
		why = "the hunk is " + c.CannotRevert(h, text)
	} else if c.Stale(text) {
		why = "the hunk is not in this buffer: reload it"
	}
	return v.rangeOffers(c, text, r, h.Title(), why)
}

// otherRangeOperations are those that other changesets than the one shown, c,
// offer on their hunks on these lines and on the selection: what is uncommitted
// can be staged while the session's hunks are shown. Verbs that are offered
// already are left out.
func (v View) otherRangeOperations(f *workspace.File, c *workspace.Change, span mapping.Span, text *mapping.Text, have []offered) (out []offered) {
	lines := workspace.SelectedLines(text, span)
	for _, o := range f.Changes() {
		if o == c || o.Content() == nil || !o.Ranged() || o.Stale(text) {
			continue
		}
		seen := map[string]bool{}
		for _, op := range slices.Concat(have, out) {
			seen[op.args.Operation] = seen[op.args.Operation] || op.change != o
		}
		var offers []offered
		for _, h := range o.Hunks(text) {
			if h.Touches(lines) {
				offers = append(offers, v.rangeOperations(o, h, text)...)
			}
		}
		if isSelection(text, span) {
			offers = append(offers, v.selectionOperations(o, span, text)...)
		}
		for _, op := range offers {
			if !seen[op.args.Operation] {
				out = append(out, op)
			}
		}
	}
	return out
}

// selectionOperations are those on the selected lines, where they are not
// simply a hunk.
func (v View) selectionOperations(c *workspace.Change, span mapping.Span, text *mapping.Text) []offered {
	lines := workspace.SelectedLines(text, span)
	whole := mapping.Span{Start: text.Line(lines.Start).Start, End: text.FullLine(lines.End - 1).End}
	touched := false
	for _, h := range c.Hunks(text) {
		if h.Lines == lines {
			return nil // offered as a hunk
		}
		touched = touched || h.Touches(lines)
	}
	if !touched {
		return nil
	}
	return v.rangeOffers(c, text, v.Range(text, whole), "selected "+linesLabel(lines), "")
}

func (v View) rangeOffers(c *workspace.Change, text *mapping.Text, r protocol.Range, title, why string) (out []offered) {
	for _, op := range c.View().State.Operations {
		if !op.Allows(ahp.ScopeRange) || workspace.Unusable(op.ID) {
			continue
		}
		o := offered{label: v.operationLabel(c.View(), op, title), why: NotNow(op), asks: op.Confirmation != nil, change: c, args: protocol.OperationArgs{
			Channel: c.View().Channel, Operation: op.ID, Target: &protocol.TargetArgs{URI: c.File().EditorURI(), Range: &r, Revision: v.w.Revision(c.File(), text)},
		}}
		if o.why == "" {
			o.why = why
		}
		out = append(out, o)
	}
	return out
}
