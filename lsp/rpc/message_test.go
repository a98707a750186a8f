package rpc

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInvalidRequests(t *testing.T) {
	const (
		shape  = "message is not an object (nor are batches supported)"
		badID  = "id is neither an integer nor a string"
		noVerb = "message has no method"
		verb   = "method is not a string"
	)
	p := start(t, func(r *Request) { require.Fail(t, "handler called", r.Method) })
	for _, test := range []struct{ body, id, message string }{
		{`{}`, `null`, noVerb},
		{` {"jsonrpc":"2.0"} `, `null`, noVerb},
		{`{"id":7}`, `7`, noVerb},
		{`{"id":null}`, `null`, badID},
		{`{"id":7,"params":{}}`, `7`, noVerb},
		{`[]`, `null`, shape},
		{`[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]`, `null`, shape},
		{`12`, `null`, shape},
		{`"x"`, `null`, shape},
		{`null`, `null`, shape},
		{`{"id":1.5,"method":"x"}`, `null`, badID},
		{`{"id":1.0,"method":"x"}`, `null`, badID},
		{`{"id":1e3,"method":"x"}`, `null`, badID},
		{`{"id":null,"method":"x"}`, `null`, badID},
		{`{"id":true,"method":"x"}`, `null`, badID},
		{`{"id":false,"method":"x"}`, `null`, badID},
		{`{"id":{},"method":"x"}`, `null`, badID},
		{`{"id":[1],"method":"x"}`, `null`, badID},
		{`{"id":"a","method":1}`, `"a"`, verb},
		{`{"id":2,"method":null}`, `2`, verb},
		{`{"method":{}}`, `null`, verb},
		{`{"ID":2,"Method":"x"}`, `null`, noVerb},
		{`{"id":3,"method":"$/cancelRequest","params":{"id":1}}`, `3`, "$/cancelRequest is a notification"},
	} {
		p.send(test.body)
		p.expect(`{"jsonrpc":"2.0","id":` + test.id + `,"error":{"code":-32600,"message":"` + test.message + `"}}`)
	}
	require.NoError(t, p.finish())
}

func TestIDsAreEchoedVerbatim(t *testing.T) {
	p := start(t, echo)
	for _, id := range []string{
		`0`, `-1`, `42`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"1"`, `"a\"b"`, `"\u0041\/"`, `"\ud800"`, `"<é>"`,
	} {
		p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"x"}`)
		p.expect(`{"jsonrpc":"2.0","id":` + id + `,"result":null}`)
	}
	require.NoError(t, p.finish())
}

func TestRequestsAccepted(t *testing.T) {
	h, queue := keep()
	p := start(t, h)
	for _, test := range []struct{ body, method, params string }{
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1,{"b":"}"}]}}`, "m", `{"a":[1,{"b":"}"}]}`},
		{`{"jsonrpc":"1.0","id":2,"method":"m"}`, "m", ``},
		{`{"id":3,"method":"m","params":null}`, "m", ``},
		{" \t\r\n{ \"params\" : [ ] ,\n\"method\":\"m\" , \"id\" : 4 }\n ", "m", `[ ]`},
		{`{"m\u0065thod":"a\/b","\u0069d":5}`, "a/b", ``},
		{`{"method":"first","id":6,"method":"last"}`, "last", ``},
		{`{"id":7,"method":"","result":1,"error":{}}`, "", ``},
		{`{"method":"n","id2":1,"x":{"id":1},"params":3}`, "n", `3`},
	} {
		p.send(test.body)
		r := <-queue
		require.Equal(t, test.method, r.Method)
		require.Equal(t, test.params, string(r.Params))
		require.Equal(t, test.params == "", r.Params == nil)
		require.Equal(t, test.method == "n", r.IsNotification())
		require.Equal(t, len(r.Params), cap(r.Params))
	}
	require.NoError(t, p.finish())
}

// FuzzMembers holds parseMessage to what encoding/json says.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		ping, pong, `{}`, `[]`, `{"a":{"id":1},"id":"\"\\"}`, `{"":"","id":-1.5e+3 , "method" : "a\\" }`, ` {"params":{"x":[{}]}} `,
		`{"error":true,"result":false}`, `{"id":1,"id":2}`, "{\"id\":1\r\n,\"method\":\t\"m\"}", strings.Repeat("[", 100), `{"\u0069d":[[],{}],"params":"é\u0000"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := parseMessage(body)
		if !json.Valid(body) {
			require.EqualValues(t, -32700, err.Code)
			return
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(body, &want) != nil || want == nil {
			require.EqualValues(t, -32600, err.Code)
			return
		}
		got := map[string]json.RawMessage{}
		for name, value := range members([]byte(strings.TrimLeft(string(body), " \t\r\n"))) {
			got[name] = value
		}
		require.Equal(t, want, got)
		if err == nil && !m.isAnswer() {
			var method string
			require.NoError(t, json.Unmarshal(want["method"], &method))
			require.Equal(t, method, m.method)
		}
	})
}
