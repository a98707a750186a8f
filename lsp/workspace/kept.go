package workspace

// A hunk that the user has looked at and wants can be kept: it loses its lens
// and is shown again only when the agent changes it again. What is kept is the
// hunk's text, wherever it moves; it is remembered per session.

// keptHunks remembers kept hunks.
type keptHunks struct {
	scopes  KeptScopes
	changed KeptScopes // since the last write
	writing bool
}

// KeptScopes says of hunks whether they are kept: scope (a session) → file, the
// host's URI → key of the hunk. False is one that was given up.
type KeptScopes map[string]map[string]map[string]bool

func (k KeptScopes) set(scope, file, key string, keep bool) {
	if k[scope] == nil {
		k[scope] = map[string]map[string]bool{}
	}
	if k[scope][file] == nil {
		k[scope][file] = map[string]bool{}
	}
	k[scope][file][key] = keep
}

// keptScope names a session's hunks across restarts. A session's URI is unique;
// its host's address is not in it, since the port changes with each start.
func keptScope(session string) string { return session }

// Kept reports whether a hunk of a change is kept. index is the hunk's in the
// change's contents, which must be loaded.
func (w *Workspace) Kept(c *Change, index int) bool {
	return w.kept.scopes[keptScope(c.view.Session)][c.entry.URI()][c.content.Keys[index]]
}

// KeptCount is how many of a change's hunks are kept.
func (w *Workspace) KeptCount(c *Change) (kept, all int) {
	for i := range c.content.Keys {
		if w.Kept(c, i) {
			kept++
		}
	}
	return kept, len(c.content.Keys)
}

// HunksKept says that the user keeps some of a change's hunks, or gives them up.
type HunksKept struct {
	Change *Change
	Hunks  []int // indexes in the change's contents
	Keep   bool
}

func (e HunksKept) apply(w *Workspace) {
	if w.kept.scopes == nil {
		w.kept.scopes = KeptScopes{}
	}
	if w.kept.changed == nil {
		w.kept.changed = KeptScopes{}
	}
	scope, file := keptScope(e.Change.view.Session), e.Change.entry.URI()
	for _, i := range e.Hunks {
		w.kept.scopes.set(scope, file, e.Change.content.Keys[i], e.Keep)
		w.kept.changed.set(scope, file, e.Change.content.Keys[i], e.Keep)
	}
	w.touch(e.Change.file)
	w.writeKept()
}

// writeKept wants stored what was kept or given up, one write at a time.
func (w *Workspace) writeKept() {
	if !w.editor.remember || w.kept.writing || len(w.kept.changed) == 0 {
		return
	}
	w.kept.writing = true
	w.want(WriteKept{w.kept.changed})
	w.kept.changed = nil
}

// KeptWritten says that a write of kept hunks has ended.
type KeptWritten struct{}

func (KeptWritten) apply(w *Workspace) {
	w.kept.writing = false
	w.writeKept()
}

// KeptRead gives which hunks of a session were kept before, by the host's URI of
// the file. What was kept or given up since stays.
type KeptRead struct {
	Scope string
	Files map[string][]string
}

func (e KeptRead) apply(w *Workspace) {
	if w.kept.scopes == nil {
		w.kept.scopes = KeptScopes{}
	}
	for file, keys := range e.Files {
		for _, key := range keys {
			if _, known := w.kept.scopes[e.Scope][file][key]; !known {
				w.kept.scopes.set(e.Scope, file, key, true)
			}
		}
	}
	for _, f := range w.files {
		if f.doc != nil && len(f.changes) > 0 {
			w.touch(f)
		}
	}
}
