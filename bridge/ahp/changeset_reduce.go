package ahp

// Apply reduces one action into the state. It returns the files it touched
// (old and new, so that a file which leaves is named too), and whether
// anything else changed. The error, of type Problems, says what could not be
// read; what could be read has been applied.
func (c *Changeset) Apply(a Action) (touched []*ChangesetFile, changed bool, err error) {
	var d decoder
	o, _ := d.object(a.Type, a.Raw)
	switch a.Type {
	case TypeChangesetStatusChanged:
		status := d.str(o, a.Type, "status")
		if status == "" {
			d.problem("%s: status: missing", a.Type)
			break
		}
		c.Status, c.Error, changed = status, nil, true
		if status == ChangesetError {
			c.Error = d.errorInfo(a.Type, o)
		}
	case TypeChangesetFileSet:
		f := d.file(a.Type+": file", o.take("file"))
		if f == nil {
			d.problem("%s: file: missing", a.Type)
			break
		}
		if old := c.File(f.ID); old != nil {
			touched = append(touched, old)
		}
		c.setFile(f)
		touched, changed = append(touched, f), true
	case TypeChangesetFileRemoved:
		id := d.str(o, a.Type, "fileId")
		if old := c.File(id); old != nil {
			c.removeFile(id)
			touched, changed = []*ChangesetFile{old}, true
		}
	case TypeChangesetFilesReviewChanged, TypeChangesetFilesReviewedChanged:
		ids := d.strings(o, a.Type, "files")
		if ids == nil {
			ids = d.strings(o, a.Type, "fileIds")
		}
		reviewed := d.bool(o, a.Type, "reviewed")
		for _, id := range ids {
			old := c.File(id)
			if old == nil {
				continue
			}
			next := *old
			next.Reviewed, next.hasReviewed = reviewed, true
			c.setFile(&next)
			touched, changed = append(touched, &next), true
		}
	case TypeChangesetContentChanged:
		touched = append(touched, c.files...)
		c.setFiles(d.files(a.Type, o.take("files")))
		touched, changed = append(touched, c.files...), true
		// Absent operations mean unchanged, here and only here.
		if raw, ok := o["operations"]; ok {
			c.Operations = d.operations(a.Type, raw)
		}
		if info := d.errorInfo(a.Type, o); info != nil && c.Status == ChangesetError {
			c.Error = info
		}
	case TypeChangesetOperationsChanged:
		c.Operations, changed = d.operations(a.Type, o.take("operations")), true
	case TypeChangesetOperationStatusChanged:
		changed = c.setOperationStatus(d.str(o, a.Type, "operationId"), d.str(o, a.Type, "status"), d.errorInfo(a.Type, o))
	case TypeChangesetCleared, TypeChangesetDisposed:
		touched, changed = c.files, true
		c.setFiles(nil)
	}
	return touched, changed, d.err()
}

func (c *Changeset) setOperationStatus(id, status string, info *ErrorInfo) bool {
	for i, op := range c.Operations {
		if op.ID != id || status == "" {
			continue
		}
		next := *op
		next.Status, next.Error = status, nil
		if status == OperationError {
			next.Error = info
		}
		c.Operations[i] = &next
		return true
	}
	return false
}
