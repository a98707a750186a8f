package bridge

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"ahp-lsp/bridge/ahp"
)

// followed is a session whose channels are mirrored.
type followed struct {
	client      *Client
	uri         string
	state       *ahp.Session // nil until its snapshot came; replaced, never changed
	chat        *ahp.Chat    // never nil
	chatURI     string
	chatKnown   bool // its snapshot came, or never will
	chatRead    bool // its snapshot came
	person      person
	turnLookup  turnLookup
	annotations *annotationsChannel
	changesets  map[string]*changesetChannel
	lost        map[string]bool // changesets the host offers but could not give
	faulty      map[string]bool // URI templates that have been complained about
	// owner: this session's changesets are followed. Sessions that work in the
	// same directory see the same uncommitted files; one of them is enough.
	owner bool
}

func (c *Client) follow(uri string) {
	f := &followed{client: c, uri: uri, chat: &ahp.Chat{}, changesets: map[string]*changesetChannel{}, lost: map[string]bool{}, faulty: map[string]bool{}}
	f.annotations = newAnnotationsChannel(uri, uri+"/annotations")
	c.followed[uri] = f
	c.subscribe(&sessionChannel{mirror: mirror{uri: uri}, f: f, known: make(chan struct{})})
	c.subscribe(f.annotations)
}

// unfollow drops a session's mirrors. why is kept as the reason shown in lists
// until something about the session changes. gone: it is not there any more, or
// cannot be had, and nor can what we wanted to write to it.
func (c *Client) unfollow(uri string, why Reason, gone bool) {
	f := c.followed[uri]
	if f == nil {
		return
	}
	delete(c.followed, uri)
	if why != (Reason{}) {
		c.list.refused[uri] = why
	}
	lost := Reason{}
	if gone {
		lost = why
	}
	for _, channel := range append(slices.Sorted(maps.Keys(f.changesets)), f.annotations.uri, f.chatURI, uri) {
		c.unsubscribe(channel, lost)
	}
	c.emit(SessionChanged{Session: uri})
	if len(f.person.requests) > 0 {
		c.emit(RequestsChanged{Session: uri})
	}
}

// updated brings everything that follows from a session's state up to date.
func (f *followed) updated() {
	if f.state == nil || f.client.followed[f.uri] != f {
		return
	}
	if f.client.pinned() != f.uri {
		dirs := f.state.Directories()
		if len(dirs) == 0 {
			dirs = f.client.list.listed[f.uri].Directories()
		}
		if why := f.client.workspace.mismatch(dirs); why != (Reason{}) {
			f.client.unfollow(f.uri, why, false)
			f.client.choose()
			return
		}
	}
	if old := f.chatURI; old != f.state.DefaultChat {
		f.chatURI, f.chatKnown, f.chatRead = f.state.DefaultChat, false, false
		f.setChat(&ahp.Chat{})
		f.client.unsubscribe(old, Reason{})
		if f.chatURI != "" {
			f.client.subscribe(&chatChannel{mirror: mirror{uri: f.chatURI}, f: f})
		}
	}
	requests, changed := f.newRequests()
	f.client.emit(SessionChanged{Session: f.uri, View: &SessionView{
		URI: f.uri, State: f.state, Chat: f.chat, ChatKnown: f.chatKnown || f.chatURI == "", Requests: requests,
	}})
	if changed {
		f.client.emit(RequestsChanged{Session: f.uri, Requests: requests})
	}
	f.client.chooseOwners()
	f.followChangesets()
}

// chooseOwners decides whose changesets are followed: of the sessions that
// work in the same directories, the first in the list. Sticky like choose.
func (c *Client) chooseOwners() {
	taken := map[string]bool{}
	key := func(f *followed) string {
		dirs := slices.Clone(f.state.Directories())
		slices.Sort(dirs)
		return strings.Join(dirs, "\n")
	}
	var candidates []*followed
	for _, uri := range c.list.order {
		if f := c.followed[uri]; f != nil && f.state != nil {
			candidates = append(candidates, f)
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(c.followed)) {
		f := c.followed[uri]
		if _, listed := c.list.listed[uri]; !listed && f.state != nil {
			candidates = append(candidates, f) // a pinned draft: alone
		}
	}
	for _, f := range candidates {
		if f.owner && !taken[key(f)] {
			taken[key(f)] = true
		} else {
			f.owner = false
		}
	}
	for _, f := range candidates {
		if !f.owner && !taken[key(f)] {
			f.owner, taken[key(f)] = true, true
		}
	}
	for _, f := range candidates {
		f.followChangesets()
	}
}

// sessionChannel mirrors a session's own channel.
type sessionChannel struct {
	mirror
	f     *followed
	known chan struct{} // closed when the host has said whether it knows it
	once  sync.Once     // closes known
}

func (ch *sessionChannel) answered() { ch.once.Do(func() { close(ch.known) }) }

func (ch *sessionChannel) snapshot(c *Client, raw json.RawMessage) {
	state, err := ahp.DecodeSession(raw)
	if err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	ch.set(c, state)
	c.emitSessions()
	ch.answered()
}

func (ch *sessionChannel) set(c *Client, state *ahp.Session) {
	ch.f.state = state
	for _, line := range strings.Split(state.Notes().Notice, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			c.notice(NoticeWarning, "%s", line)
		}
	}
	if info := state.CreationError; info != nil {
		c.notice(NoticeWarning, "the agent session %q could not be created: %s", cmp.Or(state.Title, ch.uri), info.Message)
	}
	ch.f.updated()
}

func (ch *sessionChannel) reduce(c *Client, e ahp.Envelope) {
	if e.RejectionReason != "" {
		return
	}
	next := ch.f.state.Clone()
	changed, err := next.Apply(e.Action)
	if err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	if e.Action.Type == ahp.TypeSessionChangesetsChanged {
		clear(ch.f.lost)
	}
	if changed {
		ch.set(c, next)
	}
}

func (ch *sessionChannel) gone(c *Client, why Reason) {
	defer ch.answered()
	if c.followed[ch.uri] != ch.f {
		return
	}
	if c.pinned() == ch.uri && why.Kind == ReasonUnknown && !c.link.trial {
		c.notice(NoticeWarning, "the session %s does not exist on this host; list the sessions with \"ahp-lsp sessions\" or the command ahp.session.select", ch.uri)
	}
	c.unfollow(ch.uri, why, true)
	c.choose() // another one in its place
}
