package bridge

import (
	"encoding/json"
	"slices"

	"ahp-lsp/bridge/ahp"
)

// chatChannel mirrors a session's default chat. Actions of ours are shown when
// the host has echoed them: what an agent was told is not taken back.
type chatChannel struct {
	mirror
	f     *followed
	queue []*pending
}

// turnActions change which turns there are, or their changesets.
var turnActions = map[string]bool{
	ahp.TypeChatTurnStarted: true, ahp.TypeChatTurnComplete: true, ahp.TypeChatTurnCancelled: true, ahp.TypeChatError: true,
	ahp.TypeChatTurnsLoaded: true, ahp.TypeChatTruncated: true, ahp.TypeChatChangesetsChanged: true,
}

func (ch *chatChannel) snapshot(c *Client, raw json.RawMessage) {
	chat, err := ahp.DecodeChat(raw)
	if err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	ch.f.chatKnown, ch.f.chatRead = true, true
	ch.f.setChat(chat)
	c.resend(ch)
	ch.f.updated()
}

func (ch *chatChannel) reduce(c *Client, e ahp.Envelope)       { ch.confirm(c, e, true) }
func (ch *chatChannel) acknowledged(c *Client, e ahp.Envelope) { ch.confirm(c, e, false) }

// confirm takes an action of the host's; apply is false if the state has it.
func (ch *chatChannel) confirm(c *Client, e ahp.Envelope, apply bool) {
	var own *pending
	if e.From(c.id) {
		own = takePending(&ch.queue, e)
	}
	if e.RejectionReason != "" {
		if own != nil {
			own.rejected = true
			e.Action = own.action // an echo need not repeat what it refuses
			c.emit(rejection(e))
			ch.f.updateRequests()
		}
		return
	}
	if !apply {
		return
	}
	next := ch.f.chat.Clone()
	changed, err := next.Apply(e.Action)
	if err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	switch {
	case !changed:
	case turnActions[e.Action.Type]:
		ch.f.setChat(next)
		ch.f.updated()
	default:
		ch.f.setChat(next)
		c.emit(ChatChanged{Session: ch.f.uri, Chat: next})
		ch.f.updateRequests()
	}
}

func (ch *chatChannel) dispatch(_ *Client, p *pending) error {
	ch.queue = append(ch.queue, p)
	return nil
}

// unconfirmed are the actions without an echo that still have something to do.
func (ch *chatChannel) unconfirmed() []*pending {
	ch.queue = slices.DeleteFunc(ch.queue, func(p *pending) bool { return p.moot != nil && p.moot(ch.f.chat) })
	return ch.queue
}

func (ch *chatChannel) gone(c *Client, why Reason) {
	queue := ch.queue
	ch.queue = nil
	if ch.f.chatURI == ch.uri {
		ch.f.chatKnown, ch.f.chatRead = true, false // known to be out of reach
		ch.f.setChat(&ahp.Chat{})
		ch.f.updated()
	}
	c.abandon(ch.uri, queue, why)
}
