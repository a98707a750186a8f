package lsp

import (
	"io"
	"time"
)

// input is the editor's stream. Its end is passed on only when the loop has
// handled what came before it: the end of the stream ends every request, and a
// client that writes all it has to say and then waits gets its answers.
type input struct {
	io.Reader
	drain func() // waits for the loop
	end   error
}

func (in *input) Read(p []byte) (int, error) {
	if in.end == nil {
		n, err := in.Reader.Read(p)
		if err == nil {
			return n, nil
		}
		if in.end = err; n > 0 {
			return n, nil
		}
	}
	in.drain()
	return 0, in.end
}

// Close closes the stream, if it can be closed.
func (in *input) Close() error {
	if c, ok := in.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// drained waits until the loop has run what is queued, for a moment.
func (s *Server) drained() {
	done := make(chan struct{})
	s.loop.post(func() { close(done) })
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-s.ctx.Done():
	}
}
