package githost

import (
	"cmp"
	"net/url"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// blobScheme names a version of a file that git keeps:
//
//	git-blob:///<path>?sha=<object id>&mode=<mode>
//
// Its content never changes. What is read is the file as it would be in the
// work tree: path and mode say which conversions apply.
const blobScheme = "git-blob"

func blobURI(s gitrepo.Side) string {
	u := url.URL{Scheme: blobScheme, Path: "/" + s.Path}
	return blobScheme + "://" + u.EscapedPath() + "?sha=" + s.Blob + "&mode=" + s.Mode
}

// parseBlob reads a blobURI.
func parseBlob(uri string) (s gitrepo.Side, ok bool) {
	u, q, ok := parseReference(uri, blobScheme)
	if !ok {
		return gitrepo.Side{}, false
	}
	s = gitrepo.Side{Path: strings.TrimPrefix(u.Path, "/"), Blob: q.Get("sha"), Mode: q.Get("mode")}
	for _, c := range s.Blob {
		if !strings.ContainsRune("0123456789abcdef", c) {
			return gitrepo.Side{}, false
		}
	}
	return s, s.Path != "" && (len(s.Blob) == 40 || len(s.Blob) == 64) && s.Mode != ""
}

// parseReference takes a URI of ours apart, also as a client writes it that has
// done so too: VS Code leaves out an empty authority, and escapes what separates
// the parts of a query.
func parseReference(uri, scheme string) (u *url.URL, q url.Values, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != scheme || u.Host != "" {
		return nil, nil, false
	}
	query := u.RawQuery
	if !strings.Contains(query, "=") {
		if query, err = url.QueryUnescape(query); err != nil {
			return nil, nil, false
		}
	}
	q, err = url.ParseQuery(query)
	return u, q, err == nil
}

// onDisk reports whether a side's content is that of the file on disk. A
// submodule's is the commit it is at, which only git knows.
func onDisk(s *gitrepo.Side) bool { return s.Disk && s.Mode != gitrepo.ModeSubmodule }

// side is one side of a file as it goes over the wire.
func (h *Host) side(s *gitrepo.Side, binary bool) *ahp.FileSide {
	if s == nil {
		return nil
	}
	w := &ahp.FileSide{URI: h.fileURI(s.Path)}
	if onDisk(s) {
		print := h.prints.of(s.Path)
		size := float64(print.size)
		w.Content = ahp.ContentRef{URI: w.URI, Nonce: print.version, SizeHint: &size}
	} else {
		w.Content = ahp.ContentRef{URI: blobURI(*s), Nonce: s.Blob}
	}
	if binary {
		w.Content.ContentType = "application/octet-stream"
	}
	return w
}

// version tells one version of a side from another.
func (h *Host) version(s *gitrepo.Side) string {
	switch {
	case s == nil:
		return "-"
	case onDisk(s):
		return s.Mode + ":" + s.Path + ":" + h.prints.of(s.Path).version
	}
	return s.Mode + ":" + s.Path + ":" + s.Blob
}

// versionOf tells one version of a change from another, by what is there now.
func (h *Host) versionOf(f *changesetFile) string {
	if f.proposed {
		return h.version(f.diff.Before)
	}
	return h.version(f.diff.Before) + " " + h.version(f.diff.After)
}

// wireFile is a changed file as it goes over the wire.
func (h *Host) wireFile(d gitrepo.FileDiff, review bool) *changesetFile {
	f := &changesetFile{id: h.fileURI(d.Path()), diff: d}
	f.version = h.versionOf(f)
	f.write(h.side(d.Before, d.Binary), h.side(d.After, d.Binary), fileMeta(d), review, false)
	return f
}

// write makes what is sent of a file. review: the changeset has flags.
func (f *changesetFile) write(before, after *ahp.FileSide, meta map[string]any, review, reviewed bool) {
	edit := map[string]any{"diff": map[string]int{"added": f.diff.Added, "removed": f.diff.Removed}}
	if before != nil {
		edit["before"] = before
	}
	if after != nil {
		edit["after"] = after
	}
	m := map[string]any{"id": f.id, "edit": edit, "_meta": map[string]any{metaKey: meta}}
	if review {
		m["reviewed"] = reviewed
	}
	raw, err := ahp.Marshal(m)
	if err != nil {
		panic("githost: " + err.Error()) // strings and numbers
	}
	f.raw = raw
}

// markReviewed sets the flag in what is sent.
func (f *changesetFile) markReviewed(reviewed bool) *changesetFile {
	next := *f
	next.raw = withMember(f.raw, "reviewed", reviewed)
	return &next
}

// fileMeta is what the protocol has no place for: what happened to the file
// besides its lines.
func fileMeta(d gitrepo.FileDiff) map[string]any {
	m := map[string]any{"kind": string(d.Kind)}
	if d.Binary {
		m["binary"] = true
	}
	if d.Conflict {
		m["conflict"] = true
	}
	var before, after gitrepo.Side
	if d.Before != nil {
		before = *d.Before
	}
	if d.After != nil {
		after = *d.After
	}
	if before.Mode != "" && after.Mode != "" && before.Mode != after.Mode {
		m["oldMode"], m["mode"] = before.Mode, after.Mode
	}
	switch cmp.Or(after.Mode, before.Mode) {
	case gitrepo.ModeSymlink:
		m["symlink"] = true
	case gitrepo.ModeSubmodule:
		m["submodule"] = true
	}
	return m
}
