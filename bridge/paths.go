package bridge

import (
	"path/filepath"
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
)

// paths translates URIs between the host's file system and this machine's, in
// two steps: the user's pathMap, then symbolic links in the workspace's roots (a
// host names files by their real path, the editor by the path the user opened).
// It is immutable.
type paths struct{ toLocal, toHost, toLink, toReal rules }

// rules are canonical URIs without a trailing slash; the longest matching prefix
// wins, so they are sorted by length.
type rules []rule

type rule struct{ from, to string }

func newPaths(mapping []PathMapping, roots []string) *paths {
	p := &paths{}
	add := func(there, back *rules, host, local string) {
		host, local = prefixURI(host), prefixURI(local)
		if host == "" || local == "" || host == local {
			return
		}
		*there = append(*there, rule{host, local})
		*back = append(*back, rule{local, host})
	}
	for _, m := range mapping {
		add(&p.toLocal, &p.toHost, m.Host, m.Local)
	}
	for _, root := range roots {
		path, ok := ahp.FilePath(root)
		if !ok {
			continue
		}
		if real, err := filepath.EvalSymlinks(filepath.FromSlash(path)); err == nil {
			add(&p.toLink, &p.toReal, ahp.FileURI(filepath.ToSlash(real)), root)
		}
	}
	for _, rs := range []rules{p.toLocal, p.toHost, p.toLink, p.toReal} {
		slices.SortStableFunc(rs, func(a, b rule) int { return len(b.from) - len(a.from) })
	}
	return p
}

func prefixURI(s string) string { return strings.TrimSuffix(ahp.CanonicalURI(s), "/") }

func (p *paths) local(uri string) string {
	mapped, _ := p.toLocal.apply(ahp.CanonicalURI(uri))
	linked, _ := p.toLink.apply(mapped)
	return linked
}

func (p *paths) host(uri string) string {
	uri = ahp.CanonicalURI(uri)
	real, _ := p.toReal.apply(uri)
	link, _ := p.toLink.apply(uri)
	for _, u := range []string{uri, real, link} { // whichever the pathMap names
		if mapped, ok := p.toHost.apply(u); ok {
			return mapped
		}
	}
	return real
}

func (rs rules) apply(uri string) (string, bool) {
	for _, r := range rs {
		if rest, ok := strings.CutPrefix(uri, r.from); ok && (rest == "" || rest[0] == '/') {
			return r.to + rest, true
		}
	}
	return uri, false
}

// related says how a directory stands to a root: the same, inside or around it.
func related(dir, root string) bool {
	return inside(dir, root) || inside(root, dir)
}

// inside reports whether uri is dir or lies in it; both canonical.
func inside(uri, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	rest, ok := strings.CutPrefix(uri, dir)
	return ok && (rest == "" || rest[0] == '/')
}
