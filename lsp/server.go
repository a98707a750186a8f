package lsp

import (
	"context"
	"io"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tliron/commonlog"

	"ahp-lsp/bridge"
	"ahp-lsp/lsp/command"
	"ahp-lsp/lsp/rpc"
	"ahp-lsp/lsp/store"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
)

// Config is what a Server is started with.
type Config struct {
	Version string // of the program, as editor and host are told

	// Flags were given on the command line and win over the editor's settings,
	// which win over Env.
	Flags, Env Settings

	// Discover lists the hosts to try when none is named ("auto", or "git" for
	// the embedded one alone), for the folders that are open; nil finds none. It
	// is called from goroutines other than the loop's.
	Discover func(kind string, roots []string) []bridge.Host

	// StateDir is where it is remembered which hunks were kept, and which texts
	// comments are about; "" forgets both with the session.
	StateDir string

	// ScratchDir is where files are made that the editor opens to show or ask
	// for text; "" is a new folder under the system's one for such files.
	ScratchDir string

	Log commonlog.Logger

	// Dial replaces the network in tests.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Server is one language server session. Make one with New, run it once.
type Server struct {
	cfg    Config
	loop   *loop
	editor *editorConn
	routes *routes
	store  *store.Store
	ctx    context.Context // ends with Run
	ending sync.WaitGroup  // what has a last word to say or to write

	// What follows belongs to the loop.

	phase    phase
	ws       *workspace.Workspace
	settings settings
	host     following
	commands *command.Commands
	shown    shown // what the editor has
	disk     diskReads
	scratch  *scratchFiles
}

type phase int

const (
	phaseNew phase = iota
	phaseInitialized
	phaseShutdown
)

// New returns a server that has not started.
func New(cfg Config) *Server {
	if cfg.Log == nil {
		cfg.Log = commonlog.GetLogger("ahp.lsp")
	}
	s := &Server{cfg: cfg, loop: newLoop(), store: store.New(cfg.StateDir)}
	s.editor = &editorConn{log: cfg.Log, loop: s.loop}
	s.ws = workspace.New(s.store.Remembers(), s.loop.holder.check)
	s.scratch = newScratchFiles(s)
	s.shown.files = map[string]*shownFile{}
	s.host.turnReads = make(chan struct{}, turnReaders)
	s.commands = command.New(commandWorkspace{s}, commandEditor{s}, s.commandHost, cfg.Log)
	s.loop.settled = s.settle
	s.loop.panicked = func(v any, stack []byte) { cfg.Log.Criticalf("panic: %v\n%s", v, stack) }
	s.routes = s.makeRoutes()
	return s
}

// Run serves one editor on r and w until it exits, the stream ends or ctx does.
// The result is the process's exit code by LSP's rules: 0 after a shutdown
// request, 1 without one.
func (s *Server) Run(ctx context.Context, r io.Reader, w io.Writer) (code int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ctx, s.editor.ctx = ctx, ctx
	s.editor.conn = rpc.NewConn(&input{Reader: r, drain: s.drained}, w, s.receive, rpc.WithLogger(s.cfg.Log))
	go s.loop.run(ctx)
	err = s.editor.conn.Run(ctx)
	down := make(chan bool, 1)
	s.loop.post(func() {
		regular := s.phase == phaseShutdown
		s.phase = phaseShutdown // an answer that comes now must not start anything
		s.keepUnsent(s.stopHost())
		s.scratch.drop()
		down <- regular
	})
	// A loop that is stuck must not keep the process; nor must a host that does
	// not read, but the last comment is given the time to leave.
	deadline := time.NewTimer(endTimeout)
	defer deadline.Stop()
	select {
	case ok := <-down:
		if !ok {
			code = 1
		}
	case <-deadline.C:
		code = 1
	}
	cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-s.loop.ended // nothing is added behind it
		s.ending.Wait()
	}()
	select {
	case <-ended:
	case <-deadline.C:
		s.cfg.Log.Warningf("something did not end in time")
	}
	return code, err
}

// endTimeout bounds how long Run takes to return once the editor is gone.
const endTimeout = 3 * time.Second

// apply changes the workspace and carries out the effects. Only in the loop.
func (s *Server) apply(e workspace.Event) { s.carryOut(s.ws.Apply(e)) }

// settle ends a batch: everything touched is brought up to date and published.
func (s *Server) settle() {
	for _, f := range s.ws.TakeDirty() {
		s.loop.safely(func() { s.update(f) })
	}
	s.sendRefreshes()
	s.notifyStatus()
	s.carryOut(s.ws.Settle())
}

// view is the workspace as the client sees it.
func (s *Server) view() view.View { return view.Of(s.ws, &s.editor.client) }

// background runs slow work outside the loop. take, if not nil, runs in the
// loop afterwards, unless the server has ended; after a fault in work it gets
// the zero value, so that nothing waits for ever.
func background[T any](s *Server, work func(context.Context) T, take func(T)) {
	go func() {
		var v T
		s.guarded(func() { v = work(s.ctx) })
		if take != nil && s.ctx.Err() == nil {
			s.loop.post(func() { take(v) })
		}
	}()
}

// atEnd runs f in a goroutine that Run waits for.
func (s *Server) atEnd(f func()) { s.ending.Go(func() { s.guarded(f) }) }

// guarded runs f, and logs a panic in it; for goroutines of our own.
func (s *Server) guarded(f func()) {
	defer func() {
		if v := recover(); v != nil {
			s.loop.panicked(v, debug.Stack())
		}
	}()
	f()
}
