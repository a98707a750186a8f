package lsp

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"ahp-lsp/internal/ahptest"
)

var update = flag.Bool("update", false, "write the transcripts in testdata/lsp")

// A scene is one story: what the host has, and what the editor and the host do.
// The transcript of the first of its editors is testdata/lsp/<name>.<editor>.txt.
// Of the others testdata/lsp/<name>.<editor>.diff has what differs from it; there
// is none where nothing does.
type scene struct {
	name    string
	about   string   // what it shows
	editors []string // nil: all
	options ahptest.Options
	play    func(*rig)
}

var allEditors = []string{"neovim", "helix", "vscode"}

func TestTranscripts(t *testing.T) {
	scenes := slices.Concat(startScenes, diagnosticScenes, viewScenes, threadScenes, hunkScenes, operationScenes, commentScenes, settingScenes, placeScenes, contentsScenes, oddScenes)
	seen := map[string]bool{}
	for _, sc := range scenes {
		editors := sc.editors
		if editors == nil {
			editors = allEditors
		}
		first := sc.name + "." + editors[0] + ".txt"
		for i, editor := range editors {
			name := sc.name + "." + editor
			t.Run(name, func(t *testing.T) {
				var got string
				bubble(t, editor, sc.options, func(r *rig) {
					defer func() {
						got = r.rec.out.String()
						if r.t.Failed() && testing.Verbose() {
							r.t.Log(got)
						}
					}()
					sc.play(r)
				})
				got = "# " + sc.about + "\n" + got
				golden := first
				if i > 0 {
					golden = name + ".diff"
					got = differences(t, first, got)
				}
				seen[golden] = got != ""
				compare(t, golden, got)
			})
		}
	}
	files, err := filepath.Glob("../testdata/lsp/*")
	require.NoError(t, err)
	for _, f := range files {
		if sc, ran := seen[filepath.Base(f)]; ran && !sc && *update {
			require.NoError(t, os.Remove(f))
		} else if !sc {
			t.Errorf("%s belongs to no scene", f)
		}
	}
}

// differences are the lines in which a transcript differs from another editor's.
func differences(t *testing.T, first, got string) string {
	t.Helper()
	base, err := os.ReadFile(filepath.Join("..", "testdata", "lsp", first))
	require.NoError(t, err, "run go test ./lsp -run TestTranscripts -update")
	diff := textdiff.Unified(string(base), got, textdiff.IndentHeuristic(), diff.Context(1))
	// Where in the transcript a difference is changes with all that is before it.
	return regexp.MustCompile(`(?m)^@@ .* @@$`).ReplaceAllString(diff, "@@")
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("..", "testdata", "lsp", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if got != "" {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		return
	}
	want, err := os.ReadFile(path)
	if got != "" {
		require.NoError(t, err, "run go test ./lsp -run TestTranscripts -update")
	}
	require.Equal(t, string(want), got)
}
