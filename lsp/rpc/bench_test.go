package rpc

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

type didOpen struct {
	TextDocument struct {
		URI, LanguageID, Text string
		Version               int
	}
}

// bigDidOpen returns the body of a didOpen with a document of 8 MiB, and its params.
func bigDidOpen(b *testing.B) (body, params []byte) {
	line := "\tif err := json.Unmarshal(b, &v); err != nil { return fmt.Errorf(\"decode: %w\", err) } // é\n"
	var p didOpen
	p.TextDocument.Text = strings.Repeat(line, 8<<20/len(line))
	params, err := json.Marshal(p)
	if err != nil {
		b.Fatal(err)
	}
	return []byte(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":` + string(params) + `}`), params
}

// BenchmarkDidOpen8MiB is read → typed decode of the params; compare with the decode alone.
func BenchmarkDidOpen8MiB(b *testing.B) {
	body, params := bigDidOpen(b)
	decode := func(params []byte) {
		var p didOpen
		if err := json.Unmarshal(params, &p); err != nil || len(p.TextDocument.Text) < 8<<20-100 {
			b.Error(err, len(p.TextDocument.Text))
		}
	}
	b.Run("decode_alone", func(b *testing.B) {
		b.SetBytes(int64(len(params)))
		b.ReportAllocs()
		for b.Loop() {
			decode(params)
		}
	})
	b.Run("end_to_end", func(b *testing.B) {
		stream := []byte(frame(string(body)))
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			c := NewConn(bytes.NewReader(stream), io.Discard, func(r *Request) { decode(r.Params) })
			if err := c.Run(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRoundTrip is one message to the handler, which sends one back.
func BenchmarkRoundTrip(b *testing.B) {
	for _, test := range []struct{ name, body string }{
		{"notification", `{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///a/b.go"}}}`},
		{"request", `{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a/b.go"},"position":{"line":1,"character":2}}}`},
	} {
		b.Run(test.name, func(b *testing.B) {
			var p *peer
			p = start(b, func(r *Request) {
				if r.IsNotification() {
					_ = p.conn.Notify("done", r.Params)
				}
				r.Reply(r.Params, nil)
			})
			message := frame(test.body)
			b.ReportAllocs()
			for b.Loop() {
				p.raw(message)
				p.recv()
			}
			if err := p.finish(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
