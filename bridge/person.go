package bridge

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"ahp-lsp/bridge/ahp"
)

// What a person says to the agent of a session: any client may start a turn,
// steer, stop and answer. All of it goes to the session's default chat, but an
// answer, which goes where the question came from. Nothing is kept for later:
// without a connection these methods fail with ErrNotConnected. The outcome
// comes as a SessionChanged, ChatChanged or RequestsChanged, a refusal as
// Rejected.

// Errors of what a person says.
var (
	// ErrNotFollowed: the session, or its chat, is not mirrored.
	ErrNotFollowed = errors.New("the session is not followed")
	// ErrTurnInProgress: the agent works; steer it, or stop it first.
	ErrTurnInProgress = errors.New("the agent is working")
	// ErrNoTurn: the agent does not work.
	ErrNoTurn = errors.New("the agent is not working")
	// ErrNoRequest: the agent does not wait for that answer (any more).
	ErrNoRequest = errors.New("the agent does not wait for this answer any more")
	// ErrAnswered: an answer is on its way.
	ErrAnswered = errors.New("an answer is on its way")
)

// Prompt is what starts a turn.
type Prompt struct {
	Text string
	// Annotations are the ids of comments that the agent should look at.
	Annotations []string
}

// person is what a followed session keeps about those who talk to its agent.
type person struct {
	requests []Request           // as last emitted
	answers  map[string]*pending // ours, by request
	turn     string              // the active turn
	since    time.Time           // when it was first seen
}

// setChat replaces the mirrored chat.
func (f *followed) setChat(chat *ahp.Chat) {
	f.chat = chat
	turn := ""
	if chat.Active != nil {
		turn = chat.Active.ID
	}
	if turn != f.person.turn {
		f.person.turn, f.person.since = turn, time.Now()
	}
}

// newRequests brings the list of requests up to date and reports whether it
// differs.
func (f *followed) newRequests() (requests []Request, changed bool) {
	seen := map[string]bool{} // tool calls and forms
	add := func(r Request) {
		r.Session = f.uri
		if p := f.person.answers[r.ID]; p != nil {
			r.Answering = f.answering(p)
		}
		requests = append(requests, r)
	}
	if f.state != nil {
		for _, n := range f.state.InputNeeded {
			if n.Kind == ahp.InputToolClientExecution {
				continue
			}
			if n.Call != nil {
				seen[n.Call.ID] = true
			}
			if n.Form != nil {
				seen[n.Form.ID] = true
			}
			add(Request{ID: n.ID, Kind: n.Kind, Chat: n.Chat, Turn: n.TurnID, Call: n.Call, Form: n.Form})
		}
	}
	// Hosts that do not list what they wait for show it in the chat.
	for _, call := range f.chat.OpenCalls() {
		if !seen[call.ID] {
			add(Request{ID: fmt.Sprintf("toolConfirmation:%s:%s:%s", f.chatURI, f.person.turn, call.ID), Kind: ahp.InputToolConfirmation,
				Chat: f.chatURI, Turn: f.person.turn, Call: call})
		}
	}
	for _, form := range f.chat.OpenForms() {
		if !seen[form.ID] {
			add(Request{ID: fmt.Sprintf("chatInput:%s:%s", f.chatURI, form.ID), Kind: ahp.InputChat, Chat: f.chatURI, Turn: f.person.turn, Form: form})
		}
	}
	changed = !slices.Equal(requests, f.person.requests)
	f.person.requests = requests
	for id := range f.person.answers {
		if !slices.ContainsFunc(requests, func(r Request) bool { return r.ID == id }) {
			delete(f.person.answers, id)
		}
	}
	return requests, changed
}

// answering reports whether an answer may still have an effect.
func (f *followed) answering(p *pending) bool {
	if p.rejected {
		return false
	}
	if ch, ok := f.client.channels[f.chatURI].(*chatChannel); ok && slices.Contains(ch.queue, p) {
		return true
	}
	return p.sent != nil && p.sent == f.client.link.conn
}

func (f *followed) updateRequests() {
	if f.client.followed[f.uri] != f {
		return
	}
	if requests, changed := f.newRequests(); changed {
		f.client.emit(RequestsChanged{Session: f.uri, Requests: requests})
	}
}

// StartTurn says something to a session's agent, which starts to work on it. It
// returns the id of the turn.
func (c *Client) StartTurn(session string, p Prompt) (turn string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.listener(session)
	if err != nil {
		return "", fmt.Errorf("start a turn: %w", err)
	}
	if f.chat.Active != nil {
		return "", fmt.Errorf("start a turn: %w", ErrTurnInProgress)
	}
	var with []ahp.Attachment
	if n := len(p.Annotations); n > 0 {
		label := fmt.Sprintf("%d comments", n)
		if n == 1 {
			label = "1 comment"
		}
		with = append(with, ahp.AttachAnnotations(f.annotations.uri, label, p.Annotations))
	}
	turn = uuid.NewString()
	a, err := ahp.StartTurn(turn, time.Now(), ahp.UserMessage(p.Text, with...))
	if err != nil {
		return "", fmt.Errorf("start a turn: %w", err)
	}
	_, err = f.say(f.chatURI, a, func(chat *ahp.Chat) bool {
		_, n := chat.Turn(turn)
		return n > 0
	})
	return turn, err
}

// Steer leaves a message for the agent, which reads it while it works. It
// returns the message's id.
func (c *Client) Steer(session, text string) (id string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, turn, err := working(c, session)
	if err != nil {
		return "", fmt.Errorf("steer the agent: %w", err)
	}
	id = uuid.NewString()
	a, err := ahp.SetPendingMessage(ahp.PendingSteering, id, ahp.UserMessage(text))
	if err != nil {
		return "", fmt.Errorf("steer the agent: %w", err)
	}
	_, err = f.say(f.chatURI, a, func(chat *ahp.Chat) bool {
		return chat.Active == nil || chat.Active.ID != turn || chat.Steering != nil && chat.Steering.ID == id
	})
	return id, err
}

// Unsteer takes back the message that the agent has not read yet.
func (c *Client) Unsteer(session string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.listener(session)
	if err != nil {
		return fmt.Errorf("take back a message: %w", err)
	}
	if f.chat.Steering == nil {
		return fmt.Errorf("take back a message: %w", ErrNoRequest)
	}
	id := f.chat.Steering.ID
	a, err := ahp.RemovePendingMessage(ahp.PendingSteering, id)
	if err != nil {
		return fmt.Errorf("take back a message: %w", err)
	}
	_, err = f.say(f.chatURI, a, func(chat *ahp.Chat) bool { return chat.Steering == nil || chat.Steering.ID != id })
	return err
}

// CancelTurn stops the agent.
func (c *Client) CancelTurn(session string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, turn, err := working(c, session)
	if err != nil {
		return fmt.Errorf("stop the agent: %w", err)
	}
	a, err := ahp.CancelTurn(turn, time.Since(f.person.since))
	if err != nil {
		return fmt.Errorf("stop the agent: %w", err)
	}
	_, err = f.say(f.chatURI, a, func(chat *ahp.Chat) bool { return chat.Active == nil || chat.Active.ID != turn })
	return err
}

// Confirm answers a tool call that waits to be confirmed, before it runs or,
// where its result has to be confirmed, after. Of several clients' answers the
// host takes the first.
func (c *Client) Confirm(session, request string, v ahp.Verdict) error {
	return c.answer(session, request, func(r Request) (a ahp.Action, moot func(*ahp.Chat) bool, err error) {
		if r.Call == nil || r.Kind != ahp.InputToolConfirmation {
			return a, nil, fmt.Errorf("%w: it is of the kind %.40q", ErrNoRequest, r.Kind)
		}
		if r.Call.Status == ahp.CallPendingResult {
			a, err = ahp.ConfirmResult(r.Turn, r.Call.ID, v.Approve)
		} else {
			a, err = ahp.ConfirmToolCall(r.Turn, r.Call.ID, v)
		}
		return a, func(chat *ahp.Chat) bool {
			return !slices.ContainsFunc(chat.OpenCalls(), func(open *ahp.ToolCall) bool { return open.ID == r.Call.ID })
		}, err
	})
}

// Complete answers the questions of a form (ahp.ResponseAccept, with answers by
// question id), or declines or cancels it.
func (c *Client) Complete(session, request, response string, answers map[string]ahp.Answer) error {
	return c.answer(session, request, func(r Request) (a ahp.Action, moot func(*ahp.Chat) bool, err error) {
		if r.Form == nil {
			return a, nil, fmt.Errorf("%w: it is of the kind %.40q", ErrNoRequest, r.Kind)
		}
		a, err = ahp.CompleteInput(r.Form.ID, response, answers)
		return a, func(chat *ahp.Chat) bool {
			return !slices.ContainsFunc(chat.OpenForms(), func(open *ahp.InputForm) bool { return open.ID == r.Form.ID })
		}, err
	})
}

// answer sends what build makes of a request.
func (c *Client) answer(session, request string, build func(Request) (ahp.Action, func(*ahp.Chat) bool, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.listener(session)
	if err != nil {
		return fmt.Errorf("answer the agent: %w", err)
	}
	i := slices.IndexFunc(f.person.requests, func(r Request) bool { return r.ID == request })
	if i < 0 {
		return fmt.Errorf("answer the agent: %w", ErrNoRequest)
	}
	r := f.person.requests[i]
	if p := f.person.answers[r.ID]; p != nil && f.answering(p) {
		return fmt.Errorf("answer the agent: %w", ErrAnswered)
	}
	a, moot, err := build(r)
	if err != nil {
		return fmt.Errorf("answer the agent: %w", err)
	}
	p, err := f.say(r.Chat, a, moot)
	if err != nil {
		return err
	}
	if f.person.answers == nil {
		f.person.answers = map[string]*pending{}
	}
	f.person.answers[r.ID] = p
	f.updateRequests()
	return nil
}

// listener is the session whose agent can be talked to; c.mu is held.
func (c *Client) listener(session string) (*followed, error) {
	f := c.followed[session]
	switch {
	case f == nil || f.state == nil || f.chatURI == "":
		return nil, fmt.Errorf("%w: %s", ErrNotFollowed, session)
	case c.link.conn == nil:
		return nil, ErrNotConnected
	case !f.chatRead:
		return nil, fmt.Errorf("%w: the chat of %s cannot be read", ErrNotFollowed, session)
	}
	return f, nil
}

// working is the session and its active turn; c.mu is held.
func working(c *Client, session string) (f *followed, turn string, err error) {
	if f, err = c.listener(session); err != nil {
		return nil, "", err
	}
	if f.chat.Active == nil {
		return nil, "", ErrNoTurn
	}
	return f, f.chat.Active.ID, nil
}

// say sends an action to a chat: through its mirror, or, where it is not the
// one that is mirrored, without an echo.
func (f *followed) say(chat string, a ahp.Action, moot func(*ahp.Chat) bool) (*pending, error) {
	f.client.link.clientSeq++
	p := &pending{seq: f.client.link.clientSeq, action: a, moot: moot}
	if ch, ok := f.client.channels[chat].(*chatChannel); ok && ch.f == f {
		if err := ch.dispatch(f.client, p); err != nil {
			return nil, fmt.Errorf("dispatch %s: %w", a.Type, err)
		}
		if !ch.ready {
			return p, nil // sent behind the snapshot
		}
	}
	f.client.transmit(chat, p)
	return p, nil
}
