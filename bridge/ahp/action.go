package ahp

import "encoding/json"

// Types of the actions this package reduces. Others are ignored.
const (
	TypeAnnotationsSet          = "annotations/set"
	TypeAnnotationsUpdated      = "annotations/updated"
	TypeAnnotationsRemoved      = "annotations/removed"
	TypeAnnotationsEntrySet     = "annotations/entrySet"
	TypeAnnotationsEntryRemoved = "annotations/entryRemoved"

	TypeChangesetStatusChanged          = "changeset/statusChanged"
	TypeChangesetFileSet                = "changeset/fileSet"
	TypeChangesetFileRemoved            = "changeset/fileRemoved"
	TypeChangesetFilesReviewChanged     = "changeset/filesReviewChanged"
	TypeChangesetFilesReviewedChanged   = "changeset/filesReviewedChanged" // before 0.6
	TypeChangesetContentChanged         = "changeset/contentChanged"
	TypeChangesetOperationsChanged      = "changeset/operationsChanged"
	TypeChangesetOperationStatusChanged = "changeset/operationStatusChanged"
	TypeChangesetCleared                = "changeset/cleared"
	TypeChangesetDisposed               = "changeset/disposed" // older documents

	TypeSessionReady                    = "session/ready"
	TypeSessionCreationFailed           = "session/creationFailed"
	TypeSessionTitleChanged             = "session/titleChanged"
	TypeSessionChatAdded                = "session/chatAdded"
	TypeSessionChatRemoved              = "session/chatRemoved"
	TypeSessionChatUpdated              = "session/chatUpdated"
	TypeSessionDefaultChatChanged       = "session/defaultChatChanged"
	TypeSessionChangesetsChanged        = "session/changesetsChanged"
	TypeSessionWorkingDirectorySet      = "session/workingDirectorySet"
	TypeSessionWorkingDirectoryRemoved  = "session/workingDirectoryRemoved"
	TypeSessionWorkingDirectoryReplaced = "session/workingDirectoryReplaced"
	TypeSessionMetaChanged              = "session/metaChanged"
	TypeSessionIsReadChanged            = "session/isReadChanged"
	TypeSessionIsArchivedChanged        = "session/isArchivedChanged"
	TypeSessionInputNeededSet           = "session/inputNeededSet"
	TypeSessionInputNeededRemoved       = "session/inputNeededRemoved"

	TypeChatTurnStarted       = "chat/turnStarted"
	TypeChatTurnComplete      = "chat/turnComplete"
	TypeChatTurnCancelled     = "chat/turnCancelled"
	TypeChatError             = "chat/error"
	TypeChatTurnsLoaded       = "chat/turnsLoaded"
	TypeChatTruncated         = "chat/truncated"
	TypeChatChangesetsChanged = "chat/changesetsChanged"
	TypeChatUsage             = "chat/usage"

	TypeChatResponsePart = "chat/responsePart"
	TypeChatDelta        = "chat/delta"
	TypeChatReasoning    = "chat/reasoning"

	TypeChatToolCallStart           = "chat/toolCallStart"
	TypeChatToolCallDelta           = "chat/toolCallDelta"
	TypeChatToolCallReady           = "chat/toolCallReady"
	TypeChatToolCallConfirmed       = "chat/toolCallConfirmed"
	TypeChatToolCallComplete        = "chat/toolCallComplete"
	TypeChatToolCallResultConfirmed = "chat/toolCallResultConfirmed"
	TypeChatToolCallContentChanged  = "chat/toolCallContentChanged"
	TypeChatToolCallAuthRequired    = "chat/toolCallAuthRequired"
	TypeChatToolCallAuthResolved    = "chat/toolCallAuthResolved"

	TypeChatInputRequested     = "chat/inputRequested"
	TypeChatInputAnswerChanged = "chat/inputAnswerChanged"
	TypeChatInputCompleted     = "chat/inputCompleted"

	TypeChatPendingMessageSet       = "chat/pendingMessageSet"
	TypeChatPendingMessageRemoved   = "chat/pendingMessageRemoved"
	TypeChatQueuedMessagesReordered = "chat/queuedMessagesReordered"
)

// Action is one mutation of a channel: its type and the whole object.
type Action struct {
	Type string
	Raw  json.RawMessage
}

// UnmarshalJSON reads an action; one without a type is kept and ignored later.
func (a *Action) UnmarshalJSON(data []byte) error {
	*a = newDecoder("action", data).action()
	return nil
}

// action reads an action, in memory of its own.
func (d *decoder) action() (a Action) {
	d.peek()
	from := d.i
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			if string(key) == "type" {
				a.Type = d.common()
			} else {
				d.skip()
			}
		}
	}
	if !d.broken {
		a.Raw = clone(d.data[from:d.i])
	}
	return a
}

// MarshalJSON writes the action as it is.
func (a Action) MarshalJSON() ([]byte, error) {
	if len(a.Raw) == 0 {
		return []byte("null"), nil
	}
	return a.Raw, nil
}

func newAction(kind string, members map[string]any) (Action, error) {
	members["type"] = kind
	raw, err := Marshal(members)
	if err != nil {
		return Action{}, err
	}
	return Action{Type: kind, Raw: raw}, nil
}

// SetAnnotation is annotations/set: creates or replaces the whole annotation.
func SetAnnotation(a *Annotation) (Action, error) {
	return newAction(TypeAnnotationsSet, map[string]any{"annotation": a})
}

// ResolveAnnotation is annotations/updated with nothing but the resolved flag.
func ResolveAnnotation(id string, resolved bool) (Action, error) {
	return newAction(TypeAnnotationsUpdated, map[string]any{"annotationId": id, "resolved": resolved})
}

// MoveAnnotation is annotations/updated with nothing but a new range.
func MoveAnnotation(id string, r Range) (Action, error) {
	return newAction(TypeAnnotationsUpdated, map[string]any{"annotationId": id, "range": r})
}

// MoveAnnotationTo is annotations/updated with nothing but a range in another resource.
func MoveAnnotationTo(id, resource string, r Range) (Action, error) {
	return newAction(TypeAnnotationsUpdated, map[string]any{"annotationId": id, "resource": resource, "range": r})
}

// RemoveAnnotation is annotations/removed.
func RemoveAnnotation(id string) (Action, error) {
	return newAction(TypeAnnotationsRemoved, map[string]any{"annotationId": id})
}

// SetEntry is annotations/entrySet: appends or replaces one entry.
func SetEntry(annotation string, e Entry) (Action, error) {
	return newAction(TypeAnnotationsEntrySet, map[string]any{"annotationId": annotation, "entry": e})
}

// ReviewFiles is changeset/filesReviewChanged, in the shape of the version:
// before 0.6 it had another name and another member.
func ReviewFiles(version string, files []string, reviewed bool) (Action, error) {
	if files == nil {
		files = []string{}
	}
	if CompareVersions(version, "0.6.0") < 0 {
		return newAction(TypeChangesetFilesReviewedChanged, map[string]any{"fileIds": files, "reviewed": reviewed})
	}
	return newAction(TypeChangesetFilesReviewChanged, map[string]any{"files": files, "reviewed": reviewed})
}

// Envelope is an action as the host sends it (notification "action").
type Envelope struct {
	Channel         string        `json:"channel"`
	Action          Action        `json:"action"`
	ServerSeq       int64         `json:"serverSeq"`
	Origin          *ActionOrigin `json:"origin,omitempty"`
	RejectionReason string        `json:"rejectionReason,omitempty"`
}

// From reports whether a client sent the action.
func (e Envelope) From(clientID string) bool { return e.Origin != nil && e.Origin.ClientID == clientID }

// ActionOrigin names the client that dispatched an action; the host's own have
// none.
type ActionOrigin struct {
	ClientID  string `json:"clientId"`
	ClientSeq int64  `json:"clientSeq"`
}

// DecodeEnvelope reads an envelope as far as it goes: one with an origin that
// cannot be read is still an action that every other client applies. What was
// wrong is in the error, of type Problems; if it was no JSON object, the
// envelope is empty.
func DecodeEnvelope(data []byte) (Envelope, error) {
	var e Envelope
	d := newDecoder("action envelope", data)
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			switch string(key) {
			case "channel":
				e.Channel = d.str()
			case "action":
				e.Action = d.action()
			case "serverSeq":
				e.ServerSeq = d.seq()
			case "origin":
				e.Origin = d.actionOrigin()
			case "rejectionReason":
				e.RejectionReason = d.rejection()
			default:
				d.skip()
			}
		}
	}
	ok, err := d.finish()
	if !ok {
		return Envelope{}, err
	}
	return e, err
}

// UnmarshalJSON is DecodeEnvelope without the problems: an error here would end
// the reading of a whole list of envelopes. What is no object reads as empty.
func (e *Envelope) UnmarshalJSON(data []byte) error {
	*e, _ = DecodeEnvelope(data)
	return nil
}

func (d *decoder) actionOrigin() *ActionOrigin {
	if !d.object() {
		return nil
	}
	var o ActionOrigin
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "clientId":
			o.ClientID = d.str()
		case "clientSeq":
			o.ClientSeq = d.seq()
		default:
			d.skip()
		}
	}
	return &o
}

// rejection reads why an action was rejected; "" and false mean that it was not,
// as the reference host's own clients take it. Anything else says that it was,
// whatever its type: taking a rejected action for an accepted one would show
// what is not.
func (d *decoder) rejection() string {
	switch d.peek() {
	case 'n', 'f':
		d.skip()
		return ""
	case '"':
		return d.str()
	}
	d.problem("want a string, got %s", kindOf(d.peek()))
	return string(d.keep())
}

// Snapshot is the state of a channel at a sequence number.
type Snapshot struct {
	Resource string          `json:"resource"`
	State    json.RawMessage `json:"state"`
	FromSeq  int64           `json:"fromSeq"`
}
