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
	{path: "bridge/ahp", modules: std, not: noIO, still: true},
	{path: "mapping", modules: []string{"znkr.io/diff"}, not: noIO, still: true},
	{path: "mapping/thread", may: list("mapping", "bridge/ahp"), modules: std, not: with(noIO, noLocks...), still: true},

	// The host's side.
	{path: "bridge", may: list("bridge/ahp"), not: noEditor},
	{path: "bridge/discover", modules: std},

	// The editor's side: lsp → command → view → workspace → mapping.
	{path: "lsp/protocol", modules: []string{glsp}, not: with(noIO, noLocks...), still: true},
	{path: "lsp/rpc", modules: []string{"github.com/sourcegraph/jsonrpc2"}, not: []string{"os", "net"}},
	{path: "lsp/store", may: list("mapping", "bridge/ahp"), not: noEditor},
	{path: "lsp/workspace", may: list("mapping", "mapping/thread", "bridge/ahp"), not: with(noIO, glsp, "sync"), still: true},
	{path: "lsp/view", may: list("lsp/workspace", "lsp/protocol", "mapping", "mapping/thread", "bridge/ahp"), not: with(noIO, noLocks...), still: true},
	{path: "lsp/command", may: list("lsp/view", "lsp/workspace", "lsp/protocol", "mapping", "mapping/thread", "bridge/ahp"), not: with(noIO, noLocks...)},
	{path: "lsp", may: list("lsp/command", "lsp/view", "lsp/workspace", "lsp/protocol", "lsp/rpc", "lsp/store",
		"bridge", "bridge/ahp", "mapping", "mapping/thread")},

	// The embedded host, which is reached through the protocol.
	{path: "internal/githost/gitrepo/lines", modules: std, not: with(noIO, noLocks...), still: true},
	{path: "internal/githost/gitrepo/patch", may: list("internal/githost/gitrepo/lines"), not: with(noIO, noLocks...), still: true},
	{path: "internal/githost/gitrepo", may: list("internal/githost/gitrepo/lines", "internal/githost/gitrepo/patch", "mapping"), not: noEditor},
	{path: "internal/githost/session", may: list("internal/githost/gitrepo", "bridge/ahp", "mapping"), not: with(noEditor, noLocks...), still: true},
	{path: "internal/githost/publish", may: list("internal/githost", "bridge/ahp"), not: noEditor},
	{path: "internal/githost", may: list("internal/githost/session", "internal/githost/gitrepo", "bridge/ahp"), not: noEditor},

	// What the command line is made of.
	{path: "internal/helixconfig", not: noEditor},
	{path: "internal/demo", may: list("bridge/ahp", "editors/neovim", "internal/helixconfig", "internal/githost", "lsp/rpc", "lsp/protocol")},
	{path: "internal/doctor", may: list("bridge", "bridge/ahp", "bridge/discover", "internal/githost", "internal/githost/publish",
		"internal/githost/gitrepo", "internal/helixconfig")},
	{path: "editors/neovim", modules: std},

	// What starts it all, and what tests need.
	{path: "cmd/ahp-lsp", may: list("lsp", "bridge", "bridge/ahp", "bridge/discover", "internal/githost", "internal/githost/publish",
		"internal/githost/gitrepo", "internal/helixconfig", "internal/demo", "internal/doctor", "mapping")},
	{path: "internal/ahptest", may: list("bridge/ahp")},
	{path: "internal/arch", modules: std},
	{path: "editors/e2e"},
}

// Packages that do one small thing with no idea of what this program is about, and so may be
// imported by every room that may do that thing. They import nothing of the module but each other.
var anywhere = []room{
	{path: "internal/atomicfile"},
	{path: "internal/localsocket"},
	{path: "internal/memnet"},
	{path: "internal/printable", modules: std, not: with(noIO, noLocks...), still: true},
	{path: "internal/tokenfile"},
	{path: "internal/trust"},
}

// Rooms without I/O may import this one of them alone.
const pureLeaf = "internal/printable"

func list(paths ...string) []string { return paths }

func with(paths []string, more ...string) []string {
	return append(append([]string{}, paths...), more...)
}
