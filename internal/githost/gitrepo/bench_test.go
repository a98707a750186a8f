//go:build unix

package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bigTree is a repository of 50 000 files with 10 changed: 7 modified, one
// deleted, two new.
func bigTree(t testing.TB) *tree {
	t.Helper()
	w := emptyTree(t)
	for d := range 500 {
		dir := filepath.Join(w.dir, fmt.Sprintf("pkg%03d", d))
		require.NoError(t, os.Mkdir(dir, 0o777))
		for f := range 100 {
			text := fmt.Sprintf("package pkg%d\n\nconst F%d = %d\n", d, f, d*f)
			require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%02d.go", f)), []byte(text), 0o666))
		}
	}
	w.git("add", "-A")
	w.git("commit", "-qm", "many")
	for i := range 7 {
		w.write(fmt.Sprintf("pkg%03d/file%02d.go", i*70, i), "package x\n\nconst F = 0\n")
	}
	w.remove("pkg100/file01.go")
	w.write("pkg007/new.go", "package x\n", "new.go", "package y\n")
	return w
}

// TestManyFiles measures what the package promises of large repositories. It
// takes a minute, so it runs only with AHP_MEASURE set, to 1 or to the folder of
// a repository that bigTree made.
func TestManyFiles(t *testing.T) {
	if os.Getenv("AHP_MEASURE") == "" {
		t.Skip("set AHP_MEASURE=1 and use -v to measure with 50 000 files")
	}
	var w *tree
	if dir := os.Getenv("AHP_MEASURE"); filepath.IsAbs(dir) {
		w = &tree{t: t, dir: dir} // one that is there already
		w.open()
	} else {
		w = bigTree(t)
	}
	best := func(what string, most time.Duration, run func()) {
		low, cpu := time.Hour, time.Hour
		for range 5 {
			start, used := time.Now(), cpuTime()
			run()
			low = min(low, time.Since(start))
			cpu = min(cpu, cpuTime()-used)
		}
		t.Logf("%-22s %6v, of it %v of processor", what, low.Round(time.Millisecond), cpu.Round(time.Millisecond))
		require.Less(t, low, most, what)
	}
	const slow = 3 * time.Second // on a machine busy with other tests
	best("status by git", slow, func() { w.git("status", "--porcelain") })
	best("uncommitted", slow, func() { require.Len(t, w.uncommitted(), 10) })
	best("staged", slow, func() { w.repo.Staged(t.Context()) })
	best("branch", slow, func() { w.repo.Branch(t.Context()) })
	n := 0
	best("checkpoint", slow, func() {
		n++
		_, _, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/"+itoa(n), "x")
		require.NoError(t, err)
	})
	best("turn to work tree", slow, func() {
		_, err := w.repo.Compare(t.Context(), "refs/ahp/turn/1", WorkTree)
		require.NoError(t, err)
	})
	best("revert and undo", slow, func() {
		w.revert(one("pkg070/file01.go"))
		w.undo("")
	})
	best("stage and unstage", slow, func() {
		w.stage(one("pkg070/file01.go"))
		w.unstage(all)
	})
	best("state", slow, func() { w.repo.State(t.Context()) })
	files := w.uncommitted()
	best("content", slow, func() { w.repo.Content(t.Context(), *files[4].Before) })
	best("blob", slow, func() { w.repo.Blob(t.Context(), files[4].Before.Blob) })
}

// cpuTime is what this process and those it ran have used; on a busy machine it
// says more than the clock.
func cpuTime() time.Duration {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total
}

func BenchmarkCompareLines(b *testing.B) {
	before, after := make(lines, 20_000), make(lines, 20_000)
	for i := range before {
		before[i] = fmt.Sprintf("line %d of a file\n", i%5000)
		after[i] = before[i]
		if i%100 == 50 {
			after[i] = "changed\n"
		}
	}
	for b.Loop() {
		compareLines(before, after)
	}
}
