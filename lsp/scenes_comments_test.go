package lsp

import (
	"strings"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

// commenting is a session with files in several languages.
func (r *rig) commenting() {
	r.world()
	r.greet()
	r.write("a.py", "import os\n\ndef f(x):\n    return x\n")
	r.write("page.html", "<ul>\n  <li>😀 one</li>\n  <li>two</li>\n</ul>\n")
	r.write("list.txt", "one\ntwo\nthree")
}

// created is the newest comment that the host has beside those given.
func (r *rig) created(out map[string]any) (text, on string) {
	r.t.Helper()
	require.Equal(r.t, true, out["ok"], "%v", out)
	a := r.host.Annotation(one, out["annotation"].(string))
	require.NotNil(r.t, a)
	if a.Range == nil {
		return a.Entries[0].Text.Value, ""
	}
	disk, _ := r.onDisk(strings.TrimPrefix(a.Resource, "file://"+r.base))
	on, ok := sliceOf(disk, [2]int{a.Range.Start.Line, a.Range.Start.Character}, [2]int{a.Range.End.Line, a.Range.End.Character}, "utf-16")
	require.True(r.t, ok, "%v is not in the file", *a.Range)
	return a.Entries[0].Text.Value, on
}

var commentScenes = []scene{
	{
		name: "comment", about: "A new comment with its text: on a selection, on text that is not saved, on the whole file; what the host is told is the place on disk.",
		play: func(r *rig) {
			r.commenting()
			r.start()
			r.opens("page.html")
			out := r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("page.html"), "range": r.rangeIn("page.html", "one"), "text": "Which one?"})
			text, on := r.created(out)
			require.Equal(r.t, []string{"Which one?", "one"}, []string{text, on})
			r.types("page.html", "<ul>\n", "<ul>\n  <li>😀 zero</li>\n")
			out = r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("page.html"), "range": r.rangeIn("page.html", "two"), "text": "Too many."})
			text, on = r.created(out)
			require.Equal(r.t, []string{"Too many.", "two"}, []string{text, on})
			r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("page.html"), "range": r.rangeIn("page.html", "zero"), "text": "On what is not saved."})
			r.saves("page.html")
			r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("page.html"), "text": "On the file.", "session": one})
			r.hovers("page.html", "<ul>")
			r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("page.html"), "text": " "})
			r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("page.html"), "text": "x", "session": "ahp-session:/9"})
		},
	},
	{
		name: "comment-asked", about: "A new comment whose text is asked for in a file; the place is looked for again when the text comes.",
		play: func(r *rig) {
			r.commenting()
			r.start()
			r.opens("a.py")
			r.chooses(r.offered("a.py", "return x"), "Comment on this line")
			r.types("a.py", "import os\n", "import os\nimport sys\n")
			r.fills("ahp-comment.md", "Why not None?")
			r.chooses(r.selected("a.py", "f(x)"), "Comment on this selection")
			r.closes("a.py")
			r.fills("ahp-comment.md", "A better name, please.")
			r.opens("a.py")
			r.chooses(r.selected("a.py", "f(x)"), "Comment on this selection")
			r.types("a.py", "def f(x):\n    return x\n", "")
			r.fills("ahp-comment.md", "Too late.")
		},
	},
	{
		name: "comment-line", about: "A line \"ahp: …\" becomes a comment on what is below it, or on the selection, and goes.",
		play: func(r *rig) {
			r.commenting()
			r.start()
			r.opens("greet.go")
			r.opens("a.py")
			r.opens("page.html")
			r.opens("list.txt")
			for _, c := range []struct{ file, above, line string }{
				{"greet.go", "\treturn \"Bye \" + name", "\t// ahp: say good bye\n"},
				{"a.py", "    return x", "    # ahp: 😀 handle None\n"},
				{"page.html", "  <li>two</li>", "  <!-- ahp: three as well -->\n"},
				{"list.txt", "two", "ahp: first line\nahp: second line\n"},
			} {
				before := r.buffer(c.file)
				r.types(c.file, c.above, c.line+c.above)
				r.chooses(r.offered(c.file, c.line[strings.Index(c.line, "ahp:"):]), "Create comment from this line")
				require.Equal(r.t, before, r.buffer(c.file))
			}
			r.types("list.txt", "three", "three\nahp: and the last line")
			r.chooses(r.offered("list.txt", "ahp: and"), "Create comment from this line")
			require.Equal(r.t, "one\ntwo\nthree", r.buffer("list.txt"))
			r.types("a.py", "def f(x):", "# ahp: all of it\ndef f(x):")
			r.chooses(r.selected("a.py", "# ahp: all of it\ndef f(x):\n    return x\n"), "Create comment from this line")
			r.types("a.py", "def f(x):", "# ahp:\ndef f(x):")
			r.offered("a.py", "# ahp:")
		},
	},
	{
		name: "comment-line-changed", about: "The line changes between the menu and the choice; and the editor refuses the edit.", editors: []string{"vscode"},
		play: func(r *rig) {
			r.commenting()
			r.start()
			r.opens("a.py")
			r.types("a.py", "    return x", "    # ahp: handle None\n    return x")
			list := r.offered("a.py", "# ahp:")
			r.types("a.py", "handle None", "handle None and 0")
			r.chooses(list, "Create comment")
			list = r.offered("a.py", "# ahp:")
			r.refuse["workspace/applyEdit"] = "busy"
			r.chooses(list, "Create comment")
		},
	},
	{
		name: "comment-nowhere", about: "No session works where the file is.",
		play: func(r *rig) {
			r.commenting()
			r.host.AddSession(ahptest.Session{URI: "ahp-session:/2", Title: "Elsewhere", Directories: []string{"file:///elsewhere"}})
			r.start()
			r.opens("a.py")
			r.step("the session is deleted on the host", func() { r.host.RemoveSession(one) })
			r.types("a.py", "    return x", "    # ahp: handle None\n    return x")
			r.offered("a.py", "# ahp:")
			r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("a.py"), "range": r.rangeIn("a.py", "return x"), "text": "x"})
		},
	},
	{
		name: "comment-0.8", about: "A comment for a host of version 0.8 names the turn, not its origin.", options: ahptest.Options{Versions: []string{"0.8.0"}},
		editors: []string{"helix"},
		play: func(r *rig) {
			r.commenting()
			r.start()
			r.opens("greet.go")
			r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", `"Bye "`), "text": "Why not good bye?"})
		},
	},
}
