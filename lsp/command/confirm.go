package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/view"
)

// armedFor is how long a first choice waits for its confirmation where the
// editor cannot ask.
const armedFor = 30 * time.Second

// armedAction is a destructive command that was chosen once. Only the code
// action that it is then offered as has the token: choosing the first one again
// does not confirm it.
type armedAction struct {
	title string
	call  invocation
	token string
	until time.Time
}

// question is what the user has to confirm.
type question struct {
	text  string
	yes   string // the answer that confirms
	title string // of the code action that confirms, where the editor cannot ask
}

// confirm asks the user. ok says that the answer was yes; if it is false, r is
// the command's answer. Where the editor cannot ask, the call arms the command,
// which for armedFor is then offered as a code action of its own, "Confirm: …".
func (c *Commands) confirm(ctx context.Context, call invocation, q question) (ok bool, r Result, err error) {
	const no = "Cancel"
	yes := q.yes
	if seen := strings.TrimSpace(visible(yes)); strings.EqualFold(seen, no) || seen == "" {
		yes = "Yes" // an operation of that name, or without one
	}
	if c.editor.Client().Asks() {
		answer, err := c.editor.Choose(ctx, remote.NoticeWarning, q.text, yes, no)
		switch {
		case err != nil && ctx.Err() != nil:
			return false, Result{}, ctx.Err()
		case err != nil:
			r, err := c.fail("nothing was done: the question could not be asked: %v", err)
			return false, r, err
		case answer != yes:
			return false, declined(), nil
		}
		return true, Result{}, nil
	}
	c.disarm()
	var p struct {
		Confirm string `json:"confirm"`
	}
	_ = json.Unmarshal(call.args, &p)
	for key, a := range c.armed {
		if p.Confirm != "" && a.token == p.Confirm && a.call.name == call.name {
			delete(c.armed, key)
			return true, Result{}, nil
		}
	}
	a := armedAction{title: q.title, token: uuid.NewString(), until: time.Now().Add(armedFor)}
	a.call = invocation{call.name, withMember(call.args, "confirm", a.token)}
	c.armed[q.title] = a
	c.editor.Tell(remote.NoticeWarning, fmt.Sprintf("%s To confirm, choose the code action \"Confirm: %s\" within %d seconds.", q.text, q.title, int(armedFor.Seconds())))
	return false, notDone("waiting for confirmation"), nil
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
func (c *Commands) disarm() {
	now := time.Now()
	maps.DeleteFunc(c.armed, func(_ string, a armedAction) bool { return now.After(a.until) })
}

// Armed are the commands that wait to be confirmed by a code action, newest first.
func (c *Commands) Armed() []view.Armed {
	c.disarm()
	armed := slices.SortedFunc(maps.Values(c.armed), func(a, b armedAction) int {
		return cmp.Or(b.until.Compare(a.until), strings.Compare(a.title, b.title))
	})
	out := make([]view.Armed, len(armed))
	for i, a := range armed {
		out[i] = view.Armed{Title: a.title, Command: a.call.name, Args: a.call.args}
	}
	return out
}

// visible is a text without the characters that nobody sees.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && r != ' ' || unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
}
