package gitrepo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ahp-lsp/internal/githost/gitrepo/lines"
	"ahp-lsp/internal/githost/gitrepo/lines/linestest"
	"ahp-lsp/mapping"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// scenario is some files before and after a change, and things to do to them.
// Running git takes time, so there are few of these; what needs no git is tried
// in mix_test.go, a thousand times as often.
type scenario struct {
	before, after []string // by file; "" is often no file
	missing       [2]int   // the file that is not there before, and the one not after
	ranges        []Target
	coins         []bool
}

const scenarioFiles = 4

var scenarios = rapid.Custom(func(t *rapid.T) scenario {
	var s scenario
	for range scenarioFiles {
		before := linestest.Text(t, "before", 12)
		s.before = append(s.before, before)
		s.after = append(s.after, linestest.Edited(t, before))
	}
	s.missing = [2]int{-1, -1} // not both, which could be a renaming
	s.missing[rapid.IntRange(0, 1).Draw(t, "side")] = rapid.IntRange(0, 2*scenarioFiles).Draw(t, "missing")
	for range 3 {
		i := rapid.IntRange(0, scenarioFiles-1).Draw(t, "file")
		c := lines.Compare(lines.Split([]byte(s.before[i])), lines.Split([]byte(s.after[i])))
		side, start, end, _ := linestest.Range(t, len(c.Before), len(c.After))
		g := Range{Side: side, Start: start, End: end}
		s.ranges = append(s.ranges, Target{Path: fileName(i), Range: &g})
	}
	s.coins = rapid.SliceOfN(rapid.Bool(), 64, 64).Draw(t, "coins")
	return s
})

func fileName(i int) string { return []string{"a", "dir/b c", "-d", "é\nf"}[i] }

func (s scenario) put(w *tree, texts []string, missing int) {
	for i, text := range texts {
		os.Remove(filepath.Join(w.dir, fileName(i)))
		if i != missing {
			w.write(fileName(i), text)
		}
	}
}

func eachScenario(t *testing.T, n int, run func(w *tree, s scenario)) {
	w := newTree(t)
	for seed := range n {
		s := scenarios.Example(seed)
		s.put(w, s.before, s.missing[0])
		w.git("add", "-A")
		w.git("commit", "-qm", "before", "--allow-empty")
		s.put(w, s.after, s.missing[1])
		run(w, s)
		w.git("add", "-A")
		if t.Failed() {
			t.Fatalf("scenario %d: %+v", seed, s)
		}
	}
}

// expectNothing runs an operation that may find nothing to do.
func expectNothing(t testing.TB, out Outcome, err error) bool {
	t.Helper()
	if err != nil {
		require.ErrorIs(t, err, ErrNothing)
		return true
	}
	require.NotEmpty(t, out.Undo)
	return false
}

func textOf(w *tree, path string) string {
	data, _ := os.ReadFile(filepath.Join(w.dir, path))
	return string(data)
}

func TestRevertProperty(t *testing.T) {
	eachScenario(t, 10, func(w *tree, s scenario) {
		index, changed := w.index(), w.snapshotFiles()
		for _, target := range s.ranges {
			i := 0
			for fileName(i) != target.Path {
				i++
			}
			before, after := s.before[i], s.after[i]
			if i == s.missing[0] {
				before = ""
			}
			if i == s.missing[1] {
				after = ""
			}
			c := lines.Compare(lines.Split([]byte(before)), lines.Split([]byte(after)))
			out, err := w.repo.Revert(t.Context(), uncommittedTrees, []Target{target})
			if expectNothing(t, out, err) {
				require.Equal(t, changed, w.snapshotFiles())
				continue
			}
			n := len(c.After)
			if target.Range.Side == BeforeSide {
				n = len(c.Before)
			}
			sel := lines.NewChoice(c)
			require.True(t, sel.Add(c, lines.CoverOf(*target.Range, n)))
			require.Equal(t, string(c.Revert(sel)), textOf(w, target.Path))
			now := w.snapshotFiles()
			for path := range changed {
				if path != target.Path {
					require.Equal(t, changed[path], now[path], "another file")
				}
			}
			w.undo(out.Undo)
			require.Equal(t, changed, w.snapshotFiles())
		}
		if out, err := w.repo.Revert(t.Context(), uncommittedTrees, all); !expectNothing(t, out, err) {
			require.Empty(t, w.uncommitted())
			w.undo(out.Undo)
		}
		require.Equal(t, changed, w.snapshotFiles())
		require.Equal(t, index, w.index())
	})
}

func TestStageProperty(t *testing.T) {
	eachScenario(t, 10, func(w *tree, s scenario) {
		index, changed := w.index(), w.snapshotFiles()
		entry := func(path string) lines.Lines {
			entries, err := w.repo.index.indexEntries(t.Context(), "", []string{path})
			require.NoError(t, err)
			l, err := w.repo.entryLines(t.Context(), path, entries[path])
			require.NoError(t, err)
			return l
		}
		for _, target := range s.ranges {
			c := lines.Compare(entry(target.Path), lines.Split([]byte(textOf(w, target.Path))))
			staged := w.index()
			out, err := w.repo.Stage(t.Context(), []Target{target})
			if expectNothing(t, out, err) {
				require.Equal(t, staged, w.index())
				continue
			}
			if target.Range.Side == AfterSide { // the other counts in HEAD
				sel := lines.NewChoice(c)
				sel.Add(c, lines.CoverOf(*target.Range, len(c.After)))
				require.Equal(t, string(c.Apply(sel)), strings.Join(entry(target.Path), ""))
			}
			w.undo(out.Undo)
			require.Equal(t, staged, w.index(), "stage and undo")
			_, err = w.repo.Stage(t.Context(), []Target{target})
			require.NoError(t, err)
		}
		// Unstaging by line ranges everything that was staged.
		files, err := w.repo.Staged(t.Context())
		require.NoError(t, err)
		for _, f := range files {
			for _, side := range []string{AfterSide, BeforeSide} {
				_, err := w.repo.Unstage(t.Context(), span(f.Path(), side, 0, 1000))
				if err != nil {
					require.ErrorIs(t, err, ErrNothing)
				}
			}
		}
		require.Equal(t, index, w.index(), "stage and unstage")
		out, err := w.repo.Stage(t.Context(), all)
		if !expectNothing(t, out, err) {
			require.Empty(t, w.git("status", "--porcelain", "-uall", "--no-renames", "--ignored=no")[:0])
			require.Empty(t, w.git("diff", "--name-only"))
			_, err = w.repo.Unstage(t.Context(), all)
			require.NoError(t, err)
		}
		require.Equal(t, index, w.index())
		require.Equal(t, changed, w.snapshotFiles())
	})
}

func TestPatchProperty(t *testing.T) {
	eachScenario(t, 10, func(w *tree, s scenario) {
		changed := w.snapshotFiles()
		w.git("add", "-A")
		patch := w.git("diff", "--cached", "--no-renames", "-U"+itoa(len(s.before[0])%4))
		w.git("reset", "-q")
		out, err := w.repo.Revert(t.Context(), uncommittedTrees, all)
		if expectNothing(t, out, err) || patch == "" {
			return
		}
		before := w.snapshotFiles()
		out = w.apply(patch, all)
		require.Equal(t, changed, w.snapshotFiles(), "apply")
		w.undo(out.Undo)
		require.Equal(t, before, w.snapshotFiles(), "and undo")

		// Hunk by hunk, some of them: as the editor shows a proposal.
		coin := 0
		for _, res := range w.patchAfter(patch) {
			var targets []Target
			bt, at := mapping.NewText(string(res.BeforeData)), mapping.NewText(string(res.AfterData))
			c := lines.Compare(lines.Split(res.BeforeData), lines.Split(res.AfterData))
			sel := lines.NewChoice(c)
			for _, h := range mapping.Hunks(bt, at) {
				if coin++; s.coins[coin%len(s.coins)] {
					g := Range{Side: BeforeSide, Start: h.Before.Start, End: h.Before.End}
					targets = append(targets, Target{Path: res.File.Path(), Range: &g})
					sel.Add(c, lines.CoverOf(g, len(c.Before)))
				}
			}
			if len(targets) == 0 || !sel.Any() {
				continue
			}
			out := w.apply(patch, targets)
			require.Equal(t, string(c.Apply(sel)), textOf(w, res.File.Path()))
			w.undo(out.Undo)
		}
		require.Equal(t, before, w.snapshotFiles())
	})
}

// moduleVersions are the folders of two versions, years apart, of a module that
// this one needs anyway. What the module cache does not have is fetched, away
// from any go.mod.
func moduleVersions(t *testing.T) (older, newer string) {
	const module = "github.com/stretchr/testify"
	cmd := exec.Command("go", "mod", "download", "-json", module+"@v1.3.0", module+"@v1.12.1")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var dirs, errs []string
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var m struct{ Dir, Error string }
		require.NoError(t, dec.Decode(&m), "%s", out)
		if m.Error != "" {
			errs = append(errs, m.Error)
		}
		dirs = append(dirs, m.Dir)
	}
	if err == nil && len(errs) == 0 {
		require.Len(t, dirs, 2)
		return dirs[0], dirs[1]
	}
	why := fmt.Sprintf("two versions of %s cannot be fetched: %v %s%s", module, err, stderr.String(), strings.Join(errs, "; "))
	if os.Getenv("AHP_E2E") == "required" || !offline(why) {
		require.FailNow(t, why)
	}
	t.Skip("NOT TESTED on real history, for want of a network: " + why)
	return "", ""
}

// offline tells from Go's message that nothing could be reached.
func offline(message string) bool {
	for _, sign := range []string{"dial tcp", "no such host", "connection refused", "network is unreachable", "i/o timeout", "proxyconnect", "GOPROXY=off", "lookup disabled"} {
		if strings.Contains(message, sign) {
			return true
		}
	}
	return false
}

func (w *tree) copyFrom(dir string) {
	entries, err := os.ReadDir(w.dir)
	require.NoError(w.t, err)
	for _, e := range entries {
		if e.Name() != ".git" {
			require.NoError(w.t, os.RemoveAll(filepath.Join(w.dir, e.Name())))
		}
	}
	require.NoError(w.t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		data, err := os.ReadFile(p)
		w.write(filepath.ToSlash(rel), string(data))
		return err
	}))
}

// TestModuleHistory does it all to real text: two versions of a module, years
// apart.
func TestModuleHistory(t *testing.T) {
	older, newer := moduleVersions(t)
	w := emptyTree(t)
	w.copyFrom(older)
	w.git("add", "-A")
	w.git("commit", "-qm", "older")
	old := w.snapshotFiles()
	w.copyFrom(newer)
	changed := w.snapshotFiles()

	hunks, files := 0, 0
	var targets []Target
	want := map[string]string{}
	for _, f := range w.uncommitted() {
		if f.Kind != Modified || f.Binary {
			continue
		}
		before, err := w.repo.Content(t.Context(), *f.Before)
		require.NoError(t, err)
		after, err := w.repo.Content(t.Context(), *f.After)
		require.NoError(t, err)
		bt, at := mapping.NewText(string(before)), mapping.NewText(string(after))
		c := lines.Compare(lines.Split(before), lines.Split(after))
		var mixed strings.Builder
		pos, picked := 0, 0
		for i, h := range mapping.Hunks(bt, at) {
			sel := lines.NewChoice(c)
			g, n := Range{Side: AfterSide, Start: h.After.Start, End: h.After.End}, len(c.After)
			if h.After.Empty() {
				g, n = Range{Side: BeforeSide, Start: h.Before.Start, End: h.Before.End}, len(c.Before)
			}
			sel.Add(c, lines.CoverOf(g, n))
			one := at.Slice(at.Lines(mapping.LineRange{Start: 0, End: h.After.Start})) + bt.Slice(bt.Lines(h.Before)) +
				at.Slice(at.Lines(mapping.LineRange{Start: h.After.End, End: at.LineCount()}))
			require.Equal(t, one, string(c.Revert(sel)), "%s hunk %d", f.Path(), i)
			hunks++
			mixed.WriteString(at.Slice(at.Lines(mapping.LineRange{Start: pos, End: h.After.Start})))
			if i%2 == 0 {
				targets = append(targets, Target{Path: f.Path(), Range: &g})
				mixed.WriteString(bt.Slice(bt.Lines(h.Before)))
				picked++
			} else {
				mixed.WriteString(at.Slice(at.Lines(h.After)))
			}
			pos = h.After.End
		}
		mixed.WriteString(at.Slice(at.Lines(mapping.LineRange{Start: pos, End: at.LineCount()})))
		if picked > 0 {
			want[f.Path()] = mixed.String()
			files++
		}
	}
	t.Logf("%d hunks in %d modified files of %d", hunks, files, len(changed))
	out := w.revert(targets)
	for path, text := range want {
		require.Equal(t, text, w.read(path), path)
	}
	for path, text := range changed {
		if _, ok := want[path]; !ok {
			require.Equal(t, text, w.snapshotFiles()[path], path)
			break
		}
	}
	w.undo(out.Undo)
	require.Equal(t, changed, w.snapshotFiles())

	w.git("add", "-A")
	patch := w.git("diff", "--cached", "-M", "--binary")
	w.git("reset", "-q")
	w.revert(all)
	require.Equal(t, old, w.snapshotFiles())
	parts := parse(t, patch)
	n := 0
	for _, p := range parts {
		n += len(p.Hunks)
	}
	w.apply(patch, all)
	require.Equal(t, changed, w.snapshotFiles())
	w.revert(all)
	require.Equal(t, old, w.snapshotFiles())
	t.Logf("a patch of %d files and %d hunks", len(parts), n)
}
