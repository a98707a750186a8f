package workspace

import (
	"maps"
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/mapping"
)

// Workspace is all that is known. Make one with New.
type Workspace struct {
	guard   func() // checks who calls, see New
	effects []Effect
	dirty   map[*File]bool // to be shown again, see TakeDirty

	editor editor
	files  map[string]*File // by canonical URI

	remote     host
	sessions   map[string]*Session
	changesets map[string]*Changeset // by channel

	kept    keptHunks
	moves   moves
	renames renames

	count counts
}

// editor is what the editor has said of itself.
type editor struct {
	encoding mapping.Encoding
	folders  []string // canonical URIs
	settings Settings
	remember bool // what comments are about, and what was kept, is stored
}

// host is what is known of the host that is followed.
type host struct {
	paths      Paths
	epoch      int // counts hosts; what was asked of an earlier one is dropped
	connection remote.Connection
	listed     []remote.SessionInfo
	progress   progress
}

type counts struct {
	threads    int // seen so far, for their order
	unresolved int // comments that are not resolved
	revisions  int // of texts that commands were made for
	status     int // see StatusVersion
}

// Paths translates the URIs of files between this machine and the host's. The
// local ones are canonical.
type Paths interface {
	ToLocal(resource string) string
	ToHost(uri string) string
}

// Settings are those of the user's that decide what is shown.
type Settings struct {
	ShowResolved  bool
	Diagnostics   bool
	CodeLenses    bool
	InlayHints    *bool             // nil: where the editor has no code lenses
	Notifications bool              // plugins are told when to ask again
	Severity      map[string]string // by the state of a comment; LSP's words in lower case
}

// New returns an empty workspace. remember says that what comments are about, and
// which hunks were kept, is stored (see ReadAnchors, ReadKept). guard is called
// whenever the workspace is used, and panics when it is used by somebody who may
// not; nil checks nothing.
func New(remember bool, guard func()) *Workspace {
	if guard == nil {
		guard = func() {}
	}
	return &Workspace{
		guard: guard, dirty: map[*File]bool{}, files: map[string]*File{},
		editor:   editor{remember: remember},
		sessions: map[string]*Session{}, changesets: map[string]*Changeset{},
		moves:   moves{own: map[ThreadKey]knownPlace{}},
		renames: renames{to: map[string]string{}, away: map[string][]ThreadKey{}},
	}
}

// Event is something that happened. The types that implement it are in this
// package, each beside what it changes.
type Event interface{ apply(w *Workspace) }

// Apply changes the workspace and returns what has to be done outside. The
// effects are to be carried out in their order.
func (w *Workspace) Apply(e Event) []Effect {
	w.guard()
	e.apply(w)
	w.finishLoading()
	return w.takeEffects()
}

// Settle returns what has to be done at the end of a batch of events.
func (w *Workspace) Settle() []Effect {
	w.guard()
	w.writeAnchors()
	return w.takeEffects()
}

func (w *Workspace) takeEffects() []Effect {
	out := w.effects
	w.effects = nil
	return out
}

func (w *Workspace) want(e Effect) { w.effects = append(w.effects, e) }

// touch notes that what is shown of a file may have changed.
func (w *Workspace) touch(f *File) { w.dirty[f] = true }

// TakeDirty returns the files of which something else may have to be shown since
// it was called last, by their URIs.
func (w *Workspace) TakeDirty() []*File {
	w.guard()
	out := slices.SortedFunc(maps.Keys(w.dirty), func(a, b *File) int { return strings.Compare(a.uri, b.uri) })
	clear(w.dirty)
	return out
}

// Encoding is what the editor counts characters in.
func (w *Workspace) Encoding() mapping.Encoding { return w.editor.encoding }

// Folders are the open folders, as canonical URIs.
func (w *Workspace) Folders() []string { return w.editor.folders }

// Settings are the ones in force.
func (w *Workspace) Settings() Settings { return w.editor.settings }

// Connection is how the connection to the host is.
func (w *Workspace) Connection() remote.Connection { return w.remote.connection }

// Listed are all of the host's sessions, newest first.
func (w *Workspace) Listed() []remote.SessionInfo { return w.remote.listed }

// Unresolved is how many comments of the followed sessions are not resolved.
func (w *Workspace) Unresolved() int { return w.count.unresolved }

// StatusVersion changes with everything that a status display may show.
func (w *Workspace) StatusVersion() int { return w.count.status }

// ToLocal is the canonical URI on this machine of a file that the host names.
func (w *Workspace) ToLocal(resource string) string {
	if w.remote.paths == nil {
		return ahp.CanonicalURI(resource)
	}
	return w.remote.paths.ToLocal(resource)
}

// ToHost is the host's name of a local file.
func (w *Workspace) ToHost(uri string) string {
	if w.remote.paths == nil {
		return uri
	}
	return w.remote.paths.ToHost(uri)
}

// Span is a range of the editor's in a text.
func (w *Workspace) Span(t *mapping.Text, r mapping.Range) mapping.Span {
	return t.Span(r, w.editor.encoding)
}

// Range is a span of a text as the editor counts.
func (w *Workspace) Range(t *mapping.Text, span mapping.Span) mapping.Range {
	return t.Range(span, w.editor.encoding)
}
