package bridge

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
	"ahp-lsp/internal/winetest"
)

// crowded is a host on loopback TCP with a session of n annotations.
func crowded(b *testing.B, n int) (h *ahptest.Host, root string) {
	b.Helper()
	h = ahptest.New(ahptest.Options{NoRecord: true})
	b.Cleanup(h.Close)
	root = ahp.FileURI(winetest.TempDir(b))
	h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
	list := make([]*ahp.Annotation, n)
	for i := range list {
		list[i] = &ahp.Annotation{
			ID: fmt.Sprint("annotation-", i), Resource: fmt.Sprintf("%s/dir%d/file%d.go", root, i%100, i%1000),
			Range:   &ahp.Range{Start: ahp.Position{Line: i % 500}, End: ahp.Position{Line: i%500 + 2, Character: 10}},
			Entries: []ahp.Entry{{ID: "entry", Text: ahp.Plain("This could be simpler; see the other places where it is done.")}},
		}
	}
	h.SetAnnotations(one, list...)
	return h, root
}

// From the host's action to OnChange, over loopback, one at a time. The bare
// reader next to it says what the host and the wire cost of that.
func BenchmarkActionToChange(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		// Each one changes something: what changes nothing is not told.
		action := func(i int) ahp.Action { return must(ahp.ResolveAnnotation(fmt.Sprint("annotation-", i%n), i/n%2 == 0)) }
		b.Run(fmt.Sprintf("annotations=%d", n), func(b *testing.B) {
			h, root := crowded(b, n)
			changed := make(chan int, 16)
			c := New(Config{
				Hosts: func() []Host { return []Host{{URL: h.URL()}} }, Roots: []string{root}, Log: &logRecorder{},
				OnChange: func(ch Change) {
					if a, ok := ch.(AnnotationsChanged); ok {
						changed <- len(a.Changed)
					}
				},
			})
			bare(b, h, notes).CloseNow() // the host keeps its snapshot encoded
			before := heap()
			ctx, cancel := context.WithCancel(b.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); _ = c.Run(ctx) }()
			defer func() { cancel(); <-ended }()
			require.Equal(b, n, <-changed)
			after := heap()
			for i := 0; b.Loop(); i++ {
				h.Do(notes, action(i))
				<-changed
			}
			b.ReportMetric((after-before)/float64(n), "heapB/annotation")
		})
		b.Run(fmt.Sprintf("bare/annotations=%d", n), func(b *testing.B) {
			h, _ := crowded(b, n)
			ws := bare(b, h, notes)
			defer ws.CloseNow()
			for i := 0; b.Loop(); i++ {
				h.Do(notes, action(i))
				_, _, err := ws.Read(b.Context())
				require.NoError(b, err)
			}
		})
	}
}

// bare is a connection that is subscribed to a channel and only reads.
func bare(b *testing.B, h *ahptest.Host, channel string) *websocket.Conn {
	b.Helper()
	ws, _, err := websocket.Dial(b.Context(), h.URL(), nil)
	require.NoError(b, err)
	ws.SetReadLimit(-1)
	for _, frame := range []string{
		`{"id":1,"method":"initialize","params":{"channel":"ahp-root://","protocolVersions":["0.9.0"],"clientId":"x"}}`,
		`{"id":3,"method":"subscribe","params":{"channel":"` + channel + `"}}`,
	} {
		require.NoError(b, ws.Write(b.Context(), websocket.MessageText, []byte(frame)))
		_, _, err := ws.Read(b.Context())
		require.NoError(b, err)
	}
	return ws
}

// heap is what is in use, in bytes.
func heap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// From dialling to the last annotation of the snapshot.
func BenchmarkConnect(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("annotations=%d", n), func(b *testing.B) {
			h, root := crowded(b, n)
			for b.Loop() {
				changed := make(chan int, 16)
				c := New(Config{
					Hosts: func() []Host { return []Host{{URL: h.URL()}} }, Roots: []string{root}, Log: &logRecorder{},
					OnChange: func(ch Change) {
						if a, ok := ch.(AnnotationsChanged); ok && len(a.Changed) == n && a.Changed[0].New != nil {
							changed <- n
						}
					},
				})
				ctx, cancel := context.WithCancel(b.Context())
				ended := make(chan struct{})
				go func() { defer close(ended); _ = c.Run(ctx) }()
				<-changed
				b.StopTimer()
				cancel()
				<-ended
				b.StartTimer()
			}
		})
	}
}

// From the host's action on one file of a changeset to OnChange, over loopback,
// one at a time, next to a connection that only reads.
func BenchmarkFileActionToChange(b *testing.B) {
	const channel = one + "/changeset/uncommitted"
	file := func(i, added int) string {
		uri := fmt.Sprintf("file:///w/dir%d/file%d.go", i%100, i)
		return fmt.Sprintf(`{"id":%q,"edit":{"before":{"uri":%q,"content":{"uri":"git-blob:/x"}},"after":{"uri":%q,"content":{"uri":%q}},"diff":{"added":%d,"removed":0}}}`, uri, uri, uri, uri, added)
	}
	for _, n := range []int{100, 10_000} {
		host := func(b *testing.B) (h *ahptest.Host, root string) {
			h = ahptest.New(ahptest.Options{NoRecord: true})
			b.Cleanup(h.Close)
			root = ahp.FileURI(winetest.TempDir(b))
			h.AddSession(ahptest.Session{URI: one, Directories: []string{root}, Changesets: []ahp.CatalogueEntry{{Kind: KindUncommitted}}})
			files := make([]string, n)
			for i := range files {
				files[i] = file(i, 0)
			}
			h.SetChangeset(channel, `{"status":"ready","files":[`+strings.Join(files, ",")+`]}`)
			return h, root
		}
		action := func(i int) string {
			return `{"type":"changeset/fileSet","file":` + file(i*97%n, i+1) + `}`
		}
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			h, root := host(b)
			changed := make(chan int, 16)
			c := New(Config{
				Hosts: func() []Host { return []Host{{URL: h.URL()}} }, Roots: []string{root}, Log: &logRecorder{},
				Changesets: []string{KindUncommitted},
				OnChange: func(ch Change) {
					if cs, ok := ch.(ChangesetChanged); ok && len(cs.Touched) > 0 {
						changed <- len(cs.Touched)
					}
				},
			})
			ctx, cancel := context.WithCancel(b.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); _ = c.Run(ctx) }()
			defer func() { cancel(); <-ended }()
			require.Equal(b, n, <-changed)
			for i := 0; b.Loop(); i++ {
				h.Do(channel, action(i))
				require.Equal(b, 2, <-changed)
			}
		})
		b.Run(fmt.Sprintf("bare/files=%d", n), func(b *testing.B) {
			h, _ := host(b)
			ws := bare(b, h, channel)
			defer ws.CloseNow()
			for i := 0; b.Loop(); i++ {
				h.Do(channel, action(i))
				_, _, err := ws.Read(b.Context())
				require.NoError(b, err)
			}
		})
	}
}
