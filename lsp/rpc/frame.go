package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

const (
	lengthHeader = "Content-Length"
	headerEnd    = "\r\n\r\n"
	maxHeader    = 64 << 10 // bytes in one header line
)

var headerLine = regexp.MustCompile(`^([\w-]+)\s*:\s*(.*)$`)

// frameError is a fault in a frame's header. If lost, the start of the next frame is not known;
// otherwise reading can go on.
type frameError struct {
	text string
	lost bool
}

func (e *frameError) Error() string { return e.text }

// frameReader splits a stream into the bodies of its frames (LSP 3.17, "Base Protocol").
//
// It is lenient where that is safe: with the header's case, other headers, bare newlines, empty
// lines before a frame. It never searches a body for something like a header to resume at: that
// would execute a document that quotes the protocol.
type frameReader struct {
	r    *bufio.Reader
	max  int64
	skip int64 // bytes of a refused body still to be read past
}

func newFrameReader(r io.Reader, max int64) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, maxHeader), max: max}
}

// next returns the next body, which is the caller's. Errors: a *frameError, io.EOF between frames,
// io.ErrUnexpectedEOF within one, or the stream's own.
func (f *frameReader) next() ([]byte, error) {
	if _, err := io.CopyN(io.Discard, f.r, f.skip); err != nil {
		return nil, unexpected(err)
	}
	f.skip = 0
	length, err := f.header()
	if err != nil {
		return nil, err
	}
	if length > f.max {
		f.skip = length // at the next call, so that the peer is told first
		return nil, &frameError{text: fmt.Sprintf("message of %d bytes exceeds the limit of %d", length, f.max)}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(f.r, body); err != nil {
		return nil, unexpected(err)
	}
	return body, nil
}

// header reads up to the empty line and returns the body's length.
//
// Where that is missing or unreadable, reading goes on as if there were no body. If there is one,
// its first line is no header, and only then is the stream lost.
func (f *frameReader) header() (length int64, err error) {
	length = -1
	var bad error
	for seen := false; ; {
		line, err := f.r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return 0, &frameError{text: fmt.Sprintf("header line longer than %d bytes", maxHeader), lost: true}
		case errors.Is(err, io.EOF) && !seen && len(line) == 0:
			return 0, io.EOF
		case err != nil:
			return 0, unexpected(err)
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			if seen {
				break
			}
			continue
		}
		seen = true
		header := headerLine.FindSubmatch(line)
		if header == nil {
			return 0, &frameError{text: fmt.Sprintf("expected a header, got %.40q", line), lost: true}
		}
		if !strings.EqualFold(string(header[1]), lengthHeader) {
			continue
		}
		n, err := strconv.ParseUint(string(header[2]), 10, 63)
		if err != nil || length >= 0 && int64(n) != length {
			bad = &frameError{text: fmt.Sprintf("bad %s: %.40q", lengthHeader, header[2])}
		}
		length = int64(n)
	}
	if bad == nil && length < 0 {
		bad = &frameError{text: "missing " + lengthHeader}
	}
	return length, bad
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// encodeFrame returns v as JSON behind its header, in one buffer.
func encodeFrame(v any) ([]byte, error) {
	// The length comes first but is known last: the longest header has room, and what it does not
	// need is cut off.
	const room = len(lengthHeader+": "+headerEnd) + 20
	var buf bytes.Buffer
	buf.Write(make([]byte, room))
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	frame := bytes.TrimSuffix(buf.Bytes(), []byte("\n")) // the encoder's, not the value's
	header := fmt.Appendf(nil, "%s: %d%s", lengthHeader, len(frame)-room, headerEnd)
	frame = frame[room-len(header):]
	copy(frame, header)
	return frame, nil
}
