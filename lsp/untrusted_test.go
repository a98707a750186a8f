package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// What a host or an agent writes is shown, and does nothing.

const evil = "see [here](command:workbench.action.quit) ![x](https://evil.example/?q=1) <img src=https://evil.example>\x1b[2J\u202egnp.exe"

// visible says of what the editor shows that all of it is seen.
func visible(t *testing.T, out string) {
	t.Helper()
	for _, bad := range []string{"\x1b", `\u001b`, "\u202e", `\u202e`} {
		require.NotContains(t, out, bad)
	}
}

// harmless says of what an editor shows as Markdown, or makes links in, that it
// cannot act.
func harmless(t *testing.T, out string) {
	t.Helper()
	visible(t, out)
	for _, bad := range []string{"](command:", "![", "<img"} {
		require.NotContains(t, out, bad)
	}
}

func TestHostTextDoesNothing(t *testing.T) {
	bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
		r.world()
		r.greet(strings.Replace(strings.Replace(opDiscard, `,"confirmation":"Discard the changes in {0}?"`, "", 1), "Discard Changes\"", string(jsonText(evil))[1:len(jsonText(evil))-1]+"\"", 1))
		a := r.review("a1", "greet.go", byeCall, evil)
		a.Entries = append(a.Entries, ahp.Entry{ID: "a1:1", Text: ahp.Plain(evil)})
		r.host.SetAnnotations(one, a)
		r.host.OnInvoke(func(ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error) {
			return ahp.InvokeResult{Message: &ahp.Text{Value: evil}}, nil
		})
		r.start()
		r.opens("greet.go")
		var shown []string
		hover := string(r.hovers("greet.go", byeCall))
		require.Contains(r.t, hover, "https://evil.example/?q=1", "the address is seen")
		harmless(r.t, hover)
		shown = append(shown, r.published[r.uri("greet.go")])
		for _, l := range r.lensesOf("greet.go") {
			shown = append(shown, l.Command.Title)
		}
		menu := r.offered("greet.go", byeCall)
		for _, action := range menu {
			shown = append(shown, action.Title)
		}
		visible(r.t, strings.Join(shown, "\n"))
		var operation string
		for _, action := range menu {
			if strings.HasPrefix(action.Title, "see ") && action.Command.Command == "ahp.operation.invoke" {
				operation = action.Title
			}
		}
		before := r.rec.out.Len()
		r.chooses(menu, operation)
		require.Contains(r.t, r.rec.out.String()[before:], "window/showMessage")
		said := editorSide(r.rec.out.String()[before:])
		visible(r.t, said)
		require.NotContains(r.t, said, "](", "a notification has no links")
	})
}

// jsonText is a text as a JSON string.
func jsonText(s string) []byte {
	raw, _ := json.Marshal(s)
	return raw
}

// editorSide are the lines of a transcript that the editor was sent.
func editorSide(transcript string) string {
	var out []string
	keep := false
	for _, line := range strings.Split(transcript, "\n") {
		if strings.Contains(line, "→") {
			keep = strings.HasPrefix(line, "→editor window/")
		}
		if keep {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// Nothing is opened outside the editor, or on another machine, because a host
// wants it.
func TestFollowUpsAreAskedFor(t *testing.T) {
	for _, c := range []struct{ uri, answer, opens string }{
		{"https://evil.example/", "Cancel", ""},
		{"https://example.test/pr", "Open", "https://example.test/pr"},
		{"file://evil.example/share/x", "", ""},
	} {
		bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
			r.world()
			r.greet(opCommit)
			r.host.OnInvoke(func(ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error) { return followUp(c.uri, true), nil })
			r.manual["window/showMessageRequest"] = true
			r.start()
			r.opens("greet.go")
			r.chooses(r.offered("greet.go", "i + 1", "source"), "Commit: ")
			if c.answer != "" {
				require.NotContains(r.t, r.rec.out.String(), "window/showDocument", "not yet")
				r.answers(c.answer)
			}
			require.Equal(r.t, c.opens != "", strings.Contains(r.rec.out.String(), "window/showDocument"), c.uri)
		})
	}
}
