package bridge

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

// flapping is a client of a host that can be put out of reach.
func flapping(t *testing.T, away bool, test func(t *testing.T, r *rig, out func(time.Duration), gone *atomic.Bool)) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		var gone atomic.Bool
		gone.Store(away)
		r := start(t, h, func(c *Config) {
			c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if gone.Load() {
					return nil, errors.New("nobody there")
				}
				return h.Dial(ctx, network, address)
			}
		})
		out := func(d time.Duration) {
			gone.Store(true)
			h.DropConnections()
			time.Sleep(d)
			gone.Store(false)
			r.c.Reconnect()
			synctest.Wait()
		}
		test(t, r, out, &gone)
	})
}

func TestShortOutage(t *testing.T) {
	flapping(t, false, func(t *testing.T, r *rig, out func(time.Duration), _ *atomic.Bool) {
		for range 3 {
			out(4 * time.Second)
			require.Equal(t, Connected, r.c.Connection().State)
			time.Sleep(time.Minute)
		}
		require.Empty(t, these[OutageChanged](r.everything()))
	})
}

func TestLongOutage(t *testing.T) {
	flapping(t, false, func(t *testing.T, r *rig, out func(time.Duration), _ *atomic.Bool) {
		began := time.Now()
		out(time.Minute)
		told := these[OutageChanged](r.take())
		require.Len(t, told, 1)
		require.Equal(t, began, told[0].Outage.Since)
		require.Equal(t, ahptest.MemoryURL, told[0].Outage.Host)
		require.Error(t, told[0].Outage.Err)
		require.False(t, told[0].Outage.Over)

		time.Sleep(outageAfter + time.Second)
		told = these[OutageChanged](r.take())
		require.Equal(t, []OutageChanged{{Outage: Outage{Host: ahptest.MemoryURL, Since: began, Over: true}}}, told)
	})
}

// A host that comes and goes is one outage, told once, and once that it is over.
func TestFlappingHost(t *testing.T) {
	flapping(t, false, func(t *testing.T, r *rig, out func(time.Duration), _ *atomic.Bool) {
		began := time.Now()
		for range 12 {
			out(time.Second)
			time.Sleep(time.Second)
		}
		told := these[OutageChanged](r.everything())
		require.Len(t, told, 1)
		require.Equal(t, began, told[0].Outage.Since)
		require.Greater(t, len(these[ConnectionChanged](r.everything())), 20, "the log has them all")
		time.Sleep(time.Minute)
		told = these[OutageChanged](r.everything())
		require.Len(t, told, 2)
		require.True(t, told[1].Outage.Over)
	})
}

// A host that was never there is an outage too; none at all is not.
func TestOutageFromTheStart(t *testing.T) {
	flapping(t, true, func(t *testing.T, r *rig, _ func(time.Duration), gone *atomic.Bool) {
		time.Sleep(outageAfter - time.Second)
		require.Empty(t, these[OutageChanged](r.take()))
		time.Sleep(time.Minute)
		require.Len(t, these[OutageChanged](r.take()), 1)
		gone.Store(false)
		time.Sleep(time.Minute)
		require.True(t, last[OutageChanged](r.take()).Outage.Over)
	})
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, func(c *Config) { c.Hosts = func() []Host { return nil } })
		time.Sleep(time.Minute)
		require.Empty(t, these[OutageChanged](r.take()))
	})
}
