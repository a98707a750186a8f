package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/coder/websocket"

	"ahp-lsp/internal/localsocket"
)

// Errors of a connection attempt that waiting will not cure.
var (
	// ErrForbidden: the host wants another token.
	ErrForbidden = errors.New("the host refused the token")
	// ErrBadURL: the host's address cannot be used.
	ErrBadURL = errors.New("bad host address")
)

const tokenParameter = "tkn"

// target is a parsed host address.
type target struct {
	dial   string // what the WebSocket library gets, token included: never log it
	shown  string // for people: no token
	socket string // path of a Unix socket or a named pipe, or ""
	// exposed: the token goes over a network that others can read.
	exposed bool
}

// wanted is what an address has to look like.
const wanted = "ws://HOST:PORT, wss://HOST:PORT, ws+unix:///PATH or, on Windows, ws+pipe:///NAME"

// parseTarget reads ws://, wss://, ws+unix:///path and ws+pipe:///name addresses. The token
// travels as the query parameter tkn: the reference host ignores headers.
func parseTarget(h Host) (target, error) {
	u, err := url.Parse(h.URL)
	if err != nil {
		// The error text repeats the address, and so a token in it.
		return target{}, fmt.Errorf("%w: it cannot be parsed as a URL; want %s", ErrBadURL, wanted)
	}
	query := u.Query()
	if h.Token != "" && !query.Has(tokenParameter) { // an address goes with its own token
		query.Set(tokenParameter, h.Token)
	}
	u.RawQuery = query.Encode()
	u.Fragment = ""
	t := target{shown: redactURL(u)}
	switch u.Scheme {
	case "ws", "wss":
		if u.Host == "" {
			return target{}, fmt.Errorf("%w: %s names no host", ErrBadURL, t.shown)
		}
		if u.Path == "" {
			u.Path = "/"
		}
		t.dial = u.String()
		t.exposed = u.Scheme == "ws" && query.Get(tokenParameter) != "" && !loopback(u.Hostname())
	case "ws+unix":
		if t.socket = u.Path; t.socket == "" || u.Host != "" {
			return target{}, fmt.Errorf("%w: %s; want ws+unix:///path/of/the.sock", ErrBadURL, t.shown)
		}
		t.dial = overSocket(u.RawQuery)
	case "ws+pipe":
		name := strings.TrimPrefix(u.Path, "/")
		if name == "" || u.Host != "" || strings.Contains(name, `\`) {
			return target{}, fmt.Errorf("%w: %s; want ws+pipe:///NAME for the pipe %sNAME", ErrBadURL, t.shown, localsocket.PipePrefix)
		}
		t.socket, t.dial = localsocket.PipePrefix+name, overSocket(u.RawQuery)
	default:
		return target{}, fmt.Errorf("%w: %s; want %s", ErrBadURL, t.shown, wanted)
	}
	return t, nil
}

// loopback reports whether a host name means this machine.
func loopback(name string) bool {
	if address, err := netip.ParseAddr(name); err == nil {
		return address.Unmap().IsLoopback()
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// overSocket is what the WebSocket library gets for a host that has no address on
// the network.
func overSocket(query string) string {
	return (&url.URL{Scheme: "ws", Host: "localhost", Path: "/", RawQuery: query}).String()
}

func redactURL(u *url.URL) string {
	c := *u
	q := c.Query()
	if q.Has(tokenParameter) {
		q.Set(tokenParameter, "…")
	}
	c.RawQuery = strings.ReplaceAll(q.Encode(), url.QueryEscape("…"), "…")
	if c.User != nil {
		c.User = url.User("…")
	}
	return c.String()
}

// RedactHost is a host address as it may be shown and logged.
func RedactHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(an address that cannot be parsed)"
	}
	return redactURL(u)
}

// dialer opens the network connection under a WebSocket; see Config.Dial.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

func (t target) connect(ctx context.Context, limit int64, dial dialer) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if dial == nil {
		dial = localsocket.Dial
	}
	// Made for one request, which must leave nothing behind when it fails: the
	// context that net/http hands to a dialer does not end with the request's.
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			if t.socket != "" {
				network, address = "unix", t.socket
			}
			return dial(ctx, network, address)
		},
		TLSHandshakeTimeout: dialTimeout,
		DisableKeepAlives:   true,
	}
	if t.socket != "" {
		transport.Proxy = nil
	}
	client := &http.Client{
		Transport: transport,
		// A redirect would take the token elsewhere, in the Referer header.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	ws, resp, err := websocket.Dial(ctx, t.dial, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		if resp != nil && (resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusUnauthorized) {
			return nil, fmt.Errorf("connect to %s: %w (HTTP %d); check --token, --token-file or AHP_TOKEN", t.shown, ErrForbidden, resp.StatusCode)
		}
		if resp != nil {
			return nil, fmt.Errorf("connect to %s: it answered HTTP %d, not a WebSocket; is this the address of an agent host?", t.shown, resp.StatusCode)
		}
		return nil, fmt.Errorf("connect to %s: %w", t.shown, dialCause(err))
	}
	ws.SetReadLimit(limit)
	return ws, nil
}

// dialCause strips an error down to what holds no URL: the WebSocket library
// and net/http put the whole address, token included, into their messages.
func dialCause(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", dialTimeout)
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns
	}
	var op *net.OpError
	var call *os.SyscallError
	switch {
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return op // it is about another address
	case errors.As(err, &call):
		return call.Err // the host's address has been named
	case op != nil:
		return op
	}
	var ue *url.Error
	if errors.As(err, &ue) && ue.Err != nil && !strings.Contains(ue.Err.Error(), tokenParameter+"=") {
		return ue.Err
	}
	return errors.New("the WebSocket handshake failed")
}
