package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"

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
	if p.Target.Range != nil && !prep.change.wanted() && prep.file.doc != nil {
		prep.change.asked = true // hunks of another changeset are shown
		s.loadChange(prep.change)
	}
	return s.afterLoading(prep.file, loadingTimeout, func() (any, error) {
		prep, err := s.prepare(p)
		if err == nil {
			err = prep.aim(s, p)
		}
		if err != nil {
			return s.sorry("%v", err)
		}
		return nil, s.runOperation(args, p, prep)
	})
}

// prepared is an operation with its target as it would be sent now.
type prepared struct {
	host   *bridge.Client
	op     *ahp.Operation
	view   *bridge.ChangesetView
	file   *file // of the target; nil for the whole changeset
	change *change
	target *ahp.OperationTarget // nil for the whole changeset; see aim
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

// aim works the target out. The contents of the file have to be loaded.
func (p *prepared) aim(s *Server, args operationArgs) error {
	target, err := s.target(p.change, args.Target)
	if err != nil {
		return fmt.Errorf("%s: %w", p.label(), err)
	}
	p.target, p.entry, p.text = target, p.change.entry, p.file.text()
	return nil
}

func (s *Server) prepare(p operationArgs) (prepared, error) {
	cs := s.changesets[p.Channel]
	if cs == nil {
		return prepared{}, fmt.Errorf("the changeset %s is not followed (any more)", p.Channel)
	}
	out := prepared{host: s.host, view: cs.view}
	for _, op := range cs.view.State.Operations {
		if op.ID == p.Operation {
			out.op = op
		}
	}
	if out.op == nil {
		return out, fmt.Errorf("%s does not offer the operation %q (any more)", s.changesetName(cs.view), p.Operation)
	}
	if why := notNow(out.op); why != "" {
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
	uri := ahp.CanonicalURI(p.Target.URI)
	for _, c := range cs.files {
		if c.file.uri == uri {
			out.change, out.file = c, c.file
		}
	}
	if out.change == nil {
		return out, fmt.Errorf("%s is not in %s (any more)", baseName(uri), s.changesetName(cs.view))
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
	label := prep.label()
	if prep.file != nil {
		label += ": " + baseName(prep.file.uri)
	}
	run := func() (any, error) {
		now, err := s.prepare(p)
		if err == nil && now.file != nil {
			err = now.aim(s, p)
		}
		if err != nil {
			return s.sorry("%v", err)
		}
		if !sameTarget(now.target, prep.target) {
			return s.sorry("%s was not run: the text changed while the question was open", label)
		}
		return nil, later{func(ctx context.Context) (any, error) { return s.invoke(ctx, p, now, label) }}
	}
	invoke := func(context.Context) (any, error) {
		if prep.file == nil || prep.target.Range == nil {
			return run()
		}
		return s.afterLoading(prep.file, loadingTimeout, run) // it may have been written since
	}
	if prep.op.Confirmation == nil {
		return later{func(ctx context.Context) (any, error) {
			return s.inLoop(ctx, func() (any, error) { return invoke(ctx) })
		}}
	}
	question := prep.op.Confirmation.Value
	name := s.changesetName(prep.view)
	if prep.file != nil {
		name = baseName(prep.file.uri)
		if p.Target.Range != nil {
			name += ":" + lineNumbers(*p.Target.Range)
		}
	}
	question = strings.ReplaceAll(question, "{0}", name)
	if prep.file != nil && prep.file.doc != nil && prep.file.disk.text != nil && prep.file.text() != nil &&
		prep.file.text().String() != prep.file.disk.text.String() {
		question += "\nThe buffer has unsaved changes; they stay in the buffer."
	}
	return s.confirmed(args, question, prep.label(), label, invoke)
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

// invoke runs the operation and tells its outcome; not in the loop.
func (s *Server) invoke(ctx context.Context, p operationArgs, prep prepared, label string) (any, error) {
	end := s.progress(label)
	r, err := prep.host.Invoke(ctx, p.Channel, p.Operation, prep.target)
	if conflict := (*ahp.Error)(nil); errors.As(err, &conflict) && conflict.Code == ahp.CodeConflict && prep.target != nil && prep.target.Range != nil {
		if again, ok := s.aimAgain(ctx, p, prep); ok {
			r, err = prep.host.Invoke(ctx, p.Channel, p.Operation, again.target)
		} else if ctx.Err() != nil {
			err = ctx.Err()
		}
	}
	end()
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if errors.Is(err, bridge.ErrDisconnected) {
		s.log.Infof("%v", err)
		return s.sorry("%s: %v; look at the files to see whether it ran", label, bridge.ErrDisconnected)
	}
	if err != nil {
		s.log.Infof("%v", err)
		why := err.Error()
		if refusal := (*ahp.Error)(nil); errors.As(err, &refusal) && refusal.Message != "" {
			why = firstLine(refusal.Message) // hosts send stacks along
		}
		return s.sorry("%s failed: %s", label, why)
	}
	message := label + ": done."
	if r.Message != nil && r.Message.Value != "" {
		message = r.Message.Value
	}
	hint, _ := s.inLoop(ctx, func() (any, error) { return s.afterOperation(prep) })
	if hint == nil {
		hint = "" // cancelled: it has run all the same
	}
	s.tell(bridge.NoticeInfo, fmt.Sprint(message, hint))
	result := map[string]any{"message": message}
	if r.FollowUp != nil {
		s.followUp(ctx, prep.host, r.FollowUp.Content, r.FollowUp.External, result)
	}
	return done(result), nil
}

// afterOperation looks at what the operation may have written. It gives what
// the user should do about a buffer that shows something else than the disk.
func (s *Server) afterOperation(prep prepared) (any, error) {
	for _, f := range s.files {
		if f.doc != nil && len(f.changes) > 0 {
			s.readDisk(f)
			s.reloadChanges(f)
		}
	}
	f := prep.file
	if f == nil || f.doc == nil {
		return "", nil
	}
	return s.afterLoading(f, loadingTimeout, func() (any, error) {
		switch text := f.text(); {
		case f.doc == nil || text == nil || !f.disk.known:
		case f.disk.text == nil:
			return " " + baseName(f.uri) + " cannot be read any more (" + f.disk.why + ")", nil
		case f.disk.text.String() != text.String():
			return " The buffer shows another text than the disk: reload it.", nil
		}
		return "", nil
	})
}

// followUp shows what an operation leads to: a page outside, or a text.
func (s *Server) followUp(ctx context.Context, host *bridge.Client, ref ahp.ContentRef, external bool, result map[string]any) {
	result["followUp"] = ref.URI
	web := strings.HasPrefix(ref.URI, "https://") || strings.HasPrefix(ref.URI, "http://")
	switch _, file := ahp.FilePath(ref.URI); {
	case web:
		if err := s.showDocument(ctx, showDocumentParams{URI: ref.URI, External: true, TakeFocus: true}); err != nil {
			s.tell(bridge.NoticeInfo, "see "+ref.URI)
		}
		return
	case external:
		s.tell(bridge.NoticeWarning, "the host wants this opened, which is no web address: "+ref.URI)
		return
	case file:
		uri := host.ToLocal(ref.URI)
		result["followUp"] = uri
		if s.showDocument(ctx, showDocumentParams{URI: uri, TakeFocus: true}) == nil {
			return
		} // not on this machine, perhaps: its text is
	}
	data, err := host.Read(ctx, ref)
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
		return s.sorry("%s has no reviewed flags", s.changesetName(cs.view))
	}
	for _, id := range p.Files {
		if cs.files[id] == nil {
			return s.sorry("%s is not in %s (any more)", id, s.changesetName(cs.view))
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
