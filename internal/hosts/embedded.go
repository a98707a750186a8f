// Package hosts finds the agent hosts that a process can use: those that published
// themselves on this machine, and the embedded one, which the process shares with
// others on the same git work tree or runs itself.
package hosts

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/tliron/commonlog"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/githost/gitrepo"
)

// Options say how embedded hosts run.
type Options struct {
	Info  ahp.Implementation // of this program
	Brief bool               // for one command: nothing is watched
	Dir   string             // where to listen and publish; "" is the usual directory
}

// Embedded gives this process the embedded host of each work tree it is asked
// for. Close it before the process ends, so that another one takes over. Its methods
// may be called by several goroutines at once.
type Embedded struct {
	ctx     context.Context // of starting hosts; they outlive it
	stop    context.CancelFunc
	options Options

	mu   sync.Mutex
	open map[string]*embeddedHost // by work tree
}

type embeddedHost struct {
	repo    *gitrepo.Repo
	service *githost.Service
}

// NewEmbedded returns an Embedded that has no host yet. The end of ctx ends the
// starting of hosts; those that run go on until Close.
func NewEmbedded(ctx context.Context, o Options) *Embedded {
	ctx, stop := context.WithCancel(ctx)
	return &Embedded{ctx: ctx, stop: stop, options: o, open: map[string]*embeddedHost{}}
}

// Host is the embedded host of the first folder (a URI) that is in a git work tree;
// ok is false if there is none. A host that cannot be started has its Err set.
func (e *Embedded) Host(roots []string) (h bridge.Host, ok bool) {
	for _, root := range roots {
		path, isFile := ahp.FilePath(root)
		if !isFile {
			continue
		}
		service, err := e.serve(filepath.FromSlash(path))
		if errors.Is(err, gitrepo.ErrNotRepository) {
			continue
		}
		if err != nil {
			return bridge.Host{Err: err}, true
		}
		address, err := service.Address(e.ctx)
		if err != nil {
			return bridge.Host{Err: err}, true
		}
		return bridge.Host{URL: address.URL, Token: address.Token, Dial: service.Dial}, true
	}
	return bridge.Host{}, false
}

// serve finds or starts the host of the work tree that dir is in.
func (e *Embedded) serve(dir string) (*githost.Service, error) {
	repo, err := gitrepo.Open(e.ctx, dir)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if h := e.open[repo.Root()]; h != nil {
		return h.service, repo.Close()
	}
	service, err := githost.Serve(e.ctx, repo, githost.Options{
		Info: e.options.Info, Log: commonlog.GetLogger("ahp.githost"),
		Brief: e.options.Brief, Dir: e.options.Dir,
	})
	if err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	e.open[repo.Root()] = &embeddedHost{repo, service}
	return service, nil
}

// Close ends the hosts that this process owns. It does not wait for one that is being
// started: git may take its time, and the editor is gone.
func (e *Embedded) Close() {
	e.stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, h := range e.open {
		if err := errors.Join(h.service.Close(), h.repo.Close()); err != nil {
			commonlog.GetLogger("ahp").Warningf("end the embedded host: %v", err)
		}
	}
	clear(e.open)
}
