package githost

import (
	"encoding/json"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/session"
)

// dispatch takes a client's action; h.mu is held. What is kept goes to the
// committer, everything else is refused at once.
func (h *Host) dispatch(p *peer, d ahp.DispatchParams) {
	d.Channel = h.names.Resolve(d.Channel)
	e := ahp.Envelope{
		Channel: d.Channel, Action: received(d.Action),
		Origin: &ahp.ActionOrigin{ClientID: p.id, ClientSeq: d.ClientSeq},
	}
	ref, isChangeset := h.state.Ref(d.Channel)
	c := change{refuse: func(why string) { h.refuse(p, e, why) }}
	switch {
	case d.Channel == h.names.Annotations:
		c.prepare = func(b *session.Batch) session.Change { return b.Annotate(e) }
	case isChangeset && ref.Kind == session.KindBranch:
		c.prepare = func(*session.Batch) (out session.Change) {
			h.with(func(s *session.State) { out = s.Review(e) })
			return out
		}
		c.applied = h.work.wake
	case isChangeset:
		c.refuse("this changeset has no reviewed flags, and clients can dispatch nothing else of a changeset; invoke an operation instead")
		return
	case h.state.Exists(d.Channel):
		c.refuse("clients cannot dispatch anything on " + d.Channel + "; annotations go to " + h.names.Annotations)
		return
	default:
		c.refuse("there is no channel " + d.Channel)
		return
	}
	if err := h.commits.add(c); err != nil {
		c.refuse(err.Error())
	}
}

// noteSaved is a notification of this host's own, by which an editor says that
// it has written files, so that they are not taken for an agent's:
//
//	{"method": "ahp-lsp/saved", "params": {"channel": <session>, "resources": [<URI>…]}}
//
// The channel is the session's URI; no subscription is needed. Resources are file
// URIs, by whatever name the editor has opened the work tree; those outside of it
// are passed over. It may be sent before the write or after it, and should be at
// once: it excuses writes of these files from two seconds before it to two
// seconds after it (session.ClaimWindow), but a burst that nobody has claimed for
// session.GuessAfter is taken for a turn. Other hosts ignore it, as they ignore
// every notification they do not know.
const noteSaved = "ahp-lsp/saved"

// saved takes a noteSaved; h.mu is held.
func (h *Host) saved(params json.RawMessage) {
	var p struct {
		Channel   string   `json:"channel"`
		Resources []string `json:"resources"`
	}
	if json.Unmarshal(params, &p) != nil || h.names.Resolve(p.Channel) != h.names.Session || h.state.Guess() == nil {
		return
	}
	// Asked of the disk, where a symbolic link is in the way: not here.
	h.running.Go(func() {
		var paths []string
		for _, r := range p.Resources {
			if rel, ok := h.tree.Relative(r); ok {
				paths = append(paths, rel)
			}
		}
		h.work.claim(paths)
	})
}
