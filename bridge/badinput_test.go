package bridge

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// None of these frames ends the connection or changes what is shown; each is
// logged once, or is nothing to log.
func TestBadFrames(t *testing.T) {
	action := func(channel, action string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"action","params":{"channel":%q,"serverSeq":99,"action":%s}}`, channel, action)
	}
	for name, tc := range map[string]struct{ frame, log string }{
		"no JSON":             {`{"jsonrpc":`, "no JSON-RPC message"},
		"empty":               {"", "no JSON-RPC message"},
		"array":               {`[{"jsonrpc":"2.0"}]`, "no JSON-RPC message"},
		"string":              {`"hello"`, "no JSON-RPC message"},
		"null":                {`null`, "neither method nor id"},
		"nothing in it":       {`{}`, "neither method nor id"},
		"method is a number":  {`{"method":5}`, "no JSON-RPC message"},
		"error without id":    {`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, "Parse error"},
		"answer to nothing":   {`{"jsonrpc":"2.0","id":"never-asked","result":1}`, ""},
		"unknown note":        {`{"jsonrpc":"2.0","method":"root/progress","params":{"channel":"ahp-root://"}}`, ""},
		"params are a string": {`{"jsonrpc":"2.0","method":"action","params":"x"}`, "envelope"},
		"no params":           {`{"jsonrpc":"2.0","method":"action"}`, "envelope"},
		"unknown channel":     {action("ahp-x:/1", `{"type":"annotations/removed","annotationId":"a"}`), ""},
		"unknown action":      {action(notes, `{"type":"annotations/bogus","annotationId":"a"}`), ""},
		"no type":             {action(notes, `{"annotationId":"a"}`), ""},
		"action is null":      {action(notes, `null`), ""},
		"no annotation":       {action(notes, `{"type":"annotations/set"}`), "annotation"},
		"no id":               {action(notes, `{"type":"annotations/set","annotation":{"resource":"file:///x"}}`), "id"},
		"unknown id":          {action(notes, `{"type":"annotations/updated","annotationId":"nope","resolved":true}`), ""},
		"id is a number":      {action(notes, `{"type":"annotations/removed","annotationId":7}`), "annotationId"},
		"entry without id":    {action(notes, `{"type":"annotations/entrySet","annotationId":"a","entry":{"text":"x"}}`), "entr"},
		"session added, odd":  {`{"jsonrpc":"2.0","method":"root/sessionAdded","params":{"summary":{"resource":5}}}`, "resource"},
		"session added, none": {`{"jsonrpc":"2.0","method":"root/sessionAdded"}`, "sessionAdded"},
		"summary of unknown":  {`{"jsonrpc":"2.0","method":"root/sessionSummaryChanged","params":{"session":"s:/9","changes":{"title":"x"}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
				before := r.log.text()
				h.SendRaw(tc.frame)
				for _, ch := range r.take() {
					require.IsType(t, SessionsChanged{}, ch)
				}
				logged := strings.TrimPrefix(r.log.text(), before)
				if tc.log == "" {
					require.Empty(t, logged)
				} else {
					require.Contains(t, logged, tc.log)
					require.NotContains(t, logged, "\n", "once")
				}
				// It goes on.
				h.SendRaw(strings.Replace(action(notes, `{"type":"annotations/updated","annotationId":"a","resolved":true}`), "99", "100", 1))
				require.True(t, r.shown(one)["a"].Resolved)
				require.Len(t, sent(h, "initialize"), 1)
			})
		})
	}
}

func TestBinaryFrame(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.SendBinary(`{"jsonrpc":"2.0","method":"action"}`)
		require.Empty(t, r.take())
		require.Contains(t, r.log.text(), "binary frame")
		require.Equal(t, Connected, r.c.Connection().State)
	})
}

// Odd annotations are shown as far as they go.
func TestOddAnnotations(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Do(notes, `{"type":"annotations/set","annotation":{"id":"odd","resource":"/w/a.go","entries":[],
			"range":{"start":{"line":-5,"character":9}},"resolved":"yes","turnId":3,"color":"red"}}`)
		a := r.shown(one)["odd"]
		require.NotNil(t, a)
		require.Equal(t, "/w/a.go", a.Resource)
		require.NotEmpty(t, r.log.text())
		h.Do(notes, `{"type":"annotations/entrySet","annotationId":"odd","entry":{"id":"e","text":{"markdown":"*x*"}}}`)
		require.Equal(t, []string{"*x*"}, texts(r.shown(one)["odd"]))
	})
}

// The host may ask too: it is told, with its own id, that we do not serve it.
func TestHostRequests(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		for _, id := range []string{`"a string"`, `17`, `"17"`} {
			h.SendRaw(`{"jsonrpc":"2.0","id":` + id + `,"method":"resourceRead","params":{"channel":"ahp-root://","uri":"file:///x"}}`)
			synctest.Wait()
			frames := h.Frames()
			require.JSONEq(t, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32601,"message":"ahp-lsp does not serve resourceRead"}}`,
				string(frames[len(frames)-1].Data))
		}
		// A notification that says so with a null id is not answered.
		n := len(h.Frames())
		h.SendRaw(`{"jsonrpc":"2.0","id":null,"method":"action","params":{"channel":"` + notes + `","serverSeq":5,"action":{"type":"annotations/removed","annotationId":"a"}}}`)
		require.NotContains(t, r.shown(one), "a")
		require.Len(t, h.Frames(), n+1)
	})
}

func TestAuthRequired(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		for range 3 {
			h.Notify(ahp.NoteAuthRequired, map[string]any{"channel": ahp.RootURI})
		}
		notices := these[Notice](r.take())
		require.Len(t, notices, 1)
		require.Contains(t, notices[0].Text, "sign in")
	})
}

// Answers of a host that is wrong in every way it can be.
func TestBadAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		method string
		answer any
		err    *ahp.Error
		shown  int
	}{
		"subscribe null":           {"subscribe", nil, nil, 0},
		"subscribe string":         {"subscribe", "x", nil, 0},
		"subscribe error":          {"subscribe", nil, &ahp.Error{Code: -32603, Message: "x"}, 0},
		"subscribe state is a map": {"subscribe", map[string]any{"snapshot": map[string]any{"state": 5}}, nil, 0},
		"fromSeq is a string": {"subscribe", map[string]any{"snapshot": map[string]any{"fromSeq": "x",
			"state": map[string]any{"annotations": []any{annotation("z", "")}}}}, nil, 1},
		"list null":            {"listSessions", nil, nil, 0},
		"list items":           {"listSessions", map[string]any{"items": "x"}, nil, 0},
		"list of odd sessions": {"listSessions", map[string]any{"items": []any{1, "x", nil, map[string]any{}}}, nil, 0},
		"list without end":     {"listSessions", map[string]any{"items": []any{}, "nextCursor": "again"}, nil, 0},
		"ping":                 {"ping", nil, &ahp.Error{Code: -32601, Message: "no ping"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				root := makeFolders(t)
				h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
				h.SetAnnotations(one, annotation("a", ""), annotation("b", ""))
				h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
					bad := method == tc.method && (method != "subscribe" || channelsOf([]jsonRaw{params})[0] == notes)
					return tc.answer, tc.err, bad
				})
				r := start(t, h, func(c *Config) { c.Roots = []string{root} })
				time.Sleep(10 * time.Minute)
				require.Len(t, r.shown(one), tc.shown)
				require.Equal(t, Connected, r.c.Connection().State)
				require.Len(t, sent(h, "initialize"), 1)
				require.Less(t, len(sent(h, "listSessions")), 70)
			})
		})
	}
}

// An error whose members have the wrong type still answers its request.
func TestBadError(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
			return ahptest.NoAnswer, nil, method == "resourceRead"
		})
		failed := make(chan error, 1)
		go func() {
			_, err := r.c.Read(t.Context(), ahp.ContentRef{URI: "file:///x"})
			failed <- err
		}()
		synctest.Wait()
		id := 0
		for _, f := range h.Frames() {
			if strings.Contains(string(f.Data), "resourceRead") {
				_, err := fmt.Sscanf(string(f.Data), `{"id":%d`, &id)
				require.NoError(t, err)
			}
		}
		h.SendRaw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":"went wrong"}`, id))
		require.ErrorIs(t, <-failed, ErrContent)
	})
}
