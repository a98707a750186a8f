package arch

// A room is a package of the module and what it may know.
type room struct {
	path string
	// may lists the packages of the module that it may import. What they import in turn is their
	// business, and held to their own rooms.
	may []string
	// modules lists the modules of others that it may import; nil is any, "std" is none.
	modules []string
	// not lists packages of the standard library, or of any module, that it must not import, with
	// all below them.
	not []string
	// still: it starts no goroutine and asks no clock. What it does depends on its arguments alone.
	still bool
	// stamps: though still, it may ask what time it is, for the times that records have.
	stamps bool
}

const glsp = "github.com/tliron/glsp"

var (
	// A package without I/O has no way to the disk, the network or another process.
	noIO = []string{"os", "net", "io/fs", "syscall", "golang.org/x/sys", "github.com/fsnotify/fsnotify"}
	// One without locks is changed by one goroutine, or not at all.
	noLocks = []string{"sync"}
	// The host's side and the embedded host do not know that there is an editor.
	noEditor = []string{glsp}
	std      = []string{"std"}
)

// The rooms of the tree. Each package is in here, except those in anywhere.
var rooms = []room{
	// The protocol and the texts: values in, values out.
	{path: "bridge/ahp/internal/table", modules: std, not: with(noIO, noLocks...), still: true},
	{path: "bridge/ahp", may: list("bridge/ahp/internal/table"), modules: std, not: noIO, still: true},
	{path: "mapping/words", modules: []string{"znkr.io/diff"}, not: with(noIO, noLocks...), still: true},
	{path: "mapping", may: list("mapping/words"), modules: []string{"znkr.io/diff"}, not: noIO, still: true},
	{path: "mapping/thread", may: list("mapping", "bridge/ahp"), modules: std, not: with(noIO, noLocks...), still: true},

	// The host's side.
	{path: "bridge/remote", may: list("bridge/ahp"), modules: std, not: with(noIO, noLocks...), still: true},
	{path: "bridge/discover", modules: std},
	{path: "bridge", may: list("bridge/ahp", "bridge/remote"), not: noEditor},

	// The editor's side: lsp → command → view → workspace → mapping.
	{path: "lsp/protocol", may: list("mapping"), modules: []string{glsp}, not: with(noIO, noLocks...), still: true},
	{path: "lsp/rpc", modules: []string{"github.com/sourcegraph/jsonrpc2"}, not: []string{"os", "net"}},
	{path: "lsp/store", may: list("mapping"), not: noEditor},
	{path: "lsp/workspace", may: list("mapping", "mapping/thread", "bridge/ahp", "bridge/remote"), not: with(noIO, glsp, "sync"), still: true},
	{path: "lsp/view", may: list("lsp/workspace", "lsp/protocol", "mapping", "mapping/words", "mapping/thread", "bridge/ahp", "bridge/remote"),
		not: with(noIO, noLocks...), still: true},
	{path: "lsp/command", may: list("lsp/view", "lsp/workspace", "lsp/protocol", "mapping", "mapping/thread", "bridge/ahp", "bridge/remote"),
		not: with(noIO, noLocks...)},
	{path: "lsp", may: list("lsp/command", "lsp/view", "lsp/workspace", "lsp/protocol", "lsp/rpc", "lsp/store",
		"bridge", "bridge/ahp", "bridge/remote", "mapping", "mapping/thread")},

	// The embedded host's git.
	{path: "internal/githost/gitrepo/fault", modules: std, not: noLocks, still: true},
	{path: "internal/githost/gitrepo/gitfile", modules: std, not: with(noIO, noLocks...), still: true},
	{path: "internal/githost/gitrepo/lines", may: list("mapping"), modules: std, not: with(noIO, noLocks...), still: true},
	{path: "internal/githost/gitrepo/lines/linestest", modules: []string{"pgregory.net/rapid"}},
	{path: "internal/githost/gitrepo/patch", may: gitrepo("lines", "gitfile"), modules: std, not: with(noIO, noLocks...), still: true},
	{path: "internal/githost/gitrepo/gitcmd", may: gitrepo("fault"), not: noEditor},
	{path: "internal/githost/gitrepo/worktree", may: gitrepo("fault", "gitfile"), not: noEditor},
	{path: "internal/githost/gitrepo/records", may: gitrepo("fault", "gitcmd"), not: noEditor},
	{path: "internal/githost/gitrepo", may: gitrepo("fault", "gitcmd", "gitfile", "lines", "patch", "records", "worktree"), not: noEditor},

	// The embedded host, which is reached through the protocol.
	{path: "internal/githost/wire", may: list("bridge/ahp"), modules: std, not: with(noIO, noLocks...), still: true},
	{path: "internal/githost/session", may: list("internal/githost/wire", "internal/githost/gitrepo", "bridge/ahp"), not: with(noEditor, noLocks...),
		still: true, stamps: true},
	{path: "internal/githost/journal", may: list("bridge/ahp"), not: noEditor},
	{path: "internal/githost/store", may: list("internal/githost/journal", "internal/githost/session", "internal/githost/wire",
		"internal/githost/gitrepo", "bridge/ahp"), not: noEditor},
	{path: "internal/githost/disk", may: list("internal/githost/session", "internal/githost/wire", "internal/githost/gitrepo", "bridge/ahp"), not: noEditor},
	{path: "internal/githost/publish", may: list("bridge/ahp"), not: noEditor},
	{path: "internal/githost", may: list("internal/githost/session", "internal/githost/journal", "internal/githost/store", "internal/githost/wire",
		"internal/githost/disk", "internal/githost/publish", "internal/githost/gitrepo", "bridge/ahp"), not: noEditor},

	// What the command line is made of.
	{path: "internal/hosts", may: list("bridge", "bridge/ahp", "bridge/remote", "bridge/discover", "internal/githost", "internal/githost/gitrepo"), not: noEditor},
	{path: "internal/review", may: list("internal/hosts", "internal/githost/gitrepo", "bridge", "bridge/ahp", "bridge/remote", "mapping", "mapping/thread"),
		not: noEditor},
	{path: "internal/agenthook", may: list("internal/githost", "internal/githost/gitrepo"), not: noEditor},
	{path: "internal/editor", modules: std},
	{path: "internal/helixconfig", may: list("internal/editor"), not: noEditor},
	{path: "internal/doctor", may: list("internal/editor", "internal/helixconfig", "internal/hosts", "internal/githost", "internal/githost/gitrepo",
		"bridge", "bridge/ahp", "bridge/remote", "bridge/discover", "lsp")},
	{path: "internal/demo", may: list("internal/editor", "internal/hosts", "internal/review", "internal/githost", "internal/githost/gitrepo",
		"bridge", "bridge/ahp", "bridge/remote", "editors/neovim", "lsp", "lsp/protocol", "mapping")},
	{path: "internal/clidoc", not: noEditor},
	{path: "internal/setup", may: list("internal/doctor", "internal/editor", "internal/helixconfig", "editors/emacs", "editors/neovim", "editors/vim"),
		not: noEditor},
	{path: "internal/release", not: noEditor},
	{path: "editors/emacs", modules: std},
	{path: "editors/neovim", modules: std},
	{path: "editors/report", modules: std},
	{path: "editors/vim", modules: std},

	// What starts it all, and what tests need.
	{path: "cmd/ahp-lsp", may: list("internal/agenthook", "internal/clidoc", "internal/demo", "internal/doctor", "internal/helixconfig",
		"internal/hosts", "internal/review", "internal/setup", "internal/githost", "internal/githost/gitrepo", "lsp", "bridge", "bridge/ahp", "bridge/remote")},
	{path: "internal/ahptest", may: list("bridge/ahp")},
	{path: "internal/winetest", modules: std},
	{path: "internal/arch", modules: std},
	{path: "editors/e2e"},
}

// Packages that do one small thing with no idea of what this program is about, and so may be
// imported by every room that may do that thing. They import nothing of the module but each other.
var anywhere = []room{
	{path: "internal/atomicfile"},
	{path: "internal/buildinfo"},
	{path: "internal/localsocket"},
	{path: "internal/memnet"},
	{path: "internal/printable", modules: std, not: with(noIO, noLocks...), still: true},
	{path: "internal/regularfile"},
	{path: "internal/tokenfile"},
	{path: "internal/trust"},
	{path: "internal/winetest"},
}

// Rooms without I/O may import this one of them alone.
const pureLeaf = "internal/printable"

// gitrepo lists packages below internal/githost/gitrepo.
func gitrepo(names ...string) []string {
	for i, name := range names {
		names[i] = "internal/githost/gitrepo/" + name
	}
	return names
}

func list(paths ...string) []string { return paths }

func with(paths []string, more ...string) []string {
	return append(append([]string{}, paths...), more...)
}
