package lsp

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

// The loop's rule: only the loop touches the state, and nothing in the loop waits
// for the disk, the host or the editor.

// While a request waits outside, everything else goes on; when it comes back, it
// is in the loop again.
func TestTheLoopGoesOnWhileARequestWaits(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.commented()
		r.start()
		r.opens("greet.go")
		answer := make(chan struct{})
		after := 0
		r.inLoop(func() {
			r.server.routes.requests["test/waits"] = func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
				outside(ctx, func() { <-answer })
				r.server.loop.holder.check()
				return r.server.ws.Unresolved() + after, nil
			}
		})
		id := r.ask("test/waits", nil)
		synctest.Wait()
		require.Empty(r.t, r.results[id])
		r.types("greet.go", "// Hello greets.", "// Hello greets you.")
		require.Equal(r.t, byeCall, r.shownOn("greet.go"), "the editor is served")
		r.inLoop(func() { after = 41 })
		close(answer)
		synctest.Wait()
		require.JSONEq(r.t, "42", string(r.results[id]))
	})
}

// What runs in the loop itself cannot wait, by whatever way it would.
func TestNothingInTheLoopWaits(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.commented()
		r.start()
		r.log.allowed = true
		r.inLoop(func() {
			require.PanicsWithError(r.t, errWaits.Error(), func() { outside(context.Background(), func() {}) })
			require.PanicsWithError(r.t, errWaits.Error(), func() {
				_ = r.server.loop.await(context.Background(), loadingTimeout, func() bool { return false })
			})
			require.PanicsWithError(r.t, errWaits.Error(), func() {
				_, _ = commandEditor{r.server}.Choose(context.Background(), 0, "Really?", "Yes")
			})
		})
		r.alive()
	})
}

// Requests are begun in the order in which they come, between the notifications
// that came before and after them.
func TestRequestsBeginInOrder(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.commented()
		r.start()
		r.opens("greet.go")
		var texts []string
		r.inLoop(func() {
			r.server.routes.requests["test/text"] = func(context.Context, string, json.RawMessage) (any, error) {
				texts = append(texts, r.server.ws.Open(r.uri("greet.go")).Text().String()[:4])
				return nil, nil
			}
		})
		for _, begin := range []string{"1111", "2222", "3333"} {
			r.replace(r.uri("greet.go"), begin+greetAfter)
			r.ask("test/text", nil)
		}
		synctest.Wait()
		r.inLoop(func() { require.Equal(r.t, []string{"1111", "2222", "3333"}, texts) })
	})
}
