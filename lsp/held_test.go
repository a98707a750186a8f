package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
	"ahp-lsp/lsp/workspace"
)

// What a comment is about is held on to, whatever happens on the way to the host.

// byeLine is where the transcripts' "func Bye" is commented.
const byeCall = `return "Bye " + name`

// commented is the world with a person's comment on Bye that names no turn and
// quotes nothing: its place is all that is known of it.
func (r *rig) commented() {
	r.world()
	r.greet()
	a := r.remark("a1", "greet.go", byeCall, "Too short.")
	none := ""
	a.TurnID = &none
	r.host.SetAnnotations(one, a)
}

// shownOn is the text of the line the only diagnostic of an open file is on.
func (r *rig) shownOn(name string) string {
	r.t.Helper()
	r.mu.Lock()
	raw := r.has[r.uri(name)]
	r.mu.Unlock()
	var p struct {
		Diagnostics []struct {
			Range struct{ Start struct{ Line int } }
		}
	}
	require.NoError(r.t, json.Unmarshal([]byte(raw), &p))
	require.Len(r.t, p.Diagnostics, 1)
	return strings.TrimSpace(strings.Split(r.buffer(name), "\n")[p.Diagnostics[0].Range.Start.Line])
}

// A reply writes the place a comment has come to. If the host refuses that, the
// comment is about the same code as before.
func TestRefusedMoveKeepsTheCode(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.commented()
		r.host.Reject(func(_ string, a ahp.Action) string {
			if a.Type == ahp.TypeAnnotationsUpdated {
				return "no"
			}
			return ""
		})
		r.start()
		r.opens("greet.go")
		require.Equal(r.t, byeCall, r.shownOn("greet.go"))
		r.types("greet.go", "// Hello greets.", "// Hello greets.\n//\n// Politely, that is.\n//\n// Or else.")
		r.saves("greet.go")
		require.Equal(r.t, byeCall, r.shownOn("greet.go"))
		r.commands("ahp.annotation.reply", map[string]any{"session": one, "annotation": "a1", "text": "Is it?"})
		require.Equal(r.t, byeCall, r.shownOn("greet.go"))
	})
}

// The place that a comment was given here counts until somebody gives it another.
func TestAnothersMoveCounts(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.commented()
		r.start()
		r.opens("greet.go")
		r.types("greet.go", byeCall, `return "Bye" + name`)
		r.saves("greet.go")
		// As many characters as before: the host's range is the same.
		r.types("greet.go", `return "Bye" + name`, `return "Goo" + name1`)
		r.saves("greet.go")
		r.commands("ahp.annotation.reanchor", map[string]any{"session": one, "annotation": "a1", "range": r.rangeIn("greet.go", `return "Goo" + name1`)})
		require.Equal(r.t, `return "Goo" + name1`, r.shownOn("greet.go"))
		r.does("another client moves it", annotations, map[string]any{
			"type": ahp.TypeAnnotationsUpdated, "annotationId": "a1", "range": r.rangeOnDisk("greet.go", "func Count(n int) {"),
		})
		require.Equal(r.t, "func Count(n int) {", r.shownOn("greet.go"))
	})
}

// A host that cannot give the comments once has not deleted them.
func TestCommentsOutOfReachKeepTheirCode(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.cfg.StateDir = r.t.TempDir()
		r.commented()
		r.start()
		r.opens("greet.go")
		r.types("greet.go", "// Hello greets.", "// Hello greets.\n//\n// Politely, that is.\n//\n// Or else.")
		r.saves("greet.go")
		require.Equal(r.t, byeCall, r.shownOn("greet.go"))
		ill := true
		r.host.Intercept(func(method string, params json.RawMessage) (any, *ahp.Error, bool) {
			if ill && method == "subscribe" && strings.Contains(string(params), annotations) {
				return nil, &ahp.Error{Code: -32603, Message: "out of memory"}, true
			}
			return nil, nil, false
		})
		lose := func() {
			r.host.ForgetClients()
			r.host.DropConnections()
		}
		r.step("the connection is lost", lose)
		r.passes(5e9)
		require.Empty(r.t, r.sets())
		ill = false
		r.step("and again", lose)
		r.passes(5e9)
		require.Equal(r.t, byeCall, r.shownOn("greet.go"))
	})
}

// hostCanGo is called before the start; what it returns makes the host go for good.
func (r *rig) hostCanGo() (goesAway func()) {
	away := false
	r.cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if away {
			return nil, errors.New("nobody there")
		}
		return r.host.Dial(ctx, network, address)
	}
	return func() {
		r.step("the host goes away", func() {
			away = true
			r.host.DropConnections()
		})
	}
}

// What was written while the host was away is not lost in silence when the
// connection's settings change, or the editor quits.
func TestUnsentTextIsTold(t *testing.T) {
	for _, what := range []string{"settings", "quit"} {
		bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
			goesAway := r.hostCanGo()
			settings := map[string]any{}
			r.config = func() any { return settings }
			r.commented()
			r.start()
			r.opens("greet.go")
			goesAway()
			out := r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", byeCall), "text": "A long thought."})
			require.Equal(r.t, true, out["ok"])
			r.commands("ahp.annotation.reply", map[string]any{"session": one, "annotation": "a1", "text": "Another one."})
			if what == "quit" {
				r.end()
				require.Contains(r.t, r.log.text(), "A long thought.")
				require.Contains(r.t, r.log.text(), "Another one.")
				return
			}
			settings["maxSessions"] = 3
			r.step("settings", func() { r.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}) })
			require.Contains(r.t, r.rec.out.String(), "A long thought.")
			require.Contains(r.t, r.rec.out.String(), "Your text was: A long thought.")
			require.Contains(r.t, r.rec.out.String(), "Your text was: Another one.")
		})
	}
}

// A file that was renamed, renamed back and then deleted is at neither place.
func TestRenamedBackAndDeleted(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.commented()
		r.start()
		renamed := func(from, to string) string {
			return fmt.Sprintf(`{"type":"changeset/contentChanged","files":[{"id":"x","edit":{"before":{"uri":%q,"content":{"uri":"git-blob:greet"}},"after":{"uri":%[2]q,"content":{"uri":%[2]q}}}}]}`, r.uri(from), r.uri(to))
		}
		r.does("a rename", ofSession, renamed("greet.go", "hello.go"))
		r.does("and back", ofSession, renamed("hello.go", "greet.go"))
		r.remove("greet.go")
		r.inLoop(func() {
			for f := range r.server.ws.Files() {
				r.server.apply(workspace.FileWritten{URI: f.URI()})
			}
		})
		synctest.Wait() // it comes to rest
		require.Len(r.t, r.sets(), 1)
	})
}

// A reply to a comment that went with its renamed file changes neither its place
// nor anything else on the screen.
func TestReplyInRenamedFile(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.commented()
		r.start()
		r.opens("greet.go")
		r.closes("greet.go")
		r.step("the agent renames the file", func() {
			r.write("hello.go", "// moved\n// and more\n//\n"+greetAfter)
			r.remove("greet.go")
			for _, channel := range []string{ofSession, uncommitted, turnOne} {
				r.host.Do(channel, fmt.Sprintf(`{"type":"changeset/contentChanged","files":[{"id":"hello.go","edit":{"before":{"uri":%q,"content":{"uri":"git-blob:greet"}},"after":{"uri":%[2]q,"content":{"uri":%[2]q}}}}]}`,
					r.uri("greet.go"), r.uri("hello.go")))
			}
		})
		r.opens("hello.go")
		require.Equal(r.t, byeCall, r.shownOn("hello.go"))
		before := r.rec.out.Len()
		r.does("a reply", annotations, entrySet("a1", "a1:1", "Indeed.", ""))
		require.Equal(r.t, byeCall, r.shownOn("hello.go"))
		require.Equal(r.t, 1, strings.Count(r.rec.out.String()[before:], "textDocument/publishDiagnostics"))
	})
}

// What a comment is about was being asked of the host when the connection's
// settings changed: the next connection asks again.
func TestSettingsChangeWhileTurnIsRead(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.greet()
		r.host.AddSession(ahptest.Session{URI: one, Title: "Greet", Directories: []string{r.uri("")},
			Changesets: []ahp.CatalogueEntry{{Kind: "turn", Label: "Turn", Template: "changeset/turn/{turnId}"}},
			Turns:      []ahp.Turn{{ID: "t0", Text: "Before", State: "complete"}, {ID: "t1", Text: "Now", State: "complete"}}})
		a := r.remark("a1", "greet.go", byeCall, "Too short.")
		turn := "t0"
		a.TurnID = &turn
		r.host.SetAnnotations(one, a)
		settings := map[string]any{}
		r.config = func() any { return settings }
		slow := true
		r.host.Intercept(func(method string, params json.RawMessage) (any, *ahp.Error, bool) {
			return ahptest.NoAnswer, nil, slow && method == "subscribe" && strings.Contains(string(params), "turn/t0")
		})
		r.start()
		r.opens("greet.go")
		require.Empty(r.t, r.sets())
		slow = false
		settings["maxSessions"] = 3
		r.step("settings", func() { r.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}) })
		r.passes(3 * turnPatience)
		require.Equal(r.t, byeCall, r.shownOn("greet.go"))
	})
}
