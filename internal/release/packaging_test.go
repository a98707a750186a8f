package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
)

// described are all descriptions of packages, for a home and archives that are made up.
func described(t *testing.T, version string) root {
	t.Helper()
	dist, out := t.TempDir(), root(t.TempDir())
	var sums strings.Builder
	d := description{Version: version}
	for _, p := range platforms {
		sums.WriteString(strings.Repeat("0123456789abcdef", 4) + "  " + d.archive(p.String()) + "\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dist, "ahp-lsp_"+version+"_checksums.txt"), []byte(sums.String()), 0o644))
	require.NoError(t, here.describe(elsewhere, dist, string(out)))
	return out
}

// Descriptions have the home, the version and the sums in them, and nothing is left to fill in.
func TestDescribe(t *testing.T) {
	out := described(t, "1.2.3")
	for name, text := range out.texts(t) {
		require.NotContains(t, text, "<%", name)
		require.NotContains(t, text, "%>", name)
		require.NotContains(t, name, templateSuffix)
	}
	for _, name := range []string{"homebrew/ahp-lsp.rb", "mason/package.yaml", "aur/PKGBUILD", "scoop/ahp-lsp.json"} {
		text, err := os.ReadFile(out.path(name))
		require.NoError(t, err)
		require.Contains(t, string(text), "https://example.com/tools/ahp-lsp/releases/download/v1.2.3/ahp-lsp_1.2.3_", name)
	}

	err := here.describe(elsewhere, t.TempDir(), t.TempDir())
	require.ErrorContains(t, err, "has no list of checksums\nhint: ")
	dist := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dist, "ahp-lsp_1.2.3_checksums.txt"), nil, 0o644))
	err = here.describe(elsewhere, dist, t.TempDir())
	require.ErrorContains(t, err, "there is no sum of ahp-lsp_1.2.3_")
}

// Without a home the command says what is missing.
func TestPackagingNeedsHome(t *testing.T) {
	dir := root(t.TempDir())
	text, err := os.ReadFile(here.path(homeFile))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir.path(homeFile), text, 0o644))
	require.NoError(t, dir.saveHome(unset))
	err = (&packagingCommand{Dist: "dist", Out: "out"}).Run(dir)
	require.ErrorContains(t, err, "packaging: the project has no home yet: project.toml does not say module, repository, issues, maintainer\nhint: ")
	err = (&buildCommand{Release: true}).Run(t.Context(), dir)
	require.ErrorContains(t, err, "build: the project has no home yet")
}

func TestFormats(t *testing.T) {
	out := described(t, "1.2.3")
	for name, text := range out.texts(t) {
		var v map[string]any
		switch filepath.Ext(name) {
		case ".json", ".sublime-settings":
			require.NoError(t, json.Unmarshal([]byte(text), &v), name)
		case ".toml":
			require.NoError(t, toml.Unmarshal([]byte(text), &v), name)
		}
	}
}

func TestHomebrew(t *testing.T) {
	require.Contains(t, run(t, here, nil, tool(t, "packaging/bin/ruby"), "-wc", described(t, "1.2.3").path("homebrew/ahp-lsp.rb")), "Syntax OK")
}

// Mason's description is read as YAML, and every platform of it names a file of the release.
func TestMason(t *testing.T) {
	ruby := tool(t, "packaging/bin/ruby")
	text := run(t, here, nil, ruby, "-ryaml", "-rjson", "-e", "print YAML.load_file(ARGV[0]).to_json", described(t, "1.2.3").path("mason/package.yaml"))
	var p struct {
		Name, Description, Homepage     string
		Licenses, Languages, Categories []string
		Source                          struct {
			ID       string
			Download []struct {
				Target, Bin string
				Files       map[string]string
			}
		}
		Bin map[string]string
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&p))
	require.Equal(t, "pkg:generic/ahp-lsp@v1.2.3", p.Source.ID)
	require.Equal(t, map[string]string{"ahp-lsp": "{{source.download.bin}}"}, p.Bin)
	require.Len(t, p.Source.Download, 7)
	for _, download := range p.Source.Download {
		require.Len(t, download.Files, 1)
		for name, url := range download.Files {
			require.Equal(t, "https://example.com/tools/ahp-lsp/releases/download/v1.2.3/"+name, url)
		}
	}
}

func TestNix(t *testing.T) {
	run(t, here, nil, tool(t, "packaging/bin/nix-instantiate"), "--parse", described(t, "1.2.3").path("nix/flake.nix"))
}

func TestPKGBUILD(t *testing.T) {
	out := described(t, "1.2.3-dev.1")
	run(t, out, nil, "bash", "-n", "aur/PKGBUILD")
	run(t, out, nil, tool(t, "packaging/bin/shellcheck"), "aur/PKGBUILD")
	// Its function installs what archives have.
	said := run(t, out, nil, "bash", "-c", `. aur/PKGBUILD && echo "$pkgver $source_riscv64" && declare -f package`)
	require.Contains(t, said, "1.2.3_dev.1 https://example.com/tools/ahp-lsp/releases/download/v1.2.3-dev.1/ahp-lsp_1.2.3-dev.1_linux_riscv64.tar.gz\n")
}

func TestNeovimConfig(t *testing.T) {
	nvim := tool(t, "editors/bin/nvim")
	out := described(t, "1.2.3")
	said := run(t, out, private(t), nvim, "--headless", "--clean", "--cmd", "set rtp^="+out.path("nvim-lspconfig"),
		"-c", `lua vim.lsp.enable('ahp_lsp') local c = vim.lsp.config.ahp_lsp io.stdout:write(table.concat(c.cmd, ' '), ' ', c.root_markers[1], ' ', tostring(c.filetypes), ' ', vim.v.errmsg)`, "-c", "qall!")
	require.Equal(t, "ahp-lsp --stdio .git nil", strings.TrimSpace(said))
}

// Helix itself takes the entry, for a language that names it.
func TestHelixEntry(t *testing.T) {
	hx := tool(t, "editors/bin/hx")
	out := described(t, "1.2.3")
	text, err := os.ReadFile(out.path("helix/languages.toml"))
	require.NoError(t, err)
	env := private(t)
	config := strings.TrimPrefix(env[0], "XDG_CONFIG_HOME=")
	require.NoError(t, write(filepath.Join(config, "helix", "languages.toml"), append(text, "\n[[language]]\nname = \"go\"\nlanguage-servers = [\"ahp-lsp\"]\n"...)))
	said := run(t, out, env, hx, "--health", "go")
	require.Contains(t, said, "ahp-lsp")
	require.NotContains(t, said, "rror parsing")
}

// Vim evaluates what vim-lsp-settings would, with that plugin's functions made up.
func TestVimSettings(t *testing.T) {
	vim := tool(t, "others/bin/vim")
	out := described(t, "1.2.3")
	script := out.path("check.vim")
	require.NoError(t, os.WriteFile(script, []byte(`
function! lsp_settings#get(name, key, default) abort
  return a:default
endfunction
function! lsp_settings#exec_path(name) abort
  return '/bin/' . a:name
endfunction
function! lsp_settings#root_uri(name) abort
  return 'file:///root'
endfunction
function! lsp_settings#server_config(name) abort
  return {}
endfunction
command! -nargs=1 LspRegisterServer let g:server = <args>
try
  source vim-lsp-settings/settings/ahp-lsp.vim
  call writefile([join(g:server.cmd({}), ' ') . ' ' . g:server.root_uri({}) . ' ' . join(g:server.allowlist)], 'said')
catch
  call writefile([v:exception], 'said')
endtry
qall!
`), 0o644))
	// Functions of plugins have to be in files of their names.
	autoload := out.path("autoload/lsp_settings.vim")
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	functions, rest, _ := strings.Cut(string(text), "command! ")
	require.NoError(t, write(autoload, []byte(functions)))
	require.NoError(t, os.WriteFile(script, []byte("set rtp^=.\ncommand! "+rest), 0o644))
	run(t, out, private(t), vim, "-Nes", "-u", "NONE", "-i", "NONE", "-S", script)
	said, err := os.ReadFile(out.path("said"))
	require.NoError(t, err)
	require.Equal(t, "/bin/ahp-lsp --stdio file:///root *\n", string(said))
}

// Kakoune adds the server to those of a file type, once.
func TestKakoune(t *testing.T) {
	kak := tool(t, "packaging/bin/kak")
	out := described(t, "1.2.3")
	require.NoError(t, os.WriteFile(out.path("check.kak"), []byte(`declare-option str lsp_servers ''
source kakoune/ahp.kak
edit -scratch one
set-option buffer lsp_servers "[gopls]
"
set-option buffer filetype go
set-option buffer filetype text
echo -to-file said %opt{lsp_servers}
quit! 0
`), 0o644))
	run(t, out, private(t), kak, "-n", "-ui", "dummy", "-e", "source check.kak")
	said, err := os.ReadFile(out.path("said"))
	require.NoError(t, err)
	var servers map[string]struct{ Args []string }
	require.NoError(t, toml.Unmarshal(said, &servers))
	require.Len(t, servers, 2)
	require.Equal(t, []string{"--stdio"}, servers["ahp-lsp"].Args)
}

// Emacs compiles ahp.el without a warning; checkdoc and package-lint have none either.
func TestEmacsLibrary(t *testing.T) {
	emacs := tool(t, "others/bin/emacs")
	lint, err := filepath.EvalSymlinks(tool(t, "packaging/package-lint"))
	require.NoError(t, err)
	text, err := os.ReadFile(here.path("editors/emacs/ahp.el"))
	require.NoError(t, err)
	text, err = editEmacsHeader(text, unset, elsewhere)
	require.NoError(t, err)
	dir := root(t.TempDir())
	require.NoError(t, os.WriteFile(dir.path("ahp.el"), text, 0o644))
	batch := []string{"-Q", "--batch", "--eval", "(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)"}
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(lint), "*"))
	require.NoError(t, err)
	for _, path := range paths {
		batch = append(batch, "-L", path)
	}
	for what, args := range map[string][]string{
		"byte-compile": {"--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile", "ahp.el"},
		"checkdoc":     {"--eval", `(progn (require 'checkdoc) (checkdoc-file "ahp.el"))`},
		"package-lint": {"--eval", "(progn (require 'package) (setq package-archives nil) (package-initialize))", "-l", "package-lint", "-f", "package-lint-batch-and-exit", "ahp.el"},
	} {
		said := run(t, dir, private(t), emacs, append(batch[:len(batch):len(batch)], args...)...)
		require.NotContains(t, said, "ahp.el:", what)
	}
}

// The recipe for MELPA names a file that is there.
func TestMelpa(t *testing.T) {
	emacs := tool(t, "others/bin/emacs")
	out := described(t, "1.2.3")
	said := run(t, out, private(t), emacs, "-Q", "--batch", "--eval", `(with-temp-buffer (insert-file-contents "melpa/ahp") (let ((recipe (read (current-buffer)))) (princ (format "\n%s %s" (plist-get (cdr recipe) :url) (car (plist-get (cdr recipe) :files))))))`)
	require.True(t, strings.HasSuffix(said, "\nhttps://example.com/tools/ahp-lsp editors/emacs/ahp.el"), said)
	require.FileExists(t, here.path("editors/emacs/ahp.el"))
}

// private is the environment of a user with an empty home.
func private(t *testing.T) []string {
	t.Helper()
	home, err := os.MkdirTemp("", "home-") // short, as sockets are made in it
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	return []string{"XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "TMPDIR=" + home,
		"XDG_DATA_HOME=" + filepath.Join(home, "data"), "XDG_STATE_HOME=" + filepath.Join(home, "state")}
}
