package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/editors/neovim"
	"ahp-lsp/editors/vim"
)

func TestHelpTags(t *testing.T) {
	got := helpTags("a.txt", []byte("*b* *a*  x\nno*tag*\n  \t*:C/x*\n*d e*\n"))
	require.Equal(t, ":C/x\ta.txt\t/*:C\\/x*\na\ta.txt\t/*a*\nb\ta.txt\t/*b*\n", string(got))
	text, err := neovim.Plugin.ReadFile("doc/ahp.txt")
	require.NoError(t, err)
	require.Greater(t, bytes.Count(helpTags("ahp.txt", text), []byte("\n")), 20)
}

// The program's path may have anything in it that a path can have.
func TestVimServer(t *testing.T) {
	require.Equal(t, 1, bytes.Count(vim.Plugin, []byte(vimServer)))
	require.Equal(t, vim.Plugin, vimPlugin("ahp-lsp"))
	odd := vimPlugin("/it's here/ahp-lsp")
	require.Contains(t, string(odd), "'executable': '/it''s here/ahp-lsp'")
	require.True(t, isOurVim(odd))
	require.True(t, isOurVim(vim.Plugin))
	require.False(t, isOurVim(append(bytes.Clone(odd), "\" mine\n"...)))
	require.False(t, isOurVim(nil))
}

func TestQuotes(t *testing.T) {
	require.Equal(t, `'C:\\it\'s'`, luaString(`C:\it's`))
	require.Equal(t, `"C:\\a\"b"`, lispString(`C:\a"b`))
}

// Without a yes nothing happens; a file that changes while the user thinks is left alone.
func TestAsked(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("PATH", home)
	for _, name := range []string{"ahp-lsp", "ahp-lsp.exe"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), nil, 0o755))
	}
	var out bytes.Buffer
	c := Command{Editor: "vim", Home: home, Terminal: true, Stdin: strings.NewReader("n\n"), Stdout: &out}
	require.NoError(t, c.Run(t.Context()))
	require.Contains(t, out.String(), "Do this? [y/N] Nothing was changed.\n")
	require.NoDirExists(t, vimFolder(home))

	c.Stdin = strings.NewReader("Yes\n")
	require.NoError(t, c.Run(t.Context()))
	require.FileExists(t, filepath.Join(vimFolder(home), "plugin", "ahp.vim"))

	path := filepath.Join(home, "x")
	require.NoError(t, os.WriteFile(path, []byte("new"), 0o644))
	_, err := change{path: path, old: []byte("old"), text: []byte("ours")}.apply()
	require.ErrorContains(t, err, "has changed meanwhile")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(text))
}

// Copies of what was there are never replaced by others, and are not kept twice.
func TestBackups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, step := range []struct{ text, want string }{{"1", ".bak"}, {"2", ".bak.1"}, {"1", ".bak"}, {"2", ".bak.1"}, {"3", ".bak.2"}} {
		kept, err := keepBackup(path, []byte(step.text), 0o644)
		require.NoError(t, err)
		require.Equal(t, path+step.want, kept)
	}
}

// A long difference is cut, with its length.
func TestShow(t *testing.T) {
	var out strings.Builder
	p := plan{files: []change{{path: "f", old: []byte{}, text: []byte(strings.Repeat("x\n", 100)), edit: true}}}
	p.files[0].old = []byte("y\n")
	p.show(&out)
	require.True(t, strings.HasPrefix(out.String(), "change f:\n"))
	require.Regexp(t, `  … and 4\d lines more\n$`, out.String())
}
