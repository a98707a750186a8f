package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestReadFrame(t *testing.T) {
	for _, n := range []int{0, 1, framePiece - 1, framePiece, framePiece + 1, 3 * framePiece, maxFramePiece, 3*maxFramePiece + 7} {
		want := bytes.Repeat([]byte("0123456789"), n/10+1)[:n]
		for name, r := range map[string]io.Reader{
			"at once": bytes.NewReader(want), "by halves": iotest.HalfReader(bytes.NewReader(want)), "with the end": iotest.DataErrReader(bytes.NewReader(want)),
		} {
			got, err := readFrame(r)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got), "%s: %d bytes", name, n)
		}
	}
	// A connection that was cut is not the end of a frame.
	for _, err := range []error{errors.New("cut"), fmt.Errorf("read: %w", io.EOF), io.ErrUnexpectedEOF} {
		_, got := readFrame(io.MultiReader(bytes.NewReader([]byte(`{"a":1}`)), iotest.ErrReader(err)))
		require.ErrorIs(t, got, err)
	}
}

// allocated is how many bytes f allocates in all.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// A large frame costs its size twice, one over the limit once.
func TestFrameMemory(t *testing.T) {
	const size = 64 << 20
	frame := func(end error) io.Reader {
		return io.MultiReader(io.LimitReader(zeros{}, size), iotest.ErrReader(end))
	}
	require.Less(t, allocated(func() { _, _ = readFrame(frame(io.EOF)) }), 2*size+size/4)
	require.Less(t, allocated(func() { _, _ = readFrame(frame(errors.New("too big"))) }), size+size/4)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
