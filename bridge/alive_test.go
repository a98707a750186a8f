package bridge

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
	"ahp-lsp/internal/winetest"
)

// A peer that is gone without a word is noticed within 20 s, whenever it goes.
func TestSilentHost(t *testing.T) {
	for _, after := range []time.Duration{0, time.Second, 4999 * time.Millisecond, 7 * time.Second, 5 * time.Minute} {
		t.Run(after.String(), func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				r := start(t, h, nil)
				time.Sleep(after)
				r.take()
				h.Mute(true)
				gone := time.Now()
				for r.c.Connection().State == Connected {
					time.Sleep(100 * time.Millisecond)
					synctest.Wait()
				}
				require.LessOrEqual(t, time.Since(gone), 20*time.Second)
				require.Greater(t, time.Since(gone), 10*time.Second)
				require.ErrorIs(t, r.c.Connection().Err, ErrDisconnected)
				require.ErrorContains(t, r.c.Connection().Err, "no sign of life")
				h.Mute(false)
				time.Sleep(time.Minute + retryMost)
				synctest.Wait()
				require.Equal(t, Connected, r.c.Connection().State)
			})
		})
	}
}

func TestIdleConnectionStays(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, nil)
		r.take()
		time.Sleep(time.Hour)
		require.Empty(t, r.take())
		require.Len(t, sent(h, "initialize"), 1)
	})
}

// A large snapshot on a slow line takes longer than a peer may be silent.
func TestSlowSnapshot(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := ahp.FileURI(winetest.TempDir(t))
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		h.SetAnnotations(one, annotation("big", strings.Repeat("x", 60_000)))
		r := start(t, h, func(c *Config) {
			c.Roots = []string{root}
			c.Dial = func(ctx context.Context, n, a string) (net.Conn, error) {
				conn, err := h.Dial(ctx, n, a)
				return slowed(conn), err
			}
		})
		time.Sleep(5 * time.Minute)
		require.Len(t, r.shown(one), 1)
		require.Len(t, sent(h, "initialize"), 1, "it was cut in the middle")
	})
}

// slowed puts a line of two kilobytes a second before a host. It waits outside
// of Read: a bubble's clock stands still while a lock is waited for.
func slowed(host net.Conn) net.Conn {
	ours, theirs := net.Pipe()
	go func() {
		defer host.Close()
		_, _ = io.Copy(host, theirs)
	}()
	go func() {
		defer theirs.Close()
		buf := make([]byte, 2048)
		for {
			n, err := host.Read(buf)
			if err != nil {
				return
			}
			time.Sleep(time.Second)
			if _, err := theirs.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	return ours
}

// Attempts come quickly first, then at least every retryMost and a half.
func TestBackoff(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		var attempts []time.Time
		dead := true
		r := start(t, h, func(c *Config) {
			c.Dial = func(ctx context.Context, n, a string) (net.Conn, error) {
				attempts = append(attempts, time.Now())
				if dead {
					return nil, &net.OpError{Op: "dial", Err: net.ErrClosed}
				}
				return h.Dial(ctx, n, a)
			}
		})
		time.Sleep(2 * time.Minute)
		states := these[ConnectionChanged](r.take())
		require.Len(t, states, 2, "the same failure is told once: %v", states)
		require.Less(t, attempts[1].Sub(attempts[0]), time.Second)
		for i := range attempts[1:] {
			require.LessOrEqual(t, attempts[i+1].Sub(attempts[i]), retryMost*3/2)
		}
		require.Less(t, len(attempts), 40)

		dead = false
		r.c.Reconnect()
		synctest.Wait()
		require.Equal(t, Connected, r.c.Connection().State, "at once")
	})
}

// A host that shakes hands and falls over is not hammered.
func TestCrashLoop(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		start(t, h, nil)
		for range 600 {
			h.DropConnections()
			time.Sleep(100 * time.Millisecond)
		}
		require.Less(t, len(sent(h, "initialize")), 25)
	})
}

func TestReconnectOnDemand(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, nil)
		r.take()
		began := time.Now()
		r.c.Reconnect()
		states := these[ConnectionChanged](r.take())
		require.Zero(t, time.Since(began))
		require.Len(t, states, 2)
		require.Equal(t, Disconnected, states[0].Connection.State)
		require.Equal(t, Connected, states[1].Connection.State)
		require.Equal(t, 1, h.Clients())
	})
}

// What was dispatched just before the end still reaches the host.
func TestFlushAtEnd(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := ahp.FileURI(winetest.TempDir(t))
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		ctx, cancel := context.WithCancel(t.Context())
		c := New(Config{
			Hosts: func() []Host { return []Host{{URL: ahptest.MemoryURL}} }, Dial: h.Dial, Roots: []string{root},
			Log: &logRecorder{}, OnChange: func(Change) {},
		})
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		for _, id := range []string{"a", "b", "c"} {
			require.NoError(t, c.Dispatch(one+"/annotations", must(ahp.SetAnnotation(annotation(id, "bye")))))
		}
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		synctest.Wait()
		require.NotNil(t, h.Annotation(one, "c"))
	})
}

// A host that does not read any more cannot hold up the end for long.
func TestEndWithDeadHost(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := ahp.FileURI(winetest.TempDir(t))
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		ctx, cancel := context.WithCancel(t.Context())
		line := &stalled{}
		c := New(Config{
			Hosts: func() []Host { return []Host{{URL: ahptest.MemoryURL}} }, Roots: []string{root},
			Log: &logRecorder{}, OnChange: func(Change) {},
			Dial: func(ctx context.Context, n, a string) (net.Conn, error) {
				conn, err := h.Dial(ctx, n, a)
				line.Conn, line.closed = conn, make(chan struct{})
				return line, err
			},
		})
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		line.stall.Store(true)
		require.NoError(t, c.Dispatch(one+"/annotations", must(ahp.SetAnnotation(annotation("a", "bye")))))
		cancel()
		began := time.Now()
		<-ended
		require.LessOrEqual(t, time.Since(began), flushTime)
	})
}

// stalled is a line on which nothing can be written once it stalls.
type stalled struct {
	net.Conn
	stall  atomic.Bool
	once   sync.Once
	closed chan struct{}
}

func (s *stalled) Write(p []byte) (int, error) {
	if s.stall.Load() {
		<-s.closed
		return 0, net.ErrClosed
	}
	return s.Conn.Write(p)
}

func (s *stalled) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Conn.Close()
}
