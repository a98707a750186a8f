package ahp

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMessages(t *testing.T) {
	for _, c := range []struct {
		wire    string
		want    Message
		problem string
	}{
		{`{"jsonrpc":"2.0","id":1,"result":null}`, Message{ID: []byte("1"), Result: []byte("null")}, ""},
		{`{"id":"x","method":"resourceRead","params":{"channel":"c"}}`, Message{ID: []byte(`"x"`), Method: "resourceRead", Params: []byte(`{"channel":"c"}`)}, ""},
		{`{"id":null,"error":{"code":-32700,"message":"Parse error"}}`, Message{ID: []byte("null"), Error: &Error{Code: CodeParse, Message: "Parse error"}}, ""},
		{`{"id":1,"error":null,"result":{}}`, Message{ID: []byte("1"), Result: []byte("{}")}, ""},
		// An error that cannot be read is an error still.
		{`{"id":1,"error":"no"}`, Message{ID: []byte("1"), Error: &Error{Code: CodeInternal, Message: `"no"`}}, "message.error: want an object, got a string"},
		{`{"id":1,"error":{"code":"x","message":5,"data":[1]}}`, Message{ID: []byte("1"), Error: &Error{Code: CodeInternal, Data: []byte("[1]")}}, "message.error.code: want a number, got a string; message.error.message: want a string, got a number"},
		{`{"id":3,"method":5}`, Message{ID: []byte("3")}, "message.method: want a string, got a number"},
		{`[]`, Message{}, "message: want an object, got an array"},
		{`{"id":1`, Message{}, "message: not readable as JSON at byte 7 of 7: want a comma or the end of an object or array"},
		{`{"id":1}{}`, Message{}, "message: not readable as JSON at byte 8 of 10: more behind the value"},
		{``, Message{}, "message: not readable as JSON at byte 0 of 0: no JSON value"},
	} {
		m, err := DecodeMessage([]byte(c.wire))
		if c.problem == "" {
			require.NoError(t, err, c.wire)
		} else {
			require.EqualError(t, err, c.problem)
		}
		require.Equal(t, c.want, m, c.wire)
	}
}

func TestErrors(t *testing.T) {
	err := fmt.Errorf("subscribe: %w", &Error{Code: CodeVersion, Message: "no common version\n    at Server.handle (x.js:1)", Data: []byte(`{"supportedVersions":["^0.9.0"]}`)})
	require.EqualError(t, err, "subscribe: no common version (-32005)")
	require.True(t, Is(err, CodeVersion))
	require.False(t, Is(err, CodeNotFound))
	require.False(t, Is(nil, CodeVersion))
	require.Equal(t, []string{"^0.9.0"}, err.(interface{ Unwrap() error }).Unwrap().(*Error).SupportedVersions())
	require.Empty(t, (&Error{Data: []byte(`[1]`)}).SupportedVersions())
}

func TestEnvelopes(t *testing.T) {
	for _, c := range []struct {
		wire string
		want Envelope
	}{
		{`{"channel":"c","action":{"type":"x","y":1},"serverSeq":7,"origin":{"clientId":"A","clientSeq":3},"rejectionReason":"no"}`,
			Envelope{Channel: "c", Action: Action{"x", []byte(`{"type":"x","y":1}`)}, ServerSeq: 7, Origin: &ActionOrigin{"A", 3}, RejectionReason: "no"}},
		{`{"channel":"c","action":{"type":"x"},"serverSeq":7.0,"origin":null,"rejectionReason":null}`,
			Envelope{Channel: "c", Action: Action{"x", []byte(`{"type":"x"}`)}, ServerSeq: 7}},
		{`{"channel":"c","action":{"type":"x"},"serverSeq":9007199254740991,"rejectionReason":""}`,
			Envelope{Channel: "c", Action: Action{"x", []byte(`{"type":"x"}`)}, ServerSeq: 9007199254740991}},
		// Its own parts apart, an envelope is of use whatever is wrong with it.
		{`{"channel":"c","action":{"type":5},"serverSeq":"7","origin":"A","rejectionReason":{"why":1}}`,
			Envelope{Channel: "c", Action: Action{"", []byte(`{"type":5}`)}, RejectionReason: `{"why":1}`}},
		{`{"channel":"c","origin":{"clientId":4,"clientSeq":1e99},"rejectionReason":false}`,
			Envelope{Channel: "c", Origin: &ActionOrigin{ClientSeq: 1 << 53}}},
	} {
		var e Envelope
		require.NoError(t, json.Unmarshal([]byte(c.wire), &e), c.wire)
		require.Equal(t, c.want, e, c.wire)
	}
	for _, wire := range []string{`[]`, `5`, `{"channel":`, ``} {
		e, err := DecodeEnvelope([]byte(wire))
		require.Error(t, err, wire)
		require.Empty(t, e)
	}
	_, err := DecodeEnvelope([]byte(`{"origin":5,"rejectionReason":[]}`))
	require.EqualError(t, err, "action envelope.origin: want an object, got a number; action envelope.rejectionReason: want a string, got an array")

	// One bad envelope of many does not take the others with it.
	var r ReconnectResult
	require.NoError(t, json.Unmarshal([]byte(`{"type":"replay","actions":[{"channel":"a"},5,{"channel":"b","serverSeq":"x"},{"channel":"c"}],"missing":[]}`), &r))
	require.Len(t, r.Actions, 4)
	require.Equal(t, "c", r.Actions[3].Channel)

	// An action outlives the buffer it was read from.
	data := []byte(`{"channel":"c","action":{"type":"x"}}`)
	var e Envelope
	require.NoError(t, json.Unmarshal(data, &e))
	clear(data)
	require.Equal(t, `{"type":"x"}`, string(e.Action.Raw))
}

func TestInvokeResults(t *testing.T) {
	for wire, message := range map[string]*Text{
		`{"message":{"markdown":"Synced changes."}}`: {"Synced changes.", true},
		`{"message":"ok"}`:                           {Value: "ok"},
		`{"message":null}`:                           nil,
		`{"message":5}`:                              {},
		`{}`:                                         nil,
		`[]`:                                         nil,
		`null`:                                       nil,
	} {
		var r InvokeResult
		require.NoError(t, json.Unmarshal([]byte(wire), &r), wire)
		require.Equal(t, message, r.Message, wire)
		require.Nil(t, r.FollowUp)
	}
	var r InvokeResult
	require.NoError(t, json.Unmarshal([]byte(`{"followUp":{"content":{"uri":"https://x/pr/1"},"external":true}}`), &r))
	require.Equal(t, "https://x/pr/1", r.FollowUp.Content.URI)
	require.True(t, r.FollowUp.External)
	require.NoError(t, json.Unmarshal([]byte(`{"followUp":{"content":"session-db:/1","external":"yes"}}`), &r))
	require.Equal(t, "session-db:/1", r.FollowUp.Content.URI)
	require.False(t, r.FollowUp.External)
}

func TestSubscribeResults(t *testing.T) {
	r, err := DecodeSubscribeResult([]byte(`{"snapshot":{"resource":"c","state":{"a":1},"fromSeq":3}}`))
	require.NoError(t, err)
	require.Equal(t, &Snapshot{Resource: "c", State: []byte(`{"a":1}`), FromSeq: 3}, r.Snapshot)
	for _, wire := range []string{`{}`, `{"snapshot":null}`} {
		r, err = DecodeSubscribeResult([]byte(wire))
		require.NoError(t, err)
		require.Nil(t, r.Snapshot)
	}
	for _, wire := range []string{`null`, `{"snapshot":[]}`, `{"snapshot":{"state":`, ``} {
		r, _ = DecodeSubscribeResult([]byte(wire))
		require.Nil(t, r.Snapshot)
	}
}
