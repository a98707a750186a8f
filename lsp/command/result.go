package command

import (
	"encoding/json"
	"fmt"
	"maps"

	"ahp-lsp/bridge/remote"
)

// Result is a command's answer: {"ok": true, …}, or {"ok": false, "reason": …}
// after the user was told the reason.
type Result struct {
	OK      bool
	Reason  string         // why it was not done
	Members map[string]any // what else the answer says, by name
}

// MarshalJSON writes the members beside "ok" and "reason".
func (r Result) MarshalJSON() ([]byte, error) {
	out := map[string]any{}
	maps.Copy(out, r.Members)
	out["ok"] = r.OK
	if r.Reason != "" {
		out["reason"] = r.Reason
	}
	return json.Marshal(out)
}

// done answers that what was asked for was done. members are names and values in
// turn.
func done(members ...any) Result {
	r := Result{OK: true}
	for i := 0; i+1 < len(members); i += 2 {
		r.set(members[i].(string), members[i+1])
	}
	return r
}

func (r *Result) set(name string, value any) {
	if r.Members == nil {
		r.Members = map[string]any{}
	}
	r.Members[name] = value
}

// fail tells the user why something was not done, and answers so.
func (c *Commands) fail(format string, args ...any) (Result, error) {
	reason := fmt.Sprintf(format, args...)
	c.editor.Tell(remote.NoticeError, reason)
	return notDone(reason), nil
}

// notDone answers why something was not done, to somebody who knows it.
func notDone(reason string) Result { return Result{Reason: reason} }

// declined answers that the user did not want it after all.
func declined() Result { return notDone("declined") }
