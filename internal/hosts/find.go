package hosts

import (
	"context"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tliron/commonlog"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/discover"
)

// Find lists the hosts to try for the open folders (URIs): those that published
// themselves on this machine, if they are wanted, then the embedded one.
func (e *Embedded) Find(published bool, roots []string) []bridge.Host {
	var found []bridge.Host
	if published {
		found = Published()
	}
	if h, ok := e.Host(roots); ok {
		found = append(found, h)
	}
	return found
}

// Published lists the hosts that published themselves.
func Published() []bridge.Host {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	endpoints, passedOver := discover.Scan(discover.DefaultLocations(os.Getenv, runtime.GOOS, home), discover.Alive)
	log := commonlog.GetLogger("ahp.discover")
	for _, f := range passedOver {
		if f.Kind != discover.NoDirectory {
			log.Debugf("%s: %s", f.Path, f.Reason)
		}
	}
	found := make([]bridge.Host, 0, len(endpoints))
	for _, e := range endpoints {
		found = append(found, bridge.Host{URL: e.URL, Token: e.Token})
	}
	return found
}

// Search says where and how [Connect] looks for a host.
type Search struct {
	Hosts   func(roots []string) []bridge.Host // asked before each attempt
	Session string                             // as in bridge.Config
	Dir     string                             // the folder to review
	Info    ahp.Implementation                 // of this program

	// OnSession, unless nil, is called for each session that is followed, on a
	// goroutine of the client. It must not block.
	OnSession func(*bridge.SessionView)
}

// Connect looks for a host as the language server does for a folder, and waits until
// it is connected, refused or not found, or ctx ends. Call end before the hosts are
// closed.
func Connect(ctx context.Context, s Search) (client *bridge.Client, now bridge.Connection, end func()) {
	changed := make(chan bridge.Connection, 16)
	roots := []string{ahp.FileURI(filepath.ToSlash(s.Dir))}
	client = bridge.New(bridge.Config{
		Hosts: func() []bridge.Host {
			found := s.Hosts(roots)
			if len(found) == 0 { // a client that has not had a host does not say that there is none
				offer(changed, bridge.Connection{State: bridge.Searching})
			}
			return found
		},
		Roots: roots, Session: s.Session, Info: s.Info,
		OnChange: func(ch bridge.Change) {
			switch ch := ch.(type) {
			case bridge.ConnectionChanged:
				offer(changed, ch.Connection)
			case bridge.SessionChanged:
				if s.OnSession != nil && ch.View != nil {
					s.OnSession(ch.View)
				}
			}
		},
	})
	run, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); _ = client.Run(run) }()
	end = func() { stop(); <-ended }
	for {
		select {
		case <-ctx.Done():
			return client, bridge.Connection{State: bridge.Connecting, Err: ctx.Err()}, end
		case now = <-changed:
			if now.State != bridge.Connecting {
				return client, now, end
			}
		}
	}
}

// offer hands v to a waiting or later receiver; what does not fit is dropped.
func offer[T any](ch chan T, v T) {
	select {
	case ch <- v:
	default:
	}
}
