package lsp

import (
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

var startScenes = []scene{
	{
		name: "start", about: "The handshakes of a real editor and of a host; what is subscribed to.",
		play: func(r *rig) {
			r.reviewed()
			r.started(func(e entry) bool { return e.class != classScript || !strings.Contains(e.line, "initialize {") })
			r.asks("shut down", "shutdown", nil)
		},
	},
	{
		name: "no-host", about: "No host at all: said once; one that comes later is found; it goes and comes back.",
		play: func(r *rig) {
			r.reviewed()
			var there atomic.Bool
			r.cfg.Flags = Settings{}
			r.cfg.Discover = func(string, []string) []bridge.Host {
				if !there.Load() {
					return nil
				}
				return []bridge.Host{{URL: ahptest.MemoryURL}}
			}
			r.startTold()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.passes(time.Minute)
			there.Store(true)
			r.step("a host is started", func() { time.Sleep(17 * time.Second) })
			r.lensesOf("greet.go")
			there.Store(false)
			r.step("it goes", func() { r.host.DropConnections(); time.Sleep(62 * time.Second) })
			r.commands("ahp.status")
			there.Store(true)
			r.step("it is back", func() { time.Sleep(17 * time.Second) })
			r.offered("greet.go", helloCall, "quickfix")
		},
	},
	{
		name: "bad-host", about: "A host that refuses the token, and one that speaks another version: said once, with what to do.",
		options: ahptest.Options{Token: "secret", Versions: []string{"2.0.0"}}, editors: []string{"neovim"},
		play: func(r *rig) {
			r.reviewed()
			r.startTold()
			r.passes(time.Minute)
			r.config = func() any { return map[string]any{"token": "secret"} }
			r.step("the user sets the token", func() {
				r.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
				time.Sleep(time.Minute)
			})
		},
	},
	{
		name: "reconnect", about: "The connection is lost and comes back: what was missed is shown, what was said meanwhile is sent.",
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.step("the connection is lost; meanwhile the agent replies, and so does the user", func() {
				r.host.DropConnections()
				synctest.Wait() // or what follows would still find its way
				r.host.Do(annotations, entrySet("a1", "a1:1", "missed", byAgent))
				r.ask("workspace/executeCommand", map[string]any{"command": "ahp.annotation.reply", "arguments": []any{map[string]any{"session": one, "annotation": "a1", "text": "offline"}}})
			})
			r.passes(time.Second)
			r.step("the host forgets its clients, and the connection is lost again", func() {
				r.host.DropConnections()
				synctest.Wait()
				r.host.ForgetClients()
				r.host.Do(annotations, resolved("a2", true))
				time.Sleep(2 * time.Second)
			})
			r.commands("ahp.reconnect")
			r.passes(time.Second)
		},
	},
	{
		name: "contents-later", about: "A file is saved while the host is away: its hunks stay, and are read again afterwards.", editors: []string{"vscode"},
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.step("the connection is lost", func() { r.host.DropConnections() })
			r.types("greet.go", "// Hello greets.", "// Hello greets everybody.")
			r.saves("greet.go")
			r.lensesOf("greet.go")
			r.passes(time.Second)
			r.lensesOf("greet.go")
		},
	},
	{
		name: "session", about: "Sessions come, go, and are chosen.",
		play: func(r *rig) {
			r.write("greet.go", greetAfter)
			r.startTold()
			r.opens("greet.go")
			r.commands("ahp.session.select")
			r.step("an agent begins", func() { r.reviewed() })
			r.step("another one", func() {
				r.host.AddSession(ahptest.Session{URI: "ahp-session:/2", Title: "Second", Directories: []string{r.uri("")}, Modified: time.Now()})
			})
			r.step("and one in another folder", func() {
				r.host.AddSession(ahptest.Session{URI: "ahp-session:/3", Title: "Elsewhere", Directories: []string{"file:///elsewhere"}, Modified: time.Now()})
			})
			r.commands("ahp.session.select")
			r.answers("Second (shown)")
			r.commands("ahp.session.select")
			r.answers("Elsewhere in elsewhere")
			r.commands("ahp.session.select", map[string]any{"session": ""})
			r.commands("ahp.status")
			r.step("the first session is deleted", func() { r.host.RemoveSession(one) })
		},
	},
	{
		name: "folders", about: "Workspace folders change: closed files of a folder that goes are cleared, those of one that comes are shown.",
		play: func(r *rig) {
			r.reviewed()
			r.write("sub/deep.go", "package sub\n")
			r.params["workspaceFolders"] = []any{map[string]any{"uri": r.uri("sub"), "name": "sub"}}
			r.params["rootUri"] = r.uri("sub")
			r.host.SetAnnotations(one, r.review("a1", "greet.go", helloCall, "outside"), r.remark("a3", "sub/deep.go", "package sub", "inside"))
			r.startTold()
			folder := func(name string) []any { return []any{map[string]any{"uri": r.uri(name), "name": "x"}} }
			r.step("the whole folder is opened", func() {
				r.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": folder(""), "removed": folder("sub")}})
			})
			r.step("and closed", func() {
				r.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": folder("nothing"), "removed": folder("")}})
			})
		},
	},
	{
		name: "no-folder", about: "Helix outside a repository: no folder, the sessions of the open files are followed.", editors: []string{"helix"},
		play: func(r *rig) {
			r.reviewed()
			r.params["workspaceFolders"], r.params["rootUri"] = []any{}, nil
			r.startTold()
			r.opens("greet.go")
			r.chooses(r.offered("greet.go", helloCall), "Show thread")
			r.step("the thread's file is opened", func() { r.open("file://"+r.scratchFile("thread.md"), "markdown", "x") })
			r.closes("greet.go")
		},
	},
	{
		name: "path-map", about: "A host on another machine: every URI is translated both ways.",
		play: func(r *rig) {
			r.params["initializationOptions"] = map[string]any{"pathMap": []any{map[string]any{"host": "file:///srv/work", "local": r.uri("")}}}
			r.host.AddSession(ahptest.Session{URI: one, Title: "Remote", Directories: []string{"file:///srv/work"}, Changesets: []ahp.CatalogueEntry{{Kind: "session", Label: "Session Changes"}}})
			r.write("greet.go", greetAfter)
			r.host.SetContent("git-blob:greet", greetBefore)
			r.host.SetContent("file:///srv/work/greet.go", greetAfter)
			r.host.SetChangeset(ofSession, strings.ReplaceAll(r.changeset([]string{opRange}, r.changed("greet.go", "git-blob:greet")), r.uri("greet.go"), "file:///srv/work/greet.go"))
			a := r.review("a1", "greet.go", helloCall, "Remote.")
			a.Resource = "/srv/work/greet.go" // a plain path
			r.host.SetAnnotations(one, a)
			r.startTold()
			r.opens("greet.go")
			r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", `"Bye "`), "text": "Why not good bye?"})
			r.holdOperations()
			r.chooses(r.offered("greet.go", helloCall, "refactor"), "Revert Range")
			r.operationEnds(ahp.InvokeResult{}, nil)
		},
	},
}
