package lsp

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

var update = flag.Bool("update", false, "write the transcripts in testdata/lsp anew")

// A scene is one story: what the host has, and what the editor and the host do.
// Its transcript is testdata/lsp/<name>.<editor>.txt.
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
		for _, editor := range editors {
			name := sc.name + "." + editor
			seen[name+".txt"] = true
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
				compare(t, name+".txt", "# "+sc.about+"\n"+got)
			})
		}
	}
	files, err := filepath.Glob("../testdata/lsp/*.txt")
	require.NoError(t, err)
	for _, f := range files {
		if !seen[filepath.Base(f)] {
			t.Errorf("%s belongs to no scene", f)
		}
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("..", "testdata", "lsp", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test ./lsp -run TestTranscripts -update")
	require.Equal(t, string(want), got)
}
