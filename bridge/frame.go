package bridge

import "io"

// Sizes of the pieces in which a frame is read: most frames fit into the first.
const (
	framePiece    = 4 << 10
	maxFramePiece = 4 << 20
)

// readFrame reads a frame to its end. The frame is put together once its length
// is known: a buffer that doubles would hold three times the frame on the way,
// and as much for one that turns out to be over the limit.
func readFrame(r io.Reader) ([]byte, error) {
	var pieces [][]byte
	piece, total := make([]byte, 0, framePiece), 0
	for {
		if len(piece) == cap(piece) {
			pieces = append(pieces, piece)
			piece = make([]byte, 0, min(2*cap(piece), maxFramePiece))
		}
		n, err := r.Read(piece[len(piece):cap(piece)])
		piece, total = piece[:len(piece)+n], total+n
		switch {
		case err == io.EOF: // as it is: wrapped, it is a connection that was cut
			return join(append(pieces, piece), total), nil
		case err != nil:
			return nil, err
		}
	}
}

func join(pieces [][]byte, total int) []byte {
	if len(pieces) == 1 {
		return pieces[0]
	}
	frame := make([]byte, 0, total)
	for i, piece := range pieces {
		frame = append(frame, piece...)
		pieces[i] = nil // for the garbage collector, while the rest is copied
	}
	return frame
}
