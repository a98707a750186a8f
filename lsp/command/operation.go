package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// invokeOperation is ahp.operation.invoke. Nothing destructive runs without a
// yes: where the host declares a confirmation it is asked for first, and the
// target is worked out again after the answer, since text may have changed
// while the question stood there.
func (c *Commands) invokeOperation(ctx context.Context, call invocation, p protocol.OperationArgs) (Result, error) {
	prep, err := c.prepare(p)
	if err != nil {
		return c.fail("%v", err)
	}
	if prep.file != nil {
		if p.Target.Range != nil {
			c.ws.Apply(workspace.ContentsNeeded{Change: prep.change})
		}
		if err := c.loaded(ctx, prep.file); err != nil {
			return Result{}, err
		}
		if prep, err = c.prepareTarget(p); err != nil {
			return c.fail("%v", err)
		}
	}
	label := prep.label()
	if prep.file != nil {
		label += ": " + workspace.BaseName(prep.file.URI())
	}
	if prep.op.Confirmation != nil {
		ok, r, err := c.confirm(ctx, call, question{text: c.confirmation(p, prep), yes: prep.label(), title: label})
		if !ok || err != nil {
			return r, err
		}
	}
	if prep.file != nil && prep.target.Range != nil {
		if err := c.loaded(ctx, prep.file); err != nil { // it may have been written since
			return Result{}, err
		}
	}
	now, err := c.prepareTarget(p)
	if err != nil {
		return c.fail("%v", err)
	}
	if !sameTarget(now.target, prep.target) {
		return c.fail("%s was not run: the text changed while the question was open", label)
	}
	return c.invoke(ctx, p, now, label)
}

// prepared is an operation with its target as it would be sent now.
type prepared struct {
	host   Host
	op     *ahp.Operation
	view   *remote.ChangesetView
	file   *workspace.File // of the target; nil for the whole changeset
	change *workspace.Change
	target *ahp.OperationTarget // nil for the whole changeset
	// What the target was worked out from.
	entry *ahp.ChangesetFile
	text  *mapping.Text
}

// label is what the operation is called.
func (p prepared) label() string {
	if p.op.Label == "" {
		return p.op.ID
	}
	return p.op.Label
}

// prepare finds the operation and the file that are meant, without the target.
func (c *Commands) prepare(p protocol.OperationArgs) (prepared, error) {
	cs, v := c.state().Changeset(p.Channel), c.view()
	out := prepared{host: c.host()}
	if cs == nil || out.host == nil {
		return out, fmt.Errorf("the changeset %s is not followed", p.Channel)
	}
	out.view = cs.View()
	name := v.ChangesetName(out.view)
	for _, op := range out.view.State.Operations {
		if op.ID == p.Operation {
			out.op = op
		}
	}
	if out.op == nil {
		return out, fmt.Errorf("%s does not offer the operation %q", name, p.Operation)
	}
	if why := view.NotNow(out.op); why != "" {
		return out, fmt.Errorf("%s cannot run: %s", out.label(), why)
	}
	scope := ahp.ScopeChangeset
	if p.Target != nil {
		if scope = ahp.ScopeResource; p.Target.Range != nil {
			scope = ahp.ScopeRange
		}
	}
	if !out.op.Allows(scope) {
		return out, fmt.Errorf("%s cannot be run on a %s, only on a %s", out.label(), scopeName(scope), scopeNames(out.op.Scopes))
	}
	if p.Target == nil {
		return out, nil
	}
	if f := c.state().File(p.Target.URI); f != nil {
		out.change, out.file = cs.ChangeOf(f), f
	}
	if out.change == nil {
		return out, fmt.Errorf("%s is not in %s", workspace.BaseName(ahp.CanonicalURI(p.Target.URI)), name)
	}
	return out, nil
}

// prepareTarget is prepare with the target. The contents of the file have to be
// loaded.
func (c *Commands) prepareTarget(p protocol.OperationArgs) (prepared, error) {
	out, err := c.prepare(p)
	if err != nil || out.file == nil {
		return out, err
	}
	var at *mapping.Range
	if p.Target.Range != nil {
		r := protocol.Mapped(*p.Target.Range)
		at = &r
	}
	if out.target, err = c.state().Target(out.change, at, p.Target.Revision); err != nil {
		return out, fmt.Errorf("%s: %w", out.label(), err)
	}
	out.entry, out.text = out.change.Entry(), out.file.Text()
	return out, nil
}

func scopeName(scope string) string {
	switch scope {
	case ahp.ScopeResource:
		return "file"
	case ahp.ScopeRange:
		return "range"
	}
	return "whole changeset"
}

func scopeNames(scopes []string) string {
	names := make([]string, len(scopes))
	for i, sc := range scopes {
		names[i] = scopeName(sc)
	}
	return strings.Join(names, " or ")
}

// confirmation is what the user is asked before the operation runs.
func (c *Commands) confirmation(p protocol.OperationArgs, prep prepared) string {
	name := c.view().ChangesetName(prep.view)
	if prep.file != nil {
		name = workspace.BaseName(prep.file.URI())
		if p.Target.Range != nil {
			name += ":" + lineNumbers(*p.Target.Range)
		}
	}
	question := printable.Label(strings.ReplaceAll(prep.op.Confirmation.Value, "{0}", name))
	if prep.file != nil && prep.file.Unsaved() {
		question += "\nThe buffer has unsaved changes; they stay in the buffer."
	}
	return question
}

// lineNumbers are the lines of a range in the buffer, as the user counts them.
func lineNumbers(r protocol.Range) string {
	first, last := r.Start.Line+1, r.End.Line+1
	if r.End.Character == 0 && last > first {
		last-- // up to the end of the line before
	}
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d–%d", first, last)
}

func sameTarget(a, b *ahp.OperationTarget) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}
