package lsp

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

// What a host has lost when it was started again is said, and sent again if the
// user wants it.
func TestLostCommentsAreSentAgain(t *testing.T) {
	for _, answer := range []string{"Send again", "Not now"} {
		bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
			now := r.host
			r.cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				return now.Dial(ctx, network, address)
			}
			r.manual["window/showMessageRequest"] = true
			r.commented()
			r.start()
			r.opens("greet.go")
			first := r.host
			r.host = ahptest.New(ahptest.Options{})
			r.t.Cleanup(r.host.Close)
			r.world()
			r.step("the host is started again, without its comments", func() {
				now = r.host
				first.DropConnections()
				time.Sleep(time.Minute)
				synctest.Wait()
			})
			require.Contains(r.t, r.rec.out.String(), "the host lost a comment when it was started again")
			require.Nil(r.t, r.host.Annotation(one, "a1"))
			r.answers(answer)
			require.Equal(r.t, answer == "Send again", r.host.Annotation(one, "a1") != nil)
		})
	}
}
