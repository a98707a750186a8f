package lsp

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"time"
)

// pending is a request that is handled from top to bottom in a goroutine of its
// own, which holds the loop except while it waits, in outside. So a handler reads
// like one that blocks, and never blocks the loop.
type pending struct {
	loop   *loop
	parked chan struct{} // the goroutine gives the loop back
	resume chan struct{} // it gets the loop
	late   bool          // the loop has ended
}

type pendingKey struct{}

// errWaits: a handler that runs in the loop itself has tried to wait.
var errWaits = errors.New("lsp: only a request's own goroutine may leave the loop")

// begin runs f, which may leave the loop with outside; it returns when f has
// ended or waits. failed is called, in the loop, if f panics. Only in the loop.
func (l *loop) begin(ctx context.Context, f func(context.Context), failed func()) {
	p := &pending{loop: l, parked: make(chan struct{}), resume: make(chan struct{})}
	go func() {
		<-p.resume
		l.holder.take()
		defer func() {
			if v := recover(); v != nil {
				l.panicked(v, debug.Stack())
				failed()
			}
			if p.late {
				l.after.Unlock()
				return
			}
			p.parked <- struct{}{}
		}()
		f(context.WithValue(ctx, pendingKey{}, p))
	}()
	p.step()
}

// step lends the loop to the request until it ends or waits.
func (p *pending) step() {
	p.resume <- struct{}{}
	<-p.parked
	p.loop.holder.take()
}

// outside leaves the loop, runs slow, and comes back into the loop. Nothing of the
// state may be used in slow; what was known of it before may be different after.
// The editor has been given what was changed before slow begins: the order in which
// it hears of things does not depend on who is faster.
func outside(ctx context.Context, slow func()) {
	p, _ := ctx.Value(pendingKey{}).(*pending)
	if p == nil {
		panic(errWaits)
	}
	shown := make(chan struct{})
	p.loop.post(func() { p.loop.settling = append(p.loop.settling, shown) })
	p.parked <- struct{}{}
	defer p.enter() // after a panic too
	select {
	case <-shown:
	case <-p.loop.ended:
	}
	slow()
}

// enter waits for the loop.
func (p *pending) enter() {
	p.loop.post(p.step)
	select {
	case <-p.resume:
		p.loop.holder.take()
	case <-p.loop.ended:
		// Nobody lends the loop any more, so f ends here. What it has deferred runs
		// one request at a time.
		p.loop.after.Lock()
		p.late = true
		p.loop.holder.take()
		runtime.Goexit()
	}
}

// await is outside until a condition, which is asked for in the loop at the end of
// each batch, holds, or for limit. Errors: that of ctx.
func (l *loop) await(ctx context.Context, limit time.Duration, until func() bool) error {
	if until() {
		return nil
	}
	w := &waiter{until: until, ready: make(chan struct{})}
	l.waiters[w] = true
	defer delete(l.waiters, w)
	outside(ctx, func() {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case <-w.ready:
		case <-timer.C:
		case <-ctx.Done():
		}
	})
	return ctx.Err()
}

// waiter is a request that waits for a condition.
type waiter struct {
	until func() bool
	ready chan struct{} // closed once it holds
}

// wakeWaiters lets those go on whose condition holds. Only in the loop.
func (l *loop) wakeWaiters() {
	for w := range l.waiters {
		if w.until() {
			close(w.ready)
			delete(l.waiters, w)
		}
	}
}
