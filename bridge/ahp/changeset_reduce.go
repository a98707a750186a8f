package ahp

import "slices"

// changesetActions are the actions that are mirrored.
var changesetActions = map[string]bool{
	TypeChangesetStatusChanged: true, TypeChangesetFileSet: true, TypeChangesetFileRemoved: true,
	TypeChangesetFilesReviewChanged: true, TypeChangesetFilesReviewedChanged: true,
	TypeChangesetContentChanged: true, TypeChangesetOperationsChanged: true,
	TypeChangesetOperationStatusChanged: true, TypeChangesetCleared: true, TypeChangesetDisposed: true,
}

// Apply reduces one action into the state. It returns the files it touched
// (old and new, so that a file which leaves is named too), and whether
// anything at all changed. The error, of type Problems, says what could not be
// read; what could be read has been applied. Slices that Files, or Operations,
// gave before stay as they were.
func (c *Changeset) Apply(a Action) (touched []*ChangesetFile, changed bool, err error) {
	if !changesetActions[a.Type] {
		return nil, false, nil
	}
	d := newDecoder(a.Type, a.Raw)
	m := d.changesetAction(a.Type)
	if d.broken {
		_, err = d.finish()
		return nil, false, err
	}
	switch a.Type {
	case TypeChangesetStatusChanged:
		if m.status == "" {
			d.missing("status")
			break
		}
		c.Status, c.Error, changed = m.status, nil, true
		if m.status == ChangesetError {
			c.Error = m.err
		}
	case TypeChangesetFileSet:
		if m.file == nil {
			d.missing("file")
			break
		}
		if old := c.File(m.file.ID); old != nil {
			touched = append(touched, old)
		}
		c.files = c.files.with(m.file)
		touched, changed = append(touched, m.file), true
	case TypeChangesetFileRemoved:
		if m.id == "" {
			d.missing("fileId")
		}
		if old := c.File(m.id); old != nil {
			c.files = c.files.without(m.id)
			touched, changed = []*ChangesetFile{old}, true
		}
	case TypeChangesetFilesReviewChanged, TypeChangesetFilesReviewedChanged:
		if !m.hasReviewed {
			d.missing("reviewed") // taken for false it would undo a review
			break
		}
		touched = c.review(m.ids, m.reviewed)
		changed = len(touched) > 0
	case TypeChangesetContentChanged:
		if m.hasFiles {
			touched = append(touched, c.Files()...)
			c.files = newFileList(m.files)
			touched = append(touched, c.Files()...)
		} else {
			d.missing("files") // taken for none it would take every hunk away
		}
		// Absent operations mean unchanged, here and only here; an absent error
		// means none, as everywhere.
		if m.hasOperations {
			c.Operations = m.operations
		}
		c.Error, changed = m.err, true
	case TypeChangesetOperationsChanged:
		if !m.badOperations {
			c.Operations, changed = m.operations, true
		}
	case TypeChangesetOperationStatusChanged:
		if m.id == "" {
			d.missing("operationId")
		}
		if m.status == "" {
			d.missing("status")
			break
		}
		changed = c.setOperationStatus(m.id, m.status, m.err)
	case TypeChangesetCleared, TypeChangesetDisposed:
		touched, changed = c.Files(), c.Len() > 0
		c.files = newFileList(nil)
	}
	_, err = d.finish()
	return touched, changed, err
}

// changesetAction is every member a changeset/* action may have.
type changesetAction struct {
	id     string // of a file or an operation
	status string
	err    *ErrorInfo

	file     *ChangesetFile
	files    []*ChangesetFile
	hasFiles bool

	ids                   []string
	reviewed, hasReviewed bool

	operations                   []*Operation
	hasOperations, badOperations bool
}

func (d *decoder) changesetAction(kind string) (m changesetAction) {
	if !d.object() {
		return m
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "status":
			m.status = d.str()
		case "error":
			m.err = d.errorInfo()
		case "fileId", "operationId":
			m.id = d.str()
		case "file":
			m.file = d.file()
		case "files":
			if kind == TypeChangesetContentChanged {
				m.files, m.hasFiles = d.files()
			} else if ids := d.strings(); ids != nil {
				m.ids = ids
			}
		case "fileIds":
			if ids := d.strings(); ids != nil {
				m.ids = ids
			}
		case "reviewed":
			m.reviewed, m.hasReviewed = d.optBool()
		case "operations":
			null := d.peek() == 'n'
			m.operations, m.hasOperations = d.operations()
			m.badOperations = !null && !m.hasOperations
		default:
			d.skip()
		}
	}
	d.end()
	return m
}

// review sets the flag of the files with the ids and returns them, as they are
// now. Unknown ids are ignored.
func (c *Changeset) review(ids []string, reviewed bool) (touched []*ChangesetFile) {
	for _, id := range ids {
		old := c.File(id)
		if old == nil {
			continue
		}
		next := *old
		next.Reviewed, next.hasReviewed = reviewed, true
		c.files = c.files.with(&next)
		touched = append(touched, &next)
	}
	return touched
}

func (c *Changeset) setOperationStatus(id, status string, info *ErrorInfo) bool {
	for i, op := range c.Operations {
		if op.ID != id {
			continue
		}
		next := *op
		next.Status, next.Error = status, nil
		if status == OperationError {
			next.Error = info
		}
		c.Operations = slices.Clone(c.Operations)
		c.Operations[i] = &next
		return true
	}
	return false
}
