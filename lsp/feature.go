package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// How long an answer waits for the contents it needs: a view is asked for again
// when they are there, what the user asked for is not.
const (
	viewTimeout    = 200 * time.Millisecond
	loadingTimeout = 3 * time.Second
)

// loaded waits until what a file's view is made of has been loaded, or long
// enough. Errors: that of ctx.
func (s *Server) loaded(ctx context.Context, f *workspace.File, limit time.Duration) error {
	if !f.Loading() {
		return nil
	}
	s.apply(workspace.Needed{File: f})
	return s.loop.await(ctx, limit, func() bool { return !f.Loading() })
}

func (s *Server) hover(ctx context.Context, p protocol.HoverParams) (*protocol.Hover, error) {
	f := s.ws.Open(p.TextDocument.URI)
	if f == nil {
		return nil, nil
	}
	if err := s.loaded(ctx, f, viewTimeout); err != nil {
		return nil, err
	}
	text := f.Text()
	if text == nil {
		return nil, nil
	}
	lines := s.view().LinesAt(text, p.Position)
	if err := s.originsKnown(ctx, f, func(h mapping.PlacedHunk) bool { return h.Touches(lines) }); err != nil {
		return nil, err
	}
	return s.view().Hover(f, p.Position), nil
}

// originsKnown waits until the origins of a file's hunks are known, if there is one
// of those that are meant, or long enough.
func (s *Server) originsKnown(ctx context.Context, f *workspace.File, meant func(mapping.PlacedHunk) bool) error {
	c, text := f.Primary(), f.Text()
	if c == nil || c.Content() == nil || text == nil || !slices.ContainsFunc(c.Hunks(text), meant) {
		return nil
	}
	s.apply(workspace.OriginsNeeded{Change: c})
	return s.loop.await(ctx, viewTimeout, s.ws.Origins(c).Ready)
}

func (s *Server) codeLenses(ctx context.Context, p protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	f := s.ws.Open(p.TextDocument.URI)
	if f == nil {
		return []protocol.CodeLens{}, nil
	}
	if err := s.loaded(ctx, f, viewTimeout); err != nil {
		return nil, err
	}
	list := s.view().Lenses(f)
	if f.Doc() != nil {
		s.shown.of(f).lenses.set(f.Text(), view.Hash(list))
	}
	return list, nil
}

// inlayHints serves textDocument/inlayHint (LSP 3.17).
func (s *Server) inlayHints(ctx context.Context, p protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	f := s.ws.Open(p.TextDocument.URI)
	if f == nil {
		return []protocol.InlayHint{}, nil
	}
	if err := s.loaded(ctx, f, viewTimeout); err != nil {
		return nil, err
	}
	list, text := s.view().Hints(f), f.Text()
	if f.Doc() != nil {
		// Of the whole file: any part of it may be on the screen later.
		s.shown.of(f).hints.set(text, view.Hash(list))
	}
	if text == nil {
		return list, nil
	}
	span := s.ws.Span(text, p.Range.Clamped())
	first, last := text.LineAt(span.Start), text.LineAt(span.End)
	return slices.DeleteFunc(list, func(h protocol.InlayHint) bool {
		line := int(h.Position.Line)
		return line < first || line > last
	}), nil
}

func (s *Server) codeActions(ctx context.Context, p protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	f := s.ws.Open(p.TextDocument.URI)
	if f == nil || !view.Wanted(p.Context.Only, view.KindThread, view.KindChange, view.KindSource) {
		return []protocol.CodeAction{}, nil
	}
	limit := loadingTimeout
	if p.Context.TriggerKind == 2 {
		limit = viewTimeout
	}
	if err := s.loaded(ctx, f, limit); err != nil {
		return nil, err
	}
	text := f.Text()
	if text == nil || f.Doc() == nil {
		return []protocol.CodeAction{}, nil
	}
	list := s.view().Actions(f, text, p.Range.Clamped(), s.commands.Armed())
	return slices.DeleteFunc(list, func(a protocol.CodeAction) bool { return !view.Wanted(p.Context.Only, *a.Kind) }), nil
}

func (s *Server) executeCommand(ctx context.Context, p struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}) (any, error) {
	return s.commands.Execute(ctx, p.Command, p.Arguments)
}

// pulls reports whether the editor asks for the file's diagnostics itself: it
// is then not pushed to, or it would show them twice. Closed files are pushed.
func (s *Server) pulls(f *workspace.File, r *shownFile) bool {
	return f.Doc() != nil && (s.shown.pullOffered || r.pulled.asked)
}

// pullDiagnostics serves textDocument/diagnostic (LSP 3.17).
func (s *Server) pullDiagnostics(ctx context.Context, p protocol.DocumentDiagnosticParams) (protocol.DiagnosticReport, error) {
	empty := protocol.DiagnosticReport{Kind: "full", Items: &[]protocol.Diagnostic{}}
	f := s.ws.Open(p.TextDocument.URI)
	if f == nil {
		return empty, nil
	}
	r := s.shown.of(f)
	if !r.pulled.asked {
		r.pulled.asked = true
		s.apply(workspace.ShowAgain{File: f}) // what was pushed before goes
	}
	if err := s.loaded(ctx, f, viewTimeout); err != nil {
		return empty, err
	}
	list, ready := s.view().Diagnostics(f)
	if !ready || f.Doc() == nil {
		// The editor keeps what it has, and is asked to pull again later.
		if f.Doc() != nil {
			r.pulled.set(f.Doc().Text(), tooEarly)
		}
		if p.PreviousResultID != "" {
			return protocol.DiagnosticReport{Kind: "unchanged", ResultID: p.PreviousResultID}, nil
		}
		return empty, nil
	}
	hash := view.Hash(list)
	r.pulled.set(f.Doc().Text(), hash)
	id := strconv.FormatUint(hash, 36)
	if id == p.PreviousResultID {
		return protocol.DiagnosticReport{Kind: "unchanged", ResultID: id}, nil
	}
	return protocol.DiagnosticReport{Kind: "full", ResultID: id, Items: &list}, nil
}

// tooEarly is the hash of an answer that was none.
const tooEarly = 1

// pulledHash is what the answer to a pull would be known by at present. While there
// is none the editor's is as good.
func (s *Server) pulledHash(f *workspace.File, r *shownFile) uint64 {
	list, ready := s.view().Diagnostics(f)
	if !ready {
		return r.pulled.hash
	}
	return view.Hash(list)
}

func (s *Server) pluginThreads(ctx context.Context, p protocol.URIArgs) ([]view.Thread, error) {
	f := s.ws.File(p.URI)
	if f == nil {
		return []view.Thread{}, nil
	}
	if err := s.loaded(ctx, f, viewTimeout); err != nil {
		return nil, err
	}
	return s.view().Threads(f), nil
}

func (s *Server) pluginHunks(ctx context.Context, p protocol.URIArgs) (*view.Hunks, error) {
	f := s.ws.Open(p.URI)
	if f == nil {
		return nil, nil
	}
	if err := s.loaded(ctx, f, viewTimeout); err != nil {
		return nil, err
	}
	v := s.view().Hunks(f)
	if v != nil {
		v.Revision = s.ws.Revision(f, f.Text())
	}
	return v, nil
}

func (s *Server) pluginChangesets(context.Context, json.RawMessage) ([]view.Changeset, error) {
	return s.view().Changesets(), nil
}

// codeRequestFailed answers a valid request that could not be carried out (LSP,
// ErrorCodes).
const codeRequestFailed = -32803

// pluginContents is ahp/contents {uri, channel?}, for plugins that show a whole
// file side by side, open or not. Without a channel it is about the changeset whose
// hunks are shown.
func (s *Server) pluginContents(ctx context.Context, p struct {
	URI     string `json:"uri"`
	Channel string `json:"channel"`
}) (*view.Contents, error) {
	f := s.ws.File(p.URI)
	if f == nil {
		return nil, nil
	}
	found := f.Primary()
	if p.Channel != "" {
		found = nil
		for _, c := range f.Changes() {
			if c.View().Channel == p.Channel {
				found = c
			}
		}
	}
	if found == nil || s.host.client == nil {
		return nil, nil
	}
	v := view.Contents{Channel: found.View().Channel, Label: printable.Label(s.view().ChangesetName(found.View()))}
	client, entry, name := s.host.client, found.Entry(), workspace.BaseName(f.URI())
	var err error
	outside(ctx, func() {
		for _, side := range []struct {
			from *ahp.FileSide
			to   **string
		}{{entry.Before, &v.Before}, {entry.After, &v.After}} {
			var text *mapping.Text
			if text, err = readSide(ctx, client, side.from); err != nil {
				return
			}
			if text != nil {
				whole := text.String()
				*side.to = &whole
			}
		}
	})
	if err != nil {
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: fmt.Sprintf("the change of %s cannot be shown: %v", name, err)}
	}
	return &v, nil
}
