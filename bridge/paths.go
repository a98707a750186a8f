package bridge

import (
	"path/filepath"
	"sort"
	"strings"

	"ahp-lsp/bridge/ahp"
)

// paths translates URIs between the host's file system and this machine's. It
// is immutable. Rules are canonical file URIs without a trailing slash; the
// longest matching prefix wins.
type paths struct{ toLocal, toHost []rule }

type rule struct{ from, to string }

// newPaths builds the translation from the user's pathMap and from symbolic
// links in the workspace's roots: a host names files by their real path, the
// editor by the path the user opened.
func newPaths(mapping []PathMapping, roots []string) paths {
	var p paths
	add := func(host, local string) {
		host, local = prefixURI(host), prefixURI(local)
		if host == "" || local == "" || host == local {
			return
		}
		p.toLocal = append(p.toLocal, rule{host, local})
		p.toHost = append(p.toHost, rule{local, host})
	}
	for _, m := range mapping {
		add(m.Host, m.Local)
	}
	for _, root := range roots {
		path, ok := ahp.FilePath(root)
		if !ok {
			continue
		}
		if real, err := filepath.EvalSymlinks(filepath.FromSlash(path)); err == nil {
			add(ahp.FileURI(filepath.ToSlash(real)), root)
		}
	}
	longestFirst(p.toLocal)
	longestFirst(p.toHost)
	return p
}

func longestFirst(rules []rule) {
	sort.SliceStable(rules, func(i, j int) bool { return len(rules[i].from) > len(rules[j].from) })
}

func prefixURI(s string) string { return strings.TrimSuffix(ahp.CanonicalURI(s), "/") }

func (p paths) local(uri string) string { return translate(ahp.CanonicalURI(uri), p.toLocal) }
func (p paths) host(uri string) string  { return translate(ahp.CanonicalURI(uri), p.toHost) }

func translate(uri string, rules []rule) string {
	for _, r := range rules {
		if rest, ok := strings.CutPrefix(uri, r.from); ok && (rest == "" || rest[0] == '/') {
			return r.to + rest
		}
	}
	return uri
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
