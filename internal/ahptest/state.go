package ahptest

import (
	"bytes"
	"encoding/json"
	"strings"

	"ahp-lsp/bridge/ahp"
)

// state is what a channel holds: it is written as a snapshot has it.
type state interface{ apply(ahp.Action) }

type (
	rootState        struct{}
	sessionState     struct{ *ahp.Session }
	chatState        struct{ *ahp.Chat }
	annotationsState struct{ *ahp.Annotations }
	changesetState   struct{ *ahp.Changeset }
)

func (rootState) apply(ahp.Action)            {}
func (s sessionState) apply(a ahp.Action)     { _, _ = s.Apply(a) }
func (s chatState) apply(a ahp.Action)        { _, _ = s.Apply(a) }
func (s annotationsState) apply(a ahp.Action) { _, _ = s.Apply(a) }
func (s *changesetState) apply(a ahp.Action)  { _, _, _ = s.Apply(a) }

func (rootState) MarshalJSON() ([]byte, error) {
	return []byte(`{"agents":[{"provider":"test","displayName":"Test"}]}`), nil
}

// channel finds a channel's state, nil if there is none. A changeset of a
// session that a test has not set is ready and empty, as on the reference host;
// h.mu is held.
func (h *Host) channel(uri string) state {
	if s := h.store.channels[uri]; s != nil {
		return s
	}
	session, _, ok := strings.Cut(uri, "/changeset/")
	if !ok || h.store.sessions[session] == nil {
		return nil
	}
	return h.setChangeset(uri, []byte(`{"status":"ready","files":[]}`))
}

func (h *Host) setChangeset(uri string, data []byte) state {
	cs, err := ahp.DecodeChangeset(data)
	if err != nil {
		panic("ahptest: " + uri + ": " + err.Error())
	}
	s := &changesetState{cs}
	h.put(uri, s)
	return s
}

func (h *Host) snapshot(uri string, s state) ahp.Snapshot {
	if h.store.encoded[uri] == nil {
		h.store.encoded[uri] = encode(s)
	}
	return ahp.Snapshot{Resource: uri, State: h.store.encoded[uri], FromSeq: h.seq}
}

// Prepare encodes a channel's snapshot now rather than for the first client: a
// benchmark of that client should not wait for it.
func (h *Host) Prepare(uri string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.store.channels[uri]; s != nil {
		h.snapshot(uri, s)
	}
}

// put gives a channel its state.
func (h *Host) put(uri string, s state) {
	h.store.channels[uri] = s
	delete(h.store.encoded, uri)
}

// SetAnnotations gives a session its annotations. Like the other Set methods
// it is what a client finds when it subscribes; no action is sent. See Do.
func (h *Host) SetAnnotations(session string, list ...*ahp.Annotation) {
	state := ahp.NewAnnotations()
	for _, a := range list {
		state.Set(a)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.put(session+"/annotations", annotationsState{state})
}

// Annotation is what the Host holds under an id, nil if nothing.
func (h *Host) Annotation(session, id string) *ahp.Annotation {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.store.channels[session+"/annotations"].(annotationsState); ok {
		return s.Get(id)
	}
	return nil
}

// SetChangeset gives a changeset channel its state, as a snapshot has it. It
// panics on JSON that is no changeset.
func (h *Host) SetChangeset(uri, state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.setChangeset(uri, []byte(state))
}

// Changeset is what the Host holds of a changeset, nil if nothing.
func (h *Host) Changeset(uri string) *ahp.Changeset {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.store.channels[uri].(*changesetState); ok {
		return s.Clone()
	}
	return nil
}

// SetContent gives a resource its text, or with bytes that are no UTF-8 its
// content in base64. file: URIs that are not set are read from the disk.
func (h *Host) SetContent(uri, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.store.contents[uri] = resource([]byte(text))
}

// refusal is why the Host does not take a client's action, "" if it does.
func (h *Host) refusal(channel string, a ahp.Action) string {
	if h.hooks.reject != nil {
		if why := h.hooks.reject(channel, a); why != "" {
			return why
		}
	}
	switch s := h.store.channels[channel].(type) {
	case *changesetState:
	case chatState:
		if a.Type == ahp.TypeChatTurnStarted && s.Active != nil {
			return "A turn is in progress"
		}
		return ""
	default:
		return ""
	}
	session, _, _ := strings.Cut(channel, "/changeset/")
	if s := h.store.sessions[session]; s != nil {
		for _, e := range s.state.Changesets {
			if e.Review && (e.Template == channel || session+"/"+e.Template == channel) && strings.HasPrefix(a.Type, "changeset/filesReview") {
				return ""
			}
		}
	}
	return "Not a branch changeset URI: " + channel
}

// toAction takes an action in any form.
func toAction(v any) ahp.Action {
	var a ahp.Action
	var raw []byte
	switch v := v.(type) {
	case ahp.Action:
		return v
	case string:
		raw = []byte(v)
	case []byte:
		raw = v
	default:
		raw = encode(v)
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		panic("ahptest: action: " + err.Error())
	}
	return a
}

// encode writes JSON; what a test gives it can be written, or the test is wrong.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("ahptest: " + err.Error())
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
