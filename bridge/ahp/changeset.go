package ahp

import (
	"encoding/json"
	"fmt"
	"maps"
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
type Changeset struct {
	Status     string
	Error      *ErrorInfo
	Operations []*Operation // nil: none offered

	files []*ChangesetFile
	index map[string]int // file id → place in files
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

	hasDiff     bool
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

// Files returns the files in the host's order. The slice must not be changed.
func (c *Changeset) Files() []*ChangesetFile { return c.files }

// File returns the file with the id, or nil.
func (c *Changeset) File(id string) *ChangesetFile {
	if i, ok := c.index[id]; ok {
		return c.files[i]
	}
	return nil
}

// Clone returns a copy whose files and operations can be replaced without
// changing c.
func (c *Changeset) Clone() *Changeset {
	n := *c
	n.files = slices.Clone(c.files)
	n.index = maps.Clone(c.index)
	n.Operations = slices.Clone(c.Operations)
	return &n
}

// DecodeChangeset reads a snapshot's state; never nil, faults in the error.
func DecodeChangeset(data []byte) (*Changeset, error) {
	var d decoder
	c := &Changeset{index: map[string]int{}}
	o, ok := d.object("changeset state", data)
	if !ok {
		return c, d.err()
	}
	c.Status = d.str(o, "changeset", "status")
	c.Error = d.errorInfo("changeset", o)
	c.setFiles(d.files("changeset", o.take("files")))
	c.Operations = d.operations("changeset", o.take("operations"))
	c.extra = o.rest()
	return c, d.err()
}

// MarshalJSON writes the state as a snapshot has it.
func (c *Changeset) MarshalJSON() ([]byte, error) {
	e := newEncoder(c.extra)
	e["status"] = c.Status
	if c.Error != nil {
		e["error"] = c.Error
	}
	files := c.files
	if files == nil {
		files = []*ChangesetFile{}
	}
	e["files"] = files
	if c.Operations != nil {
		e["operations"] = c.Operations
	}
	return e.encode()
}

func (c *Changeset) setFiles(files []*ChangesetFile) {
	c.files = make([]*ChangesetFile, 0, len(files))
	c.index = make(map[string]int, len(files))
	for _, f := range files {
		c.setFile(f)
	}
}

func (c *Changeset) setFile(f *ChangesetFile) {
	if i, ok := c.index[f.ID]; ok {
		c.files[i] = f
		return
	}
	c.index[f.ID] = len(c.files)
	c.files = append(c.files, f)
}

func (c *Changeset) removeFile(id string) bool {
	i, ok := c.index[id]
	if !ok {
		return false
	}
	c.files = slices.Delete(c.files, i, i+1)
	delete(c.index, id)
	for ; i < len(c.files); i++ {
		c.index[c.files[i].ID] = i
	}
	return true
}

// MarshalJSON writes the file with the members it was read with.
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
		diff := map[string]int{"added": f.Added}
		if f.Removed != 0 {
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
	e["scopes"] = o.Scopes
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

func (d *decoder) files(path string, data []byte) []*ChangesetFile {
	items, _ := d.array(path+".files", data)
	out := make([]*ChangesetFile, 0, len(items))
	for i, raw := range items {
		if f := d.file(fmt.Sprintf("%s.files[%d]", path, i), raw); f != nil {
			out = append(out, f)
		}
	}
	return out
}

func (d *decoder) file(path string, data []byte) *ChangesetFile {
	o, ok := d.object(path, data)
	if !ok {
		return nil
	}
	f := &ChangesetFile{ID: d.str(o, path, "id")}
	if edit, ok := d.object(path+".edit", o.take("edit")); ok {
		f.Before = d.side(path+".edit.before", edit.take("before"))
		f.After = d.side(path+".edit.after", edit.take("after"))
		if diff, ok := d.object(path+".edit.diff", edit.take("diff")); ok {
			f.hasDiff = true
			f.Added, _ = d.int(diff, path+".edit.diff", "added")
			f.Removed, _ = d.int(diff, path+".edit.diff", "removed")
		}
	}
	if f.ID == "" {
		f.ID = f.URI()
	}
	if f.ID == "" {
		d.problem("%s: neither an id nor a side", path)
		return nil
	}
	f.Reviewed, f.hasReviewed = d.optBool(o, path, "reviewed")
	f.extra = o.rest()
	return f
}

func (d *decoder) side(path string, data []byte) *FileSide {
	o, ok := d.object(path, data)
	if !ok {
		return nil
	}
	s := &FileSide{URI: d.str(o, path, "uri")}
	raw := o.take("content")
	var uri string
	if json.Unmarshal(raw, &uri) == nil { // 0.6's schema has a bare URI here
		s.Content.URI = uri
	} else if c, ok := d.object(path+".content", raw); ok {
		s.Content.URI = d.str(c, path+".content", "uri")
		s.Content.ContentType = d.str(c, path+".content", "contentType")
		s.Content.Nonce = d.str(c, path+".content", "nonce")
		if n, ok := d.int(c, path+".content", "sizeHint"); ok {
			size := float64(n)
			s.Content.SizeHint = &size
		}
	}
	if s.URI == "" {
		d.problem("%s.uri: missing", path)
		return nil
	}
	return s
}

func (d *decoder) operations(path string, data []byte) []*Operation {
	items, ok := d.array(path+".operations", data)
	if !ok {
		return nil
	}
	out := make([]*Operation, 0, len(items))
	for i, raw := range items {
		p := fmt.Sprintf("%s.operations[%d]", path, i)
		o, ok := d.object(p, raw)
		if !ok {
			continue
		}
		op := &Operation{
			ID: d.str(o, p, "id"), Label: d.str(o, p, "label"), Description: d.str(o, p, "description"),
			Scopes: d.strings(o, p, "scopes"), Icon: d.str(o, p, "icon"), Group: d.str(o, p, "group"),
			Status: d.str(o, p, "status"), Error: d.errorInfo(p, o),
		}
		if raw := o.take("confirmation"); !isNull(raw) {
			t := d.text(p+".confirmation", raw)
			op.Confirmation = &t
		}
		if op.ID == "" {
			d.problem("%s.id: missing", p)
			continue
		}
		op.extra = o.rest()
		out = append(out, op)
	}
	return out
}

func (d *decoder) errorInfo(path string, o object) *ErrorInfo {
	m, ok := d.object(path+".error", o.take("error"))
	if !ok {
		return nil
	}
	return &ErrorInfo{Type: d.str(m, path+".error", "errorType"), Message: d.str(m, path+".error", "message")}
}
