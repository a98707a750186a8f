package githost

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/disk"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/wire"
	"ahp-lsp/internal/regularfile"
)

// resourceRead gives the content of this host's references, and of files inside
// the work tree. Everything else is refused (-32009): other paths, however
// they are written, paths that lead through symbolic links, and git's own files.
func (p *peer) resourceRead(ctx context.Context, params json.RawMessage) (any, *ahp.Error) {
	h := p.h
	var q ahp.ResourceReadParams
	if err := json.Unmarshal(params, &q); err != nil || q.URI == "" {
		return nil, wire.Errorf(ahp.CodeInvalidParams, "params.uri is missing")
	}
	data, err := h.read(ctx, q.URI)
	if err != nil {
		return nil, err
	}
	if q.Encoding != "base64" && utf8.Valid(data) {
		return ahp.ResourceReadResult{Data: string(data), Encoding: "utf-8", ContentType: "text/plain"}, nil
	}
	return ahp.ResourceReadResult{Data: base64.StdEncoding.EncodeToString(data), Encoding: "base64", ContentType: "application/octet-stream"}, nil
}

func (h *Host) read(ctx context.Context, uri string) ([]byte, *ahp.Error) {
	if scheme, _, _ := strings.Cut(uri, ":"); scheme == disk.ProposalScheme {
		return h.readProposal(ctx, uri)
	}
	if uri != ahp.FileURI(filepath.ToSlash(h.messageFile())) {
		return h.tree.Read(ctx, uri)
	}
	// The follow-up of commit: in the git directory, and meant to be read.
	data, err := regularfile.Read(h.messageFile(), maxMessage)
	if err != nil {
		return nil, disk.ContentError(uri, err)
	}
	return data, nil
}

// readProposal gives the content that a proposal would give a file. References
// name one version: if the proposal gives another one now, theirs is gone.
func (h *Host) readProposal(ctx context.Context, uri string) ([]byte, *ahp.Error) {
	id, rel, version, ok := disk.ParseProposal(uri)
	if !ok {
		return nil, wire.Errorf(ahp.CodeNotFound, "%q is not a reference of this host", uri)
	}
	find := func(files []*session.File) ([]byte, bool) {
		for _, f := range files {
			if f.Diff.After != nil && f.Diff.After.Path == rel && disk.Hash(f.Data) == version {
				return f.Data, true
			}
		}
		return nil, false
	}
	var files []*session.File
	h.with(func(s *session.State) { files = s.Changesets().Files(h.names.Patchset(id)) })
	if data, ok := find(files); ok {
		return data, nil
	}
	files, err := h.proposedFiles(ctx, id)
	if err != nil {
		return nil, disk.ContentError(uri, err)
	}
	if data, ok := find(files); ok {
		return data, nil
	}
	return nil, wire.Errorf(ahp.CodeNotFound, "%s is no longer what is proposed", uri)
}
