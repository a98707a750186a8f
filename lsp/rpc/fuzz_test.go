package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRun feeds arbitrary bytes, and their lines as the bodies of frames, to a connection that
// answers nearly everything. It must end, and send well-formed frames of well-formed answers.
func FuzzRun(f *testing.F) {
	for _, seed := range []string{
		"", "\r\n", "{}", frame(ping), frame(ping) + frame(ping) + frame(pong), frame("[]") + frame("{"), "Content-Length: -1\r\n\r\n" + frame(ping),
		"content-length:2\n\n{}X: y\n\n", "Content-Length: 2000000\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n",
		frame(`{"id":"\ud800\u0000","method":"panic"}`) + frame(`{"method":"$/cancelRequest","params":{"id":1}}`),
		frame(`{"id":1,"method":"keep"}`) + frame(`{"id":1,"method":"keep"}`) + frame(`{"id":1.5,"method":"x"}`) + frame(`{"id":null,"error":{}}`),
		ping + "\n" + `{"id":1,"method":"keep"}` + "\n" + `{"id":1,"method":"panic"}` + "\n[]\n" + `{"method":"$/cancelRequest","params":{"id":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		handler := func(r *Request) {
			switch r.Method {
			case "panic":
				panic(r.Method)
			case "keep":
				return
			}
			r.Reply(r.Params, nil)
			r.Reply(r.Params, io.EOF)
		}
		var framed bytes.Buffer
		for line := range bytes.Lines(input) {
			framed.WriteString(frame(string(line)))
		}
		require.NoError(t, fuzzRun(t, framed.Bytes(), handler)) // whatever a body is, the session goes on
		_ = fuzzRun(t, input, handler)
	})
}

// fuzzRun returns what Run did with the stream, after checking what was sent.
func fuzzRun(t *testing.T, stream []byte, h Handler) error {
	var out bytes.Buffer
	ended := NewConn(bytes.NewReader(stream), &out, h, withMaxFrame(1<<20)).Run(t.Context())
	for r := bufio.NewReader(&out); ; {
		body, err := readFrame(r)
		if err == io.EOF {
			return ended
		}
		require.NoError(t, err)
		require.True(t, json.Valid([]byte(body)), body)
		require.True(t, strings.HasPrefix(body, `{"jsonrpc":"2.0","id":`), body)
		var m map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(body), &m))
		require.Len(t, m, 3)
		_, isID := parseID(m["id"])
		require.True(t, isID || string(m["id"]) == "null", body)
		require.True(t, (m["result"] == nil) != (m["error"] == nil), body)
	}
}
