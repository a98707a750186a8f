package ahp

import "encoding/json"

// Envelope is an action as the host sends it (notification "action").
type Envelope struct {
	Channel         string        `json:"channel"`
	Action          Action        `json:"action"`
	ServerSeq       int64         `json:"serverSeq"`
	Origin          *ActionOrigin `json:"origin,omitempty"`
	RejectionReason string        `json:"rejectionReason,omitempty"`
}

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
