package githost

import (
	"bytes"
	"fmt"

	"ahp-lsp/bridge/ahp"
)

// A writer makes the JSON of something later, without the mutex, from values
// that nobody changes any more.
type writer func() ([]byte, error)

// snapshot captures a channel's state as it is now, under the client's spelling of
// its URI; h.mu is held.
func (h *Host) snapshot(uri, spelling string, s shape) (writer, *ahp.Error) {
	h.flush()
	var state writer
	switch uri {
	case ahp.RootURI:
		state = later(h.state.RootChannel())
	case h.names.Session:
		state = later(s.session(h.state.SessionChannel()))
	case h.names.Chat:
		state = later(h.state.ChatChannel())
	case h.names.Annotations:
		items := h.state.Kept().Annotations()
		state = func() ([]byte, error) { return writeAnnotations(items, s) }
	default:
		changeset, fresh, err := h.state.Open(uri, h.hub.seq)
		if err != nil {
			return nil, err
		}
		if fresh {
			h.work.wake()
		}
		state = later(changeset)
	}
	seq := h.hub.seq
	return func() ([]byte, error) {
		// Put together by hand: a snapshot of many megabytes is not looked at
		// again for every level that it lies in.
		out, err := ahp.Marshal(spelling)
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
