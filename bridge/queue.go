package bridge

import (
	"bytes"
	"context"
	"encoding/json"
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
			q.items[0] = zero // let go of it
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

// encode writes JSON without HTML escaping: code is full of < and &.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
