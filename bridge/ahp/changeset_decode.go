package ahp

// DecodeChangeset reads a snapshot's state; never nil, faults in the error.
func DecodeChangeset(data []byte) (*Changeset, error) {
	c := &Changeset{}
	if isNull(data) {
		return c, nil
	}
	d := newDecoder("changeset state", data)
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			switch string(key) {
			case "status":
				c.Status = d.str()
			case "error":
				c.Error = d.errorInfo()
			case "files":
				files, _ := d.files()
				c.files = newFileList(files)
			case "operations":
				c.Operations, _ = d.operations()
			default:
				d.other(&c.extra, key)
			}
		}
	}
	ok, err := d.finish()
	if !ok {
		return &Changeset{}, err
	}
	return c, err
}

// files reads a list of files; ok is false if there is no list.
func (d *decoder) files() (files []*ChangesetFile, ok bool) {
	if !d.array() {
		return nil, false
	}
	files = []*ChangesetFile{}
	for d.elem() {
		if f := d.file(); f != nil {
			files = append(files, f)
		}
	}
	return files, true
}

// file reads one file, nil if it is not one: nothing says which file it is.
func (d *decoder) file() *ChangesetFile {
	if !d.object() {
		return nil
	}
	f := &ChangesetFile{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			f.ID = d.str()
			d.named(f.ID)
		case "edit":
			d.edit(f)
		case "reviewed":
			f.Reviewed, f.hasReviewed = d.optBool()
		default:
			d.other(&f.extra, key)
		}
	}
	f.complete()
	if f.ID == "" {
		d.note("", "neither an id nor a side with a URI")
		return nil
	}
	return f
}

// complete fills in what follows from the rest of the file. A side without a
// URI is still a side: without it a change would look like a deletion.
func (f *ChangesetFile) complete() {
	for _, s := range []struct{ side, other *FileSide }{{f.After, f.Before}, {f.Before, f.After}} {
		if s.side != nil && s.side.URI == "" && s.other != nil {
			s.side.URI = s.other.URI
		}
	}
	if f.ID == "" && (f.Before != nil || f.After != nil) {
		f.ID = f.URI()
	}
	for _, s := range []*FileSide{f.Before, f.After} {
		if s != nil && s.URI == "" {
			s.URI = f.ID
		}
	}
}

func (d *decoder) edit(f *ChangesetFile) {
	f.Before, f.After, f.hasDiff = nil, nil, false
	if !d.object() {
		return
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "before":
			f.Before = d.side()
		case "after":
			f.After = d.side()
		case "diff":
			d.diff(f)
		default:
			d.skip()
		}
	}
}

func (d *decoder) diff(f *ChangesetFile) {
	f.Added, f.hasAdded, f.Removed, f.hasRemoved = 0, false, 0, false
	if f.hasDiff = d.object(); !f.hasDiff {
		return
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "added":
			f.Added, f.hasAdded = d.optInt()
		case "removed":
			f.Removed, f.hasRemoved = d.optInt()
		default:
			d.skip()
		}
	}
}

func (d *decoder) side() *FileSide {
	if !d.object() {
		return nil
	}
	s := &FileSide{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "uri":
			s.URI = d.str()
		case "content":
			s.Content = d.contentRef()
		default:
			d.skip()
		}
	}
	if s.URI == "" {
		d.missing("uri")
	}
	return s
}

// contentRef reads a reference, or the bare URI that 0.6's schema has.
func (d *decoder) contentRef() (c ContentRef) {
	if d.peek() == '"' {
		c.URI = d.str()
		return c
	}
	if !d.object() {
		return c
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "uri":
			c.URI = d.str()
		case "contentType":
			c.ContentType = d.common()
		case "nonce":
			c.Nonce = d.str()
		case "sizeHint":
			c.SizeHint = nil
			if n, ok := d.optFloat(); ok {
				c.SizeHint = &n
			}
		default:
			d.skip()
		}
	}
	return c
}

// UnmarshalJSON reads a reference, or the bare URI that 0.6's schema has.
func (c *ContentRef) UnmarshalJSON(data []byte) error {
	*c = newDecoder("content", data).contentRef()
	return nil
}

// operations reads a list of operations; ok is false if there is no list.
func (d *decoder) operations() (ops []*Operation, ok bool) {
	if !d.array() {
		return nil, false
	}
	ops = []*Operation{}
	seen := map[string]bool{}
	for d.elem() {
		op := d.operation()
		switch {
		case op == nil:
		case seen[op.ID]:
			d.problem("the id is taken, left out")
		default:
			seen[op.ID] = true
			ops = append(ops, op)
		}
	}
	return ops, true
}

func (d *decoder) operation() *Operation {
	if !d.object() {
		return nil
	}
	op := &Operation{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			op.ID = d.str()
			d.named(op.ID)
		case "label":
			op.Label = d.str()
		case "description":
			op.Description = d.str()
		case "scopes":
			op.Scopes = d.strings()
		case "confirmation":
			op.Confirmation = d.optText()
		case "icon":
			op.Icon = d.str()
		case "group":
			op.Group = d.str()
		case "status":
			op.Status = d.str()
		case "error":
			op.Error = d.errorInfo()
		default:
			d.other(&op.extra, key)
		}
	}
	if op.ID == "" {
		d.missing("id")
		return nil
	}
	return op
}

// optText reads a text that may be absent. Whatever else stands there, it is
// not: an operation with an unreadable confirmation still has one.
func (d *decoder) optText() *Text {
	if d.peek() == 'n' {
		d.skip()
		return nil
	}
	t, _ := d.text()
	return &t
}

func (d *decoder) errorInfo() *ErrorInfo {
	if !d.object() {
		return nil
	}
	e := &ErrorInfo{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "errorType":
			e.Type = d.str()
		case "message":
			e.Message = d.str()
		default:
			d.skip()
		}
	}
	return e
}
