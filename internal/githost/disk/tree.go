// Package disk says what is in the embedded host's work tree: which file a
// resource names, which version of it is on disk, what it holds, and how a changed
// file goes over the wire.
//
// Everything here may read the disk or ask git, so no caller holds the Host's
// mutex. A [Tree] is safe for concurrent use. Package githost imports it; it
// imports session for the values it makes.
package disk

import (
	"path"
	"path/filepath"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/wire"
)

// Tree is a work tree as clients see it.
type Tree struct {
	repo   *gitrepo.Repo
	prints *fingerprints
}

// New does not own the Repo.
func New(repo *gitrepo.Repo) *Tree { return &Tree{repo: repo, prints: newFingerprints(repo.Root())} }

// Relative is the path of a file inside the work tree that a resource names:
// with slashes, never leading outside by its letters. Whether symbolic links
// lead outside is checked where it is opened.
func (t *Tree) Relative(resource string) (string, bool) {
	p, ok := ahp.FilePath(resource)
	if !ok {
		return "", false
	}
	root := filepath.ToSlash(t.repo.Root())
	rel, ok := below(root, p)
	if ok {
		return rel, true
	}
	// The client may have opened the work tree by another name.
	dir, err := filepath.EvalSymlinks(filepath.FromSlash(path.Dir(p)))
	if err != nil {
		return "", false
	}
	return below(root, path.Join(filepath.ToSlash(dir), path.Base(p)))
}

func below(root, p string) (string, bool) {
	if len(p) > len(root)+1 && p[:len(root)] == root && p[len(root)] == '/' {
		return p[len(root)+1:], true
	}
	return "", false
}

// Version identifies what a file holds now, "" if there is none.
func (t *Tree) Version(rel string) string { return t.prints.of(rel).version }

// fileURI is the URI of a file of the work tree.
func (t *Tree) fileURI(rel string) string { return wire.FileURI(t.repo.Root(), rel) }
