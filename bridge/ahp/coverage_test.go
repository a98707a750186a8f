package ahp

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/protocol-coverage.md")

const coverageFile = "../../docs/protocol-coverage.md"

// TestCoverage compares docs/protocol-coverage.md with what the reducers and
// package bridge do; -update writes it.
func TestCoverage(t *testing.T) {
	want := coverage(t)
	if *update {
		require.NoError(t, os.WriteFile(coverageFile, want, 0o666))
	}
	got, err := os.ReadFile(coverageFile)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "write it with: go test ./bridge/ahp -run Coverage -update")
}

func coverage(t *testing.T) []byte {
	var out bytes.Buffer
	out.WriteString(`# Protocol coverage

What ahp-lsp's client does with each action, notification and command of the Agent
Host Protocol. The names are those of the JSON schemas of 0.6.0, and those that
later and earlier versions add where ahp-lsp knows them. What is not listed is
ignored; members that are not known are kept where they are sent back.

- **mirrored**: it changes the state that editors see;
- **passed on**: it is told to the user, or sent for them, and changes no state here;
- **ignored**: it is read past;
- **refused**: it is answered with the error -32601.

Written by ` + "`go test ./bridge/ahp -run Coverage -update`" + `.

`)
	sent := sentActions(t)
	mirrored := map[string]bool{}
	for _, set := range []map[string]bool{annotationActions, changesetActions, sessionActions} {
		maps.Copy(mirrored, set)
	}
	for kind := range chatReducers {
		mirrored[kind] = true
	}
	actions := schemaActions(t)
	for kind := range mirrored {
		actions[kind] = true
	}
	channels := map[string][]string{}
	for _, kind := range slices.Sorted(maps.Keys(actions)) {
		channel, _, _ := strings.Cut(kind, "/")
		channels[channel] = append(channels[channel], kind)
	}
	out.WriteString("## Actions\n\n| Channel | Action | From the host | Sent by ahp-lsp |\n|---|---|---|---|\n")
	for _, channel := range slices.Sorted(maps.Keys(channels)) {
		for _, kind := range channels[channel] {
			fate, ours := "ignored", ""
			if mirrored[kind] {
				fate = "mirrored"
			}
			if sent[kind] {
				ours = "yes"
			}
			fmt.Fprintf(&out, "| %s | `%s` | %s | %s |\n", channel, kind, fate, ours)
		}
	}
	out.WriteString("\n## Notifications of the host\n\n| Notification | |\n|---|---|\n")
	handled := handledNotifications(t)
	for _, name := range notifications {
		fate := "ignored"
		switch {
		case name == NoteAuthRequired && handled[name]:
			fate = "passed on"
		case handled[name]:
			fate = "mirrored"
		}
		fmt.Fprintf(&out, "| `%s` | %s |\n", name, fate)
	}
	for name := range handled {
		require.Contains(t, notifications, name)
	}
	out.WriteString("\n## Commands\n\n| Command | Sent by ahp-lsp | Asked of ahp-lsp |\n|---|---|---|\n")
	calls := bridgeCalls(t)
	commands := schemaCommands(t)
	for name := range calls {
		commands[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		ours, theirs := "", ""
		if calls[name] {
			ours = "yes"
		}
		if strings.HasPrefix(name, "resource") || name == "createResourceWatch" {
			theirs = "refused" // the only ones that a host may ask for
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", name, ours, theirs)
	}
	return out.Bytes()
}

// notifications are those that hosts send; the schemas name their params only.
var notifications = []string{
	"action", NoteAuthRequired, "otlp/exportLogs", "otlp/exportMetrics", "otlp/exportTraces",
	"root/progress", NoteSessionAdded, NoteSessionRemoved, NoteSessionSummaryChanged,
}

// schemaActions are the types of the actions in the schemas.
func schemaActions(t *testing.T) map[string]bool {
	var doc struct {
		Defs map[string]struct {
			Properties struct {
				Type struct {
					Const string `json:"const"`
				} `json:"type"`
			} `json:"properties"`
		} `json:"$defs"`
	}
	readJSON(t, &doc, "schema", "actions.schema.json")
	types := map[string]bool{}
	for _, def := range doc.Defs {
		if kind := def.Properties.Type.Const; strings.Contains(kind, "/") {
			types[kind] = true
		}
	}
	require.NotEmpty(t, types)
	return types
}

// schemaCommands are the names that go with the params in the schemas.
func schemaCommands(t *testing.T) map[string]bool {
	var doc struct {
		Defs map[string]any `json:"$defs"`
	}
	readJSON(t, &doc, "schema", "commands.schema.json")
	names := map[string]bool{}
	for def := range doc.Defs {
		name, ok := strings.CutSuffix(def, "Params")
		if ok && name != "Base" && name != "Paginated" {
			names[strings.ToLower(name[:1])+name[1:]] = true
		}
	}
	require.NotEmpty(t, names)
	return names
}

// files are the parsed Go files of a folder, tests left out.
func files(t *testing.T, dir string) (out []*ast.File) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			require.NoError(t, err)
			out = append(out, f)
		}
	}
	require.NotEmpty(t, out)
	return out
}

// bridgeCalls are the methods that package bridge sends.
func bridgeCalls(t *testing.T) map[string]bool {
	found := map[string]bool{}
	for _, f := range files(t, "..") {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fun, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"start", "call", "await", "notify"}, fun.Sel.Name) {
				return true
			}
			for _, arg := range call.Args {
				switch arg := arg.(type) {
				case *ast.BasicLit:
					if name, err := strconv.Unquote(arg.Value); err == nil {
						found[name] = true
					}
				case *ast.SelectorExpr:
					if arg.Sel.Name == "NoteSaved" {
						found[NoteSaved] = true
					}
				}
			}
			return true
		})
	}
	return found
}

// handledNotifications are those that package bridge tells apart.
func handledNotifications(t *testing.T) map[string]bool {
	names := map[string]string{
		"NoteAuthRequired": NoteAuthRequired, "NoteSessionAdded": NoteSessionAdded,
		"NoteSessionRemoved": NoteSessionRemoved, "NoteSessionSummaryChanged": NoteSessionSummaryChanged,
	}
	found := map[string]bool{}
	for _, f := range files(t, "..") {
		ast.Inspect(f, func(n ast.Node) bool {
			clause, ok := n.(*ast.CaseClause)
			if !ok {
				return true
			}
			for _, e := range clause.List {
				switch e := e.(type) {
				case *ast.SelectorExpr:
					if name, ok := names[e.Sel.Name]; ok {
						found[name] = true
					}
				case *ast.BasicLit:
					if e.Value == `"action"` {
						found["action"] = true
					}
				}
			}
			return true
		})
	}
	return found
}

// sentActions are the types that this package's constructors make.
func sentActions(t *testing.T) map[string]bool {
	constants, made := map[string]string{}, map[string]bool{}
	for _, f := range files(t, ".") {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) && strings.HasPrefix(name.Name, "Type") {
						if lit, ok := n.Values[i].(*ast.BasicLit); ok {
							constants[name.Name], _ = strconv.Unquote(lit.Value)
						}
					}
				}
			case *ast.CallExpr:
				if fun, ok := n.Fun.(*ast.Ident); ok && fun.Name == "newAction" {
					if kind, ok := n.Args[0].(*ast.Ident); ok {
						made[kind.Name] = true
					}
				}
			}
			return true
		})
	}
	sent := map[string]bool{}
	for name := range made {
		if constants[name] != "" {
			sent[constants[name]] = true
		}
	}
	require.NotEmpty(t, sent)
	return sent
}
