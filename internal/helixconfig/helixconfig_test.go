package helixconfig

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ahp-lsp/internal/editor"
)

func testSetup() *setup {
	return &setup{command: "ahp-lsp", origin: "Helix 1.2", languages: []Language{
		{name: "go", servers: []string{`"gopls"`, `"golangci-lint-lsp"`}},
		{name: "gjs", servers: []string{`{ name = "tsls", except-features = ["format"] }`}},
		{name: "make"},
	}}
}

// serversOf decodes a languages.toml as Helix does: the lists of each language,
// a later entry in place of an earlier one.
func serversOf(t require.TestingT, text []byte) map[string][]any {
	var all struct {
		Language []map[string]any
		Servers  map[string]any `toml:"language-server"`
	}
	require.NoError(t, toml.Unmarshal(text, &all), "%s", text)
	servers := map[string][]any{}
	for _, l := range all.Language {
		if list, ok := l["language-servers"].([]any); ok {
			servers[l["name"].(string)] = list
		}
	}
	return servers
}

func TestMerge(t *testing.T) {
	const ourGo = `["gopls", "golangci-lint-lsp", "ahp-lsp"]`
	added := func(list string) string { return addedMark + sumOf("language-servers = "+list) }
	for _, test := range []struct{ name, user, want string }{
		{"nothing yet", "", "[language-server.ahp-lsp]\ncommand = \"ahp-lsp\"\nargs = [\"--stdio\"]\n"},
		{"every language", "", "[[language]]\nname = \"go\"\nlanguage-servers = " + ourGo + "\n\n[[language]]\nname = \"gjs\"\nlanguage-servers = [{ name = \"tsls\", except-features = [\"format\"] }, \"ahp-lsp\"]\n"},
		{"an entry with a list", "[[language]]\nname = \"go\"\nlanguage-servers = [\"gopls\"] # mine\n", "language-servers = [\"gopls\", \"ahp-lsp\"] # mine\n"},
		{"an entry without one", "[[language]]\n  name = \"go\" # mine\n  auto-format = true\n", "  name = \"go\" # mine\n  language-servers = " + ourGo + added(ourGo) + "\n  auto-format = true\n"},
		{"an entry at the very end", "[[language]]\nname = \"go\"", "name = \"go\"\nlanguage-servers = " + ourGo + added(ourGo)},
		{"an empty list", "[[language]]\nname = \"go\"\nlanguage-servers = []\n", "language-servers = [\"ahp-lsp\"]\n"},
		{"tables", "[[language]]\nname = \"go\"\nlanguage-servers = [{ name = \"x\", except-features = [\"format\"] }]\n", `[{ name = "x", except-features = ["format"] }, "ahp-lsp"]`},
		{"ours with features", "[[language]]\nname = \"go\"\nlanguage-servers = [{ name = \"ahp-lsp\", except-features = [\"inlay-hints\"] }, \"gopls\"]\n", `[{ name = "ahp-lsp", except-features = ["inlay-hints"] }, "gopls"]`},
		{"a line for each", "[[language]]\nname = \"go\"\nlanguage-servers = [\n    \"gopls\",\n    'x', \n]\n", "    \"gopls\",\n    'x',\n    \"ahp-lsp\", \n]\n"},
		{"a comment after the last", "[[language]]\nname = \"go\"\nlanguage-servers = [\n  \"gopls\" # a, b\n]\n", "  \"gopls\", \"ahp-lsp\" # a, b\n]\n"},
		{"odd strings", "[[language]]\nname = \"go\"\nlanguage-servers = ['a]', \"\"\"b\"]\"\"\"]\n", `['a]', """b"]""", "ahp-lsp"]`},
		{"a language of one's own", "[[language]]\nname = \"mine\"\nscope = \"source.mine\"\nfile-types = [\"mine\"]\n", "name = \"mine\"\nlanguage-servers = [\"ahp-lsp\"]" + added(`["ahp-lsp"]`) + "\n"},
		{"a server of one's own", "[language-server.ahp-lsp]\ncommand = \"/opt/ahp-lsp\"\n", "[language-server.ahp-lsp]\ncommand = \"/opt/ahp-lsp\"\n"},
		{"keys of the file", "use-grammars = { only = [\"go\"] }\n# about go\n[[language]]\nname = \"go\"\n", blockEnd + "\n\n# about go\n[[language]]\n"},
		{"a part of a language", "[[language]]\nname = \"go\"\n[language.indent]\nunit = \"\\t\"\nname = \"no\"\n", "name = \"go\"\nlanguage-servers = " + ourGo + added(ourGo) + "\n[language.indent]\n"},
		{"one language twice", "[[language]]\nname = \"go\"\n[[language]]\nname = \"go\"\nlanguage-servers = [\"x\"]\n", "[[language]]\nname = \"go\"\n[[language]]\nname = \"go\"\nlanguage-servers = [\"x\", \"ahp-lsp\"]\n"},
		{"Windows' lines", "[[language]]\r\nname = \"go\"\r\n", "name = \"go\"\r\nlanguage-servers = " + ourGo + added(ourGo) + "\r\n"},
		{"no comment but a string", "x = \"\"\"\n# >>> no block\n# no comment\"\"\"\n[[language]]\nname = \"go\"\n", "# no comment\"\"\"\n" + blockStart},
	} {
		t.Run(test.name, func(t *testing.T) {
			merged, err := testSetup().merge([]byte(test.user))
			require.NoError(t, err)
			require.Contains(t, string(merged), test.want)
			for _, language := range []string{"go", "gjs", "make"} {
				require.Contains(t, fmt.Sprint(serversOf(t, merged)[language]), "ahp-lsp", language)
			}
			again, err := testSetup().merge(merged)
			require.NoError(t, err)
			require.Equal(t, string(merged), string(again), "a second run changes nothing")
			if !strings.Contains(test.user, "ahp-lsp") {
				back, err := remove(merged)
				require.NoError(t, err)
				require.Equal(t, test.user, string(back))
			}
		})
	}
}

func TestRemovesFromTheUsersLists(t *testing.T) {
	for list, want := range map[string]string{
		`["ahp-lsp"]`:                          `[]`,
		`["a", "ahp-lsp"]`:                     `["a"]`,
		`["ahp-lsp", "a"]`:                     `[ "a"]`,
		`["a", { name = "ahp-lsp" }, "b",]`:    `["a", "b",]`,
		"[\n  \"a\", # why\n  \"ahp-lsp\",\n]": "[\n  \"a\", # why\n  \n]",
	} {
		file := "[[language]]\nname = \"go\"\nlanguage-servers = %s\n"
		got, err := remove(fmt.Appendf(nil, file, list))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(file, want), string(got))
		serversOf(t, got)
	}
}

func TestRefuses(t *testing.T) {
	for user, want := range map[string]string{
		"[[language]]\nname = \"go\"\nlanguage-servers = [\n": "line 3: ",
		"a = 1\na = 2\n":                                                  "line 2: ",
		"# no\nlanguage = [{ name = \"go\" }]\n":                          "line 2: the languages are one inline array",
		"language-server = { gopls = { command = \"gopls\" } }\n":         "write language servers as [language-server.NAME] tables",
		"[language-server]\nx = 1\n[language-server.x]\ncommand = \"\"\n": "line 3: ",
	} {
		_, err := testSetup().merge([]byte(user))
		require.ErrorContains(t, err, want)
	}
}

func TestTellsTheLineInTheFile(t *testing.T) {
	text, err := testSetup().merge([]byte("[editor]\n"))
	require.NoError(t, err)
	text = append(text, "a = 1\na = 2\n"...)
	_, err = testSetup().merge(text)
	require.ErrorContains(t, err, fmt.Sprintf("line %d: ", bytes.Count(text, []byte("\n"))))
}

// An edited block is the user's: nothing of it is lost. The other is still ours.
func TestKeepsAnEditedBlock(t *testing.T) {
	first, err := testSetup().merge([]byte("[editor]\n"))
	require.NoError(t, err)
	newer := testSetup()
	newer.languages = append(newer.languages, Language{name: "new", servers: []string{`"n"`}})

	server := bytes.Replace(first, []byte(`args = ["--stdio"]`), []byte(`args = ["--stdio", "--host", "git"]`), 1)
	second, err := newer.merge(server)
	require.NoError(t, err)
	require.Contains(t, string(second), `args = ["--stdio", "--host", "git"]`)
	require.Equal(t, []any{"n", "ahp-lsp"}, serversOf(t, second)["new"])
	require.Equal(t, 1, bytes.Count(second, []byte(blockStart)))
	back, err := remove(second)
	require.NoError(t, err)
	require.Contains(t, string(back), `args = ["--stdio", "--host", "git"]`)
	require.Empty(t, serversOf(t, back))

	language := bytes.Replace(first, []byte("name = \"make\"\n"), []byte("name = \"make\"\nauto-format = false\n"), 1)
	second, err = newer.merge(language)
	require.NoError(t, err)
	require.Contains(t, string(second), "auto-format = false")
	require.Equal(t, []any{"n", "ahp-lsp"}, serversOf(t, second)["new"])
	again, err := newer.merge(second)
	require.NoError(t, err)
	require.Equal(t, string(second), string(again))
}

// A new version of Helix has other servers.
func TestFollowsAnUpdate(t *testing.T) {
	for _, user := range []string{"[editor]\n", "[[language]]\nname = \"go\"\nauto-format = false\n"} {
		first, err := testSetup().merge([]byte(user))
		require.NoError(t, err)
		setup := testSetup()
		setup.languages[0].servers = []string{`"newer"`}
		second, err := setup.merge(first)
		require.NoError(t, err)
		require.Equal(t, []any{"newer", "ahp-lsp"}, serversOf(t, second)["go"])
	}
}

// So is a line that was added, once it has been edited.
func TestKeepsAnEditedLine(t *testing.T) {
	user := "[[language]]\nname = \"go\"\n"
	first, err := testSetup().merge([]byte(user))
	require.NoError(t, err)
	edited := bytes.Replace(first, []byte(`"golangci-lint-lsp", `), []byte(`"mine", `), 1)
	second, err := testSetup().merge(edited)
	require.NoError(t, err)
	require.Equal(t, string(edited), string(second))
	back, err := remove(second)
	require.NoError(t, err)
	require.Equal(t, []any{"gopls", "mine"}, serversOf(t, back)["go"])
}

// Whatever is in the file: it is the same after adding and removing, nothing
// but lists differs in between, and a second run does nothing.
func TestMergeProperties(t *testing.T) {
	element := rapid.SampledFrom([]string{`"gopls"`, `'x,]'`, `{ name = "t", only-features = ["format"] }`, `"""q"]"""`})
	blank := rapid.SampledFrom([]string{"", " ", "\n", "\n  ", " # note, \"x\"]\n  "})
	list := rapid.Custom(func(t *rapid.T) string {
		out := "["
		for i := range rapid.IntRange(0, 3).Draw(t, "elements") {
			if i > 0 {
				out += ","
			}
			out += blank.Draw(t, "before") + element.Draw(t, "element") + blank.Draw(t, "after")
		}
		if len(out) > 1 && rapid.Bool().Draw(t, "comma") {
			out += ","
		}
		return out + blank.Draw(t, "end") + "]"
	})
	entry := rapid.Custom(func(t *rapid.T) string {
		out := rapid.SampledFrom([]string{"", "# about\n", "\n", "[language-server.x]\ncommand = \"y\"\n"}).Draw(t, "above") +
			"[[language]]\n" + rapid.SampledFrom([]string{"", "auto-format = true\n", "  comment-token = '#'\n"}).Draw(t, "first") +
			"name = " + rapid.SampledFrom([]string{`"go"`, `'make'`, `"own"`}).Draw(t, "name") + rapid.SampledFrom([]string{"\n", " # n\n"}).Draw(t, "comment")
		if rapid.Bool().Draw(t, "listed") {
			out += "language-servers = " + list.Draw(t, "list") + "\n"
		}
		return out + rapid.SampledFrom([]string{"", "[language.indent]\nname = \"no\"\n", "\n# end\n"}).Draw(t, "below")
	})
	rapid.Check(t, func(t *rapid.T) {
		servers := 0
		user := rapid.SampledFrom([]string{"", "# top\n", "use-grammars = { except = [\"go\"] }\n\n"}).Draw(t, "top")
		for _, e := range rapid.SliceOfN(entry, 0, 4).Draw(t, "entries") {
			user += strings.ReplaceAll(e, "[language-server.x]", fmt.Sprintf("[language-server.x%d]", servers))
			servers++
		}
		if rapid.Bool().Draw(t, "windows") {
			user = strings.ReplaceAll(user, "\n", "\r\n")
		}
		merged, err := testSetup().merge([]byte(user))
		require.NoError(t, err, "%s", user)
		again, err := testSetup().merge(merged)
		require.NoError(t, err)
		require.Equal(t, string(merged), string(again))
		back, err := remove(merged)
		require.NoError(t, err)
		require.Equal(t, user, string(back))

		own, after := serversOf(t, []byte(user)), serversOf(t, merged)
		for name, list := range after {
			had, ok := own[name]
			if !ok {
				continue
			}
			require.Equal(t, append(slices.Clone(had), "ahp-lsp"), list, name)
		}
		for _, l := range testSetup().languages {
			require.Contains(t, after[l.name], "ahp-lsp")
		}
	})
}

func TestShippedHelixLanguages(t *testing.T) {
	languages := languagesOf(shipped)
	require.Greater(t, len(languages), 300)
	require.NotEmpty(t, shippedVersion())
	_, err := check(shipped)
	require.NoError(t, err)
	require.Equal(t, string(shipped), printBuiltin("Helix "+shippedVersion(), languages), "made by --builtin")
	merged, err := (&setup{command: "ahp-lsp", languages: languages}).merge(nil)
	require.NoError(t, err)
	require.Len(t, serversOf(t, merged), len(languages))
}

func TestLanguagesInAProgram(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "lib", "hx")
	require.NoError(t, os.Mkdir(filepath.Dir(program), 0o755))
	// In a program other texts stand right before and behind it.
	blob := slices.Concat([]byte("\x7fELF\x00[[language]]\nname = \"doc\"\x00no error"), shipped, []byte("Could not parse built-in languages.toml\x00\x01"))
	require.NoError(t, os.WriteFile(program, blob, 0o755))
	wrapper := filepath.Join(dir, "hx")
	require.NoError(t, os.WriteFile(wrapper, fmt.Appendf(nil, "#!/bin/sh\nHELIX_RUNTIME=/x exec \"%s\" \"$@\"\n", program), 0o755))
	got, err := installed(context.Background(), editor.Editor{Name: editor.Helix, Path: wrapper, Version: "25.07"})
	require.NoError(t, err)
	require.Equal(t, languagesOf(shipped), got)
	_, err = installed(context.Background(), editor.Editor{Name: editor.Helix, Path: wrapper, Version: "23.5"})
	require.ErrorContains(t, err, "too old")
}

func TestHealth(t *testing.T) {
	known := Language{name: "gjs", servers: []string{`{ name = "ts", except-features = ["format"] }`, `"gone"`}}
	for out, want := range map[string][]string{
		"Configured language servers:\n  \x1b[31m✘\x1b[0m ts: 'ts' not found in $PATH\n  ✓ lint.er: /usr/bin/x\nConfigured debug adapter: None\n  ✓ dlv: /x\n": {known.servers[0], `"lint.er"`},
		"Configured language servers: None\nConfigured debug adapter:\n  ✘ 'dlv' not found in $PATH\n":                                                         nil,
	} {
		got := healthOf(out, known)
		require.NotNil(t, got)
		require.Equal(t, want, got.servers)
	}
	require.Nil(t, healthOf("Language 'gjs' not found\n", known))
}
