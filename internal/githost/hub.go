package githost

import (
	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/session"
)

// hub numbers what happens and sends it to those who are subscribed. The Host's
// mutex guards it, so that the order is the same everywhere.
type hub struct {
	log     commonlog.Logger
	seq     int64 // serverSeq of the newest action
	peers   map[*peer]bool
	clients clientTable
	replay  replayLog
}

func newHub(log commonlog.Logger) hub { return hub{log: log, peers: map[*peer]bool{}} }

// send sends an event of the state.
func (u *hub) send(e session.Event) {
	if e.Method != "" {
		u.notify(e.Method, e.Params)
		return
	}
	u.emit(e.Envelope)
}

// emit numbers an action that has been applied to the state, keeps it for clients
// that come back, and sends it to the channel's subscribers.
func (u *hub) emit(e ahp.Envelope) *published {
	u.seq++
	e.ServerSeq = u.seq
	p := &published{envelope: e}
	u.replay.add(p)
	for c := range u.peers {
		for _, spelling := range c.subscribed[e.Channel] {
			c.send(p.frame(c.shape, spelling))
		}
	}
	return p
}

// notify sends a notification of the root channel.
func (u *hub) notify(method string, params map[string]any) {
	var data []byte
	for c := range u.peers {
		if len(c.subscribed[ahp.RootURI]) == 0 {
			continue
		}
		if data == nil {
			params["channel"] = ahp.RootURI
			var err error
			if data, err = ahp.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params}); err != nil {
				u.log.Errorf("%s: %v", method, err)
				return
			}
		}
		c.send(frame{data: data})
	}
}

// subscribed reports whether anybody is subscribed to a channel.
func (u *hub) subscribed(uri string) bool {
	for p := range u.peers {
		if len(p.subscribed[uri]) > 0 {
			return true
		}
	}
	return false
}

// inside are the connections from this process.
func (u *hub) inside() (list []*peer) {
	for p := range u.peers {
		if p.inside {
			list = append(list, p)
		}
	}
	return list
}

// refuse answers a dispatched action that is not taken: to the subscribers of the
// channel, and to the client. h.mu is held.
func (h *Host) refuse(by *peer, e ahp.Envelope, why string) {
	h.flush()
	e.RejectionReason = why
	known := h.state.Exists(e.Channel)
	if p := h.hub.emit(e); !known && h.hub.peers[by] {
		// A channel that does not exist has no subscribers, but its writer should
		// hear that.
		by.send(p.frame(by.shape, e.Channel))
	}
}
