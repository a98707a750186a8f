//go:build race

package lsp

import (
	"bytes"
	"runtime"
	"strconv"
	"sync/atomic"
)

// holder is the goroutine that holds the loop, by its number; 0: nobody yet, as in
// tests that use the state without a loop.
type holder struct{ goroutine atomic.Int64 }

// take says that this goroutine holds the loop from now on.
func (h *holder) take() { h.goroutine.Store(goroutine()) }

// check panics if another goroutine holds the loop.
func (h *holder) check() {
	if by := h.goroutine.Load(); by != 0 && by != goroutine() {
		panic("lsp: the state is used outside the loop")
	}
}

// goroutine is this goroutine's number, out of the head of its stack: "goroutine 7 [".
func goroutine() int64 {
	var buf [64]byte
	head := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(head, []byte(" "))
	n, _ := strconv.ParseInt(string(number), 10, 64)
	return n
}
