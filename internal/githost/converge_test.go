package githost

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
)

// TestMirrorsConverge lets random things happen to a work tree, and holds what a
// client has made of the actions against a fresh snapshot, and the names against
// git's own.
func TestMirrorsConverge(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	w := newTree(t, "a.txt", nineLines, "b/b.txt", nineLines, "b/c/c.txt", nineLines, ".gitignore", "*.log\n")
	h := w.host()
	c := connect(t, h)
	mirrors := map[string]*changesetMirror{}
	for _, kind := range []string{"uncommitted", "staged", "branch"} {
		mirrors[kind] = c.mirror(h.names.Session + "/changeset/" + kind)
		mirrors[kind].ready()
	}
	names := []string{"a.txt", "b/b.txt", "b/c/c.txt", "new.txt", "x/y/z.txt", "noise.log", "b/new.txt"}
	steps := 40
	if testing.Short() {
		steps = 10
	}
	for range steps {
		name := names[r.IntN(len(names))]
		switch r.IntN(9) {
		case 0, 1, 2:
			w.write(name, strings.Replace(nineLines, fmt.Sprint(1+r.IntN(9)), fmt.Sprint("changed ", r.IntN(1000)), 1))
		case 3:
			_ = os.Remove(w.path(name))
		case 4:
			_ = os.Rename(w.path(name), w.path(names[r.IntN(len(names))]))
		case 5:
			w.git("add", "-A")
		case 6:
			w.git("reset", "-q")
		case 7:
			w.git("commit", "-q", "--allow-empty", "-am", "more")
		case 8:
			for _, m := range mirrors {
				m.until("anything", func(*ahp.Changeset) bool { return true })
			}
			m := mirrors["uncommitted"]
			if files := m.state.Files(); len(files) > 0 {
				// It may be refused: something else has changed.
				c.call("invokeChangesetOperation", map[string]any{"channel": m.uri, "operationId": "revert", "target": onFile(files[r.IntN(len(files))].URI())})
			}
		}
	}
	// A last word: when it has come, all before it has been looked at.
	w.write("last.txt", "last\n")
	w.git("add", "last.txt")
	for _, m := range mirrors {
		m.until("the last word", func(s *ahp.Changeset) bool { return s.File(w.uri("last.txt")) != nil })
	}
	// A file that is in the index alone is in no change of the work tree, though
	// git status lists it: what is asked is what differs from HEAD on disk.
	git := map[string][][]string{
		"uncommitted": {{"diff", "HEAD", "--name-only", "--no-renames"}, {"ls-files", "--others", "--exclude-standard"}},
		"staged":      {{"diff", "--cached", "--name-only", "--no-renames"}},
	}
	for kind, m := range mirrors {
		m.until("the state of "+kind, func(s *ahp.Changeset) bool {
			if git[kind] == nil {
				return true
			}
			var out strings.Builder
			for _, args := range git[kind] {
				out.WriteString(strings.TrimRight(w.git(args...), "\n") + "\n")
			}
			return slices.Equal(pathsOf(w, s), namesIn(out.String()))
		})
		other := connect(t, h)
		fresh, err := ahp.DecodeChangeset(other.subscribe(m.uri))
		require.NoError(t, err)
		m.until("everything told", func(s *ahp.Changeset) bool { return sorted(t, s) == sorted(t, fresh) })
	}
}

// pathsOf are the names on either side of a changeset's files.
func pathsOf(w *tree, s *ahp.Changeset) (names []string) {
	for _, f := range s.Files() {
		for _, side := range []*ahp.FileSide{f.Before, f.After} {
			if side != nil {
				name, _ := ahp.FilePath(side.URI)
				rel, _ := filepath.Rel(w.root, name)
				names = append(names, filepath.ToSlash(rel))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func namesIn(out string) (names []string) {
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) > 0 {
			names = append(names, fields[len(fields)-1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sorted is a changeset's state without the order of its files.
func sorted(t *testing.T, s *ahp.Changeset) string {
	raw, err := ahp.Marshal(s)
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(raw, &m))
	files := m["files"].([]any)
	slices.SortFunc(files, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["id"].(string), b.(map[string]any)["id"].(string))
	})
	if m["operations"] == nil {
		m["operations"] = []any{}
	}
	out, err := ahp.Marshal(m)
	require.NoError(t, err)
	return string(out)
}
