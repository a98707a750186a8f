package mapping

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"
)

// corpusModules are pairs of versions that lie years apart.
var corpusModules = [][3]string{
	{"golang.org/x/tools", "v0.1.0", "v0.34.0"},
	{"golang.org/x/net", "v0.1.0", "v0.41.0"},
	{"golang.org/x/text", "v0.3.0", "v0.26.0"},
	{"golang.org/x/crypto", "v0.1.0", "v0.39.0"},
	{"google.golang.org/grpc", "v1.20.0", "v1.73.0"},
	{"k8s.io/apimachinery", "v0.18.0", "v0.33.0"},
	{"github.com/prometheus/client_golang", "v1.0.0", "v1.22.0"},
	{"github.com/spf13/cobra", "v1.0.0", "v1.9.1"},
	{"github.com/gorilla/mux", "v1.6.2", "v1.8.1"},
	{"github.com/stretchr/testify", "v1.3.0", "v1.10.0"},
	{"go.uber.org/zap", "v1.10.0", "v1.27.0"},
}

// TestCorpus measures, on real files and their versions of years later, where
// comments end up that were made on the old version. It downloads modules into
// the module cache and runs only if AHP_CORPUS is set:
//
//	AHP_CORPUS=1 go test ./mapping -run Corpus -v -timeout 30m
//
// AHP_CORPUS_SHOW=10 also prints that many failures of each kind, and
// AHP_CORPUS_ALL=1 takes every pair of files rather than 60 of each module.
func TestCorpus(t *testing.T) {
	if os.Getenv("AHP_CORPUS") == "" {
		t.Skip("set AHP_CORPUS=1 to download and measure")
	}
	pairs := corpusPairs(t)
	require.GreaterOrEqual(t, len(pairs), 300)
	for _, shape := range []anchorShape{fullLine, trimmedLine, nextLine} {
		report := newCorpusReport()
		for _, p := range pairs {
			measure(report, p, shape)
		}
		t.Logf("%d pairs of files, anchors: %s\n%s", len(pairs), shape, report)
		report.requireTargets(t)
	}
}

// filePair is one file in two versions.
type filePair struct {
	name          string
	before, after *Text
	git           []Hunk // what git diff -U0 says
}

func corpusPairs(t *testing.T) []filePair {
	var pairs []filePair
	for _, m := range corpusModules {
		before, after := moduleDir(t, m[0]+"@"+m[1]), moduleDir(t, m[0]+"@"+m[2])
		most := 60
		if os.Getenv("AHP_CORPUS_ALL") != "" {
			most = math.MaxInt
		}
		pairs = append(pairs, modulePairs(t, m[0], before, after, most)...)
	}
	return pairs
}

func moduleDir(t *testing.T, module string) string {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	out, err := cmd.Output()
	require.NoError(t, err, "download %s: %s", module, out)
	var info struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &info))
	return info.Dir
}

// modulePairs lists the files of both directories that differ, at most most of
// them, in an order that is random but always the same; only those with one of
// the extensions, if any is given.
func modulePairs(t *testing.T, name, before, after string, most int, ext ...string) []filePair {
	var paths []string
	require.NoError(t, filepath.WalkDir(before, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || len(ext) > 0 && !slices.Contains(ext, filepath.Ext(path)) {
			return err
		}
		rel, err := filepath.Rel(before, path)
		paths = append(paths, rel)
		return err
	}))
	sort.Slice(paths, func(i, j int) bool { return shuffled(paths[i]) < shuffled(paths[j]) })
	var pairs []filePair
	for _, path := range paths {
		if len(pairs) == most {
			break
		}
		x, err := os.ReadFile(filepath.Join(before, path))
		require.NoError(t, err)
		y, err := os.ReadFile(filepath.Join(after, path))
		if err != nil || string(x) == string(y) || len(x) > 256<<10 || len(y) > 256<<10 ||
			strings.ContainsRune(string(x), 0) || len(x) < 200 || len(y) < 200 {
			continue
		}
		p := filePair{name: name + "/" + path, before: NewText(string(x)), after: NewText(string(y))}
		p.git = gitHunks(t, filepath.Join(before, path), filepath.Join(after, path))
		pairs = append(pairs, p)
	}
	return pairs
}

func shuffled(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// gitHunks asks git for the changed lines.
func gitHunks(t *testing.T, x, y string, options ...string) []Hunk {
	cmd := exec.Command("git", append(append([]string{"diff", "--no-index", "--no-color", "-U0"}, options...), x, y)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output() // exit code 1: they differ
	if err != nil {
		require.Equal(t, 1, cmd.ProcessState.ExitCode())
	}
	var hunks []Hunk
	for line := range strings.SplitSeq(string(out), "\n") {
		if !strings.HasPrefix(line, "@@ ") {
			continue
		}
		fields := strings.Fields(line)
		hunks = append(hunks, Hunk{gitRange(t, fields[1][1:]), gitRange(t, fields[2][1:])})
	}
	return hunks
}

func gitRange(t *testing.T, s string) LineRange {
	start, n := 0, 1
	if strings.Contains(s, ",") {
		_, err := fmt.Sscanf(s, "%d,%d", &start, &n)
		require.NoError(t, err)
	} else {
		_, err := fmt.Sscanf(s, "%d", &start)
		require.NoError(t, err)
	}
	if n > 0 {
		start-- // git counts from 1, but names the line before an empty range
	}
	return LineRange{start, start + n}
}

// outcome is what became of one comment.
type outcome int

const (
	right outcome = iota
	flagged
	dropped
	wrong
	outcomes
)

// corpusReport counts outcomes by method and kind.
type corpusReport struct {
	count map[string]map[kind]*[outcomes]int
	shown map[kind]int
}

var methods = []string{"ahp-lsp", "stay", "git hunks"}

func newCorpusReport() *corpusReport {
	r := &corpusReport{count: make(map[string]map[kind]*[outcomes]int), shown: make(map[kind]int)}
	for _, m := range methods {
		r.count[m] = make(map[kind]*[outcomes]int)
		for k := range kinds {
			r.count[m][k] = new([outcomes]int)
		}
	}
	return r
}

func (r *corpusReport) String() string {
	var sb strings.Builder
	w := tabwriter.NewWriter(&sb, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "method\tkind\tcomments\tright %\tflagged\tdropped\tsilently wrong\t")
	for _, m := range methods {
		for k := range kinds {
			c := r.count[m][k]
			n := c[right] + c[flagged] + c[dropped] + c[wrong]
			fmt.Fprintf(w, "%s\t%s\t%d\t%.3f\t%d\t%d\t%d\t\n", m, k, n, 100*float64(c[right])/float64(max(n, 1)), c[flagged], c[dropped], c[wrong])
		}
	}
	w.Flush()
	return sb.String()
}

// requireTargets holds the engine to the figures of the design.
func (r *corpusReport) requireTargets(t *testing.T) {
	for k, least := range map[kind]float64{unique: 99.95, twin: 99.9, blockOf3: 99.9, edited: 95, gone: 100} {
		c := r.count["ahp-lsp"][k]
		n := c[right] + c[flagged] + c[dropped] + c[wrong]
		if n == 0 {
			continue
		}
		if got := 100 * float64(c[right]) / float64(n); got < least {
			t.Errorf("%s: %.3f %% right, want %.2f", k, got, least)
		}
		if c[dropped] > 0 {
			t.Errorf("%s: %d dropped", k, c[dropped])
		}
		if c[wrong] > 0 {
			t.Errorf("%s: %d silently wrong", k, c[wrong])
		}
	}
}
