package lsp

import (
	"context"
	"io"
	"net"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tliron/commonlog"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
	"ahp-lsp/lsp/rpc"
	"ahp-lsp/mapping"
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
	cfg  Config
	log  commonlog.Logger
	conn *rpc.Conn
	loop *loop
	ctx  context.Context // ends with Run
	work sync.WaitGroup  // connections to hosts that say their last word

	handler protocol.Handler                    // glsp: decodes and dispatches LSP 3.16
	own     map[string]func(*call) (any, error) // everything else

	// What follows belongs to the loop.

	phase    phase
	client   capabilities
	encoding mapping.Encoding
	fromInit Settings // initializationOptions
	fromConf Settings // workspace/configuration and didChangeConfiguration
	settings Settings // in force
	folders  []string // canonical URIs
	// pullOffered: the editor was told that it can ask for diagnostics.
	pullOffered bool

	host     *bridge.Client // nil until started
	hostGen  int            // counts hosts; changes of earlier ones are ignored
	hostStop context.CancelFunc
	baseline string // what the user chose to see hunks from, "" for the agent's own

	connection bridge.Connection
	loading    loading
	toldSearch bool // "no host found" has been said
	listed     []bridge.SessionInfo
	sessions   map[string]*session
	changesets map[string]*changeset    // by channel
	ownAnchors map[threadKey]knownPlace // what comments made or moved here are about, see takeOwn
	adrift     []threadKey              // of them, those whose place is not on disk yet, see landed
	renames    map[string]string        // old path → new, as changesets have said; URIs
	away       map[string][]threadKey   // threads that moved on with a renamed file, by old path
	bases      map[baseKey]bool         // texts being read for anchors

	seen      int                      // counts threads, for their order
	unsolved  int                      // comments that are not resolved
	statusNew bool                     // it may be another than the one a plugin was last told to ask for
	statusWas uint64                   // of what a plugin was last told to ask for
	openRoots atomic.Pointer[[]string] // roots(), for those outside the loop; not the loop's alone

	kept        keptStore
	keptWriting bool // a write of it is under way

	files     map[string]*file // by canonical URI
	shown     int              // counts the texts that commands were made for
	dirty     map[*file]bool   // to be looked at before the batch ends
	refresh   refreshes
	armed     map[string]armedAction // confirmations without a question
	scratch   map[string]*scratch    // files waiting for a text, by canonical URI
	dir       string                 // folder of scratch files, "" until needed
	unsent    bool                   // a text in it could not be sent
	asked     int                    // counts the questions for settings; older answers are dropped
	reads     []*file                // waiting to be read, see diskReaders
	readers   int                    // reads of the disk under way
	turnReads chan struct{}          // limits concurrent reads of what turns left
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
	s := &Server{
		cfg: cfg, log: cfg.Log, loop: newLoop(),
		sessions: map[string]*session{}, changesets: map[string]*changeset{},
		ownAnchors: map[threadKey]knownPlace{}, bases: map[baseKey]bool{},
		renames: map[string]string{}, away: map[string][]threadKey{},
		files: map[string]*file{}, dirty: map[*file]bool{},
		armed: map[string]armedAction{}, scratch: map[string]*scratch{},
		turnReads: make(chan struct{}, 8),
	}
	s.loop.settled = s.settle
	s.loop.panicked = func(v any, stack []byte) { s.log.Criticalf("panic: %v\n%s", v, stack) }
	s.routes()
	return s
}

// Run serves one editor on r and w until it exits, the stream ends or ctx does.
// The result is the process's exit code by LSP's rules: 0 after a shutdown
// request, 1 without one.
func (s *Server) Run(ctx context.Context, r io.Reader, w io.Writer) (code int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ctx = ctx
	s.conn = rpc.NewConn(&input{Reader: r, drain: s.drained}, w, s.receive, rpc.WithLogger(s.log))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.loop.run(ctx)
	}()
	err = s.conn.Run(ctx)
	down := make(chan bool, 1)
	s.loop.post(func() {
		regular := s.phase == phaseShutdown
		s.phase = phaseShutdown // an answer that comes now must not start anything
		s.stopHost()
		s.dropScratch()
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
	said := make(chan struct{})
	go func() {
		defer close(said)
		s.work.Wait()
		<-ended
	}()
	select {
	case <-said:
	case <-deadline.C:
		s.log.Warningf("something did not end in time")
	}
	return code, err
}

// endTimeout bounds how long Run takes to return once the editor is gone.
const endTimeout = 3 * time.Second

// settle ends a batch: everything touched is brought up to date and published.
func (s *Server) settle() {
	touched := make([]*file, 0, len(s.dirty))
	for f := range s.dirty {
		touched = append(touched, f)
	}
	clear(s.dirty)
	slices.SortFunc(touched, func(a, b *file) int { return strings.Compare(a.uri, b.uri) })
	for _, f := range touched {
		s.loop.safely(func() { s.update(f) })
	}
	s.sendRefreshes()
	s.finishLoading()
	s.notifyStatus()
	s.saveAnchors()
}

// touch notes that a file's view may have changed.
func (s *Server) touch(f *file) { s.dirty[f] = true }

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

// guarded runs f, and logs a panic in it; for goroutines of our own.
func (s *Server) guarded(f func()) {
	defer func() {
		if v := recover(); v != nil {
			s.loop.panicked(v, debug.Stack())
		}
	}()
	f()
}
