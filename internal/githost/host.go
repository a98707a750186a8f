package githost

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
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

	// The rest is for a Service.

	// Dir is where to listen and publish; "" is the user's usual directory.
	Dir string
	// Listen is a TCP address to listen on besides the socket. Without a host it
	// is on this machine only.
	Listen string
	// OnListen is told the URL that Listen has come to, and the token.
	OnListen func(url, token string)
	// Token is the token to ask for; "" makes one up.
	Token string
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
	repo *gitrepo.Repo
	opts Options
	log  commonlog.Logger

	ctx     context.Context // ends with the Host
	cancel  context.CancelFunc
	running sync.WaitGroup
	server  *server
	work    *worker
	commits *committer
	watch   *watcher // nil with Options.Brief
	prints  *fingerprints
	scan    *gitrepo.Scan

	// What the session is called, constant.
	session, chatURI, annotationsURI string
	rootURI                          string
	created                          time.Time

	mu sync.Mutex // guards everything below; never held while a disk or git is waited for

	closed   bool
	seq      int64 // serverSeq of the newest action
	peers    map[*peer]bool
	clients  clientTable
	replay   replayLog
	modified time.Time

	git     gitrepo.State
	notices []string

	annotations *ahp.Annotations // changed by the committer only
	reviews     map[reviewKey]string
	turns       []turn
	guess       *guesser // nil with Options.Brief
	patchsets   []*patchset
	undo        *gitrepo.UndoRecord // the newest; nil: nothing can be undone
	changesets  map[string]*changeset
	failures    map[failureKey]*ahp.ErrorInfo // of the last run of an operation
	busy        map[failureKey]bool           // operations that run
	acted       string                        // the changeset of the last operation
	dirty       dirty
}

// Open makes the host of a work tree. The caller must hold the work tree's lock
// (see Serve), keeps the Repo, and closes the Host before it.
func Open(ctx context.Context, repo *gitrepo.Repo, o Options) (*Host, error) {
	o = o.complete()
	now := time.Now()
	h := &Host{
		repo: repo, opts: o, log: o.Log,
		session: "ahp-session:/" + repo.ID(), chatURI: "ahp-chat:/" + repo.ID(),
		rootURI: ahp.FileURI(filepath.ToSlash(repo.Root())),
		created: now, modified: now,
		peers: map[*peer]bool{}, annotations: ahp.NewAnnotations(), reviews: map[reviewKey]string{},
		changesets: map[string]*changeset{}, failures: map[failureKey]*ahp.ErrorInfo{}, busy: map[failureKey]bool{},
		prints: newFingerprints(repo.Root()), scan: repo.NewScan(),
	}
	h.annotationsURI = h.session + "/annotations"
	// Not the caller's context: that of the call to Open may end with it.
	h.ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))

	state, err := repo.State(ctx)
	if err != nil {
		h.cancel()
		return nil, fmt.Errorf("serve %s: %w", repo.Root(), err)
	}
	h.git = state
	if text := programsNotice(ctx, repo); text != "" {
		h.notices = append(h.notices, text)
	}
	h.loadReview(now)
	h.prune(ctx, now)
	if err := h.loadTurns(ctx); err != nil {
		h.notices = append(h.notices, fmt.Sprintf("The recorded turns cannot be read: %v.", err))
	}
	h.loadPatchsets()
	h.loadUndo(ctx)

	h.server = newServer(h)
	h.work = newWorker(h)
	if !o.Brief {
		h.guess = newGuesser(now)
		h.watch = newWatcher(h)
		h.running.Go(h.watch.run)
	}
	h.running.Go(h.work.run)
	h.running.Go(h.commits.run)
	return h, nil
}

// farewell is how long Close waits for clients of this process to hang up.
const farewell = 500 * time.Millisecond

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
	var inside []*peer
	for p := range h.peers {
		if p.inside {
			inside = append(inside, p)
		}
	}
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
	h.endGuessing()
	return h.commits.close()
}

// errClosed is the end of a Host in the middle of something.
var errClosed = errors.New("the host is shutting down")

// relative is the path of a file inside the work tree that a resource names:
// with slashes, never leading outside by its letters. Whether symbolic links
// lead outside is the business of whoever opens it.
func (h *Host) relative(resource string) (string, bool) {
	p, ok := ahp.FilePath(resource)
	if !ok {
		return "", false
	}
	rel, ok := below(filepath.ToSlash(h.repo.Root()), p)
	if ok {
		return rel, true
	}
	// The client may have opened the work tree by another name.
	dir, err := filepath.EvalSymlinks(filepath.FromSlash(path.Dir(p)))
	if err != nil {
		return "", false
	}
	return below(filepath.ToSlash(h.repo.Root()), path.Join(filepath.ToSlash(dir), path.Base(p)))
}

func below(root, p string) (string, bool) {
	if len(p) > len(root)+1 && p[:len(root)] == root && p[len(root)] == '/' {
		return p[len(root)+1:], true
	}
	return "", false
}

// fileURI is the URI of a file of the work tree.
func (h *Host) fileURI(rel string) string {
	return ahp.FileURI(path.Join(filepath.ToSlash(h.repo.Root()), rel))
}
