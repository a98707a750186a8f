package lsp

import (
	"strings"

	"ahp-lsp/bridge/ahp"
)

var settingScenes = []scene{
	{
		name: "settings", about: "Settings from initializationOptions, then workspace/configuration over them; members of the wrong type are named and ignored.",
		play: func(r *rig) {
			r.reviewed()
			r.params["initializationOptions"] = map[string]any{"ahp": map[string]any{
				"severity": map[string]any{"awaiting": "hint", "asleep": "error", "open": "loud"}, "maxSessions": "many", "diagnostics": "yes", "showResolved": true,
			}}
			r.config = func() any {
				return map[string]any{"severity": map[string]any{"open": "warning"}, "codeLenses": 1, "pathMap": []any{map[string]any{"host": 3}}}
			}
			r.startTold()
			r.opens("greet.go")
			r.does("it is resolved", annotations, resolved("a1", true))
			r.config = func() any { return []any{} }
			r.step("the editor sends no object", func() { r.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{}}) })
			r.refuse["workspace/configuration"] = "not served"
			r.step("the editor refuses", func() { r.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{}}) })
		},
	},
	{
		name: "settings-pushed", about: "An editor without workspace/configuration pushes its settings, with or without the section's name.",
		play: func(r *rig) {
			r.reviewed()
			r.capability("workspace.configuration", nil)
			r.startTold()
			r.opens("greet.go")
			push := func(title string, settings any) {
				r.step(title, func() { r.notify("workspace/didChangeConfiguration", map[string]any{"settings": settings}) })
			}
			push("with the section's name", map[string]any{"ahp": map[string]any{"severity": map[string]any{"awaiting": "error"}}})
			push("without", map[string]any{"severity": map[string]any{"awaiting": "hint"}})
			push("the same again", map[string]any{"severity": map[string]any{"awaiting": "hint"}})
			push("nothing", nil)
			push("another host", map[string]any{"ahp": map[string]any{"session": "ahp-session:/none"}})
		},
	},
}

// odd is an annotation as agents write them.
func (r *rig) odd(raw string) any {
	return `{"type":"annotations/set","annotation":` + strings.ReplaceAll(raw, "$WS", r.uri("")) + `}`
}

var oddScenes = []scene{
	{
		name: "odd-annotations", about: "What hosts do not check: no entries, plain paths, negative and reversed ranges, missing ends, huge columns, other schemes.",
		play: func(r *rig) {
			r.world()
			r.greet()
			r.start()
			r.opens("greet.go")
			for _, c := range []struct{ title, raw string }{
				{"no entries", `{"id":"o1","resource":"$WS/greet.go","range":{"start":{"line":9,"character":5},"end":{"line":9,"character":8}},"resolved":false,"entries":[]}`},
				{"a plain path", `{"id":"o2","resource":"` + r.path("greet.go") + `","range":{"start":{"line":9,"character":5},"end":{"line":9,"character":8}},"entries":[{"id":"1","text":"plain path"}]}`},
				{"a negative range", `{"id":"o3","resource":"$WS/greet.go","range":{"start":{"line":-3,"character":-1},"end":{"line":0,"character":7}},"entries":[{"id":"1","text":"negative"}]}`},
				{"a reversed range", `{"id":"o4","resource":"$WS/greet.go","range":{"start":{"line":9,"character":8},"end":{"line":9,"character":5}},"entries":[{"id":"1","text":"reversed"}]}`},
				{"no end", `{"id":"o5","resource":"$WS/greet.go","range":{"start":{"line":9,"character":5}},"entries":[{"id":"1","text":"no end"}]}`},
				{"a huge column", `{"id":"o6","resource":"$WS/greet.go","range":{"start":{"line":9,"character":5},"end":{"line":9,"character":99999999999}},"entries":[{"id":"1","text":"huge"}]}`},
				{"a line behind the end", `{"id":"o7","resource":"$WS/greet.go","range":{"start":{"line":4000,"character":0},"end":{"line":4001,"character":0}},"entries":[{"id":"1","text":"far"}]}`},
				{"no text", `{"id":"o8","resource":"$WS/greet.go","range":{"start":{"line":9,"character":5},"end":{"line":9,"character":8}},"entries":[{"id":"1"},{"id":"2","text":{"markdown":"**second**"}}]}`},
				{"another scheme", `{"id":"o9","resource":"git:/greet.go?HEAD","entries":[{"id":"1","text":"on a git object"}]}`},
				{"no resource", `{"id":"o10","entries":[{"id":"1","text":"nowhere"}]}`},
				{"members of the wrong type", `{"id":"o11","resource":"$WS/greet.go","range":"all of it","resolved":"no","entries":{"id":"1"}}`},
				{"outside the workspace", `{"id":"o12","resource":"file:///elsewhere/x.go","entries":[{"id":"1","text":"outside"}]}`},
			} {
				r.does(c.title, annotations, r.odd(c.raw))
			}
			r.lensesOf("greet.go")
			r.hovers("greet.go", "func Bye")
			r.offered("greet.go", "func Bye", "quickfix")
			r.commands("ahp.annotation.resolve", comment(one, "o1"))
			r.commands("ahp.annotation.accept", comment(one, "o2"))
		},
	},
	{
		name: "odd-files", about: "Files that cannot be read: deleted, binary, not UTF-8; their comments are shown at the host's line, unproven.",
		play: func(r *rig) {
			r.world()
			r.write("gone.go", "package gone\n\nvar x = 1\n")
			r.write("image.png", "\x89PNG\x00\x01")
			r.write("latin.txt", "caf\xe9\n")
			at := func(id, name string) *ahp.Annotation {
				return &ahp.Annotation{ID: id, Resource: r.uri(name), Entries: []ahp.Entry{{ID: "1", Text: ahp.Plain(id)}}, Range: &ahp.Range{Start: ahp.Position{Line: 2}, End: ahp.Position{Line: 2, Character: 3}}}
			}
			r.host.SetAnnotations(one, at("a1", "gone.go"), at("a2", "image.png"), at("a3", "latin.txt"), at("a4", "never.go"))
			r.startTold()
			r.opens("gone.go")
			r.step("it is deleted on disk", func() {
				r.remove("gone.go")
				r.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": r.uri("gone.go"), "type": 3}}})
			})
			r.offered("gone.go", "var x", "quickfix")
			r.closes("gone.go")
			r.step("and is written again", func() {
				r.write("gone.go", "package gone\n\n// x\nvar x = 1\n")
				r.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": r.uri("gone.go"), "type": 1}}})
			})
			r.opensWith("never.go", "package never\n\nvar y = 2\n")
			r.opensWith("latin.txt", "café\n")
			r.step("a document without a file is opened and changed", func() {
				r.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "untitled:Untitled-1", "languageId": "go", "version": 1, "text": "ahp: x"}})
				r.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "untitled:Untitled-1", "version": 2}, "contentChanges": []any{map[string]any{"text": "y"}}})
				r.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "untitled:Untitled-1"}})
			})
		},
	},
	{
		name: "binary-change", about: "A changeset of files that are no text, or whose contents the host cannot give.",
		play: func(r *rig) {
			r.world()
			r.write("greet.go", greetAfter)
			r.write("other.go", "package other\n")
			r.host.SetContent("git-blob:binary", "\x00\x01")
			files := []string{r.changed("greet.go", "git-blob:binary"), r.changed("other.go", "git-blob:none")}
			r.host.SetChangeset(ofSession, r.changeset(nil, files...))
			r.host.SetChangeset(uncommitted, r.changeset([]string{opDiscard, opRange}, files...))
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.offered("greet.go", helloCall)
			r.invokes(uncommitted, "revert-range", r.target("greet.go", "import \"fmt\"\n"))
			r.commands("ahp.hunk.revert", map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", "import \"fmt\"\n")})
			r.opens("other.go")
			r.offered("other.go", "package")
		},
	},
	{
		name: "reload", about: "Neovim reloads a file that the agent wrote: didClose and didOpen; and VS Code: one change.",
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			written := strings.Replace(greetAfter, "import", "// Written by the agent.\nimport", 1)
			r.write("greet.go", written)
			if r.name == "neovim" {
				r.step("reload", func() {
					r.close(r.uri("greet.go"))
					r.open(r.uri("greet.go"), "go", written)
				})
			} else {
				r.step("reload", func() { r.replace(r.uri("greet.go"), written) })
			}
			r.lensesOf("greet.go")
			r.offered("greet.go", helloCall, "quickfix")
		},
	},
}
