package rpc

import "sync"

// outbox is the queue between those who send and the writing goroutine. It has no bound on purpose:
// with one, a peer that does not read would block the senders and in the end our reader, and a peer
// that waits for us to read before it reads would never go on.
type outbox struct {
	mu     sync.Mutex
	ready  sync.Cond // there are frames, or closed is set
	frames [][]byte
	closed bool
}

// put appends a frame, and reports false if the queue is closed.
func (o *outbox) put(frame []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.frames = append(o.frames, frame)
	o.ready.Signal()
	return true
}

// take waits for frames and returns all there are, or nil when the queue is closed and empty.
func (o *outbox) take() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.frames) == 0 && !o.closed {
		o.ready.Wait()
	}
	frames := o.frames
	o.frames = nil
	return frames
}

// close refuses further frames; those in the queue can still be taken.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.ready.Signal()
}
