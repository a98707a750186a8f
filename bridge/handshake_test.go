package bridge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
	"ahp-lsp/internal/winetest"
)

const secret = "t0ken-nobody-may-see"

func TestHandshake(t *testing.T) {
	bubble(t, ahptest.Options{Versions: []string{"0.8.0"}, Token: secret}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, func(c *Config) {
			c.Info = ahp.Implementation{Name: "ahp-lsp", Version: "9"}
			c.Hosts = func() []Host { return []Host{{URL: ahptest.MemoryURL, Token: secret}} }
		})
		states := these[ConnectionChanged](r.take())
		require.Len(t, states, 2)
		require.Equal(t, Connecting, states[0].Connection.State)
		require.Equal(t, Connection{State: Connected, Host: ahptest.MemoryURL + "?tkn=…", Version: "0.8.0", Server: "ahptest 1"}, states[1].Connection)
		require.Equal(t, "0.8.0", r.c.Version())
		require.Equal(t, []string{"initialize"}, methods(h)[:1])
		require.JSONEq(t, fmt.Sprintf(`{"channel":"ahp-root://","clientId":%q,"clientInfo":{"name":"ahp-lsp","version":"9"},
			"initialSubscriptions":["ahp-root://"],
			"protocolVersions":["1.0.0","0.9.0","0.8.0","0.7.0","0.6.0","0.5.2","0.5.1","0.5.0","0.4.0"]}`, r.c.id), string(sent(h, "initialize")[0]))
	})
}

func TestTokenInURL(t *testing.T) {
	bubble(t, ahptest.Options{Token: secret}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, func(c *Config) {
			c.Hosts = func() []Host { return []Host{{URL: "ws://host.test?tkn=" + secret}} }
		})
		require.Equal(t, Connected, r.c.Connection().State)
		require.NotContains(t, fmt.Sprint(r.take()), secret)
	})
}

func TestUnixSocket(t *testing.T) {
	defer func() { http.DefaultTransport.(*http.Transport).CloseIdleConnections() }()
	if winetest.Running() {
		t.Skip("Wine 8 has no Unix sockets")
	}
	path := filepath.Join(winetest.TempDir(t), "host.sock")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	h := ahptest.New(ahptest.Options{Token: secret})
	defer h.Close()
	h.Serve(l)
	connected := make(chan Connection, 8)
	c := New(Config{
		Hosts:    func() []Host { return []Host{{URL: "ws+unix://" + path, Token: secret}} },
		Log:      &logRecorder{},
		OnChange: func(ch Change) { note(connected, ch) },
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Run(ctx) }()
	require.Equal(t, Connecting, (<-connected).State)
	got := <-connected
	require.Equal(t, Connected, got.State, "%v", got.Err)
	require.Equal(t, "ws+unix://"+path+"?tkn=…", got.Host)
	cancel()
	<-ended
}

func note(to chan Connection, ch Change) {
	if cc, ok := ch.(ConnectionChanged); ok {
		to <- cc.Connection
	}
}

func methods(h *ahptest.Host) (out []string) {
	for _, f := range h.Frames() {
		if f.Dir == ahptest.Send {
			_, rest, _ := strings.Cut(string(f.Data), `"method":"`)
			method, _, _ := strings.Cut(rest, `"`)
			out = append(out, method)
		}
	}
	return out
}

// answering is a network on which every connection gets one HTTP answer.
func answering(response string) dialer {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			if _, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
				io.WriteString(theirs, response)
			}
		}()
		return ours, nil
	}
}

func unreachable(err error) dialer {
	return func(context.Context, string, string) (net.Conn, error) { return nil, err }
}

// Every way to fail names what it tried and what to do, and never the token.
func TestFailures(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for _, tc := range []struct {
		name string
		host Host
		dial dialer // nil: the in-memory host
		is   error
		want []string
	}{
		{"wrong token", Host{URL: "ws://h:1/", Token: secret + "x"}, nil, ErrForbidden, []string{"connect to ws://h:1/?tkn=…", "refused the token", "403", "--token"}},
		{"wrong token in the URL", Host{URL: "ws://h:1/?tkn=" + secret + "x"}, nil, ErrForbidden, []string{"ws://h:1/?tkn=…", "403"}},
		{"no token", Host{URL: "ws://h:1/"}, nil, ErrForbidden, []string{"ws://h:1/"}},
		{"unauthorized", Host{URL: "ws://h:1/", Token: secret}, answering("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n"), ErrForbidden, []string{"401"}},
		{"not a host", Host{URL: "ws://h:1/", Token: secret}, answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), nil, []string{"connect to ws://h:1/?tkn=…", "HTTP 200", "agent host"}},
		{"a redirect", Host{URL: "ws://h:1/", Token: secret}, answering("HTTP/1.1 302 Found\r\nLocation: http://evil/\r\nContent-Length: 0\r\n\r\n"), nil, []string{"HTTP 302"}},
		{"no HTTP", Host{URL: "ws://h:1/", Token: secret}, answering("SSH-2.0-OpenSSH\r\n"), nil, []string{"connect to ws://h:1/?tkn=…"}},
		{"hung up", Host{URL: "ws://h:1/", Token: secret}, answering(""), nil, []string{"connect to ws://h:1/?tkn=…"}},
		{"no TLS", Host{URL: "wss://h:1/", Token: secret}, answering("nope"), nil, []string{"connect to wss://h:1/?tkn=…"}},
		{"refused", Host{URL: "ws://h:1/?a=b", Token: secret}, unreachable(refused), nil, []string{"connect to ws://h:1/?a=b&tkn=…", "connection refused"}},
		{"a proxy refused", Host{URL: "ws://h:1/", Token: secret}, unreachable(&net.OpError{Op: "proxyconnect", Net: "tcp", Err: refused}), nil, []string{"proxyconnect tcp: ", "connection refused"}},
		{"no such host", Host{URL: "ws://h:1/", Token: secret}, unreachable(&net.DNSError{Err: "no such host", Name: "h"}), nil, []string{"no such host"}},
		{"no such socket", Host{URL: "ws+unix:///run/x.sock", Token: secret}, unreachable(refused), nil, []string{"connect to ws+unix:///run/x.sock?tkn=…", "refused"}},
		{"bad scheme", Host{URL: "http://h:1/?tkn=" + secret}, nil, ErrBadURL, []string{"http://h:1/?tkn=…", "want ws://HOST:PORT"}},
		{"no host", Host{URL: "ws:///p", Token: secret}, nil, ErrBadURL, []string{"ws:///p", "names no host"}},
		{"opaque", Host{URL: "ws:h?tkn=" + secret}, nil, ErrBadURL, []string{"ws:h?tkn=…"}},
		{"no path", Host{URL: "ws+unix://run/x.sock", Token: secret}, nil, ErrBadURL, []string{"ws+unix://run/x.sock", "ws+unix:///path"}},
		{"no such pipe", Host{URL: "ws+pipe:///x", Token: secret}, unreachable(refused), nil, []string{"connect to ws+pipe:///x?tkn=…", "refused"}},
		{"no pipe", Host{URL: "ws+pipe:///", Token: secret}, nil, ErrBadURL, []string{"want ws+pipe:///NAME"}},
		{"another machine's pipe", Host{URL: "ws+pipe://server/x", Token: secret}, nil, ErrBadURL, []string{"want ws+pipe:///NAME"}},
		{"unparsable", Host{URL: "ws://h:port/?tkn=" + secret}, nil, ErrBadURL, []string{"want ws://HOST:PORT"}},
		{"password", Host{URL: "ftp://user:" + secret + "@h/"}, nil, ErrBadURL, []string{"ftp://%E2%80%A6@h/"}},
		{"fragment", Host{URL: "ftp://h/#" + secret}, nil, ErrBadURL, []string{"ftp://h/"}},
		{"unreadable token", Host{URL: "ws://h:1/", Err: errors.New("read token file /x: denied")}, nil, nil, []string{"/x"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, ahptest.Options{Token: secret}, func(t *testing.T, h *ahptest.Host) {
				r := start(t, h, func(c *Config) {
					c.Hosts = func() []Host { return []Host{tc.host} }
					if tc.dial != nil {
						c.Dial = tc.dial
					}
				})
				got := last[ConnectionChanged](r.take()).Connection
				require.Equal(t, Disconnected, got.State)
				require.Error(t, got.Err)
				for _, want := range tc.want {
					require.ErrorContains(t, got.Err, want)
				}
				if tc.is != nil {
					require.ErrorIs(t, got.Err, tc.is)
					require.Equal(t, retryMost, got.Retry, "trying again at once is pointless")
				}
				_, err := r.c.Read(t.Context(), ahp.ContentRef{URI: "file:///x"})
				require.ErrorIs(t, err, ErrNotConnected)
				require.ErrorContains(t, err, got.Err.Error())
				shown := fmt.Sprintf("%v %+v %#v %s %v", got, got, got.Err, r.log.text(), err)
				for e := got.Err; e != nil; e = errors.Unwrap(e) {
					shown += e.Error()
				}
				require.NotContains(t, shown, secret)
			})
		})
	}
}

// The real dialer, whose errors hold the URL.
func TestConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	l.Close()
	target, err := parseTarget(Host{URL: "ws://" + address, Token: secret})
	require.NoError(t, err)
	_, err = target.connect(t.Context(), DefaultReadLimit, nil)
	require.ErrorContains(t, err, "connect to ws://"+address)
	require.ErrorContains(t, err, "refused")
	require.NotContains(t, err.Error(), secret)
}

func TestDialTimeout(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, func(c *Config) {
			c.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		})
		time.Sleep(dialTimeout)
		require.ErrorContains(t, last[ConnectionChanged](r.take()).Connection.Err, "no answer within 10s")
	})
}

// A host that refuses to initialize, answers nonsense, or nothing at all.
func TestBadHandshakes(t *testing.T) {
	for name, tc := range map[string]struct {
		answer any
		err    *ahp.Error
		want   string
	}{
		"error":      {nil, &ahp.Error{Code: -32603, Message: "broken\n    at line 7"}, "initialize: broken (-32603)"},
		"no version": {map[string]any{"serverSeq": 1}, nil, "named no protocol version"},
		"null":       {nil, nil, "named no protocol version"},
		"a string":   {"hello", nil, "named no protocol version"},
		"never":      {ahptest.NoAnswer, nil, "initialize: no answer within 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
					return tc.answer, tc.err, method == "initialize"
				})
				r := start(t, h, nil)
				time.Sleep(requestTimeout)
				synctest.Wait()
				require.ErrorContains(t, r.c.Connection().Err, tc.want)
				h.Intercept(nil) // it gets well
				time.Sleep(2 * retryMost)
				synctest.Wait()
				require.Equal(t, Connected, r.c.Connection().State)
			})
		})
	}
}

// Members of the wrong type do not stand in the way of a connection.
func TestOddHandshake(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
			return map[string]any{"protocolVersion": "0.9.0", "serverSeq": "seven", "serverInfo": "x", "snapshots": 3}, nil, method == "initialize"
		})
		r := start(t, h, nil)
		require.Equal(t, Connected, r.c.Connection().State)
	})
}

func TestSeveralHosts(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		var hosts atomic.Pointer[[]Host]
		hosts.Store(&[]Host{})
		r := start(t, h, func(c *Config) {
			c.Hosts = func() []Host { return *hosts.Load() }
			c.Dial = func(ctx context.Context, n, address string) (net.Conn, error) {
				if strings.HasPrefix(address, "dead") {
					return nil, errors.New("dead")
				}
				return h.Dial(ctx, n, address)
			}
		})
		require.Equal(t, Searching, r.c.Connection().State)
		require.Empty(t, these[ConnectionChanged](r.take()), "searching is how it starts")
		hosts.Store(&[]Host{{URL: "ws://dead:1"}, {Err: errors.New("unreadable")}, {URL: "ws://alive:1"}})
		time.Sleep(retryMost * 3 / 2)
		synctest.Wait()
		require.Equal(t, Connected, r.c.Connection().State)
		require.Equal(t, "ws://alive:1", r.c.Connection().Host)
	})
}

// Of several hosts the one that has a session of the workspace is taken, or else
// the first that answers; with other folders it may be another.
func TestHostWithSession(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		base := makeFolders(t, "a", "b", "c")
		other := ahptest.New(ahptest.Options{})
		t.Cleanup(other.Close)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{base + "/a"}})
		other.AddSession(ahptest.Session{URI: two, Directories: []string{base + "/b"}})
		r := start(t, h, func(c *Config) {
			c.Roots = []string{base + "/b"}
			c.Hosts = func() []Host {
				return []Host{{URL: "ws://a.test/", Dial: h.Dial}, {URL: "ws://b.test/", Dial: other.Dial}}
			}
		})
		require.Equal(t, "ws://b.test/", r.c.Connection().Host)
		require.Equal(t, []string{two}, selected(r))

		// What was dispatched just before the change of folders still goes out.
		require.NoError(t, r.c.Dispatch(two+"/annotations", set(annotation("c", "bye"))))
		r.c.SetRoots([]string{base + "/a"})
		synctest.Wait()
		require.Equal(t, "ws://a.test/", r.c.Connection().Host)
		require.Equal(t, []string{one}, selected(r))
		require.NotNil(t, other.Annotation(two, "c"))
		require.Empty(t, these[Rejected](r.everything()))

		r.c.SetRoots([]string{base + "/c"})
		synctest.Wait()
		require.Equal(t, Connected, r.c.Connection().State, "none has one: still connected")
		require.Empty(t, selected(r))
		n := len(sent(h, "initialize"))
		time.Sleep(time.Hour)
		require.Len(t, sent(h, "initialize"), n, "and it stays")
	})
}

// What a command line wants: no workspace, one look at a session's comments.
func TestAnnotationsOnce(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		h.AddSession(ahptest.Session{URI: one, Directories: []string{"file:///x"}})
		h.SetAnnotations(one, annotation("a", "x"))
		r := start(t, h, nil)
		list, err := r.c.Annotations(t.Context(), one)
		require.NoError(t, err)
		require.Equal(t, 1, list.Len())
		synctest.Wait()
		require.Zero(t, h.Subscribers(notes))
		_, err = r.c.Annotations(t.Context(), two)
		require.True(t, ahp.Is(err, ahp.CodeNoSession))
	})
}

// A pinned session, even one that is not listed, is looked for on every host.
func TestHostWithPinnedSession(t *testing.T) {
	for name, draft := range map[string]bool{"listed": false, "draft": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				other := ahptest.New(ahptest.Options{})
				t.Cleanup(other.Close)
				h.AddSession(ahptest.Session{URI: one, Directories: []string{"file:///x"}})
				other.AddSession(ahptest.Session{URI: two, Directories: []string{"file:///x"}, Draft: draft})
				r := start(t, h, func(c *Config) {
					c.Session = two
					c.Hosts = func() []Host {
						return []Host{{URL: "ws://a.test/", Dial: h.Dial}, {URL: "ws://b.test/", Dial: other.Dial}}
					}
				})
				require.Equal(t, "ws://b.test/", r.c.Connection().Host)
				require.Equal(t, []string{two}, selected(r))
				require.Empty(t, these[Notice](r.everything()), "it is there")
			})
		})
	}
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		other := ahptest.New(ahptest.Options{})
		t.Cleanup(other.Close)
		r := start(t, h, func(c *Config) {
			c.Session = two
			c.Hosts = func() []Host {
				return []Host{{URL: "ws://a.test/", Dial: h.Dial}, {URL: "ws://b.test/", Dial: other.Dial}}
			}
		})
		require.Equal(t, Connected, r.c.Connection().State)
		require.Len(t, these[Notice](r.everything()), 1, "nobody has it")
	})
}

func TestRedactHost(t *testing.T) {
	require.Equal(t, "ws://h:1/?tkn=…", RedactHost("ws://h:1/?tkn="+secret))
	require.NotContains(t, RedactHost("ws://h:port/?tkn="+secret), secret)
}
