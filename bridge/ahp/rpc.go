package ahp

import "encoding/json"

// InitializeParams opens a connection.
type InitializeParams struct {
	Channel              string          `json:"channel"`
	ProtocolVersions     []string        `json:"protocolVersions"`
	ClientID             string          `json:"clientId"`
	ClientInfo           *Implementation `json:"clientInfo,omitempty"`
	InitialSubscriptions []string        `json:"initialSubscriptions,omitempty"`
	Locale               string          `json:"locale,omitempty"`
}

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// InitializeResult is the host's answer.
type InitializeResult struct {
	ProtocolVersion string          `json:"protocolVersion"`
	ServerSeq       int64           `json:"serverSeq"`
	ServerInfo      *Implementation `json:"serverInfo,omitempty"`
	Snapshots       []Snapshot      `json:"snapshots"`
}

// ChannelParams is the params of subscribe, unsubscribe and ping.
type ChannelParams struct {
	Channel string `json:"channel"`
}

// SubscribeResult carries the snapshot of a channel that has state.
type SubscribeResult struct {
	Snapshot *Snapshot `json:"snapshot,omitempty"`
}

// DecodeSubscribeResult reads the result of subscribe. The state shares data's
// memory, as in DecodeMessage.
func DecodeSubscribeResult(data []byte) (SubscribeResult, error) {
	var r SubscribeResult
	d := newDecoder("subscribe result", data)
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			if string(key) == "snapshot" {
				r.Snapshot = d.snapshot()
			} else {
				d.skip()
			}
		}
	}
	ok, err := d.finish()
	if !ok {
		r.Snapshot = nil
	}
	return r, err
}

func (d *decoder) snapshot() *Snapshot {
	if !d.object() {
		return nil
	}
	s := &Snapshot{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "resource":
			s.Resource = d.str()
		case "state":
			s.State = d.raw()
		case "fromSeq":
			s.FromSeq = d.seq()
		default:
			d.skip()
		}
	}
	return s
}

// DispatchParams is the params of dispatchAction.
type DispatchParams struct {
	Channel   string `json:"channel"`
	ClientSeq int64  `json:"clientSeq"`
	Action    Action `json:"action"`
}

// ListSessionsParams is the params of listSessions.
type ListSessionsParams struct {
	Channel string `json:"channel"`
	Limit   int    `json:"limit,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
}

// ListSessionsResult is one page of summaries.
type ListSessionsResult struct {
	Items      []json.RawMessage `json:"items"`
	NextCursor string            `json:"nextCursor,omitempty"`
}

// ResourceReadParams is the params of resourceRead.
type ResourceReadParams struct {
	Channel  string `json:"channel"`
	URI      string `json:"uri"`
	Encoding string `json:"encoding,omitempty"`
}

// ResourceReadResult is a resource's content.
type ResourceReadResult struct {
	Data        string `json:"data"`
	Encoding    string `json:"encoding"` // utf-8 or base64
	ContentType string `json:"contentType,omitempty"`
}

// InvokeParams is the params of invokeChangesetOperation.
type InvokeParams struct {
	Channel     string           `json:"channel"`
	OperationID string           `json:"operationId"`
	Target      *OperationTarget `json:"target,omitempty"`
}

// OperationTarget is what an operation acts on; nil is the whole changeset.
// The range is in the coordinates of the named side's content.
type OperationTarget struct {
	Kind     string `json:"kind"` // resource or range
	Resource string `json:"resource"`
	Side     string `json:"side,omitempty"` // before or after
	Range    *Range `json:"range,omitempty"`
}

// InvokeResult is the answer of an operation.
type InvokeResult struct {
	Message  *Text `json:"message,omitempty"`
	FollowUp *struct {
		Content  ContentRef `json:"content"`
		External bool       `json:"external,omitempty"`
	} `json:"followUp,omitempty"`
}

// UnmarshalJSON reads a result as far as it goes: the operation has been carried
// out, whatever its answer looks like.
func (r *InvokeResult) UnmarshalJSON(data []byte) error {
	*r = InvokeResult{}
	d := newDecoder("result", data)
	if !d.object() {
		return nil
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "message":
			r.Message = d.optText()
		case "followUp":
			r.FollowUp = nil
			if !d.object() {
				continue
			}
			r.FollowUp = &struct {
				Content  ContentRef `json:"content"`
				External bool       `json:"external,omitempty"`
			}{}
			for key, ok := d.next(); ok; key, ok = d.next() {
				switch string(key) {
				case "content":
					r.FollowUp.Content = d.contentRef()
				case "external":
					r.FollowUp.External = d.bool()
				default:
					d.skip()
				}
			}
		default:
			d.skip()
		}
	}
	return nil
}

// ReconnectParams resumes a lost connection.
type ReconnectParams struct {
	Channel           string   `json:"channel"`
	ClientID          string   `json:"clientId"`
	LastSeenServerSeq int64    `json:"lastSeenServerSeq"`
	Subscriptions     []string `json:"subscriptions"`
}

// ReconnectResult is either what was missed or fresh snapshots.
type ReconnectResult struct {
	Type      string     `json:"type"` // replay or snapshot
	Actions   []Envelope `json:"actions,omitempty"`
	Missing   []string   `json:"missing,omitempty"`
	Snapshots []Snapshot `json:"snapshots,omitempty"`
}
