package bridge

import (
	"context"
	"sync"
)

// queue is an unbounded first-in first-out queue. push never blocks, so a
// producer is never held up by a slow consumer; nothing is ever dropped.
type queue[T any] struct {
	mu    sync.Mutex
	items []T
	ready chan struct{} // holds a token while items is not empty
}

func newQueue[T any]() *queue[T] { return &queue[T]{ready: make(chan struct{}, 1)} }

func (q *queue[T]) push(v T) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// next waits for the oldest item or for ctx. One consumer only.
func (q *queue[T]) next(ctx context.Context) (v T, err error) {
	for {
		q.mu.Lock()
		if len(q.items) > 0 {
			v = q.items[0]
			var zero T
			q.items[0] = zero // for the garbage collector
			if q.items = q.items[1:]; len(q.items) == 0 {
				q.items = nil
			}
			q.mu.Unlock()
			return v, nil
		}
		q.mu.Unlock()
		select {
		case <-q.ready:
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}
