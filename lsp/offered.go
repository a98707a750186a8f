package lsp

import (
	"slices"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// offered is a host's operation as it is offered to the user at some place.
type offered struct {
	label  string
	why    string // not "": cannot be invoked now
	asks   bool   // the host wants it confirmed
	args   operationArgs
	change *change
}

// operationArgs is the argument of ahp.operation.invoke. The target is in the
// coordinates of the buffer: exactly what is to be acted on.
type operationArgs struct {
	Channel   string      `json:"channel"`
	Operation string      `json:"operation"`
	Target    *targetArgs `json:"target,omitempty"`
}

type targetArgs struct {
	URI   string          `json:"uri"`
	Range *protocol.Range `json:"range,omitempty"`
	Seen  int             `json:"seen,omitempty"` // see pointed
}

// unusable operations are offered by a host but cannot succeed from here.
var unusable = map[string]bool{
	"checkout": true, // wants a branch name, for which the protocol has no place
}

// notNow says why an operation cannot be invoked at the moment.
func notNow(op *ahp.Operation) string {
	switch op.Status {
	case ahp.OperationDisabled:
		return "the host has disabled it for now (it does while the agent is working)"
	case ahp.OperationRunning:
		return "it is running"
	}
	return ""
}

func (s *Server) operationLabel(view *bridge.ChangesetView, op *ahp.Operation, what string) string {
	label := op.Label
	if label == "" {
		label = op.ID
	}
	if what == "" {
		what = s.changesetName(view)
	}
	label += ": " + what
	if op.Status == ahp.OperationError && op.Error != nil && op.Error.Message != "" {
		label += " (failed before: " + mapping.Shorten(firstLine(op.Error.Message), 60) + ")"
	}
	return label
}

// resourceOperations are the operations on the whole file. Where several
// changesets offer the same verb, the one whose hunks are shown is meant.
func (s *Server) resourceOperations(f *file) (out []offered) {
	seen := map[string]bool{}
	for _, c := range f.changes {
		for _, op := range c.view.State.Operations {
			if !op.Allows(ahp.ScopeResource) || unusable[op.ID] || seen[op.ID] {
				continue
			}
			seen[op.ID] = true
			out = append(out, offered{label: s.operationLabel(c.view, op, baseName(f.uri)), why: notNow(op), asks: op.Confirmation != nil, change: c, args: operationArgs{
				Channel: c.view.Channel, Operation: op.ID, Target: &targetArgs{URI: f.editorURI()},
			}})
		}
	}
	return out
}

// changesetOperations are those on whole changesets that have the file, each
// verb once.
func (s *Server) changesetOperations(f *file) (out []offered) {
	seen := map[string]bool{}
	for _, c := range f.changes {
		for _, op := range c.view.State.Operations {
			if op.Allows(ahp.ScopeChangeset) && !unusable[op.ID] && !seen[op.ID] {
				seen[op.ID] = true
				out = append(out, offered{
					label: s.operationLabel(c.view, op, ""), why: notNow(op), asks: op.Confirmation != nil, change: c,
					args: operationArgs{Channel: c.view.Channel, Operation: op.ID},
				})
			}
		}
	}
	return out
}

// rangeOperations are those on one hunk.
func (s *Server) rangeOperations(c *change, h mapping.PlacedHunk, text *mapping.Text) (out []offered) {
	r := s.toRange(text, h.Span)
	why := ""
	if h.State != mapping.HunkLive {
		why = "the hunk is " + s.cannotRevert(c, h, text)
	} else if c.stale(text) {
		why = "the hunk is not in this buffer: reload it"
	}
	return s.rangeOffers(c, text, r, h.Title(), why)
}

// otherRangeOperations are those that other changesets than the one shown, c,
// offer on their hunks on these lines and on the selection: what is uncommitted
// can be staged while the session's hunks are shown. Verbs that are offered
// already are left out.
func (s *Server) otherRangeOperations(f *file, c *change, span mapping.Span, text *mapping.Text, have []offered) (out []offered) {
	lines := selectedLines(text, span)
	for _, o := range f.changes {
		if o == c || o.content == nil || !o.ranged() || o.stale(text) {
			continue
		}
		seen := map[string]bool{}
		for _, op := range slices.Concat(have, out) {
			seen[op.args.Operation] = seen[op.args.Operation] || op.change != o
		}
		var offers []offered
		for _, h := range o.hunks(text) {
			if h.Touches(lines) {
				offers = append(offers, s.rangeOperations(o, h, text)...)
			}
		}
		if isSelection(text, span) {
			offers = append(offers, s.selectionOperations(o, span, text)...)
		}
		for _, op := range offers {
			if !seen[op.args.Operation] {
				out = append(out, op)
			}
		}
	}
	return out
}

// ranged reports whether the changeset has operations on ranges.
func (c *change) ranged() bool {
	return slices.ContainsFunc(c.view.State.Operations, func(op *ahp.Operation) bool {
		return op.Allows(ahp.ScopeRange) && !unusable[op.ID]
	})
}

// selectionOperations are those on the selected lines, where they are not
// simply a hunk.
func (s *Server) selectionOperations(c *change, span mapping.Span, text *mapping.Text) []offered {
	lines := selectedLines(text, span)
	whole := mapping.Span{Start: text.Line(lines.Start).Start, End: text.FullLine(lines.End - 1).End}
	touched := false
	for _, h := range c.hunks(text) {
		if h.Lines == lines {
			return nil // offered as a hunk
		}
		touched = touched || h.Touches(lines)
	}
	if !touched {
		return nil
	}
	return s.rangeOffers(c, text, s.toRange(text, whole), "selected "+linesLabel(lines), "")
}

func (s *Server) rangeOffers(c *change, text *mapping.Text, r protocol.Range, title, why string) (out []offered) {
	for _, op := range c.view.State.Operations {
		if !op.Allows(ahp.ScopeRange) || unusable[op.ID] {
			continue
		}
		o := offered{label: s.operationLabel(c.view, op, title), why: notNow(op), asks: op.Confirmation != nil, change: c, args: operationArgs{
			Channel: c.view.Channel, Operation: op.ID, Target: &targetArgs{URI: c.file.editorURI(), Range: &r, Seen: s.shows(c.file, text)},
		}}
		if o.why == "" {
			o.why = why
		}
		out = append(out, o)
	}
	return out
}
