package ahptest

import (
	"encoding/json"

	"ahp-lsp/bridge/ahp"
)

// Recovery is how a Host answers reconnect.
type Recovery int

// Ways to recover.
const (
	Replay     Recovery = iota // replay, or snapshot where the log does not reach
	Snapshots                  // always snapshots
	PerChannel                 // the newer draft: an outcome for each channel
)

// SetRecovery chooses how reconnect is answered.
func (h *Host) SetRecovery(r Recovery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults.recovery = r
}

func (c *client) reconnect(params json.RawMessage) (any, *ahp.Error) {
	h := c.h
	var p ahp.ReconnectParams
	if err := json.Unmarshal(params, &p); err != nil {
		return fail(ahp.CodeInvalidParams, err.Error())
	}
	if !h.known[p.ClientID] {
		return fail(ahp.CodeNotFound, "Reconnect client not found: "+p.ClientID)
	}
	c.id, c.ready = p.ClientID, true
	r := ahp.ReconnectResult{Type: "replay", Actions: []ahp.Envelope{}, Missing: []string{}}
	reaches := p.LastSeenServerSeq >= h.seq || len(h.log) > 0 && p.LastSeenServerSeq >= h.log[0].ServerSeq-1
	if h.faults.recovery == Snapshots || !reaches {
		r = ahp.ReconnectResult{Type: "snapshot", Snapshots: []ahp.Snapshot{}}
	}
	var channels []map[string]any
	for _, uri := range p.Subscriptions {
		s := h.channel(uri)
		if s == nil {
			r.Missing = append(r.Missing, uri)
			channels = append(channels, map[string]any{"channel": uri, "type": "missing"})
			continue
		}
		c.subscribed[uri] = true
		if r.Type == "snapshot" {
			r.Snapshots = append(r.Snapshots, h.snapshot(uri, s))
			channels = append(channels, map[string]any{"channel": uri, "type": "snapshot", "snapshot": h.snapshot(uri, s)})
		} else {
			channels = append(channels, map[string]any{"channel": uri, "type": "replay", "actions": h.missed(p.LastSeenServerSeq, uri)})
		}
	}
	if h.faults.recovery == PerChannel {
		return map[string]any{"channels": channels}, nil
	}
	if r.Type == "replay" {
		r.Actions = h.missed(p.LastSeenServerSeq, p.Subscriptions...)
	} else {
		r.Missing = nil // snapshots say nothing about what is missing
	}
	return r, nil
}

// missed are the actions after seq on the channels.
func (h *Host) missed(seq int64, channels ...string) []ahp.Envelope {
	want := map[string]bool{}
	for _, uri := range channels {
		want[uri] = true
	}
	out := []ahp.Envelope{}
	for _, e := range h.log {
		if e.ServerSeq > seq && want[e.Channel] {
			out = append(out, e)
		}
	}
	return out
}
