package main

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// here is the repository that the tests are in.
const here = root("../..")

// elsewhere is a home that is complete.
var elsewhere = Home{
	Module: "example.com/tools/ahp-lsp", Repository: "https://example.com/tools/ahp-lsp",
	Issues: "https://example.com/tools/ahp-lsp/issues", Maintainer: "Ada Lovelace <ada@example.com>", Publisher: "ada",
}

// unset is a home with nothing but what the program needs to be built.
var unset = Home{Module: "ahp-lsp", Publisher: "ahp-lsp"}

// copied is a copy of the repository's files, without those that git ignores.
func copied(t *testing.T) root {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = string(here)
	out, err := cmd.Output()
	if err != nil {
		t.Skip("these are not the sources as git has them: ", err)
	}
	dir := root(t.TempDir())
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(here.path(name))
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(name) == ".png" {
			continue
		}
		text, err := os.ReadFile(here.path(name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(dir.path(name)), 0o755))
		require.NoError(t, os.WriteFile(dir.path(name), text, info.Mode().Perm()))
	}
	return dir
}

func (r root) texts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	require.NoError(t, r.walk(func(name string) error {
		text, err := os.ReadFile(r.path(name))
		texts[name] = string(text)
		return err
	}))
	return texts
}

func run(t *testing.T, dir root, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = string(dir)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
	return string(out)
}

// A copy with another home can be built, names that home everywhere, and
// goes back to what it was.
func TestSetHome(t *testing.T) {
	dir := copied(t)
	now, err := dir.home()
	require.NoError(t, err)
	_, err = dir.setHome(now, unset)
	require.NoError(t, err)
	before := dir.texts(t)

	changed, err := dir.setHome(unset, elsewhere)
	require.NoError(t, err)
	require.Subset(t, changed, []string{
		"go.mod", "README.md", "project.toml", "cmd/ahp-lsp/main.go", "internal/doctor/editor.go",
		"editors/vscode/package.json", "editors/neovim/doc/ahp.txt", "editors/emacs/ahp.el",
	})
	texts := dir.texts(t)
	for name, want := range map[string]string{
		"README.md":                   "go install example.com/tools/ahp-lsp/cmd/ahp-lsp@latest",
		"editors/vscode/package.json": `"repository": {"directory":"editors/vscode","type":"git","url":"https://example.com/tools/ahp-lsp"},`,
		"editors/neovim/doc/ahp.txt":  "\nHome: https://example.com/tools/ahp-lsp\n",
		"editors/emacs/ahp.el":        "\n;; URL: https://example.com/tools/ahp-lsp\n",
		"internal/doctor/editor.go":   `"ada.ahp-lsp"`,
		"project.toml":                "\nmaintainer = \"Ada Lovelace <ada@example.com>\"\n",
	} {
		require.Contains(t, texts[name], want, name)
	}
	for name, text := range texts {
		if filepath.Ext(name) == ".go" && name != "internal/release/sethome_test.go" {
			require.NotRegexp(t, `"ahp-lsp/(bridge|cmd|editors|internal|lsp|mapping)["/]`, text, name)
		}
	}
	h, err := dir.home()
	require.NoError(t, err)
	require.Equal(t, elsewhere, h)
	require.NoError(t, h.complete())

	if !testing.Short() {
		run(t, dir, nil, "go", "list", "-deps", "-test", "./...")
		run(t, dir, nil, "go", "test", "-run", "^TestRules$", "./internal/arch")
		run(t, dir, []string{"GOFLAGS=-buildvcs=false"}, "go", "build", "-o", t.TempDir(), "./cmd/ahp-lsp")
	}

	again, err := dir.setHome(elsewhere, elsewhere)
	require.NoError(t, err)
	require.Empty(t, again)
	_, err = dir.setHome(elsewhere, unset)
	require.NoError(t, err)
	for name, text := range dir.texts(t) {
		want := []byte(before[name])
		if filepath.Ext(name) == ".go" && text != before[name] { // a file that was not formatted is now
			want, err = format.Source(want)
			require.NoError(t, err)
		}
		require.Equal(t, string(want), text, name)
	}
}

// What is sorted by the home's name is sorted again.
func TestPathsAreFormatted(t *testing.T) {
	text, err := editPaths([]byte("package x\n\nimport (\n\t\"fmt\"\n\t\"ahp-lsp/lsp\"\n\t\"golang.org/x/sys/unix\"\n)\n\nconst saved, pkg = \"ahp-lsp/saved\", \"ahp-lsp/\"\n"), unset, elsewhere)
	require.NoError(t, err)
	require.Equal(t, "package x\n\nimport (\n\t\"example.com/tools/ahp-lsp/lsp\"\n\t\"fmt\"\n\t\"golang.org/x/sys/unix\"\n)\n\nconst saved, pkg = \"ahp-lsp/saved\", \"example.com/tools/ahp-lsp/\"\n", string(text))
}

// Where a file does not have the place for the home, none is written.
func TestSetHomeAllOrNothing(t *testing.T) {
	dir := root(t.TempDir())
	for name := range namedFiles {
		text, err := os.ReadFile(here.path(name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(dir.path(name)), 0o755))
		require.NoError(t, os.WriteFile(dir.path(name), text, 0o644))
	}
	require.NoError(t, os.WriteFile(dir.path("README.md"), []byte("# Other\n"), 0o644))
	before := dir.texts(t)
	_, err := dir.setHome(unset, elsewhere)
	require.ErrorContains(t, err, "README.md: there is no block between")
	require.NoError(t, os.Remove(dir.path("README.md")))
	_, err = dir.setHome(unset, elsewhere)
	require.ErrorContains(t, err, "README.md is not there")
	delete(before, "README.md")
	require.Equal(t, before, dir.texts(t))
}

func TestHomeCheck(t *testing.T) {
	require.NoError(t, unset.check())
	require.NoError(t, elsewhere.check())
	for name, change := range map[string]func(*Home){
		"module":     func(h *Home) { h.Module = "a b" },
		"repository": func(h *Home) { h.Repository = "example.com/x" },
		"issues":     func(h *Home) { h.Issues = `https://example.com/"` },
		"maintainer": func(h *Home) { h.Maintainer = "ada@example.com" },
		"publisher":  func(h *Home) { h.Publisher = "a.b" },
	} {
		h := elsewhere
		change(&h)
		require.ErrorContains(t, h.check(), name)
	}
}

// What is not set is named, with the command that sets it.
func TestHomeComplete(t *testing.T) {
	err := unset.complete()
	require.ErrorContains(t, err, "project.toml does not say module, repository, issues, maintainer\n")
	require.ErrorContains(t, err, "set-home --module … --repository … --issues … --maintainer …")
	h := elsewhere
	h.Maintainer = ""
	require.ErrorContains(t, h.complete(), "does not say maintainer\n")
	require.NoError(t, elsewhere.complete())
}
