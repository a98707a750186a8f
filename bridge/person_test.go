package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// listening is a Client that follows one session, whose agent is idle.
func listening(t *testing.T, test func(t *testing.T, h *ahptest.Host, r *rig)) {
	reachable(t, nil, test)
}

// reachable is listening on a host that cannot be dialled while away is set.
func reachable(t *testing.T, away *atomic.Bool, test func(t *testing.T, h *ahptest.Host, r *rig)) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t, "a")
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}, Turns: []ahp.Turn{{ID: "t0", State: ahp.TurnComplete}}})
		r := start(t, h, func(c *Config) {
			c.Roots = []string{root}
			c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if away != nil && away.Load() {
					return nil, errors.New("away")
				}
				return h.Dial(ctx, network, address)
			}
		})
		require.Equal(t, []string{one}, selected(r))
		test(t, h, r)
	})
}

// requests are those of the session as last told, in both ways that say it.
func (r *rig) requests() []Request {
	r.t.Helper()
	told := last[RequestsChanged](r.everything()).Requests
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	require.Equal(r.t, told, r.c.followed[one].person.requests)
	return told
}

// lastSent are the members of the newest action that the client sent.
func lastSent(t *testing.T, h *ahptest.Host) (channel string, action map[string]any) {
	t.Helper()
	all := sent(h, "dispatchAction")
	require.NotEmpty(t, all)
	var p struct {
		Channel string
		Action  map[string]any
	}
	require.NoError(t, json.Unmarshal(all[len(all)-1], &p))
	return p.Channel, p.Action
}

func TestStartTurn(t *testing.T) {
	listening(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		turn, err := r.c.StartTurn(one, Prompt{Text: "/act-on-feedback", Annotations: []string{"a", "b"}})
		require.NoError(t, err)
		r.take()
		channel, action := lastSent(t, h)
		require.Equal(t, ahptest.ChatURI(one), channel)
		started, err := time.Parse(time.RFC3339, action["startedAt"].(string))
		require.NoError(t, err)
		require.Equal(t, time.Now().UTC().Truncate(time.Millisecond), started)
		delete(action, "startedAt")
		require.Equal(t, map[string]any{
			"type": "chat/turnStarted", "turnId": turn, "message": map[string]any{
				"text": "/act-on-feedback", "origin": map[string]any{"kind": "user"}, "attachments": []any{map[string]any{
					"type": "annotations", "label": "2 comments", "displayKind": "agentFeedback", "resource": notes, "annotationIds": []any{"a", "b"},
				}},
			},
		}, action)
		require.Equal(t, turn, last[SessionChanged](r.everything()).View.Chat.Active.ID)

		_, err = r.c.StartTurn(one, Prompt{Text: "more"})
		require.ErrorIs(t, err, ErrTurnInProgress)
		_, err = r.c.StartTurn(two, Prompt{Text: "more"})
		require.ErrorIs(t, err, ErrNotFollowed)
	})
}

func TestTurnRefused(t *testing.T) {
	listening(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Reject(func(string, ahp.Action) string { return "no credit" })
		_, err := r.c.StartTurn(one, Prompt{Text: "go"})
		require.NoError(t, err)
		rejected := last[Rejected](r.take())
		require.Equal(t, "no credit", rejected.Reason)
		require.Equal(t, ahp.TypeChatTurnStarted, rejected.Action.Type)
		require.Nil(t, last[SessionChanged](r.everything()).View.Chat.Active)
	})
}

func TestSteerAndStop(t *testing.T) {
	listening(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		_, err := r.c.Steer(one, "stop")
		require.ErrorIs(t, err, ErrNoTurn)
		require.ErrorIs(t, r.c.CancelTurn(one), ErrNoTurn)

		h.Begin(one, "t1", "go")
		r.take()
		id, err := r.c.Steer(one, "use the other file")
		require.NoError(t, err)
		changed := last[ChatChanged](r.take())
		require.Equal(t, ChatChanged{Session: one, Chat: changed.Chat}, changed)
		require.Equal(t, &ahp.PendingMessage{ID: id, Text: "use the other file"}, changed.Chat.Steering)

		require.NoError(t, r.c.Unsteer(one))
		require.Nil(t, last[ChatChanged](r.take()).Chat.Steering)
		require.ErrorIs(t, r.c.Unsteer(one), ErrNoRequest)

		time.Sleep(3 * time.Second)
		require.NoError(t, r.c.CancelTurn(one))
		r.take()
		_, action := lastSent(t, h)
		require.Equal(t, map[string]any{"type": "chat/turnCancelled", "turnId": "t1", "duration": 3000.0}, action)
		view := last[SessionChanged](r.everything()).View
		require.Nil(t, view.Chat.Active)
		require.Equal(t, ahp.TurnCancelled, view.Chat.Turns[1].State)
	})
}

func TestConfirm(t *testing.T) {
	listening(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Begin(one, "t1", "go")
		pending := "pending-edit-content://1"
		h.SetContent(pending, "new text")
		id := h.AskToRun(one, "t1", "c1", "create", `{"path":"/x"}`, []any{map[string]any{
			"after": map[string]any{"uri": "file:///x", "content": map[string]any{"uri": pending}}, "diff": map[string]any{"added": 1, "removed": 0},
		}})
		requests := r.requests()
		require.Len(t, requests, 1)
		got := requests[0]
		require.Equal(t, Request{ID: id, Kind: ahp.InputToolConfirmation, Session: one, Chat: ahptest.ChatURI(one), Turn: "t1", Call: got.Call}, got)
		require.Equal(t, "Run create?", got.Call.Title.Value)
		text, err := r.c.Read(t.Context(), got.Call.Edits[0].After.Content)
		require.NoError(t, err)
		require.Equal(t, "new text", string(text))
		require.Equal(t, requests, last[SessionChanged](r.everything()).View.Requests)

		require.ErrorIs(t, r.c.Complete(one, id, ahp.ResponseAccept, nil), ErrNoRequest)
		require.ErrorIs(t, r.c.Confirm(one, "other", ahp.Verdict{}), ErrNoRequest)
		h.Deaf(true)
		require.NoError(t, r.c.Confirm(one, id, ahp.Verdict{Approve: true, Option: "allow-once"}))
		require.True(t, r.requests()[0].Answering)
		require.ErrorIs(t, r.c.Confirm(one, id, ahp.Verdict{}), ErrAnswered)
		h.Deaf(false)
		_, action := lastSent(t, h)
		require.Equal(t, map[string]any{
			"type": "chat/toolCallConfirmed", "turnId": "t1", "toolCallId": "c1", "approved": true, "confirmed": "user-action", "selectedOptionId": "allow-once",
		}, action)

		// It was not heard; the next connection sends it again.
		h.DropConnections()
		time.Sleep(time.Second)
		require.Empty(t, r.requests())
		require.Equal(t, ahp.CallRunning, last[ChatChanged](r.everything()).Chat.Active.Parts[0].Call.Status)
		require.Len(t, sent(h, "dispatchAction"), 2)
	})
}

// Somebody else is first: before our answer leaves, and while we are away.
func TestSomebodyElseAnswers(t *testing.T) {
	listening(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		answer := func(call string) ahp.Action { return must(ahp.ConfirmToolCall("t1", call, ahp.Verdict{Skip: true})) }
		chat := ahptest.ChatURI(one)
		h.Begin(one, "t1", "go")
		id := h.AskToRun(one, "t1", "c1", "bash", "ls", nil)
		require.Len(t, r.requests(), 1)
		h.Do(chat, answer("c1"))
		h.Do(one, map[string]any{"type": ahp.TypeSessionInputNeededRemoved, "id": id})
		require.Empty(t, r.requests())
		require.ErrorIs(t, r.c.Confirm(one, id, ahp.Verdict{Approve: true}), ErrNoRequest)

		for _, recovery := range []ahptest.Recovery{ahptest.Replay, ahptest.Snapshots, ahptest.PerChannel} {
			h.SetRecovery(recovery)
			call := "c" + string('2'+rune(recovery))
			id := h.AskToRun(one, "t1", call, "bash", "rm", nil)
			require.Len(t, r.requests(), 1)
			h.Deaf(true)
			require.NoError(t, r.c.Confirm(one, id, ahp.Verdict{Approve: true}))
			synctest.Wait()
			n := len(sent(h, "dispatchAction"))
			h.Deaf(false)
			h.DropConnections()
			h.Do(chat, answer(call))
			h.Do(one, map[string]any{"type": ahp.TypeSessionInputNeededRemoved, "id": id})
			time.Sleep(time.Second)
			require.Empty(t, r.requests())
			require.Len(t, sent(h, "dispatchAction"), n, "an answer that came too late is not repeated")
		}
	})
}

func TestAnswerRefused(t *testing.T) {
	listening(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Begin(one, "t1", "go")
		id := h.AskToRun(one, "t1", "c1", "bash", "ls", nil)
		require.Len(t, r.requests(), 1)
		h.Reject(func(_ string, a ahp.Action) string {
			if a.Type == ahp.TypeChatToolCallConfirmed {
				return "not yours"
			}
			return ""
		})
		require.NoError(t, r.c.Confirm(one, id, ahp.Verdict{Suggestion: "ask first"}))
		require.Equal(t, "not yours", last[Rejected](r.take()).Reason)
		require.False(t, r.requests()[0].Answering, "it can be answered again")
		h.Reject(nil)
		require.NoError(t, r.c.Confirm(one, id, ahp.Verdict{Suggestion: "ask first"}))
		require.Empty(t, r.requests())
		call := last[ChatChanged](r.everything()).Chat.Active.Parts[0].Call
		require.Equal(t, ahp.CallCancelled, call.Status)
		require.Equal(t, "ask first", call.Suggestion)
	})
}

func TestQuestion(t *testing.T) {
	listening(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Begin(one, "t1", "go")
		id := h.AskQuestion(one, `{"id":"f","questions":[{"kind":"single-select","id":"q","message":"Which?","required":true,"options":[{"id":"a","label":"A"}],"allowFreeformInput":true}]}`)
		requests := r.requests()
		require.Len(t, requests, 1)
		require.Equal(t, "Which?", requests[0].Form.Questions[0].Message)
		require.ErrorIs(t, r.c.Confirm(one, id, ahp.Verdict{}), ErrNoRequest)
		require.NoError(t, r.c.Complete(one, id, ahp.ResponseAccept, map[string]ahp.Answer{"q": ahp.Selected("a")}))
		require.Empty(t, r.requests())
		_, action := lastSent(t, h)
		require.Equal(t, map[string]any{"type": "chat/inputCompleted", "requestId": "f", "response": "accept", "answers": map[string]any{
			"q": map[string]any{"state": "submitted", "value": map[string]any{"kind": "selected", "value": "a"}},
		}}, action)
	})
}

// A host that does not list what it waits for shows it in the chat.
func TestRequestsOfTheChat(t *testing.T) {
	listening(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Begin(one, "t1", "go")
		id := h.AskToRun(one, "t1", "c1", "bash", "ls", nil)
		h.Do(one, map[string]any{"type": ahp.TypeSessionInputNeededRemoved, "id": id})
		require.Len(t, r.requests(), 1)
		require.NoError(t, r.c.Confirm(one, r.requests()[0].ID, ahp.Verdict{Approve: true}))
		require.Empty(t, r.requests())

		h.Do(ahptest.ChatURI(one), `{"type":"chat/inputRequested","request":{"id":"f"}}`)
		require.Len(t, r.requests(), 1)
		h.Do(ahptest.ChatURI(one), `{"type":"chat/turnComplete","turnId":"t1"}`)
		require.Empty(t, r.requests(), "the turn's end ends what it waits for")
	})
}

// Nothing is said to an agent that cannot be reached, now or later.
func TestNobodyListens(t *testing.T) {
	var away atomic.Bool
	reachable(t, &away, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Begin(one, "t1", "go")
		id := h.AskToRun(one, "t1", "c1", "bash", "ls", nil)
		require.Len(t, r.requests(), 1)
		away.Store(true)
		h.DropConnections()
		synctest.Wait()
		_, err := r.c.StartTurn(one, Prompt{Text: "go"})
		require.ErrorIs(t, err, ErrNotConnected)
		_, err = r.c.Steer(one, "stop")
		require.ErrorIs(t, err, ErrNotConnected)
		require.ErrorIs(t, r.c.CancelTurn(one), ErrNotConnected)
		require.ErrorIs(t, r.c.Confirm(one, id, ahp.Verdict{}), ErrNotConnected)
		require.Empty(t, r.c.Unsent())
		away.Store(false)
		time.Sleep(time.Minute)
		require.Empty(t, sent(h, "dispatchAction"))
		require.NoError(t, r.c.Confirm(one, id, ahp.Verdict{}))
		r.c.Select(two)
		require.Empty(t, last[RequestsChanged](r.everything()).Requests, "not followed any more")
	})
}

// recorded are the actions on a session's own channel and its chat that the
// owner's connection of the recorded conversation got, one list for a session.
func recorded(t *testing.T) (sessions [][]ahp.Envelope) {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "testdata", "ahp", "transcripts", "vscode-1.139.1-human-in-the-loop.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	var order []string
	bySession := map[string][]ahp.Envelope{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var f struct {
			Conn, Dir string
			Msg       struct {
				Method string
				Params ahp.Envelope
			}
		}
		if json.Unmarshal(lines.Bytes(), &f) != nil || f.Conn != "owner" || f.Dir != "recv" || f.Msg.Method != "action" {
			continue
		}
		e := f.Msg.Params
		session := e.Channel
		if strings.HasPrefix(session, "ahp-chat:") {
			session = order[len(order)-1]
		}
		if !slices.Contains(order, session) {
			order = append(order, session)
		}
		bySession[session] = append(bySession[session], e)
	}
	require.NoError(t, lines.Err())
	for _, s := range order {
		sessions = append(sessions, bySession[s])
	}
	return sessions
}

// What the reference host sent, seen through a Client: each request comes and
// goes once, with what a person has to know.
func TestRecordedRequests(t *testing.T) {
	var asked []string
	for _, envelopes := range recorded(t) {
		listening(t, func(t *testing.T, h *ahptest.Host, r *rig) {
			had := map[string]bool{}
			for _, e := range envelopes {
				channel := one
				if strings.HasPrefix(e.Channel, "ahp-chat:") {
					channel = ahptest.ChatURI(one)
				}
				if e.Action.Type == ahp.TypeSessionChangesetsChanged || e.Action.Type == ahp.TypeSessionChatUpdated {
					continue // of that host's own channels
				}
				raw := strings.ReplaceAll(string(e.Action.Raw), e.Channel, channel)
				h.Do(channel, strings.ReplaceAll(raw, `"chat":"ahp-chat://default/`, `"chat":"`+ahptest.ChatURI(one)+`","was":"`))
				now := map[string]bool{}
				for _, request := range r.requests() {
					what := request.Kind
					if request.Call != nil {
						require.Equal(t, ahp.CallPendingConfirmation, request.Call.Status)
						require.NotNil(t, request.Call.Title)
						require.NotEmpty(t, request.Call.Options)
						what += " " + request.Call.Name + " " + request.Call.Title.Value
						for _, edit := range request.Call.Edits {
							what += " " + edit.After.URI
						}
					} else {
						what += " " + request.Form.Questions[0].Message
					}
					now[what] = true
					if !had[what] {
						asked = append(asked, what)
					}
				}
				require.LessOrEqual(t, len(now), 1, "a request is shown once")
				had = now
			}
			require.Empty(t, r.requests(), "all were answered")
			require.NotContains(t, r.log.text(), "chat/")
		})
	}
	require.Equal(t, []string{
		"toolConfirmation bash Run in terminal?",
		"toolConfirmation create Create file? file:///outside.txt",
		"toolConfirmation edit Write file? file:///ws/.git/config",
		"chatInput Which name?",
	}, asked)
}
