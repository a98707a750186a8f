package githost

import (
	"encoding/json"

	"ahp-lsp/bridge/ahp"
)

// Bounds of the replay log.
const (
	replayActions = 4096
	replayBytes   = 16 << 20
)

// published is an action that has been sent, kept for clients that come back.
// It is written once for every shape that somebody wants.
type published struct {
	envelope ahp.Envelope // in the newest shape
	written  [shapes]json.RawMessage
}

// params is the envelope as a version has it, with the channel as a client spells
// it; h.mu is held.
func (e *published) params(s shape, spelling string) json.RawMessage {
	if spelling != e.envelope.Channel {
		return e.write(s, spelling)
	}
	if e.written[s] == nil {
		e.written[s] = e.write(s, spelling)
	}
	return e.written[s]
}

func (e *published) write(s shape, channel string) json.RawMessage {
	shaped := e.envelope
	shaped.Channel, shaped.Action = channel, s.action(e.envelope.Action)
	raw, err := ahp.Marshal(shaped)
	if err != nil {
		raw, _ = ahp.Marshal(map[string]any{"channel": channel, "serverSeq": e.envelope.ServerSeq, "action": map[string]string{"type": e.envelope.Action.Type}})
	}
	return raw
}

// frame is the notification as a version has it, with the channel as a client
// spells it; h.mu is held.
func (e *published) frame(s shape, spelling string) frame {
	params := e.params(s, spelling)
	data := make([]byte, 0, len(params)+48)
	data = append(data, `{"jsonrpc":"2.0","method":"action","params":`...)
	data = append(data, params...)
	return frame{data: append(data, '}')}
}

// replayLog holds the newest actions, a bounded number of bounded size; the
// Host's mutex guards it.
type replayLog struct {
	actions []*published
	bytes   int
	// floor is the highest serverSeq that is not in the log any more.
	floor int64
}

func (l *replayLog) add(e *published) {
	l.actions = append(l.actions, e)
	l.bytes += len(e.envelope.Action.Raw)
	drop := 0
	for l.bytes > replayBytes || len(l.actions)-drop > replayActions {
		l.bytes -= len(l.actions[drop].envelope.Action.Raw)
		l.floor = l.actions[drop].envelope.ServerSeq
		drop++
	}
	if drop > 0 {
		clear(l.actions[:drop])
		l.actions = l.actions[drop:]
	}
}

// reaches reports whether everything behind lastSeen is in the log. A number
// that this host has not given out yet is none that it can resume from.
func (l *replayLog) reaches(lastSeen, newest int64) bool {
	return lastSeen >= l.floor && lastSeen <= newest
}

// since yields the actions behind lastSeen on the channels.
func (l *replayLog) since(lastSeen int64, channels subscriptions) (out []*published) {
	for _, e := range l.actions {
		if e.envelope.ServerSeq > lastSeen && len(channels[e.envelope.Channel]) > 0 {
			out = append(out, e)
		}
	}
	return out
}
