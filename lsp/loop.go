package lsp

import (
	"context"
	"runtime/debug"
	"sync"
)

// loop runs functions one at a time, in the order they were posted. The goroutine
// that runs one of them holds the loop: it alone may touch the server's state.
type loop struct {
	mu     sync.Mutex
	queued []func()
	ready  chan struct{}
	ended  chan struct{} // closed when run has returned
	// settled runs after each batch, when nothing was queued for a moment.
	settled  func()
	panicked func(any, []byte)
	waiters  map[*waiter]bool // requests that wait for a condition; the loop's own
	settling []chan struct{}  // to be closed when the batch has settled; the loop's own

	holder holder     // who holds the loop; checked in race builds only
	after  sync.Mutex // held by a request that ends after the loop, see pending
}

func newLoop() *loop {
	return &loop{ready: make(chan struct{}, 1), ended: make(chan struct{}), waiters: map[*waiter]bool{}}
}

// post queues f. It never blocks and may be called from anywhere.
func (l *loop) post(f func()) {
	l.mu.Lock()
	l.queued = append(l.queued, f)
	l.mu.Unlock()
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

// run runs what is posted until ctx ends.
func (l *loop) run(ctx context.Context) {
	defer close(l.ended)
	l.holder.take()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.ready:
		}
		l.mu.Lock()
		batch := l.queued
		l.queued = nil
		l.mu.Unlock()
		for _, f := range batch {
			l.safely(f)
		}
		l.safely(l.settled)
		l.safely(l.wakeWaiters)
		for _, shown := range l.settling {
			close(shown)
		}
		l.settling = nil
	}
}

// safely keeps a fault in one message from ending the session.
func (l *loop) safely(f func()) {
	defer func() {
		if r := recover(); r != nil {
			l.panicked(r, debug.Stack())
		}
	}()
	f()
}
