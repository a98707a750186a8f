package mapping

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"
)

// languageCorpus are packages of other languages than Go in two versions, years
// apart: of the npm registry, or of two releases of Debian.
var languageCorpus = []struct {
	language string
	ext      []string
	npm      [][3]string // package, versions
	debian   [][4]string // package and release, twice
	under    [2]string   // folders of the Debian packages
}{
	{language: "JavaScript", ext: []string{".js", ".mjs"}, npm: [][3]string{
		{"lodash", "3.10.1", "4.17.21"}, {"express", "4.0.0", "4.21.0"}, {"async", "1.5.2", "3.2.5"}}},
	{language: "TypeScript", ext: []string{".ts", ".tsx"}, npm: [][3]string{
		{"rxjs", "6.0.0", "7.8.1"}, {"@types/node", "10.17.60", "20.12.0"}, {"@types/react", "16.0.0", "18.2.0"}}},
	{language: "CSS", ext: []string{".css", ".scss", ".less"}, npm: [][3]string{
		{"bootstrap", "4.0.0", "5.3.3"}, {"bulma", "0.7.0", "0.9.4"}, {"font-awesome", "4.1.0", "4.7.0"}}},
	{language: "Markdown", ext: []string{".md"}, npm: [][3]string{
		{"express", "4.0.0", "4.21.0"}, {"async", "1.5.2", "3.2.5"}, {"rxjs", "6.0.0", "7.8.1"},
		{"lodash", "3.10.1", "4.17.21"}, {"bulma", "0.7.0", "0.9.4"}, {"eslint", "1.0.0", "6.0.0"}, {"yargs", "6.0.0", "17.0.0"}, {"commander", "2.0.0", "12.0.0"}}},
	{language: "Python", ext: []string{".py"}, debian: [][4]string{{"libpython3.9-stdlib", "bullseye", "libpython3.13-stdlib", "trixie"}},
		under: [2]string{"usr/lib/python3.9", "usr/lib/python3.13"}},
	{language: "Perl", ext: []string{".pm"}, debian: [][4]string{{"perl-modules-5.32", "bullseye", "perl-modules-5.40", "trixie"}},
		under: [2]string{"usr/share/perl/5.32.1", "usr/share/perl/5.40.1"}},
	{language: "C", ext: []string{".h", ".c"}, debian: [][4]string{{"linux-libc-dev", "bullseye", "linux-libc-dev", "trixie"}},
		under: [2]string{"usr/include/linux", "usr/include/linux"}},
}

// TestCorpusLanguages is TestCorpus for other languages. It fetches packages with
// npm and apt-get into AHP_CORPUS_DIR, or the user's cache, and runs only if
// AHP_CORPUS is set. A language whose packages cannot be fetched is skipped.
func TestCorpusLanguages(t *testing.T) {
	if os.Getenv("AHP_CORPUS") == "" {
		t.Skip("set AHP_CORPUS=1 to download and measure")
	}
	var sb strings.Builder
	w := tabwriter.NewWriter(&sb, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "language\tfiles\tkind\tcomments\tright %\tflagged\tsilently wrong\t")
	for _, l := range languageCorpus {
		t.Run(l.language, func(t *testing.T) {
			var pairs []filePair
			take := func(name, before, after string) {
				pairs = append(pairs, modulePairs(t, name, before, after, 40, l.ext...)...)
			}
			for _, p := range l.npm {
				take(p[0], npmPackage(t, p[0], p[1]), npmPackage(t, p[0], p[2]))
			}
			for _, p := range l.debian {
				take(p[0], filepath.Join(debianPackage(t, p[0], p[1]), l.under[0]), filepath.Join(debianPackage(t, p[2], p[3]), l.under[1]))
			}
			require.GreaterOrEqual(t, len(pairs), 10)
			report := newCorpusReport()
			for _, shape := range []anchorShape{fullLine, trimmedLine, nextLine} {
				for _, p := range pairs {
					measure(report, p, shape)
				}
			}
			for k := range kinds {
				c := report.count["ahp-lsp"][k]
				n := c[right] + c[flagged] + c[dropped] + c[wrong]
				fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%.3f\t%d\t%d\t\n", l.language, len(pairs), k, n, 100*float64(c[right])/float64(max(n, 1)), c[flagged], c[wrong])
				if c[wrong] > 0 || c[dropped] > 0 {
					t.Errorf("%s: %d silently wrong, %d dropped", k, c[wrong], c[dropped])
				}
			}
		})
	}
	w.Flush()
	t.Logf("\n%s", &sb)
}

// corpusDir is where what was fetched as name is kept; fetch fills it.
func corpusDir(t *testing.T, name string, fetch func(dir string) error) string {
	root := os.Getenv("AHP_CORPUS_DIR")
	if root == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err)
		root = filepath.Join(cache, "ahp-lsp-corpus")
	}
	dir := filepath.Join(root, strings.ReplaceAll(name, "/", "+"))
	if _, err := os.Stat(filepath.Join(dir, ".complete")); err == nil {
		return dir
	}
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	if err := fetch(dir); err != nil {
		t.Skipf("cannot fetch %s: %v", name, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".complete"), nil, 0o644))
	return dir
}

func runIn(dir string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

func npmPackage(t *testing.T, name, version string) string {
	dir := corpusDir(t, "npm-"+name+"@"+version, func(dir string) error {
		if err := runIn(dir, "npm", "pack", "--silent", name+"@"+version); err != nil {
			return err
		}
		archives, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
		if len(archives) != 1 {
			return fmt.Errorf("npm pack left %d archives", len(archives))
		}
		if err := runIn(dir, "tar", "--strip-components=1", "-xzf", archives[0]); err != nil {
			return err
		}
		return os.Remove(archives[0])
	})
	return dir
}

// debianPackage fetches a package of a release with an apt of its own, which
// leaves the system's alone.
func debianPackage(t *testing.T, name, release string) string {
	return corpusDir(t, "debian-"+release+"-"+name, func(dir string) error {
		apt := filepath.Join(dir, "apt")
		for _, d := range []string{"state/lists/partial", "cache/archives/partial"} {
			if err := os.MkdirAll(filepath.Join(apt, d), 0o755); err != nil {
				return err
			}
		}
		// The machine's own mirror serves every release.
		sites, err := exec.Command("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages").Output()
		if err != nil {
			return fmt.Errorf("apt-get indextargets: %w", err)
		}
		mirror := slices.IndexFunc(strings.Fields(string(sites)), func(site string) bool { return strings.HasSuffix(strings.TrimSuffix(site, "/"), "/debian") })
		if mirror < 0 {
			return errors.New("no Debian mirror is named in /etc/apt/sources.list*")
		}
		source := "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] " + strings.Fields(string(sites))[mirror] + " " + release + " main\n"
		for file, text := range map[string]string{"sources.list": source, "status": ""} {
			if err := os.WriteFile(filepath.Join(apt, file), []byte(text), 0o644); err != nil {
				return err
			}
		}
		options := []string{"-q"}
		for key, value := range map[string]string{
			"Dir::State": "state", "Dir::State::status": "status", "Dir::Cache": "cache", "Dir::Etc::sourcelist": "sources.list",
		} {
			options = append(options, "-o", key+"="+filepath.Join(apt, value))
		}
		options = append(options, "-o", "Dir::Etc::sourceparts=-", "-o", "Debug::NoLocking=1", "-o", "Acquire::Languages=none")
		if err := runIn(dir, append(append([]string{"apt-get"}, options...), "update")...); err != nil {
			return err
		}
		if err := runIn(dir, append(append([]string{"apt-get"}, options...), "download", name)...); err != nil {
			return err
		}
		archives, _ := filepath.Glob(filepath.Join(dir, "*.deb"))
		if len(archives) != 1 {
			return fmt.Errorf("apt-get download left %d archives", len(archives))
		}
		if err := runIn(dir, "dpkg-deb", "-x", archives[0], dir); err != nil {
			return err
		}
		return os.RemoveAll(apt)
	})
}
