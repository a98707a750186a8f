package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// Run with: go test ./lsp -run '^$' -bench .

// crowd is a workspace with an open file and, around it, annotations in others.
type crowd struct {
	*child
	host *ahptest.Host
	dir  string
}

const perFile = 100 // annotations in one of the other files

// newCrowd makes a host with n annotations, one of them in watched.txt; the
// others are in closed files. lines is the length of watched.txt.
func newCrowd(b *testing.B, n, lines int) *crowd {
	b.Helper()
	c := &crowd{host: ahptest.New(ahptest.Options{NoRecord: true}), dir: b.TempDir()}
	b.Cleanup(c.host.Close)
	c.file("watched.txt", lines)
	list := []*ahp.Annotation{c.annotation("watched", "watched.txt", min(10, lines-1))}
	for i := range (n - 1 + perFile - 1) / perFile {
		c.file(fmt.Sprintf("d%d/f%d.txt", i/50, i), 200)
	}
	for i := range n - 1 {
		f := i / perFile
		list = append(list, c.annotation(fmt.Sprint("a", i), fmt.Sprintf("d%d/f%d.txt", f/50, f), i%200))
	}
	c.host.AddSession(ahptest.Session{URI: one, Title: "Crowd", Directories: []string{c.uri("")}})
	c.host.SetAnnotations(one, list...)
	c.host.Prepare(annotations)
	return c
}

func (c *crowd) uri(name string) string {
	return strings.TrimSuffix(ahp.FileURI(filepath.ToSlash(filepath.Join(c.dir, name))), "/")
}

func (c *crowd) file(name string, lines int) {
	path := filepath.Join(c.dir, name)
	_ = os.MkdirAll(filepath.Dir(path), 0o755)
	if err := os.WriteFile(path, []byte(benchText(lines)), 0o644); err != nil {
		panic(err)
	}
}

func benchText(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "\tline %d of a file like those that people write\n", i)
	}
	return b.String()
}

func (c *crowd) annotation(id, name string, line int) *ahp.Annotation {
	turn := ""
	return &ahp.Annotation{
		ID: id, TurnID: &turn, Resource: c.uri(name),
		Range:   &ahp.Range{Start: ahp.Position{Line: line, Character: 1}, End: ahp.Position{Line: line, Character: 10}},
		Entries: []ahp.Entry{{ID: id + ":0", Text: ahp.Plain("a comment of the usual length on " + id)}},
		Meta:    feedback("user", "submitted"),
	}
}

// serve starts a server for an editor on the workspace, and opens watched.txt.
func (c *crowd) serve(b *testing.B, editor string) {
	b.Helper()
	c.child = startChild(b, "server", c.host.URL(), "/watched.txt")
	params := initializeParamsOf(b, editor)
	params["rootUri"], params["workspaceFolders"] = c.uri(""), []any{map[string]any{"uri": c.uri(""), "name": "ws"}}
	c.request("initialize", params)
	c.notify("initialized", map[string]any{})
	text, err := os.ReadFile(filepath.Join(c.dir, "watched.txt"))
	require.NoError(b, err)
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": c.uri("watched.txt"), "languageId": "text", "version": 1, "text": string(text)}})
}

// settled waits until nothing has been published for a while.
func (c *crowd) settled() {
	c.awaits()
	quiet := time.NewTimer(time.Second)
	for {
		select {
		case <-c.others:
		case <-c.published:
		case <-quiet.C:
			return
		}
		quiet.Reset(700 * time.Millisecond)
	}
}

// BenchmarkHostActionToPublish: an action of the host on the comment in the open
// file, until the editor has the new set; next to it, in turns, a relay that
// carries the same bytes and does nothing else. What counts are the medians:
// the machine does other things too.
func BenchmarkHostActionToPublish(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("annotations=%d", n), func(b *testing.B) {
			c := newCrowd(b, n, 200)
			c.serve(b, "neovim")
			c.settled()
			frame := c.acts(0)
			path := filepath.Join(b.TempDir(), "frame")
			require.NoError(b, os.WriteFile(path, fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(frame), frame), 0o600))
			other := newCrowd(b, 1, 200)
			other.child = startChild(b, "relay", other.host.URL(), "/watched.txt", childFrame+"="+path)
			other.awaits()
			var server, relay []time.Duration
			i := 0
			for b.Loop() {
				i++
				start := time.Now()
				c.acts(i)
				middle := time.Now()
				other.acts(i)
				server, relay = append(server, middle.Sub(start)), append(relay, time.Since(middle))
			}
			b.ReportMetric(0, "ns/op") // of both together: says nothing
			b.ReportMetric(float64(median(server).Microseconds()), "µs-server")
			b.ReportMetric(float64(median(relay).Microseconds()), "µs-relay")
			b.ReportMetric(float64(median(server))/float64(median(relay)), "server/relay")
		})
	}
}

// acts lets the host change the comment in watched.txt, and waits until that is
// published.
func (c *crowd) acts(i int) string {
	c.host.Do(annotations, entrySet("watched", "watched:0", fmt.Sprintf("a comment of the usual length, version %d", i%10), ""))
	return c.awaits()
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkDidChangeToPublish: a line is typed above 200 comments in a file of
// 5 000 lines, until the editor has the set with all of them moved.
func BenchmarkDidChangeToPublish(b *testing.B) {
	c := newCrowd(b, 1, 5_000)
	list := []*ahp.Annotation{}
	for i := range 200 {
		list = append(list, c.annotation(fmt.Sprint("a", i), "watched.txt", 10+i*24))
	}
	c.host.SetAnnotations(one, list...)
	c.serve(b, "neovim")
	c.settled()
	for i := 0; b.Loop(); i++ {
		c.change(i, i%2 == 0, "\n")
		c.awaits()
	}
}

// change types a text at the beginning of the second line, or takes it away.
func (c *crowd) change(i int, insert bool, text string) {
	start, end := [2]int{1, 0}, [2]int{1, 0}
	if !insert {
		if end = [2]int{1, len(text)}; text == "\n" {
			end = [2]int{2, 0}
		}
		text = ""
	}
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": c.uri("watched.txt"), "version": i + 2},
		"contentChanges": []any{map[string]any{"range": rangeJSON(start, end), "text": text}},
	})
}

// BenchmarkKeystroke: a character is typed, until the server answers the next
// request, with few and with many comments in other files.
func BenchmarkKeystroke(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("elsewhere=%d", n), func(b *testing.B) {
			c := newCrowd(b, n, 1_000)
			c.serve(b, "neovim")
			c.settled()
			for i := 0; b.Loop(); i++ {
				c.change(i, i%2 == 0, "x")
				c.request("workspace/executeCommand", map[string]any{"command": "ahp.none"})
			}
		})
	}
}

// BenchmarkMemory: what a server holds with 100 000 annotations, one of them in
// the open file, once everything has been published.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("annotations=%d", n), func(b *testing.B) {
			for b.Loop() {
				c := newCrowd(b, n, 200)
				start := time.Now()
				c.serve(b, "neovim")
				c.settled()
				b.ReportMetric(float64(time.Since(start).Milliseconds()-700), "ms-until-shown")
				time.Sleep(4 * time.Second)
				resident, peak := c.memory()
				b.ReportMetric(resident, "MB-resident")
				b.ReportMetric(peak, "MB-peak")
			}
		})
	}
}

// BenchmarkCodeActions: the code actions at a line of a file of 1 000 hunks, for
// the same text and right after a keystroke, when every hunk is placed anew.
func BenchmarkCodeActions(b *testing.B) {
	c := newCrowd(b, 1, 5_000)
	text, err := os.ReadFile(filepath.Join(c.dir, "watched.txt"))
	require.NoError(b, err)
	lines := strings.SplitAfter(string(text), "\n")
	for i := 2; i < len(lines); i += 5 {
		lines[i] = fmt.Sprintf("\tbefore the agent: %d\n", i)
	}
	c.host.SetContent("git-blob:before", strings.Join(lines, ""))
	c.host.AddSession(ahptest.Session{URI: one, Directories: []string{c.uri("")}, Changesets: []ahp.CatalogueEntry{{Kind: "session", Label: "Session Changes"}}})
	c.host.SetChangeset(ofSession, fmt.Sprintf(`{"status":"ready","files":[{"id":"w","edit":{"before":{"uri":%[1]q,"content":{"uri":"git-blob:before"}},"after":{"uri":%[1]q,"content":{"uri":%[1]q}}}}]}`, c.uri("watched.txt")))
	c.serve(b, "vscode")
	c.settled()
	ask := func(first, last int) {
		c.request("textDocument/codeAction", map[string]any{
			"textDocument": map[string]any{"uri": c.uri("watched.txt")}, "range": rangeJSON([2]int{first, 0}, [2]int{last, 0}),
			"context": map[string]any{"diagnostics": []any{}},
		})
	}
	b.Run("cursor", func(b *testing.B) {
		for b.Loop() {
			ask(2502, 2502)
		}
	})
	n := 0
	b.Run("cursor after a keystroke", func(b *testing.B) {
		for b.Loop() {
			c.change(n, n%2 == 0, "x")
			n++
			ask(2502, 2502)
		}
	})
	b.Run("whole file selected", func(b *testing.B) {
		for b.Loop() {
			ask(0, 5000)
		}
	})
	b.Run("lenses", func(b *testing.B) {
		for b.Loop() {
			c.request("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": c.uri("watched.txt")}})
		}
	})
}

// BenchmarkStart: from the start of the process until initialize is answered.
func BenchmarkStart(b *testing.B) {
	params := initializeParamsOf(b, "vscode")
	for b.Loop() {
		c := startChild(b, "server", "ws://127.0.0.1:1/", "none")
		c.request("initialize", params)
		b.StopTimer()
		c.in.Close()
		_ = c.cmd.Wait()
		b.StartTimer()
	}
}
