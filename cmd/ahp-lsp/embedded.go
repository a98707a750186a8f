package main

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

// embedded gives this process the embedded host of each work tree it is asked
// for. Close it before the process ends, so that another one takes over.
type embedded struct {
	ctx   context.Context // of starting them; they outlive it
	stop  context.CancelFunc
	brief bool   // for one command: nothing is watched
	place string // where to listen and publish; "" is the usual directory

	mu   sync.Mutex
	open map[string]*embeddedHost // by work tree
}

type embeddedHost struct {
	repo    *gitrepo.Repo
	service *githost.Service
}

func newEmbedded(ctx context.Context, brief bool) *embedded {
	ctx, stop := context.WithCancel(ctx)
	return &embedded{ctx: ctx, stop: stop, brief: brief, open: map[string]*embeddedHost{}}
}

// host is the embedded host of the first folder that is in a git work tree; ok
// is false if there is none.
func (e *embedded) host(roots []string) (h bridge.Host, ok bool) {
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
func (e *embedded) serve(dir string) (*githost.Service, error) {
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
		Info: ahp.Implementation{Name: "ahp-lsp", Version: buildVersion()},
		Log:  commonlog.GetLogger("ahp.githost"), Brief: e.brief, Dir: e.place,
	})
	if err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	e.open[repo.Root()] = &embeddedHost{repo, service}
	return service, nil
}

// close ends the hosts this process owns. One that is being started is not waited
// for: git may take its time, and the editor is gone.
func (e *embedded) close() {
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
