package mapping

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// chain follows one file through rewrites, typing in between, and holds every
// step to what comparing the first text with that step's alone gives: an error
// of one step never reaches the next.
func chain(t *testing.T, name string, versions []*Text, rng *rand.Rand) (placed int) {
	base := versions[0]
	var anchors []Anchor
	for i := 0; i < base.contentLines(); i += 1 + base.contentLines()/300 {
		anchors = append(anchors, NewAnchor(base, base.Line(i)), NewAnchor(base, base.Lines(LineRange{i, i + 3})))
	}
	tr := NewTracker(base)
	for step, version := range versions[1:] {
		tr.Replace(version)
		for range 3 {
			at := tr.Text().Line(rng.IntN(tr.Text().LineCount())).End
			tr.Edit(Span{at, at}, " typed")
			tr.Place(anchors[rng.IntN(len(anchors))])
			tr.Edit(Span{at, at + len(" typed")}, "")
		}
		require.Equal(t, version.String(), tr.Text().String())
		direct := Align(NewText(base.String()), NewText(version.String()))
		for i, an := range anchors {
			require.Equal(t, direct.Place(an), tr.Place(an), "%s: step %d, anchor %d", name, step+1, i)
			placed++
		}
	}
	return placed
}

func TestChainOfRewrites(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for seed, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(uint64(seed), 14))
		versions := []*Text{NewText(string(data))}
		for range 10 {
			lines, _ := rewrite(versions[len(versions)-1], rng, true)
			versions = append(versions, joined(lines))
		}
		chain(t, path, versions, rng)
	}
}

// TestCorpusChains takes ten releases of packages; it runs only if AHP_CORPUS is
// set.
func TestCorpusChains(t *testing.T) {
	if os.Getenv("AHP_CORPUS") == "" {
		t.Skip("set AHP_CORPUS=1 to download and measure")
	}
	for _, c := range []struct {
		npm      string
		files    []string
		versions []string
	}{
		{"express", []string{"lib/response.js", "lib/application.js", "lib/request.js", "Readme.md", "package.json"},
			[]string{"4.0.0", "4.3.0", "4.6.0", "4.9.0", "4.12.0", "4.14.0", "4.15.0", "4.16.0", "4.17.0", "4.18.0", "4.21.0"}},
		{"bootstrap", []string{"dist/css/bootstrap-grid.css", "scss/_variables.scss", "js/src/dropdown.js", "README.md"},
			[]string{"4.0.0", "4.1.0", "4.2.1", "4.3.1", "4.4.1", "4.5.0", "4.6.0", "5.0.0", "5.1.0", "5.2.0", "5.3.3"}},
		{"rxjs", []string{"src/internal/Observable.ts", "src/internal/Subscriber.ts", "src/internal/operators/share.ts"},
			[]string{"6.0.0", "6.1.0", "6.2.0", "6.3.0", "6.4.0", "6.5.0", "6.6.0", "7.0.0", "7.2.0", "7.5.0", "7.8.1"}},
	} {
		var dirs []string
		for _, v := range c.versions {
			dirs = append(dirs, npmPackage(t, c.npm, v))
		}
		for k, file := range c.files {
			var versions []*Text
			for _, dir := range dirs {
				data, err := os.ReadFile(filepath.Join(dir, file))
				require.NoError(t, err)
				versions = append(versions, NewText(string(data)))
			}
			n := chain(t, file, versions, rand.New(rand.NewPCG(uint64(k), 15)))
			t.Logf("%s/%s: %d rewrites, %d placements, each as the direct one", c.npm, file, len(versions)-1, n)
		}
	}
}
