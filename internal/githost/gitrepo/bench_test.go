//go:build unix

package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ahp-lsp/internal/githost/gitrepo/lines"

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

// BenchmarkManyFiles is what the package promises of large repositories. What
// the processes it runs use of the processor says more than the clock, on a busy
// machine.
func BenchmarkManyFiles(b *testing.B) {
	w := bigTree(b)
	measure := func(what string, run func()) {
		b.Run(what, func(b *testing.B) {
			used := cpuTime()
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64((cpuTime()-used).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
	measure("status by git", func() { w.git("status", "--porcelain") })
	measure("uncommitted", func() { require.Len(b, w.uncommitted(), 10) })
	scan, n := scanOf(w), 0
	measure("uncommitted after a write", func() {
		n++
		w.write("pkg499/file99.go", itoa(n)+"\n")
		scan.Touch([]string{"pkg499/file99.go"})
		require.Len(b, scan.compare(w), 11)
	})
	w.git("checkout", "-q", "pkg499/file99.go")
	measure("staged", func() { w.repo.Staged(b.Context()) })
	measure("branch", func() { w.repo.Branch(b.Context()) })
	measure("checkpoint", func() {
		n++
		_, _, err := w.repo.Checkpoint(b.Context(), "refs/ahp/turn/"+itoa(n), "x")
		require.NoError(b, err)
	})
	measure("turn to work tree", func() {
		_, err := w.repo.Compare(b.Context(), "refs/ahp/turn/"+itoa(n), WorkTree)
		require.NoError(b, err)
	})
	measure("revert and undo", func() {
		w.revert(one("pkg070/file01.go"))
		w.undo("")
	})
	measure("stage and unstage", func() {
		w.stage(one("pkg070/file01.go"))
		w.unstage(all)
	})
	measure("state", func() { w.repo.State(b.Context()) })
	files := w.uncommitted()
	measure("content", func() { w.repo.Content(b.Context(), *files[4].Before) })
	measure("blob", func() { w.repo.Blob(b.Context(), files[4].Before.Blob) })
}

// BenchmarkManyChanges is a write to one file while 5 000 of 50 000 are changed. Git's
// own status, and git diff, are the floor and what it would cost to look at everything.
func BenchmarkManyChanges(b *testing.B) {
	w := bigTree(b)
	for d := range 500 {
		for f := range 10 {
			w.write(fmt.Sprintf("pkg%03d/file%02d.go", d, f+20), fmt.Sprintf("package x\n\nconst F = %d\n", d))
		}
	}
	n := len(w.uncommitted())
	measure := func(what string, run func()) {
		b.Run(what, func(b *testing.B) {
			used := cpuTime()
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64((cpuTime()-used).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
	measure("git status", func() { w.git("status", "--porcelain") })
	measure("git diff --stat", func() { w.git("diff", "--stat") })
	measure("everything", func() { require.Len(b, w.uncommitted(), n) })
	scan, i := scanOf(w), 0
	write := func() {
		i++
		w.write("pkg499/file29.go", itoa(i)+"\n")
		scan.Touch([]string{"pkg499/file29.go"})
		require.Len(b, scan.compare(w), n)
	}
	write()
	measure("after a write", write)
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
	before, after := make(lines.Lines, 20_000), make(lines.Lines, 20_000)
	for i := range before {
		before[i] = fmt.Sprintf("line %d of a file\n", i%5000)
		after[i] = before[i]
		if i%100 == 50 {
			after[i] = "changed\n"
		}
	}
	for b.Loop() {
		lines.Compare(before, after)
	}
}
