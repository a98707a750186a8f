package githost

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// maxContent is the largest content given out, in bytes, as in package gitrepo.
const maxContent = 64 << 20

// resourceRead gives the content of this host's references, and of files inside
// the work tree. Everything else is refused (-32009): other paths, whatever way
// they are written, paths that lead through symbolic links, and git's own files.
func (p *peer) resourceRead(ctx context.Context, params json.RawMessage) (any, *ahp.Error) {
	h := p.h
	var q ahp.ResourceReadParams
	if err := json.Unmarshal(params, &q); err != nil || q.URI == "" {
		return nil, fail(ahp.CodeInvalidParams, "params.uri is missing")
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
	scheme, _, _ := strings.Cut(uri, ":")
	switch scheme {
	case blobScheme:
		s, ok := parseBlob(uri)
		if !ok {
			return nil, fail(ahp.CodeNotFound, "%q is no reference of this host", uri)
		}
		if !allowed(s.Path) {
			return nil, forbidden(uri)
		}
		data, err := h.repo.Content(ctx, s)
		if err != nil {
			return nil, contentError(uri, err)
		}
		return data, nil
	case proposalScheme:
		return h.readProposal(ctx, uri)
	}
	if uri == ahp.FileURI(filepath.ToSlash(h.messageFile())) {
		// The follow-up of commit: in the git directory, and meant to be read.
		data, err := os.ReadFile(h.messageFile())
		if err != nil {
			return nil, contentError(uri, err)
		}
		return data, nil
	}
	if _, ok := ahp.FilePath(uri); !ok {
		return nil, forbidden(uri)
	}
	rel, ok := h.relative(uri)
	if !ok || !allowed(rel) {
		return nil, forbidden(uri)
	}
	return h.readFile(uri, rel)
}

func forbidden(uri string) *ahp.Error {
	return fail(ahp.CodePermission, "this host gives out the files of its work tree, and the versions of them that git has: not %s", uri)
}

func contentError(uri string, err error) *ahp.Error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, gitrepo.ErrNotFound):
		return fail(ahp.CodeNotFound, "%s does not exist", uri)
	case errors.Is(err, gitrepo.ErrUnsafePath), errors.Is(err, fs.ErrPermission):
		return fail(ahp.CodePermission, "%s may not be read: %v", uri, err)
	case errors.Is(err, gitrepo.ErrTooLarge):
		return fail(ahp.CodeContent, "%s is larger than %d MiB and is not shown", uri, maxContent>>20)
	}
	return fail(ahp.CodeContent, "%s cannot be read: %v", uri, err)
}

// allowed reports whether a path inside the work tree may be read as far as its
// name goes: not git's own files, also of nested repositories, and on file
// systems that do not tell case apart.
func allowed(rel string) bool {
	if rel == "" || rel == "." || path.Clean(rel) != rel || strings.Contains(rel, "\x00") || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return false
	}
	for part := range strings.SplitSeq(rel, "/") {
		if strings.EqualFold(strings.TrimRight(part, ". "), ".git") || strings.EqualFold(part, "git~1") {
			return false
		}
	}
	return true
}

// readFile reads a file of the work tree as git sees it: of a symbolic link, its
// target's name. Links on the way are refused, for git does not look behind
// them either; what is opened lies below the root whatever happens to the names
// meanwhile.
func (h *Host) readFile(uri, rel string) ([]byte, *ahp.Error) {
	root, err := os.OpenRoot(h.repo.Root())
	if err != nil {
		return nil, contentError(uri, err)
	}
	defer root.Close()
	parts := strings.Split(rel, "/")
	for i := 1; i < len(parts); i++ {
		info, err := root.Lstat(filepath.Join(parts[:i]...))
		if err != nil {
			return nil, contentError(uri, err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, forbidden(uri)
		}
	}
	name := filepath.Join(parts...)
	info, err := root.Lstat(name)
	if err != nil {
		return nil, contentError(uri, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := root.Readlink(name)
		if err != nil {
			return nil, contentError(uri, err)
		}
		return []byte(target), nil
	}
	if !info.Mode().IsRegular() {
		return nil, fail(ahp.CodeContent, "%s is not a file", uri)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, contentError(uri, err)
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, fail(ahp.CodeContent, "%s was replaced while it was read; read it again", uri)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxContent+1))
	switch {
	case err != nil:
		return nil, contentError(uri, err)
	case len(data) > maxContent:
		return nil, contentError(uri, gitrepo.ErrTooLarge)
	}
	return data, nil
}

// readProposal gives the content that a proposal would give a file. References
// name one version: if the proposal gives another one now, theirs is gone.
func (h *Host) readProposal(ctx context.Context, uri string) ([]byte, *ahp.Error) {
	id, rel, version, ok := parseProposal(uri)
	if !ok {
		return nil, fail(ahp.CodeNotFound, "%q is no reference of this host", uri)
	}
	find := func(files []*changesetFile) ([]byte, bool) {
		for _, f := range files {
			if f.diff.After != nil && f.diff.After.Path == rel && contentHash(f.data) == version {
				return f.data, true
			}
		}
		return nil, false
	}
	h.mu.Lock()
	var files []*changesetFile
	if c := h.changesets[h.session+"/changeset/patchset/"+id]; c != nil {
		files = c.files
	}
	h.mu.Unlock()
	if data, ok := find(files); ok {
		return data, nil
	}
	files, err := h.patchsetFiles(ctx, id)
	if err != nil {
		return nil, contentError(uri, err)
	}
	if data, ok := find(files); ok {
		return data, nil
	}
	return nil, fail(ahp.CodeNotFound, "%s is not what is proposed any more", uri)
}
