package protocol

// The arguments of this server's commands (workspace/executeCommand), as code
// actions and lenses carry them and plugins send them. Names and members are
// stable. Ranges are in the buffer's coordinates; Revision beside one says in
// which of the buffer's texts, and 0 that it is the present one.

// URIArgs names a file.
type URIArgs struct {
	URI string `json:"uri"`
}

// RangeArgs is a part of a file.
type RangeArgs struct {
	URI      string `json:"uri"`
	Range    Range  `json:"range"`
	Revision int    `json:"seen,omitempty"`
}

// RevertArgs is the argument of ahp.hunk.revert.
type RevertArgs struct {
	RangeArgs
	Exact bool `json:"exact,omitempty"` // these lines only, not the whole of each hunk
}

// ThreadArgs identifies a comment. It is also Diagnostic.data.
type ThreadArgs struct {
	Session    string `json:"session"`
	Annotation string `json:"annotation"`
}

// CreateArgs is the argument of ahp.annotation.create. Without a range the comment
// is about the whole file; without a text the user is asked for it.
type CreateArgs struct {
	URI      string      `json:"uri"`
	Range    *Range      `json:"range,omitempty"`
	Text     *string     `json:"text,omitempty"`
	Revision int         `json:"seen,omitempty"`
	Session  string      `json:"session,omitempty"`
	Remove   *RemoveArgs `json:"remove,omitempty"`
}

// RemoveArgs is the text of the buffer that becomes a comment.
type RemoveArgs struct {
	Range Range  `json:"range"`
	Text  string `json:"text"` // what must still stand there
}

// ReplyArgs is the argument of ahp.annotation.reply.
type ReplyArgs struct {
	Session    string  `json:"session"`
	Annotation string  `json:"annotation"`
	Text       *string `json:"text,omitempty"` // nil: ask for it
}

// EditArgs is the argument of ahp.annotation.edit.
type EditArgs struct {
	Session    string  `json:"session"`
	Annotation string  `json:"annotation"`
	Entry      string  `json:"entry"`
	Text       *string `json:"text,omitempty"` // nil: ask for it
}

// ReanchorArgs is the argument of ahp.annotation.reanchor.
type ReanchorArgs struct {
	Session    string `json:"session"`
	Annotation string `json:"annotation"`
	URI        string `json:"uri,omitempty"`   // another file; absent: the one it is in
	Range      *Range `json:"range,omitempty"` // absent: where it is shown
	Revision   int    `json:"seen,omitempty"`
}

// KeepArgs is the argument of ahp.hunk.keep.
type KeepArgs struct {
	RangeArgs
	Keep *bool `json:"keep,omitempty"` // absent: true
}

// FileKeepArgs is the argument of ahp.file.keep.
type FileKeepArgs struct {
	URI  string `json:"uri"`
	Keep *bool  `json:"keep,omitempty"` // absent: true
}

// BeforeArgs is the argument of ahp.before.show.
type BeforeArgs struct {
	URI      string `json:"uri"`
	Range    *Range `json:"range"`
	Revision int    `json:"seen"`
}

// OperationArgs is the argument of ahp.operation.invoke. The target is exactly
// what is to be acted on; without one it is the whole changeset.
type OperationArgs struct {
	Channel   string      `json:"channel"`
	Operation string      `json:"operation"`
	Target    *TargetArgs `json:"target,omitempty"`
}

// TargetArgs is a file, or a part of it.
type TargetArgs struct {
	URI      string `json:"uri"`
	Range    *Range `json:"range,omitempty"`
	Revision int    `json:"seen,omitempty"`
}

// ReviewArgs is the argument of ahp.file.setReviewed.
type ReviewArgs struct {
	Channel  string   `json:"channel"`
	Files    []string `json:"files"` // ids in the changeset
	Reviewed bool     `json:"reviewed"`
}

// SelectArgs is the argument of ahp.session.select.
type SelectArgs struct {
	Session  *string `json:"session"`
	Baseline *string `json:"baseline"`
}
