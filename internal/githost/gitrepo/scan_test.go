package gitrepo

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scanOf is a Scan that looks at parts from now on.
func scanOf(w *tree) *Scan {
	s := w.repo.NewScan()
	s.Watched(true)
	s.compare(w)
	return s
}

func (s *Scan) compare(w *tree) []FileDiff {
	w.t.Helper()
	files, err := s.Compare(w.t.Context(), HEAD)
	require.NoError(w.t, err)
	return files
}

// sees holds a Scan against a comparison that knows nothing of before, and
// tells in which way it has looked.
func (s *Scan) sees(w *tree, want Looks) {
	w.t.Helper()
	before := s.Looks()
	require.Equal(w.t, w.uncommitted(), s.compare(w))
	now := s.Looks()
	require.Equal(w.t, want, Looks{now.Whole - before.Whole, now.Part - before.Part})
}

var (
	untouched  = Looks{}
	partLook   = Looks{Part: 1}
	wholeLook  = Looks{Whole: 1}
	inVainLook = Looks{Whole: 1, Part: 1} // a part that turned out not to suffice
)

func TestScanLooksWhereFilesWereTouched(t *testing.T) {
	w := newTree(t, "a", "1\n", "b", "1\n", "dir/c", "1\n", ".gitignore", "*.log\n")
	s := scanOf(w)
	s.sees(w, untouched)
	touch := func(paths ...string) { s.Touch(paths) }
	w.write("a", "2\n", "new", "n\n", "x.log", "ignored\n")
	touch("a", "new", "x.log")
	s.sees(w, partLook)
	s.sees(w, untouched)
	// A rename, of which either end may be seen first.
	require.NoError(t, os.Rename(filepath.Join(w.dir, "b"), filepath.Join(w.dir, "dir/b")))
	touch("dir/b")
	require.NotEqual(t, w.uncommitted(), s.compare(w), "the other end has not been seen")
	touch("b")
	s.sees(w, partLook)
	// Taken back.
	w.write("a", "1\n")
	w.remove("new")
	touch("a", "new")
	s.sees(w, partLook)
	// A folder goes: its name says enough.
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "dir")))
	touch("dir")
	s.sees(w, partLook)
	// A file in the place of a folder, and the other way round.
	w.write("dir", "file\n")
	w.remove("a")
	w.write("a/b/c", "folder\n")
	touch("dir", "a")
	s.sees(w, partLook)
}

// What makes a look at a part unreliable makes it one at everything.
func TestScanLooksAtEverything(t *testing.T) {
	global := filepath.Join(t.TempDir(), "config")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	w := newTree(t, "a", "1\n", "b", "1\n", "x.txt", "1\n")
	w.write("a", "2\n", "y.txt", "1\n", "z.log", "z\n")
	s := scanOf(w)
	touchA := func() {
		w.write("a", w.read("a")+"more\n")
		s.Touch([]string{"a"})
	}
	touchA()
	s.sees(w, partLook)
	for name, change := range map[string]func(){
		"index":          func() { w.git("add", "a") },
		"HEAD and index": func() { w.git("commit", "-qam", "more") },
		"forget":         func() { w.write("b", w.read("b")+"unseen\n"); s.Forget() },
		"exclude file":   func() { w.write(".git/info/exclude", "*.log\n") },
		"attributes":     func() { w.write(".git/info/attributes", "*.txt -text\n") },
		"configuration":  func() { w.git("config", "core.autocrlf", "input") },
		"an ignore file": func() { w.write(".gitignore", "y.*\n"); s.Touch([]string{".gitignore"}) },
		"a rule below":   func() { w.write("sub/.gitattributes", "* text\n"); s.Touch([]string{"sub/.gitattributes"}) },
		"a repository": func() {
			w.write("sub/in/f", "f\n")
			gitAt(t, filepath.Join(w.dir, "sub/in"), "init", "-q")
			s.Touch([]string{"sub/in/.git"})
		},
		"too many": func() {
			var names []string
			for i := range maxTouched + 1 {
				names = append(names, "many/"+itoa(i))
				w.write(names[i], "x\n")
			}
			s.Touch(names)
		},
	} {
		change()
		touchA()
		t.Log(name)
		s.sees(w, wholeLook)
	}
	// The user's own settings, outside of the repository, that were not there.
	excludes := filepath.Join(t.TempDir(), "excludes")
	require.NoError(t, os.WriteFile(global, []byte("[core]\n\texcludesFile = "+filepath.ToSlash(excludes)+"\n"), 0o600))
	touchA()
	s.sees(w, wholeLook)
	require.NoError(t, os.WriteFile(excludes, []byte("z.*\n"), 0o600))
	touchA()
	s.sees(w, wholeLook)
	// HEAD alone.
	w.git("update-ref", "HEAD", "HEAD~1")
	touchA()
	s.sees(w, inVainLook)
	// It is no longer watched.
	s.Watched(false)
	w.write("b", "unseen\n")
	s.sees(w, wholeLook)
	s.sees(w, wholeLook)
}

// The commit of a nested repository changes where nobody looks.
func TestScanAndNestedRepositories(t *testing.T) {
	w := newTree(t, "a", "1\n")
	for _, name := range []string{"known", "unknown"} {
		w.write(name+"/f", "1\n")
		at := filepath.Join(w.dir, name)
		gitAt(t, at, "init", "-q")
		gitAt(t, at, "add", ".")
		gitAt(t, at, "commit", "-qm", "one")
	}
	w.git("add", "known")
	w.git("commit", "-qm", "nested")
	s := scanOf(w)
	for _, name := range []string{"known", "unknown"} {
		gitAt(t, filepath.Join(w.dir, name), "commit", "-qm", "two", "--allow-empty")
		w.write("a", name+"\n")
		s.Touch([]string{"a"})
		s.sees(w, partLook)
	}
	// It becomes a folder like others.
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "unknown/.git")))
	w.write("a", "3\n")
	s.Touch([]string{"a"})
	s.sees(w, partLook)
}

// Where the file system takes A and a for one name, so does the index.
func TestScanIgnoresCaseWhereGitDoes(t *testing.T) {
	w := newTree(t, "README", "1\n", "b", "1\n")
	w.git("config", "core.ignoreCase", "true")
	w.open()
	s := scanOf(w)
	w.write("README", "2\n")
	s.Touch([]string{"readme"})
	s.sees(w, partLook)
	w.write("README", "1\n")
	s.Touch([]string{"ReadMe"})
	s.sees(w, partLook)
}

// TestScanProperty lets random things happen to a work tree. The watcher
// names the files; what git does to its own, the Scan has to see by itself. It
// must then know the same as a look at everything, for HEAD and for an older
// tree, and that must be what git says.
func TestScanProperty(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	text := func() string {
		var b strings.Builder
		for i := range 12 {
			fmt.Fprintf(&b, "line %d %d\n", i, r.IntN(2))
		}
		return b.String()
	}
	names := []string{"a", "b", "dir/a", "dir/b", "dir/sub/c", "é ü", "x.log", "dir/x.log", "new"}
	var files []string
	for _, n := range names[:5] {
		files = append(files, n, text())
	}
	w := newTree(t, files...)
	first := strings.TrimSpace(w.git("rev-parse", "HEAD"))
	s := scanOf(w)
	at := func(p string) string { return filepath.Join(w.dir, filepath.FromSlash(p)) }
	try := func(args ...string) { // which may be refused
		cmd := exec.Command("git", args...)
		cmd.Dir = w.dir
		_ = cmd.Run()
	}
	write := func(p string) {
		if os.MkdirAll(filepath.Dir(at(p)), 0o777) == nil {
			_ = os.Remove(at(p))
			_ = os.WriteFile(at(p), []byte(text()), 0o666)
		}
		s.Touch([]string{p})
	}
	steps := 60
	if testing.Short() {
		steps = 15
	}
	for i := range steps {
		p, q := names[r.IntN(len(names))], names[r.IntN(len(names))]
		switch r.IntN(18) {
		case 0, 1, 2, 3, 4:
			write(p)
			write(q)
		case 5:
			_ = os.Remove(at(p))
			s.Touch([]string{p})
		case 6:
			_ = os.MkdirAll(filepath.Dir(at(q)), 0o777)
			_ = os.Rename(at(p), at(q))
			s.Touch([]string{p, q})
		case 7:
			if info, err := os.Lstat(at(p)); err == nil && info.Mode().IsRegular() { // not through a link
				_ = os.Chmod(at(p), []os.FileMode{0o644, 0o755}[r.IntN(2)])
			}
			s.Touch([]string{p})
		case 8:
			_ = os.Remove(at(p))
			_ = os.Symlink("a", at(p))
			s.Touch([]string{p})
		case 9: // a folder goes, or a file comes in its place
			_ = os.RemoveAll(at("dir"))
			if r.IntN(2) == 0 {
				_ = os.WriteFile(at("dir"), []byte("file\n"), 0o666)
			}
			s.Touch([]string{"dir"})
		case 10:
			_ = os.Remove(at("dir"))
			s.Touch([]string{"dir"})
			write(p)
		case 11:
			_ = os.WriteFile(at(".gitignore"), []byte([]string{"*.log\n", "new\n", "dir/\n", ""}[r.IntN(4)]), 0o666)
			s.Touch([]string{".gitignore"})
		case 12:
			try("add", "-A")
		case 13:
			try("add", "-N", "-f", p)
		case 14:
			try("rm", "-q", "--cached", p)
		case 15:
			try("reset", "-q")
		case 16:
			try("commit", "-qam", "more")
		case 17:
			try("reset", "-q", "--soft", first)
			s.Forget() // the watcher sees HEAD's own file
		}
		for _, tree := range []string{HEAD, first} {
			want, err := w.repo.Compare(t.Context(), tree, WorkTree)
			require.NoError(t, err, "step %d", i)
			got, err := s.Compare(t.Context(), tree)
			require.NoError(t, err, "step %d", i)
			require.Equal(t, brief(want), brief(got), "step %d, %s", i, tree)
			require.Equal(t, want, got, "step %d, %s", i, tree)
			byGit := w.namesByGit(tree)
			if !slices.Equal(byGit, pathsOf(want)) {
				t.Logf("status:\n%sindex:\n%stree:\n%s", w.git("status", "--porcelain=v2", "-uall"), w.git("ls-files", "-s", "--debug"), w.git("ls-tree", "-r", tree))
			}
			require.Equal(t, byGit, pathsOf(want), "step %d, %s", i, tree)
		}
	}
	looks := s.Looks()
	t.Logf("%+v", looks)
	require.Positive(t, looks.Part)
}

// namesByGit are the paths that differ between a tree and the work tree, found
// in another way: all of the work tree is added to a copy of the index.
func (w *tree) namesByGit(tree string) []string {
	w.t.Helper()
	index, _, done, err := w.repo.index.tempIndex("")
	require.NoError(w.t, err)
	defer done()
	set := map[string]bool{}
	_, err = w.repo.cmd.In(w.t.Context(), index, nil, "add", "-A")
	require.NoError(w.t, err)
	out, err := w.repo.cmd.In(w.t.Context(), index, nil, "diff-index", "-z", "--name-only", "--no-renames", "--cached", tree)
	require.NoError(w.t, err)
	for p := range splitRecords(out) {
		set[p] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// pathsOf are the paths on either side of some changes.
func pathsOf(files []FileDiff) []string {
	set := map[string]bool{}
	for _, f := range files {
		for _, side := range []*Side{f.Before, f.After} {
			if side != nil {
				set[side.Path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}
