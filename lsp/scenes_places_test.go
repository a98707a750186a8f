package lsp

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

var placeScenes = []scene{
	{
		name: "reanchor", about: "Code that changed and code that went: shown as such, with what it was; put elsewhere by the user; a reply writes a shifted place.",
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			r.types("greet.go", "// Hello greets.", "// Hello greets.\n// Politely.")
			r.saves("greet.go")
			r.chooses(r.offered("greet.go", helloCall), "Reply")
			r.commands("ahp.annotation.reply", map[string]any{"session": one, "annotation": "a1", "text": "It moved."})
			r.types("greet.go", helloCall, `fmt.Sprintf("Hello there, %s!", name)`)
			r.hovers("greet.go", "Hello there")
			r.saves("greet.go")
			r.chooses(r.offered("greet.go", "Hello there"), "Re-anchor comment here")
			r.types("greet.go", "\treturn fmt.Sprintf(\"Hello there, %s!\", name)\n", "\tpanic(name)\n")
			r.hovers("greet.go", "panic(name)")
			r.saves("greet.go")
			r.chooses(r.offered("greet.go", "panic(name)"), "Show original code")
			r.chooses(r.selected("greet.go", "panic(name)"), "Re-anchor to selection")
			r.types("greet.go", "panic(name)", "panic(nobody)")
			r.commands("ahp.annotation.reanchor", map[string]any{"session": one, "annotation": "a1", "range": r.rangeIn("greet.go", "panic(nobody)")})
		},
	},
	{
		name: "elsewhere", about: "The same code in another file is offered, never assumed.",
		play: func(r *rig) {
			r.reviewed()
			r.write("moved.go", "package greet\n\nfunc moved(name string) string {\n\treturn "+helloCall+"\n}\n")
			r.start()
			r.opens("greet.go")
			r.opens("moved.go")
			r.types("greet.go", "// Hello greets.\nfunc Hello(name string) string {\n\treturn "+helloCall+"\n}\n\n", "")
			r.saves("greet.go")
			r.chooses(r.offered("greet.go", "func Bye"), "Re-anchor comment to the same code in moved.go")
		},
	},
	{
		name: "renamed", about: "A comment goes with its renamed file, and comes back with it.", editors: []string{"neovim"},
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.step("the agent renames the file", func() {
				r.write("hello.go", "// moved\n"+greetAfter)
				r.remove("greet.go")
				r.host.Do(ofSession, fmt.Sprintf(`{"type":"changeset/contentChanged","files":[{"id":"hello.go","edit":{"before":{"uri":%q,"content":{"uri":"git-blob:greet"}},"after":{"uri":%[2]q,"content":{"uri":%[2]q}}}}]}`,
					r.uri("greet.go"), r.uri("hello.go")))
			})
			r.opens("hello.go")
			r.hovers("hello.go", helloCall)
			r.step("and back", func() {
				r.write("greet.go", greetAfter)
				r.remove("hello.go")
				r.host.Do(ofSession, `{"type":"changeset/contentChanged","files":[`+r.changed("greet.go", "git-blob:greet")+`]}`)
			})
			r.closes("hello.go")
			r.opens("greet.go")
			require.Contains(r.t, string(r.hovers("greet.go", helloCall)), "configurable")
			require.True(r.t, strings.HasPrefix(r.buffer("greet.go"), "package greet"))
		},
	},
}
