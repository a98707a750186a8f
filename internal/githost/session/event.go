package session

import (
	"ahp-lsp/bridge/ahp"
)

// Event is something to send to clients: an action on a channel, or a notification.
type Event struct {
	Envelope ahp.Envelope // without a serverSeq

	// Method, if not empty, is a notification's on the root channel, and Params
	// its params without the channel.
	Method string
	Params map[string]any
}

// outbox holds the events that have not been taken yet, in order.
type outbox struct{ events []Event }

func (o *outbox) take() []Event {
	events := o.events
	o.events = nil
	return events
}

// publish sends an action of the host's own that has been applied to the state.
// Its members are m and the type.
func (o *outbox) publish(channel, kind string, m map[string]any) {
	m["type"] = kind
	raw, err := ahp.Marshal(m)
	if err != nil {
		// Made of strings, numbers and JSON that has been checked.
		panic("session: " + kind + ": " + err.Error())
	}
	o.echo(ahp.Envelope{Channel: channel, Action: ahp.Action{Type: kind, Raw: raw}})
}

// echo sends an action that has been applied to the state.
func (o *outbox) echo(e ahp.Envelope) { o.events = append(o.events, Event{Envelope: e}) }

// notify sends a notification on the root channel.
func (o *outbox) notify(method string, params map[string]any) {
	o.events = append(o.events, Event{Method: method, Params: params})
}
