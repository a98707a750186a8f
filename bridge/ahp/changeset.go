package ahp

import (
	"encoding/json"
	"slices"
)

// Status values of a changeset.
const (
	ChangesetComputing = "computing"
	ChangesetReady     = "ready"
	ChangesetError     = "error"
)

// Status values of an operation.
const (
	OperationIdle     = "idle"
	OperationRunning  = "running"
	OperationError    = "error"
	OperationDisabled = "disabled"
)

// Scopes of an operation.
const (
	ScopeChangeset = "changeset"
	ScopeResource  = "resource"
	ScopeRange     = "range"
)

// Changeset is the state of a changeset channel (specification: Changesets).
// The zero value is an empty state.
type Changeset struct {
	Status     string
	Error      *ErrorInfo
	Operations []*Operation // nil: none offered

	files fileList
	extra map[string]json.RawMessage
}

// ErrorInfo is why something failed. Stack traces are not kept.
type ErrorInfo struct {
	Type    string `json:"errorType"`
	Message string `json:"message"`
}

// ChangesetFile is the change of one file: no Before means created, no After
// deleted, different URIs renamed.
type ChangesetFile struct {
	ID       string
	Before   *FileSide
	After    *FileSide
	Added    int // lines, as the host counted them
	Removed  int
	Reviewed bool

	hasDiff     bool // and which of its members
	hasAdded    bool
	hasRemoved  bool
	hasReviewed bool
	extra       map[string]json.RawMessage
}

// FileSide is one side of a change: where the file is and where its text is.
type FileSide struct {
	URI     string     `json:"uri"`
	Content ContentRef `json:"content"`
}

// ContentRef refers to text kept outside the state; read it with resourceRead.
type ContentRef struct {
	URI         string   `json:"uri"`
	SizeHint    *float64 `json:"sizeHint,omitempty"` // bytes
	ContentType string   `json:"contentType,omitempty"`
	Nonce       string   `json:"nonce,omitempty"`
}

// Operation is a verb the host offers on a changeset.
type Operation struct {
	ID           string
	Label        string
	Description  string
	Scopes       []string
	Confirmation *Text // present: must be shown and accepted before invoking
	Icon         string
	Group        string
	Status       string
	Error        *ErrorInfo

	extra map[string]json.RawMessage
}

// Allows reports whether the operation can be invoked with the scope.
func (o *Operation) Allows(scope string) bool { return slices.Contains(o.Scopes, scope) }

// URI is where the file is now: the after side, or the before side of a deletion.
func (f *ChangesetFile) URI() string {
	switch {
	case f.After != nil:
		return f.After.URI
	case f.Before != nil:
		return f.Before.URI
	}
	return f.ID
}

// Files returns the files in the host's order. The slice must not be changed;
// later actions do not change it either. The first call after a change gathers
// all files: where one file, or their number, is enough, use the methods below.
func (c *Changeset) Files() []*ChangesetFile { return c.files.all() }

// Len is the number of files.
func (c *Changeset) Len() int { return c.files.len() }

// File returns the file with the id, or nil.
func (c *Changeset) File(id string) *ChangesetFile { return c.files.get(id) }

// FilesAt returns the files of which a side is at the URI, in any spelling that
// CanonicalURI knows, in the host's order. There are two where one was moved
// away and another one took its place.
func (c *Changeset) FilesAt(uri string) []*ChangesetFile { return c.files.atURI(CanonicalURI(uri)) }

// Clone returns a copy whose files and operations can be replaced without
// changing c. It costs the same for any number of files.
func (c *Changeset) Clone() *Changeset {
	n := *c
	n.Operations = slices.Clone(c.Operations)
	return &n
}

// MarshalJSON writes the state as a snapshot has it.
func (c *Changeset) MarshalJSON() ([]byte, error) {
	e := newEncoder(c.extra)
	e["status"] = c.Status
	if c.Error != nil {
		e["error"] = c.Error
	}
	files := c.files.all()
	if files == nil {
		files = []*ChangesetFile{}
	}
	e["files"] = files
	if c.Operations != nil {
		e["operations"] = c.Operations
	}
	return e.encode()
}

// MarshalJSON writes the file with the members it was read with; below edit,
// those this package knows.
func (f *ChangesetFile) MarshalJSON() ([]byte, error) {
	e := newEncoder(f.extra)
	e["id"] = f.ID
	edit := map[string]any{}
	if f.Before != nil {
		edit["before"] = f.Before
	}
	if f.After != nil {
		edit["after"] = f.After
	}
	if f.hasDiff {
		diff := map[string]int{}
		if f.hasAdded {
			diff["added"] = f.Added
		}
		if f.hasRemoved {
			diff["removed"] = f.Removed
		}
		edit["diff"] = diff
	}
	e["edit"] = edit
	if f.hasReviewed {
		e["reviewed"] = f.Reviewed
	}
	return e.encode()
}

// MarshalJSON writes the operation with the members it was read with.
func (o *Operation) MarshalJSON() ([]byte, error) {
	e := newEncoder(o.extra)
	e["id"] = o.ID
	e["label"] = o.Label
	e["scopes"] = append([]string{}, o.Scopes...)
	e.setStr("description", o.Description)
	e.setStr("icon", o.Icon)
	e.setStr("group", o.Group)
	e.setStr("status", o.Status)
	if o.Confirmation != nil {
		e["confirmation"] = o.Confirmation
	}
	if o.Error != nil {
		e["error"] = o.Error
	}
	return e.encode()
}
