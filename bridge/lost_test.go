package bridge

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// restartable is a client of a host that can be replaced by another one, which
// is what a host is that was started again.
func restartable(t *testing.T, test func(t *testing.T, r *rig, replace func(address string, list ...*ahp.Annotation) *ahptest.Host)) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t, "a")
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		h.SetAnnotations(one, annotation("a", "first"), annotation("b", "second"), annotation("c", "third"))
		var now atomic.Pointer[ahptest.Host]
		var at atomic.Pointer[string]
		first := ahptest.MemoryURL
		now.Store(h)
		at.Store(&first)
		r := start(t, h, func(c *Config) {
			c.Roots = []string{root}
			c.Hosts = func() []Host { return []Host{{URL: *at.Load()}} }
			c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				return now.Load().Dial(ctx, network, address)
			}
		})
		require.Len(t, r.shown(one), 3)
		test(t, r, func(address string, list ...*ahp.Annotation) *ahptest.Host {
			fresh := ahptest.New(ahptest.Options{})
			t.Cleanup(fresh.Close)
			fresh.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
			fresh.SetAnnotations(one, list...)
			old := now.Swap(fresh)
			if address != "" {
				at.Store(&address)
			}
			old.DropConnections()
			time.Sleep(time.Minute)
			synctest.Wait()
			return fresh
		})
	})
}

func ids(list []*ahp.Annotation) (out []string) {
	for _, a := range list {
		out = append(out, a.ID)
	}
	return out
}

func TestHostLosesComments(t *testing.T) {
	for name, address := range map[string]string{"at the same address": "", "at another address": "ws://other.test/"} {
		t.Run(name, func(t *testing.T) {
			restartable(t, func(t *testing.T, r *rig, replace func(string, ...*ahp.Annotation) *ahptest.Host) {
				h := replace(address, annotation("b", "second"))
				require.Equal(t, []string{"a", "c"}, ids(last[AnnotationsLost](r.take()).Annotations))
				require.Len(t, r.shown(one), 1, "what is shown is what the host has")

				n, err := r.c.RestoreLost(one)
				require.NoError(t, err)
				require.Equal(t, 2, n)
				require.Empty(t, last[AnnotationsLost](r.take()).Annotations)
				require.Len(t, r.shown(one), 3)
				require.Equal(t, "first", h.Annotation(one, "a").Entries[0].Text.Value)
				n, err = r.c.RestoreLost(one)
				require.NoError(t, err)
				require.Zero(t, n)

				// Lost once more: what came back counts as any other.
				replace("")
				require.Equal(t, []string{"b", "a", "c"}, ids(last[AnnotationsLost](r.take()).Annotations))
				// A host that has read them back has not lost them.
				replace("", annotation("a", "first"), annotation("b", "second"))
				require.Equal(t, []string{"c"}, ids(last[AnnotationsLost](r.take()).Annotations))
				r.c.DismissLost(one)
				require.Empty(t, last[AnnotationsLost](r.take()).Annotations)
				_, err = r.c.RestoreLost(two)
				require.ErrorIs(t, err, ErrNotFollowed)
			})
		})
	}
}

// What somebody removed is not lost: while connected, while away from a host
// that goes on, and with a host that has everything.
func TestRemovedIsNotLost(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Do(notes, must(ahp.RemoveAnnotation("a")))
		for _, recovery := range []ahptest.Recovery{ahptest.Replay, ahptest.Snapshots, ahptest.PerChannel} {
			h.SetRecovery(recovery)
			h.Do(notes, set(annotation("x", "for a while")))
			synctest.Wait()
			h.DropConnections()
			h.Do(notes, must(ahp.RemoveAnnotation("x")))
			time.Sleep(time.Minute)
		}
		require.Empty(t, these[AnnotationsLost](r.everything()))
	})
	restartable(t, func(t *testing.T, r *rig, replace func(string, ...*ahp.Annotation) *ahptest.Host) {
		replace("", annotation("a", "first"), annotation("b", "second"), annotation("c", "third"))
		require.Empty(t, these[AnnotationsLost](r.everything()))
	})
}
