package rpc

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`
	pong = `{"jsonrpc":"2.0","id":1,"result":[1]}`
)

// withMaxFrame sets the longest body accepted, in bytes.
func withMaxFrame(bytes int64) Option { return func(c *Conn) { c.maxFrame = bytes } }

func TestFramesAccepted(t *testing.T) {
	for name, header := range map[string]string{
		"plain":            "Content-Length: 53\r\n\r\n",
		"lower case":       "content-length: 53\r\n\r\n",
		"upper case":       "CONTENT-LENGTH:53\r\n\r\n",
		"bare newlines":    "Content-Length: 53\n\n",
		"mixed newlines":   "Content-Length: 53\n\r\n",
		"spaces":           "Content-Length  :   53  \r\n\r\n",
		"leading zero":     "Content-Length: 053\r\n\r\n",
		"type after":       "Content-Length: 53\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
		"type before":      "Content-Type: x\r\nContent-Length: 53\r\n\r\n",
		"unknown header":   "X-Trace_Id: a:b:c\r\nContent-Length: 53\r\n\r\n",
		"empty header":     "X:\r\nContent-Length: 53\r\n\r\n",
		"said twice":       "Content-Length: 53\r\nContent-Length: 53\r\n\r\n",
		"empty lines":      "\r\n\n\r\nContent-Length: 53\r\n\r\n",
		"header only line": "X: 1\r\n\r\nContent-Length: 53\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, echo)
			go p.raw(header + ping + header + ping)
			for range 2 {
				if name == "header only line" {
					p.expect(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"missing Content-Length"}}`)
				}
				p.expect(pong)
			}
			require.NoError(t, p.finish())
		})
	}
}

func TestFramesRefused(t *testing.T) {
	tests := map[string]struct {
		bytes   string
		message string // of the first error sent
		ends    string // Run's error; empty if the session goes on
	}{
		"missing length, no body": {"X: 1\r\n\r\n", "missing Content-Length", ""},
		"missing length, body":    {"X: 1\r\n\r\n" + ping, "missing Content-Length", "read: expected a header, got"},
		"negative length":         {"Content-Length: -5\r\n\r\n", `bad Content-Length: "-5"`, ""},
		"signed length":           {"Content-Length: +5\r\n\r\n", `bad Content-Length: "+5"`, ""},
		"length with a body":      {"Content-Length: abc\r\n\r\n" + ping, `bad Content-Length: "abc"`, "read: expected a header, got"},
		"fractional length":       {"Content-Length: 5.0\r\n\r\n", `bad Content-Length: "5.0"`, ""},
		"empty length":            {"Content-Length:\r\n\r\n", `bad Content-Length: ""`, ""},
		"length beyond int64":     {"Content-Length: 9223372036854775808\r\n\r\n", `bad Content-Length: "9223372036854775808"`, ""},
		"two lengths":             {"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", `bad Content-Length: "6"`, ""},
		"bad, then good length":   {"Content-Length: x\r\nContent-Length: 5\r\n\r\n", `bad Content-Length: "5"`, ""},
		"long value is cut":       {"Content-Length: " + strings.Repeat("9", 1000) + "\r\n\r\n", `bad Content-Length: "` + strings.Repeat("9", 40) + `"`, ""},
		"over the limit":          {"Content-Length: 101\r\n\r\n" + strings.Repeat("x", 101), "message of 101 bytes exceeds the limit of 100", ""},
		"not a header":            {"hello\r\n", `expected a header, got "hello"`, `read: expected a header, got "hello"`},
		"body without header":     {ping + "\n", "expected a header, got", "read: expected a header, got"},
		"endless line":            {strings.Repeat("x", maxHeader), "header line longer than 65536 bytes", "read: header line longer than 65536 bytes"},
		"empty body":              {"Content-Length: 0\r\n\r\n", "message is not JSON: unexpected end of JSON input", ""},
		"not JSON":                {frame("{oops}"), "message is not JSON: invalid character 'o' looking for beginning of object key string", ""},
		"JSON and more":           {frame(`{} {}`), "message is not JSON: invalid character '{' after top-level value", ""},
		"broken params":           {frame(`{"id":1,"method":"x","params":{"a":nope}}`), "message is not JSON: invalid character 'o' in literal null (expecting 'u')", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := start(t, echo, withMaxFrame(100))
			go io.WriteString(p.in, test.bytes+frame(ping)) // fails where the connection ends
			first := p.recv()
			require.Contains(t, first, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":`)
			require.Contains(t, strings.ReplaceAll(first, `\"`, `"`), test.message)
			if test.ends == "" {
				p.expect(pong)
				require.NoError(t, p.finish())
				return
			}
			require.ErrorContains(t, p.finish(), test.ends)
		})
	}
}

func TestTruncatedStream(t *testing.T) {
	for _, bytes := range []string{
		"C", "Content-Length: 5", "Content-Length: 5\r\n", "Content-Length: 5\r\n\r\n", "Content-Length: 5\r\n\r\n{", "Content-Length: 500\r\n\r\n{",
	} {
		p := start(t, echo, withMaxFrame(100))
		p.raw(bytes)
		require.ErrorIs(t, p.finish(), io.ErrUnexpectedEOF, bytes)
	}
	for _, bytes := range []string{"", "\r\n", "\n\n", frame(`{"method":"x"}`) + "\n"} {
		p := start(t, echo)
		p.raw(bytes)
		require.NoError(t, p.finish(), bytes)
	}
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestLargeFrameIsSkippedWithoutMemory(t *testing.T) {
	const size = 1 << 30
	stream := io.MultiReader(
		strings.NewReader("Content-Length: 1073741824\r\n\r\n"), io.LimitReader(zeros{}, size), strings.NewReader(frame(ping)))
	var out strings.Builder
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, NewConn(stream, &out, echo).Run(t.Context()))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	require.Equal(t, frame(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"message of 1073741824 bytes exceeds the limit of 268435456"}}`)+frame(pong), out.String())
}

// writes records the arguments of each Write.
type writes [][]byte

func (w *writes) Write(b []byte) (int, error) {
	*w = append(*w, append([]byte(nil), b...))
	return len(b), nil
}

func TestOneWritePerMessage(t *testing.T) {
	var w writes
	var c *Conn
	c = NewConn(strings.NewReader(frame(ping)+frame(ping)), &w, func(r *Request) {
		require.NoError(t, c.Notify("log", "<a href=\"x\">&amp;\u2028</a>"))
		echo(r)
	})
	require.NoError(t, c.Run(t.Context()))
	require.Len(t, w, 4)
	for i, frames := range w {
		want := []string{`{"jsonrpc":"2.0","method":"log","params":"<a href=\"x\">&amp;\u2028</a>"}`, pong}[i%2]
		require.Equal(t, frame(want), string(frames))
	}
}
