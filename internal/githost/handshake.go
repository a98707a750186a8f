package githost

import (
	"encoding/json"
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

// initialize starts a connection in the highest version of the client's list that
// this host speaks too (see chooseVersion); without one, the connection ends after
// the answer. Unknown initial subscriptions are left out.
func (p *peer) initialize(params json.RawMessage) (any, *ahp.Error) {
	h := p.h
	var q ahp.InitializeParams
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, wire.Errorf(ahp.CodeInvalidParams, "initialize: %v", err)
	}
	if q.ClientID == "" {
		return nil, wire.Errorf(ahp.CodeInvalidParams, "params.clientId is missing")
	}
	version, ok := chooseVersion(q.ProtocolVersions)
	if !ok {
		ours := ahp.Versions()
		e := wire.Errorf(ahp.CodeVersion, "Client offered protocol versions [%s]; this host speaks none of them (%s).",
			strings.Join(q.ProtocolVersions, ", "), strings.Join(ours, ", "))
		e.Data, _ = ahp.Marshal(map[string]any{"supportedVersions": ours})
		return nil, e
	}
	p.id, p.version, p.shape, p.ready = q.ClientID, version, shapeOf(version), true
	h.hub.clients.add(q.ClientID, version)
	var snapshots []writer
	for _, spelling := range q.InitialSubscriptions {
		uri := h.names.Resolve(spelling)
		if snapshot, err := h.snapshot(uri, spelling, p.shape); err == nil && p.subscribed.add(uri, spelling) {
			snapshots = append(snapshots, snapshot)
		}
	}
	result := map[string]any{
		"protocolVersion": version, "serverSeq": h.hub.seq,
		"defaultDirectory": h.names.Root,
		"serverInfo":       h.opts.Info,
	}
	return withLast(result, "snapshots", func() ([]byte, error) { return writeAll(snapshots) }), nil
}

// reconnectParams has both generations of subscriptions: URIs, for which one
// answer is given for all, and objects with a channel, for which each channel
// has its own.
type reconnectParams struct {
	ClientID          string            `json:"clientId"`
	LastSeenServerSeq int64             `json:"lastSeenServerSeq"`
	Subscriptions     []json.RawMessage `json:"subscriptions"`
}

type resumed struct {
	spelling string // the client's
	uri      string
	lastSeen int64
}

// reconnect resumes a connection of a client that this host remembers.
func (p *peer) reconnect(params json.RawMessage) (any, *ahp.Error) {
	h := p.h
	var q reconnectParams
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, wire.Errorf(ahp.CodeInvalidParams, "reconnect: %v", err)
	}
	version, known := h.hub.clients.version(q.ClientID)
	if !known {
		return nil, wire.Errorf(ahp.CodeNotFound, "Reconnect client not found: %s", q.ClientID)
	}
	p.id, p.version, p.shape, p.ready = q.ClientID, version, shapeOf(version), true
	// What is left of the old connection is dead: nobody reads there.
	for other := range h.hub.peers {
		if other != p && other.id == p.id {
			other.cut()
		}
	}
	wanted, perChannel := q.wanted()
	missing, found := []string{}, []resumed{}
	for _, w := range wanted {
		w.uri = h.names.Resolve(w.spelling)
		switch {
		case slices.Contains(missing, w.spelling):
		case !h.state.Exists(w.uri):
			missing = append(missing, w.spelling)
		case p.subscribed.add(w.uri, w.spelling):
			found = append(found, w)
		}
	}
	if perChannel {
		return p.resumeEach(found, missing), nil
	}
	if !h.hub.replay.reaches(q.LastSeenServerSeq, h.hub.seq) || !h.allContinuous(found) {
		return p.resumeAfresh(found), nil
	}
	return map[string]any{"type": "replay", "actions": p.missed(q.LastSeenServerSeq, p.subscribed), "missing": missing}, nil
}

func (h *Host) allContinuous(channels []resumed) bool {
	return !slices.ContainsFunc(channels, func(w resumed) bool { return !h.state.Continuous(w.uri, w.lastSeen) })
}

// missed are the envelopes behind a serverSeq on channels.
func (p *peer) missed(lastSeen int64, channels subscriptions) []json.RawMessage {
	out := []json.RawMessage{}
	for _, e := range p.h.hub.replay.since(lastSeen, channels) {
		for _, spelling := range channels[e.envelope.Channel] {
			out = append(out, e.params(p.shape, spelling))
		}
	}
	return out
}

// wanted reads the subscriptions; perChannel reports whether they are objects.
func (q reconnectParams) wanted() (out []resumed, perChannel bool) {
	for _, raw := range q.Subscriptions {
		w := resumed{lastSeen: q.LastSeenServerSeq}
		if json.Unmarshal(raw, &w.spelling) != nil {
			var o struct {
				Channel           string `json:"channel"`
				LastSeenServerSeq *int64 `json:"lastSeenServerSeq"`
			}
			if json.Unmarshal(raw, &o) != nil {
				continue
			}
			perChannel = true
			w.spelling = o.Channel
			if o.LastSeenServerSeq != nil {
				w.lastSeen = *o.LastSeenServerSeq
			}
		}
		if w.spelling != "" {
			out = append(out, w)
		}
	}
	return out, perChannel
}

// resumeAfresh answers with a snapshot of each channel. Those that are missing
// are absent, as the specification has it.
func (p *peer) resumeAfresh(channels []resumed) any {
	var snapshots []writer
	for _, w := range channels {
		if snapshot, err := p.h.snapshot(w.uri, w.spelling, p.shape); err == nil {
			snapshots = append(snapshots, snapshot)
		} else {
			p.subscribed.remove(w.uri, w.spelling)
		}
	}
	return withLast(map[string]any{"type": "snapshot"}, "snapshots", func() ([]byte, error) { return writeAll(snapshots) })
}

// resumeEach answers for each channel on its own.
func (p *peer) resumeEach(channels []resumed, missing []string) any {
	h := p.h
	var out []writer
	for _, spelling := range missing {
		out = append(out, later(map[string]any{"channel": spelling, "type": "missing"}))
	}
	for _, w := range channels {
		if h.state.Continuous(w.uri, w.lastSeen) && h.hub.replay.reaches(w.lastSeen, h.hub.seq) {
			out = append(out, later(map[string]any{"channel": w.spelling, "type": "replay", "actions": p.missed(w.lastSeen, subscriptions{w.uri: {w.spelling}})}))
			continue
		}
		snapshot, err := h.snapshot(w.uri, w.spelling, p.shape)
		if err != nil {
			p.subscribed.remove(w.uri, w.spelling)
			out = append(out, later(map[string]any{"channel": w.spelling, "type": "missing"}))
			continue
		}
		out = append(out, withLast(map[string]any{"channel": w.spelling, "type": "snapshot"}, "snapshot", snapshot))
	}
	return withLast(nil, "channels", func() ([]byte, error) { return writeAll(out) })
}

// maxClients is how many clients are remembered for reconnect.
const maxClients = 1024

// clientTable remembers which version a client negotiated, the newest
// maxClients of them.
type clientTable struct {
	versions map[string]string
	order    []string
}

func (t *clientTable) add(id, version string) {
	if t.versions == nil {
		t.versions = map[string]string{}
	}
	if _, known := t.versions[id]; !known {
		if t.order = append(t.order, id); len(t.order) > maxClients {
			delete(t.versions, t.order[0])
			t.order = t.order[1:]
		}
	}
	t.versions[id] = version
}

func (t *clientTable) version(id string) (string, bool) {
	v, ok := t.versions[id]
	return v, ok
}
