package bridge

import (
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"ahp-lsp/bridge/ahp"
)

// workspace is the folders that are open in the editor.
type workspace struct {
	roots []string // canonical URIs
	// paths is read without the Client's mutex, which may be held for as long as
	// a large snapshot takes.
	paths atomic.Pointer[paths]
}

// set replaces the folders.
func (w *workspace) set(roots []string, mapping []PathMapping) {
	w.roots = w.roots[:0]
	for _, r := range roots {
		w.roots = append(w.roots, prefixURI(r))
	}
	w.paths.Store(newPaths(mapping, w.roots))
}

// mismatch is why working directories do not belong to the workspace.
func (w *workspace) mismatch(dirs []string) Reason {
	if len(dirs) == 0 {
		return Reason{Kind: ReasonNoFolder}
	}
	if len(w.roots) == 0 {
		return Reason{Kind: ReasonNoRoot}
	}
	var missing string
	paths := w.paths.Load()
	for _, dir := range dirs {
		local := paths.local(dir)
		if !slices.ContainsFunc(w.roots, func(root string) bool { return related(local, root) }) {
			continue
		}
		path, ok := ahp.FilePath(local)
		if !ok {
			continue
		}
		if _, err := os.Stat(filepath.FromSlash(path)); err == nil {
			return Reason{}
		}
		missing = path
	}
	if missing != "" {
		return Reason{Kind: ReasonMissing, Folder: missing}
	}
	local := paths.local(dirs[0])
	if path, ok := ahp.FilePath(local); ok {
		return Reason{Kind: ReasonElsewhere, Folder: path}
	}
	return Reason{Kind: ReasonNotFile, Folder: dirs[0]}
}
