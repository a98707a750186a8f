package lsp

import (
	"ahp-lsp/lsp/view"
	"encoding/json"

	"github.com/stretchr/testify/require"
)

var contentsScenes = []scene{
	{
		name: "contents", about: "Both sides of a change, whether its file is open or not.", editors: []string{"neovim"},
		play: func(r *rig) {
			r.reviewed()
			r.write("new.go", "package greet\n")
			r.host.SetContent("git-blob:binary", "package\x00greet\n")
			created := `{"id":"new.go","edit":{"after":{"uri":"` + r.uri("new.go") + `","content":{"uri":"` + r.uri("new.go") + `"}}}}`
			r.host.SetChangeset(ofSession, r.changeset(nil, r.changed("greet.go", "git-blob:greet"), created, r.changed("other.go", "git-blob:binary")))
			r.start()
			ask := func(title string, params map[string]any) (v view.Contents) {
				require.NoError(r.t, json.Unmarshal(r.asks(title, "ahp/contents", params), &v))
				return v
			}
			closed := ask("of a file that is not open", map[string]any{"uri": r.uri("greet.go")})
			require.Equal(r.t, greetBefore, *closed.Before)
			require.Equal(r.t, greetAfter, *closed.After)
			r.opens("greet.go")
			r.types("greet.go", "package greet", "package mine")
			require.Equal(r.t, closed, ask("what the user types is no part of it", map[string]any{"uri": r.uri("greet.go")}))
			turn := ask("of another changeset", map[string]any{"uri": r.uri("greet.go"), "channel": turnOne})
			require.Equal(r.t, turnOne, turn.Channel)
			fresh := ask("of a file that was not there", map[string]any{"uri": r.uri("new.go")})
			require.Nil(r.t, fresh.Before)
			require.Equal(r.t, "package greet\n", *fresh.After)
			require.Equal(r.t, view.Contents{}, ask("of a file that no agent changed", map[string]any{"uri": r.uri("far.go")}))
			require.Equal(r.t, view.Contents{}, ask("of a changeset that it is not in", map[string]any{"uri": r.uri("new.go"), "channel": turnOne}))
			code, why := r.fails("of a file that was no text", "ahp/contents", map[string]any{"uri": r.uri("other.go")})
			require.Equal(r.t, codeRequestFailed, code)
			require.Contains(r.t, why, "the change of other.go cannot be shown: it is binary")
		},
	},
}
