package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// operationInvoke is ahp.operation.invoke. Nothing destructive runs without a
// yes: where the host declares a confirmation it is asked for first, and the
// target is worked out again after the answer, since text may have changed
// while the question stood there.
func (s *Server) operationInvoke(args commandArgs) (any, error) {
	var p operationArgs
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	prep, err := s.prepare(p)
	if err != nil {
		return s.sorry("%v", err)
	}
	if prep.file == nil {
		return nil, s.runOperation(args, p, prep)
	}
	return nil, s.afterLoading(args.call, prep.file, func() (any, error) {
		prep, err := s.prepare(p)
		if err != nil {
			return s.sorry("%v", err)
		}
		return nil, s.runOperation(args, p, prep)
	})
}

// prepared is an operation with its target as it would be sent now.
type prepared struct {
	op     *ahp.Operation
	view   *bridge.ChangesetView
	file   *file // of the target; nil for the whole changeset
	change *change
	target *ahp.OperationTarget
}

func (s *Server) prepare(p operationArgs) (prepared, error) {
	cs := s.changesets[p.Channel]
	if cs == nil {
		return prepared{}, fmt.Errorf("the changeset %s is not followed (any more)", p.Channel)
	}
	out := prepared{view: cs.view}
	for _, op := range cs.view.State.Operations {
		if op.ID == p.Operation {
			out.op = op
		}
	}
	if out.op == nil {
		return out, fmt.Errorf("%s does not offer the operation %q (any more)", cs.view.Entry.Label, p.Operation)
	}
	if why := notNow(out.op); why != "" {
		return out, fmt.Errorf("%s cannot run: %s", out.op.Label, why)
	}
	scope := ahp.ScopeChangeset
	if p.Target != nil {
		if scope = ahp.ScopeResource; p.Target.Range != nil {
			scope = ahp.ScopeRange
		}
	}
	if !out.op.Allows(scope) {
		return out, fmt.Errorf("%s cannot be run on a %s, only on a %s", out.op.Label, scopeName(scope), scopeNames(out.op.Scopes))
	}
	if p.Target == nil {
		return out, nil
	}
	uri := ahp.CanonicalURI(p.Target.URI)
	for _, c := range cs.files {
		if c.file.uri == uri {
			out.change, out.file = c, c.file
		}
	}
	if out.change == nil {
		return out, fmt.Errorf("%s is not in %s (any more)", baseName(uri), cs.view.Entry.Label)
	}
	var err error
	out.target, err = s.target(out.change, p.Target)
	if err != nil {
		if out.file.loading() {
			return out, nil // looked at again when the contents are there
		}
		return out, fmt.Errorf("%s: %w", out.op.Label, err)
	}
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

// runOperation asks, if the host wants it asked, and invokes.
func (s *Server) runOperation(args commandArgs, p operationArgs, prep prepared) error {
	label := prep.op.Label
	if prep.file != nil {
		label += ": " + baseName(prep.file.uri)
	}
	invoke := func(ctx context.Context) (any, error) {
		now, err := s.prepare(p)
		if err != nil {
			return s.sorry("%v", err)
		}
		if !sameTarget(now.target, prep.target) {
			return s.sorry("%s was not run: the text changed while the question was open", label)
		}
		return nil, later{func(ctx context.Context) (any, error) { return s.invoke(ctx, p, now, label) }}
	}
	if prep.op.Confirmation == nil {
		return later{func(ctx context.Context) (any, error) {
			return s.inLoop(ctx, func() (any, error) { return invoke(ctx) })
		}}
	}
	question := prep.op.Confirmation.Value
	name := prep.view.Entry.Label
	if prep.file != nil {
		name = baseName(prep.file.uri)
	}
	question = strings.ReplaceAll(question, "{0}", name)
	if prep.file != nil && prep.file.doc != nil && prep.file.disk.text != nil && prep.file.text() != nil &&
		prep.file.text().String() != prep.file.disk.text.String() {
		question += "\nThe buffer has unsaved changes; they stay in the buffer."
	}
	return s.confirmed(args, question, prep.op.Label, label, invoke)
}

func sameTarget(a, b *ahp.OperationTarget) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// invoke runs the operation and tells its outcome; not in the loop.
func (s *Server) invoke(ctx context.Context, p operationArgs, prep prepared, label string) (any, error) {
	end := s.progress(label)
	r, err := s.host.Invoke(ctx, p.Channel, p.Operation, prep.target)
	end()
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if errors.Is(err, bridge.ErrDisconnected) {
		return s.sorry("%s: %v; look at the files to see whether it ran", label, err)
	}
	if err != nil {
		return s.sorry("%s failed: %v", label, err)
	}
	message := label + ": done"
	if r.Message != nil && r.Message.Value != "" {
		message = r.Message.Value
	}
	hint := make(chan string, 1)
	s.loop.post(func() { hint <- s.afterOperation(prep) })
	select {
	case h := <-hint:
		s.tell(bridge.NoticeInfo, message+h)
	case <-ctx.Done():
	}
	result := map[string]any{"message": message}
	if r.FollowUp != nil {
		s.followUp(ctx, r.FollowUp.Content, r.FollowUp.External, result)
	}
	return done(result), nil
}

// afterOperation looks at what the operation may have written. It returns what
// the user should do about a buffer that shows something else than the disk.
func (s *Server) afterOperation(prep prepared) string {
	for _, f := range s.files {
		if f.doc != nil && len(f.changes) > 0 {
			s.readDisk(f)
			s.reloadChanges(f)
		}
	}
	if prep.file == nil || prep.file.doc == nil {
		return ""
	}
	return " If the buffer still shows the old text, reload it."
}

// followUp shows what an operation leads to: a page outside, or a text.
func (s *Server) followUp(ctx context.Context, ref ahp.ContentRef, external bool, result map[string]any) {
	result["followUp"] = ref.URI
	if external {
		if !strings.HasPrefix(ref.URI, "https://") && !strings.HasPrefix(ref.URI, "http://") {
			s.tell(bridge.NoticeWarning, "the host wants this opened, which is no web address: "+ref.URI)
			return
		}
		if err := s.showDocument(ctx, showDocumentParams{URI: ref.URI, External: true, TakeFocus: true}); err != nil {
			s.tell(bridge.NoticeInfo, "see "+ref.URI)
		}
		return
	}
	data, err := s.host.Read(ctx, ref)
	if err != nil {
		s.tell(bridge.NoticeWarning, fmt.Sprintf("cannot read what the operation produced: %v", err))
		return
	}
	text, why := decodeText(data)
	if text == nil {
		s.tell(bridge.NoticeWarning, "cannot show what the operation produced: "+why)
		return
	}
	if _, err := s.showText(ctx, "result.md", text.String(), nil); err != nil {
		s.tell(bridge.NoticeInfo, mapping.Shorten(text.String(), 2000))
	}
}

// progress shows that something is under way; the returned function ends it.
func (s *Server) progress(title string) (end func()) {
	if !s.client.Window.WorkDoneProgress {
		return func() {}
	}
	token := "ahp-" + newID()
	if err := s.call(s.ctx, "window/workDoneProgress/create", map[string]any{"token": token}, nil); err != nil {
		return func() {}
	}
	send := func(value map[string]any) {
		s.notify("$/progress", map[string]any{"token": token, "value": value})
	}
	send(map[string]any{"kind": "begin", "title": title})
	return func() { send(map[string]any{"kind": "end"}) }
}

// fileSetReviewed is ahp.file.setReviewed.
func (s *Server) fileSetReviewed(args commandArgs) (any, error) {
	var p reviewArgs
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	cs := s.changesets[p.Channel]
	switch {
	case cs == nil:
		return s.sorry("the changeset %s is not followed (any more)", p.Channel)
	case !cs.view.Entry.Review:
		return s.sorry("%s has no reviewed flags", cs.view.Entry.Label)
	}
	for _, id := range p.Files {
		if cs.files[id] == nil {
			return s.sorry("%s is not in %s (any more)", id, cs.view.Entry.Label)
		}
	}
	a, err := ahp.ReviewFiles(s.host.Version(), p.Files, p.Reviewed)
	if err == nil {
		err = s.host.Dispatch(p.Channel, a)
	}
	if err != nil {
		return s.sorry("%v", err)
	}
	return done(nil), nil
}

// armedFor is how long a first choice waits for its confirmation where the
// editor cannot ask.
const armedFor = 30 * time.Second

// armedAction is a destructive command that was chosen once.
type armedAction struct {
	title   string
	command string
	args    json.RawMessage
	until   time.Time
}

// confirmed runs do in the loop after the user said yes. Where the editor
// cannot ask, the first call arms the command, the second within armedFor runs
// it, and in between it is offered as a code action of its own.
func (s *Server) confirmed(args commandArgs, question, yes, title string, do func(context.Context) (any, error)) error {
	key := args.name + " " + string(args.raw)
	if s.client.asks() {
		return later{func(ctx context.Context) (any, error) {
			answer, err := s.choose(ctx, bridge.NoticeWarning, question, yes, "Cancel")
			switch {
			case err != nil && ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil:
				return s.sorry("nothing was done: the question could not be asked: %v", err)
			case answer != yes:
				return declined()
			}
			return s.inLoop(ctx, func() (any, error) { return do(ctx) })
		}}
	}
	now := time.Now()
	if a, ok := s.armed[key]; ok && now.Before(a.until) {
		delete(s.armed, key)
		return later{func(ctx context.Context) (any, error) {
			return s.inLoop(ctx, func() (any, error) { return do(ctx) })
		}}
	}
	s.armed[key] = armedAction{title: title, command: args.name, args: args.raw, until: now.Add(armedFor)}
	s.tell(bridge.NoticeWarning, fmt.Sprintf("%s To confirm, choose the code action \"Confirm: %s\" within %d seconds.", question, title, int(armedFor.Seconds())))
	return later{func(context.Context) (any, error) {
		return map[string]any{"ok": false, "reason": "waiting for confirmation"}, nil
	}}
}

// armedActions offers the confirmations that are waited for.
func (s *Server) armedActions(l *actionList) {
	now := time.Now()
	for key, a := range s.armed {
		if now.After(a.until) {
			delete(s.armed, key)
			continue
		}
		l.command("Confirm: "+a.title, a.command, a.args)
	}
}
