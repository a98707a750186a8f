package disk

import (
	"net/url"
	"strings"

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

// ProposalScheme names a file as a proposal would make it:
//
//	ahp-patchset:///<id>/<path>?version=<hash of the content>
const ProposalScheme = "ahp-patchset"

func proposalURI(id, path, version string) string {
	return ProposalScheme + "://" + (&url.URL{Path: "/" + id + "/" + path}).EscapedPath() + "?version=" + version
}

// ParseProposal reads the URI of a file as a proposal would make it.
func ParseProposal(uri string) (id, path, version string, ok bool) {
	u, q, ok := parseReference(uri, ProposalScheme)
	if !ok {
		return "", "", "", false
	}
	id, path, ok = strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return id, path, q.Get("version"), ok
}
