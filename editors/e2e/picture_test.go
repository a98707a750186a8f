package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pictures of the documentation, of a real session of the real host. They are made by
//
//	AHP_PICTURES=editors go test ./editors/e2e -run TestPicture
//
// into neovim/media and helix/media of that folder of the repository.

// pictured is the code that the agent works on, and what it does.
const pictured = `package cart

import "errors"

// A Line is one product in the cart.
type Line struct {
	Name  string
	Price int // in cents
	Count int
}

// Total adds up the cart, in cents.
func Total(lines []Line) (int, error) {
	total := 0
	for _, l := range lines {
		total += l.Price * l.Count
	}
	if total < 0 {
		return 0, errors.New("negative total")
	}
	return total, nil
}
`

func pictureFolder(t *testing.T, editor string) string {
	t.Helper()
	dir := os.Getenv("AHP_PICTURES")
	if dir == "" {
		t.Skip("AHP_PICTURES names no folder for pictures")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(Root(), dir)
	}
	return filepath.Join(dir, editor, "media", "review.png")
}

func newPictured(t *testing.T) (*Session, string) {
	t.Helper()
	host := SharedHost(t)
	s := host.NewSession(t, NewWorkspace(t, map[string]string{"cart.go": pictured}))
	s.RunTurn("A discount from ten on, please.",
		s.EditFile("cart.go", "\t\ttotal += l.Price * l.Count\n", "\t\tprice := l.Price * l.Count\n\t\tif l.Count >= bulk {\n\t\t\tprice -= price / 10\n\t\t}\n\t\ttotal += price\n"),
		s.EditFile("cart.go", "// Total adds", "// bulk is how many of a product make it cheaper.\nconst bulk = 10\n\n// Total adds"),
		s.Comment("cart.go", 21, "This rounds up for the customer. Fine?"),
		Step{Text: "Done; one question is in the file."})
	return s, Server(t, host.URL, host.Token)
}

func TestPictureNeovim(t *testing.T) {
	path := pictureFolder(t, "neovim")
	binary := tool(t, "Neovim", "editors/bin/nvim", "get-editors.sh")
	s, server := newPictured(t)
	home := t.TempDir()
	init := writeFile(t, filepath.Join(home, "init.lua"), ReadFile(t, Root(), "editors/e2e/picture.lua"), 0o644)
	n := StartTerminal(t, s.Dir, []string{"PATH=" + server + ":/usr/bin:/bin", "HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"XDG_STATE_HOME=" + home, "XDG_DATA_HOME=" + home, "COLORTERM=truecolor", "AHP_PLUGIN=" + filepath.Join(Root(), "editors/neovim")},
		binary, "--clean", "-u", init, "cart.go")
	n.Resize(100, 28)
	n.WaitScreen(`This rounds`)
	n.WaitScreen(`Revert hunk`)
	n.Type(":21")
	n.Keys("Enter")
	n.Type("_zz")
	n.Type(":AhpReply Yes. Please say so in a comment.")
	n.Keys("Enter")
	n.WaitScreen(`\(2\)|2 comments|\+1`)
	n.Type("T")
	n.WaitScreen(`(?m)│.*Please say so.*│`)
	n.SaveScreen("thread")
	n.Picture(path)
	requireSmall(t, path)
}

func TestPictureHelix(t *testing.T) {
	path := pictureFolder(t, "helix")
	s, server := newPictured(t)
	home := t.TempDir()
	writeFile(t, filepath.Join(home, "helix/languages.toml"), ReadFile(t, Root(), "editors/helix/languages.toml"), 0o644)
	goGrammar(t, filepath.Join(home, "helix/runtime/grammars/go.so"))
	h := StartHelixAt(t, home, s.Dir, server, "cart.go")
	h.Resize(100, 28)
	h.Command("theme catppuccin_mocha")
	h.Command(`set-option gutters.layout ["diagnostics","spacer","line-numbers","spacer","diff"]`)
	h.WaitScreen(`(?m)^● +21 `)
	h.Command("goto 21")
	h.Keys("g", "s", "z", "t")
	for range 6 { // both hunks are to be seen, and the whole menu
		h.Keys("z", "k")
	}
	h.WaitScreen(`(?m)^ +10 +\}`)
	h.Keys("Space", "a")
	h.WaitScreen(`(?i)resolve: `)
	h.SaveScreen("actions")
	h.Picture(path)
	requireSmall(t, path)
}

// goGrammar compiles what Helix colours Go with.
func goGrammar(t *testing.T, path string) {
	t.Helper()
	source := tool(t, "the grammar of Go", "others/grammar-go", "get-others.sh")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	out, err := exec.Command(program(t, "cc"), "-shared", "-fPIC", "-I", source, filepath.Join(source, "parser.c"), "-o", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestPictureReadsColours(t *testing.T) {
	got := parseScreen("a\x1b[1;38;2;1;2;3mb\x1b[0m\x1b[48;5;196;4:3;58:2::9:8:7m│\x1b]8;;x\x1b\\c\n\x1b[59;24;7md\x1b[22;39;27;94me\n")
	require.Equal(t, screen{
		{{"a", style{}}, {"b", style{fg: "#010203", bold: true}}, {"│", style{bg: "#ff0000", curly: true, line: "#090807"}}, {"c", style{bg: "#ff0000", curly: true, line: "#090807"}}},
		{{"d", style{bg: "#ff0000", flip: true}}, {"e", style{bg: "#ff0000", fg: "#3b8eea"}}},
	}, got)
	require.Equal(t, "#ff0000", got.background())
	require.Contains(t, got.html(4), `color:#ff0000;background:#d4d4d4;">d</span>`)
}

func requireSmall(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(150_000), "%s", path)
}
