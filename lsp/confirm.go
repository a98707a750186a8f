package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ahp-lsp/bridge"
)

// armedFor is how long a first choice waits for its confirmation where the
// editor cannot ask.
const armedFor = 30 * time.Second

// armedAction is a destructive command that was chosen once. Only the code
// action that it is then offered as has the token: choosing the first one again
// does not confirm it.
type armedAction struct {
	title   string
	command string
	args    json.RawMessage
	token   string
	until   time.Time
}

// confirmed runs do in the loop after the user said yes. Where the editor
// cannot ask, the call arms the command, which for armedFor is then offered as
// a code action of its own, "Confirm: …".
func (s *Server) confirmed(args commandArgs, question, yes, title string, do func(context.Context) (any, error)) error {
	const no = "Cancel"
	if strings.EqualFold(yes, no) || yes == "" {
		yes = "Yes" // an operation of that name, or without one
	}
	if s.client.asks() {
		return later{func(ctx context.Context) (any, error) {
			answer, err := s.choose(ctx, bridge.NoticeWarning, question, yes, no)
			switch {
			case err != nil && ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil:
				return s.sorry("nothing was done: the question could not be asked: %v", err)
			case answer != yes:
				return declined()
			}
			return s.inLoop(ctx, func() (any, error) { return do(ctx) })
		}}
	}
	s.disarm()
	var p struct {
		Confirm string `json:"confirm"`
	}
	_ = json.Unmarshal(args.raw, &p)
	for key, a := range s.armed {
		if p.Confirm != "" && a.token == p.Confirm && a.command == args.name {
			delete(s.armed, key)
			return later{func(ctx context.Context) (any, error) {
				return s.inLoop(ctx, func() (any, error) { return do(ctx) })
			}}
		}
	}
	a := armedAction{title: title, command: args.name, token: newID(), until: time.Now().Add(armedFor)}
	a.args = withMember(args.raw, "confirm", a.token)
	s.armed[title] = a
	s.tell(bridge.NoticeWarning, fmt.Sprintf("%s To confirm, choose the code action \"Confirm: %s\" within %d seconds.", question, title, int(armedFor.Seconds())))
	return later{func(context.Context) (any, error) {
		return map[string]any{"ok": false, "reason": "waiting for confirmation"}, nil
	}}
}

// withMember returns a JSON object with one member set.
func withMember(object json.RawMessage, name, value string) json.RawMessage {
	members := map[string]any{}
	_ = json.Unmarshal(object, &members) // was decoded before: it is an object
	members[name] = value
	out, _ := json.Marshal(members)
	return out
}

// disarm forgets what was not confirmed in time.
func (s *Server) disarm() {
	now := time.Now()
	maps.DeleteFunc(s.armed, func(_ string, a armedAction) bool { return now.After(a.until) })
}

// armedActions offers the confirmations that are waited for, newest first.
func (s *Server) armedActions(l *actionList) {
	s.disarm()
	armed := slices.Collect(maps.Values(s.armed))
	slices.SortFunc(armed, func(a, b armedAction) int {
		return cmp.Or(b.until.Compare(a.until), strings.Compare(a.title, b.title))
	})
	for _, a := range armed {
		l.command("Confirm: "+a.title, a.command, a.args)
	}
}
