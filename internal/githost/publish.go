package githost

import (
	"bytes"
	"fmt"

	"ahp-lsp/bridge/ahp"
)

// action builds an action of the host's own.
func action(kind string, m map[string]any) ahp.Action {
	m["type"] = kind
	raw, err := ahp.Marshal(m)
	if err != nil {
		// Made of strings, numbers and JSON that has been checked.
		panic("githost: " + kind + ": " + err.Error())
	}
	return ahp.Action{Type: kind, Raw: raw}
}

// publish numbers an action that has been applied to the state, keeps it for
// clients that come back, and sends it to the channel's subscribers; h.mu is
// held, so that order is the same everywhere.
func (h *Host) publish(channel string, a ahp.Action) {
	h.emit(ahp.Envelope{Channel: channel, Action: a})
}

func (h *Host) emit(e ahp.Envelope) *published {
	h.seq++
	e.ServerSeq = h.seq
	p := &published{envelope: e}
	h.replay.add(p)
	for c := range h.peers {
		if c.subscribed[e.Channel] {
			c.send(p.frame(c.shape))
		}
	}
	return p
}

// refuse tells whoever sees the channel, and the client that dispatched it, that
// an action was not taken.
func (h *Host) refuse(by *peer, d ahp.DispatchParams, why string) {
	e := ahp.Envelope{Channel: d.Channel, Action: d.Action, RejectionReason: why, Origin: &ahp.ActionOrigin{ClientID: by.id, ClientSeq: d.ClientSeq}}
	known := h.exists(d.Channel)
	if p := h.emit(e); !known && h.peers[by] {
		// A channel that does not exist has no subscribers, and whoever writes to
		// it should hear that.
		by.send(p.frame(by.shape))
	}
}

// note sends a notification of the root channel.
func (h *Host) note(method string, params func(shape) map[string]any) {
	var written [shapes][]byte
	for c := range h.peers {
		if !c.subscribed[ahp.RootURI] {
			continue
		}
		if written[c.shape] == nil {
			m := params(c.shape)
			m["channel"] = ahp.RootURI
			data, err := ahp.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": m})
			if err != nil {
				h.log.Errorf("%s: %v", method, err)
				return
			}
			written[c.shape] = data
		}
		c.send(frame{data: written[c.shape]})
	}
}

// exists reports whether a channel can be subscribed to; h.mu is held.
func (h *Host) exists(uri string) bool {
	switch uri {
	case ahp.RootURI, h.session, h.chatURI, h.annotationsURI:
		return true
	}
	_, ok := h.parseChangeset(uri)
	return ok
}

// continuous reports whether a channel's state has been kept up without a gap
// since a serverSeq, so that replaying what was missed gives the state of today.
// Changesets that nobody looks at are not kept up.
func (h *Host) continuous(uri string, since int64) bool {
	if _, ok := h.parseChangeset(uri); !ok {
		return true
	}
	c := h.changesets[uri]
	return c != nil && c.born <= since
}

// A writer makes the JSON of something later, without the mutex, from values
// that nobody changes any more.
type writer func() ([]byte, error)

// snapshot captures a channel's state as it is now; h.mu is held.
func (h *Host) snapshot(uri string, s shape) (writer, *ahp.Error) {
	var state writer
	switch uri {
	case ahp.RootURI:
		state = later(h.rootState())
	case h.session:
		state = later(h.sessionState(s))
	case h.chatURI:
		state = later(h.chatState())
	case h.annotationsURI:
		items := make([]*ahp.Annotation, 0, h.annotations.Len())
		for a := range h.annotations.All() {
			items = append(items, a)
		}
		state = func() ([]byte, error) { return writeAnnotations(items, s) }
	default:
		c, err := h.changeset(uri)
		if err != nil {
			return nil, err
		}
		state = later(c.state())
	}
	seq := h.seq
	return func() ([]byte, error) {
		// Put together by hand: a snapshot of many megabytes is not looked at
		// again for every level that it lies in.
		out, err := ahp.Marshal(uri)
		if err != nil {
			return nil, err
		}
		data, err := state()
		if err != nil {
			return nil, fmt.Errorf("the state of %s: %w", uri, err)
		}
		out = append([]byte(`{"resource":`), out...)
		out = append(append(out, `,"state":`...), data...)
		return fmt.Appendf(out, `,"fromSeq":%d}`, seq), nil
	}, nil
}

func writeAnnotations(items []*ahp.Annotation, s shape) ([]byte, error) {
	out := []byte(`{"annotations":[`)
	for i, a := range items {
		if i > 0 {
			out = append(out, ',')
		}
		data, err := s.annotation(a).MarshalJSON()
		if err != nil {
			return nil, err
		}
		out = append(out, data...)
	}
	return append(out, "]}"...), nil
}

// later writes a value that nobody changes any more.
func later(v any) writer { return func() ([]byte, error) { return ahp.Marshal(v) } }

// writeAll writes a list of snapshots.
func writeAll(snapshots []writer) ([]byte, error) {
	out := []byte{'['}
	for i, write := range snapshots {
		if i > 0 {
			out = append(out, ',')
		}
		data, err := write()
		if err != nil {
			return nil, err
		}
		out = append(out, data...)
	}
	return append(out, ']'), nil
}

// withLast writes an object whose last member is written on its own.
func withLast(first map[string]any, key string, last writer) writer {
	return func() ([]byte, error) {
		out := []byte{'{'}
		if len(first) > 0 {
			head, err := ahp.Marshal(first)
			if err != nil {
				return nil, err
			}
			out = append(bytes.TrimSuffix(head, []byte("}")), ',')
		}
		data, err := last()
		if err != nil {
			return nil, err
		}
		out = append(out, `"`+key+`":`...)
		return append(append(out, data...), '}'), nil
	}
}
