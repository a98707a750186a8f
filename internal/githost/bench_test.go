//go:build unix

package githost

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/disk"
	"ahp-lsp/internal/githost/session"
)

// BenchmarkWatch is the time from a write on disk to the changeset at the
// client, in a small repository and in one of 50 000 files with ten changed
// ones, and what it costs of the processor. first-ms is the time from the first
// subscription to the changes.
func BenchmarkWatch(b *testing.B) {
	for _, files := range []int{10, 50_000} {
		b.Run(fmt.Sprint(files, "files"), func(b *testing.B) {
			w := bigTree(b, files)
			for i := range 9 {
				w.write(fileName(i*7%files), "changed\n")
			}
			h := w.host()
			start := time.Now()
			c := connect(b, h)
			m := c.mirror(h.names.Session + "/changeset/uncommitted")
			m.until("nine files", func(s *ahp.Changeset) bool { return s.Status == ahp.ChangesetReady && len(s.Files()) == 9 })
			first := time.Since(start)
			h.waitForRest(b)
			name := fileName(files - 1)
			i, used := 0, cpu()
			for b.Loop() {
				i++
				w.write(name, fmt.Sprintf("version %d\n", i))
				version := disk.Hash([]byte(fmt.Sprintf("version %d\n", i)))
				m.until("the write", func(s *ahp.Changeset) bool {
					f := s.File(w.uri(name))
					return f != nil && f.After.Content.Nonce == version
				})
			}
			n := float64(b.N)
			b.ReportMetric(float64((cpu()-used).Milliseconds())/n, "cpu-ms/write")
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/n, "ms/write")
			b.ReportMetric(float64(first.Milliseconds()), "first-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkIdle is what a host of 50 000 files with a client uses of the
// processor in half a minute in which nothing happens.
func BenchmarkIdle(b *testing.B) {
	w := bigTree(b, 50_000)
	h := w.host()
	connect(b, h).mirror(h.names.Session + "/changeset/uncommitted").ready()
	h.waitForRest(b)
	used, n := cpu(), 0
	for b.Loop() {
		n++
		<-time.After(30 * time.Second)
	}
	b.ReportMetric(float64((cpu()-used).Microseconds())/float64(n), "cpu-µs/30s")
	b.ReportMetric(0, "ns/op")
}

func fileName(i int) string { return fmt.Sprintf("d%02d/e%02d/f%04d.txt", i%50, i/50%20, i) }

func bigTree(b *testing.B, files int) *tree {
	w := newTree(b)
	w.git("config", "gc.auto", "0") // it would go on behind the benchmark's back
	for i := range files {
		dir := filepath.Dir(w.path(fileName(i)))
		if i < 1000 {
			require.NoError(b, os.MkdirAll(dir, 0o755))
		}
		require.NoError(b, os.WriteFile(w.path(fileName(i)), []byte(fmt.Sprintf("file %d\n", i)), 0o644))
	}
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "many")
	return w
}

// waitForRest waits until there is nothing left to do: the work tree has been
// recorded for a turn to be guessed.
func (h *Host) waitForRest(b *testing.B) {
	require.Eventually(b, func() (ok bool) {
		h.with(func(s *session.State) { ok = s.Guess().Resting() })
		h.work.mu.Lock()
		defer h.work.mu.Unlock()
		return ok && !h.work.dirty.Any()
	}, patience, 10*time.Millisecond)
}

func cpu() time.Duration {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		_ = syscall.Getrusage(who, &u)
		total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return total
}

// BenchmarkComment is the time from an annotation to its echo, which says that
// it is on disk: one after the other, and a thousand at once.
func BenchmarkComment(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newTree(b, "a.txt", "1\n")
			h := w.host(brief)
			c := connect(b, h)
			c.subscribe(h.names.Annotations)
			seq := 0
			for b.Loop() {
				for range n {
					seq++
					c.dispatch(h.names.Annotations, seq, set(note(fmt.Sprint(seq), "resource", w.uri("a.txt"))))
				}
				c.until("the echoes", func() bool { return len(c.frames) == n })
				c.mu.Lock()
				c.frames = nil
				c.mu.Unlock()
			}
		})
	}
}

// BenchmarkSnapshot is the time to subscribe to a channel of 100 000
// annotations.
func BenchmarkSnapshot(b *testing.B) {
	w := newTree(b, "a.txt", "1\n")
	h := w.host(brief)
	var records []session.Record
	for i := range 100_000 {
		records = append(records, session.Record{Set: &ahp.Annotation{ID: fmt.Sprint(i), Resource: w.uri("a.txt"), Entries: []ahp.Entry{{ID: "e", Text: ahp.Plain("a small comment")}}}})
	}
	h.state.Restore(records, h.tree)
	c := connect(b, h)
	for b.Loop() {
		c.subscribe(h.names.Annotations)
	}
}

// BenchmarkStart is the time to start a host, and to connect to it.
func BenchmarkStart(b *testing.B) {
	w := newTree(b, "a.txt", "1\n")
	dir := socketDir(b)
	for b.Loop() {
		s := w.serve(dir)
		conn, err := s.Dial(b.Context(), "unix", addressOf(s))
		require.NoError(b, err)
		c := rawOver(b, "ws://localhost/", pipeClient(conn))
		c.handshake("1.0.0", "start")
		c.close()
		require.NoError(b, s.Close())
	}
}
