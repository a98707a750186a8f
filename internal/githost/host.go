package githost

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/disk"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/publish"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
)

// Options are what a Host is born with; the zero value is usable.
type Options struct {
	Info ahp.Implementation // as which the host introduces itself
	Log  commonlog.Logger

	// Brief is for a process that lives for one command: changes on disk are
	// not watched for, and turns are not guessed.
	Brief bool

	// PollEvery is how often the disk is looked at where it cannot be watched;
	// 0 is two seconds.
	PollEvery time.Duration

	// The rest is for a Service: see publish.Config.
	Dir      string
	Listen   string
	OnListen func(url, token string)
	Token    string
}

func (o Options) complete() Options {
	if o.Log == nil {
		o.Log = commonlog.GetLogger("ahp.githost")
	}
	if o.Info.Name == "" {
		o.Info.Name = "ahp-lsp"
	}
	if o.PollEvery <= 0 {
		o.PollEvery = 2 * time.Second
	}
	return o
}

// Host serves one work tree as an agent host. See the package comment for its
// concurrency rules.
type Host struct {
	repo  *gitrepo.Repo
	opts  Options
	names session.Names
	tree  *disk.Tree

	ctx     context.Context // ends with the Host
	cancel  context.CancelFunc
	running sync.WaitGroup
	server  *server
	work    *worker
	commits *committer
	watch   *watcher // nil with Options.Brief

	mu     sync.Mutex // guards everything below; never held while a disk or git is waited for
	closed bool
	state  *session.State
	hub    hub
}

// Open makes the host of a work tree. The caller must hold the work tree's lock
// (see Serve), keeps the Repo, and closes the Host before it.
func Open(ctx context.Context, repo *gitrepo.Repo, o Options) (*Host, error) {
	o = o.complete()
	now := time.Now()
	git, err := repo.State(ctx)
	if err != nil {
		return nil, fmt.Errorf("serve %s: %w", repo.Root(), err)
	}
	programs, err := repo.Programs(ctx)
	if err != nil {
		return nil, fmt.Errorf("serve %s: %w", repo.Root(), err)
	}
	h := &Host{repo: repo, opts: o, names: session.NewNames(repo.ID(), ahp.FileURI(filepath.ToSlash(repo.Root())), repo.Root()), tree: disk.New(repo), hub: newHub(o.Log)}
	// Not the caller's context: that of the call to Open may end with it.
	h.ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	h.state = session.New(h.names, git, now)
	h.state.RestorePrograms(programs)
	h.commits = newCommitter(h, now)
	h.prune(ctx, now)
	turns, err := store.Turns(ctx, repo)
	if err != nil {
		h.state.AddNotices(fmt.Sprintf("The recorded turns cannot be read: %v.", err))
	}
	h.state.RestoreTurns(turns)
	patchsets, notices := store.Patchsets(repo)
	h.state.RestorePatchsets(patchsets)
	h.state.AddNotices(notices...)

	h.server = newServer(h)
	h.work = newWorker(h)
	h.work.loadUndo(ctx)
	if !o.Brief {
		h.state.SetGuess(session.NewGuesser(now))
		h.watch = newWatcher(h)
		h.running.Go(h.watch.run)
	}
	h.running.Go(h.work.run)
	h.running.Go(h.commits.run)
	return h, nil
}

// prune deletes old refs before any client sees them. What a turn's stash still
// refers to stays, and so does its turn; where that cannot be read, everything
// stays. A failure to prune does not keep the host from starting.
func (h *Host) prune(ctx context.Context, now time.Time) {
	if !h.commits.complete {
		return
	}
	stashes := h.state.Kept().Stashes()
	if err := store.PruneTurns(ctx, h.repo, stashes); err != nil {
		h.logGit(ctx, "delete old turns", err)
	}
	wanted := map[string]bool{}
	for _, undo := range stashes {
		wanted[undo] = true
	}
	if _, err := h.repo.PruneUndo(ctx, now, wanted); err != nil {
		h.logGit(ctx, "delete the records of old operations", err)
	}
}

// with runs f with the state and sends the events, before anyone else gets at the
// state. It is the one place where the state changes once the host
// runs. f must not wait for a disk, git or a client.
func (h *Host) with(f func(*session.State)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f(h.state)
	h.flush()
}

// flush sends the state's events; h.mu is held.
func (h *Host) flush() {
	for _, e := range h.state.Take() {
		h.hub.send(e)
	}
}

// farewell is how long Close waits for clients of this process to hang up.
const farewell = 500 * time.Millisecond

// errClosed is the end of a Host in the middle of something.
var errClosed = publish.ErrClosed

// Close ends every connection and waits for the Host's goroutines. What has
// been acknowledged is on the disk already. A client of this process should be
// ended first: what it sent last is then taken.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	inside := h.hub.inside()
	h.mu.Unlock()
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	for i := 0; i < len(inside); i++ {
		select {
		case <-inside[i].gone:
		case <-timer.C:
			i = len(inside)
		}
	}
	h.cancel()
	h.server.close()
	h.running.Wait()
	h.work.endGuessing()
	return h.commits.close()
}

func (h *Host) logGit(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		h.opts.Log.Warningf("%s: %v", what, err)
	}
}
