package session

import (
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/wire"
)

// run names an operation of a changeset.
type run struct{ channel, operation string }

// runs are the operations that run, and how those that have run ended.
type runs struct {
	busy     map[run]bool
	failures map[run]*ahp.ErrorInfo // of the last run
	last     string                 // the changeset that was acted on last
}

func newRuns() runs { return runs{busy: map[run]bool{}, failures: map[run]*ahp.ErrorInfo{}} }

// Invocation is a client's request to run an operation.
type Invocation struct {
	Channel     string
	OperationID string
	Target      *ahp.OperationTarget // nil: the whole changeset
}

// Begin checks an invocation against what is on offer and publishes that it runs.
// undo is the operation that "undo" undoes, as the client has it.
func (s *State) Begin(i Invocation) (ref Ref, undo string, err *ahp.Error) {
	if ref, err = s.admit(i); err != nil {
		return ref, "", err
	}
	if i.OperationID == OpUndo && s.undo != nil {
		undo = s.undo.Ref
	}
	r := run{i.Channel, i.OperationID}
	s.runs.busy[r] = true
	delete(s.runs.failures, r)
	s.open[i.Channel].setOperationStatus(&s.out, i.OperationID, ahp.OperationRunning, nil)
	return ref, undo, nil
}

// End publishes how an operation ended; failed is nil if it succeeded.
func (s *State) End(i Invocation, failed *ahp.Error) {
	r := run{i.Channel, i.OperationID}
	delete(s.runs.busy, r)
	s.runs.last = i.Channel
	if failed == nil {
		s.open[i.Channel].setOperationStatus(&s.out, i.OperationID, ahp.OperationIdle, nil)
		return
	}
	info := &ahp.ErrorInfo{Type: "Error", Message: failed.Message}
	s.runs.failures[r] = info
	s.open[i.Channel].setOperationStatus(&s.out, i.OperationID, ahp.OperationError, info)
}

// admit checks an invocation against what is on offer.
func (s *State) admit(i Invocation) (Ref, *ahp.Error) {
	ref, ok := s.Ref(i.Channel)
	if !ok {
		return ref, wire.Errorf(ahp.CodeNoSession, "Changeset not found: %s", i.Channel)
	}
	op := s.find(i.Channel, ref, i.OperationID)
	if op == nil {
		return ref, wire.Errorf(ahp.CodeInvalidParams, "Unknown operation '%s' on changeset %s", i.OperationID, i.Channel)
	}
	scope := ahp.ScopeChangeset
	if i.Target != nil {
		if scope = i.Target.Kind; scope != ahp.ScopeResource && scope != ahp.ScopeRange {
			return ref, wire.Errorf(ahp.CodeInvalidParams, "a target's kind is resource or range, not %q", scope)
		}
	}
	if !slices.Contains(op.Scopes, scope) {
		return ref, wire.Errorf(ahp.CodeInvalidParams, "Operation '%s' does not support scope '%s' (allowed: %s)", op.ID, scope, strings.Join(op.Scopes, ", "))
	}
	if s.runs.busy[run{i.Channel, i.OperationID}] {
		return ref, wire.Errorf(ahp.CodeInvalidParams, "Operation '%s' is running; wait for it to end", op.ID)
	}
	return ref, nil
}

// setOperationStatus publishes the status of an operation, if somebody looks at the
// changeset (c is not nil) and it is on offer there.
func (c *Changeset) setOperationStatus(out *outbox, operation, status string, info *ahp.ErrorInfo) {
	if c == nil {
		return
	}
	i := slices.IndexFunc(c.operations, func(o *Operation) bool { return o.ID == operation })
	if i < 0 {
		return
	}
	next := *c.operations[i]
	next.Status, next.Error = status, info
	c.operations = slices.Clone(c.operations)
	c.operations[i] = &next
	m := map[string]any{"operationId": operation, "status": status}
	if info != nil {
		m["error"] = info
	}
	out.publish(c.uri, ahp.TypeChangesetOperationStatusChanged, m)
}

// find returns the operation with an id. On a changeset that nobody is
// subscribed to, and that has therefore not been computed, everything of its kind
// is on offer.
func (s *State) find(uri string, ref Ref, id string) *Operation {
	if strings.HasPrefix(id, OpUndoRef) {
		return &Operation{ID: id, Label: "Undo", Scopes: whole}
	}
	if c := s.open[uri]; c != nil && c.status != ahp.ChangesetComputing {
		for _, o := range s.operations(c) {
			if o.ID == id {
				return o
			}
		}
		return nil
	}
	all := append(Offered(ref.Kind), Operation{ID: OpUndo, Label: "Undo", Scopes: whole})
	if s.programs.Held {
		all = append(all, s.trust())
	}
	if ref.Kind == KindTurn {
		all = append(all, Operation{ID: OpUnstashTurn, Label: "Unstash turn", Scopes: whole})
	}
	for i := range all {
		if all[i].ID == id {
			return &all[i]
		}
	}
	return nil
}

// Lines turns a range of characters into the whole lines that it touches. An
// empty range at the start of a line is the place in front of it.
func Lines(t *ahp.OperationTarget) (*gitrepo.Range, *ahp.Error) {
	if t.Range == nil {
		return nil, wire.Errorf(ahp.CodeInvalidParams, "a target of kind range needs a range")
	}
	if t.Side != "" && t.Side != gitrepo.BeforeSide && t.Side != gitrepo.AfterSide {
		return nil, wire.Errorf(ahp.CodeInvalidParams, "the side of a range is before or after, not %q", t.Side)
	}
	if why := badRange(*t.Range); why != "" {
		return nil, wire.Errorf(ahp.CodeInvalidParams, "the target's %s", why)
	}
	r := gitrepo.Range{Side: t.Side, Start: t.Range.Start.Line, End: t.Range.End.Line}
	if t.Range.End.Character > 0 {
		r.End++
	}
	return &r, nil
}
