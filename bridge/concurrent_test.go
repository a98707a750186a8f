package bridge

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// Everything at once, for the race detector; a deadlock ends the bubble.
func TestConcurrentUse(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "branch", Review: true}, {Kind: "turn"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetChangeset(cs+"branch", `{"status":"ready","files":[`+file("a")+`]`+operations)
		h.SetContent(blob, "x")
		r := start()
		c, roots := r.c, slices.Clone(r.c.workspace.roots)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i, act := range []func(i int){
			func(i int) { _ = c.Dispatch(notes, set(annotation(fmt.Sprint(i%5), "mine"))) },
			func(i int) { _ = c.Dispatch(cs+"branch", must(ahp.ReviewFiles("0.9.0", []string{"a"}, i%2 == 0))) },
			func(int) { _, _ = c.Read(ctx, ahp.ContentRef{URI: blob}) },
			func(int) { _, _ = c.Read(ctx, ahp.ContentRef{URI: "x:/none"}) },
			func(int) { _, _ = c.Invoke(ctx, cs+"branch", "commit", nil) },
			func(int) { _, _ = c.Sessions(ctx) },
			func(i int) { _, _ = c.TurnContent(ctx, one, fmt.Sprint("t", i%3), "a") },
			func(i int) { c.SetRoots(roots[:i%2]) },
			func(i int) { c.Select([]string{"", SessionAll, one, two}[i%4]) },
			func(int) { _, _, _, _ = c.Connection(), c.Version(), c.ToLocal("file:///x"), c.ToHost("file:///x") },
			func(i int) {
				if i%10 == 0 {
					c.Reconnect()
				}
			},
			func(i int) { h.Do(notes, set(annotation(fmt.Sprint(i%5), "theirs"))) },
			func(i int) { h.RunTurn(one, fmt.Sprint("t", i), "x") },
			func(i int) {
				if i%7 == 0 {
					h.DropConnections()
				}
			},
			func(i int) {
				h.AddSession(ahptest.Session{URI: two, Directories: roots})
				if i%2 == 0 {
					h.RemoveSession(two)
				}
			},
		} {
			all.Go(func() {
				for n := range 40 {
					act(n)
					time.Sleep(time.Duration(i+1) * 7 * time.Millisecond)
				}
			})
		}
		time.Sleep(10 * time.Minute)
		cancel()
		all.Wait()
		c.Select("")
		c.SetRoots(roots)
		time.Sleep(time.Minute)
		require.Equal(t, Connected, c.Connection().State)
		r.agree()
	})
}
