package ahp

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each kind of message has a fuzz test: whatever the bytes are, reading them
// does not panic, the state it leaves is sound and can be written, and what was
// wrong is told in a few words. Seeds are what the reference host sent.

// seedActions adds the recorded actions whose type starts with prefix.
func seedActions(f *testing.F, prefix string) {
	seen := map[string]int{}
	for _, frame := range transcript(f, recordedHost) {
		m, err := DecodeMessage(frame.Msg)
		if err != nil || m.Method != "action" {
			continue
		}
		var e Envelope
		require.NoError(f, json.Unmarshal(m.Params, &e))
		if bytes.HasPrefix([]byte(e.Action.Type), []byte(prefix)) && seen[e.Action.Type] < 3 && len(e.Action.Raw) < 4096 {
			seen[e.Action.Type]++
			f.Add([]byte(e.Action.Raw))
		}
	}
	f.Add([]byte(`{"type":"` + prefix + `"}`))
}

// seedStates adds the recorded snapshots of one kind of channel.
func seedStates(f *testing.F, kind string) {
	for _, frame := range transcript(f, recordedHost) {
		m, _ := DecodeMessage(frame.Msg)
		r, err := DecodeSubscribeResult(m.Result)
		if err == nil && r.Snapshot != nil && channelKind(r.Snapshot.Resource) == kind && len(r.Snapshot.State) < 4096 {
			f.Add([]byte(r.Snapshot.State))
		}
	}
}

const baseAnnotations = `{"annotations":[
	{"id":"a","turnId":"","resource":"/w/a","resolved":false,"entries":[{"id":"e","text":"x"}],"range":{"start":{"line":1,"character":2,"x":0},"end":{"line":1,"character":3}}},
	{"id":"b","origin":{"session":"s","x":[]},"resource":"file:///w/b","resolved":true,"entries":[{"id":"e","text":{"markdown":"x","y":1}}],"z":null}]}`

// The scanner takes what encoding/json takes, but for absurd nesting.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e+3,true,false,null,"\u00e9\n\ud83d\ude00"]}`, ` [ ] `, `{"a":1,}`, `[1,]`, `[,]`, `{,}`, `01`, `-`, `1.`, `1e`, `.5`, `+1`,
		`"\x"`, `"\u12"`, "\"\x01\"", "\"\xff\"", `{"a"1}`, `{a:1}`, `nul`, `truex`, `1 2`, ``, ` `, "\x00", `{"a":{"b":[{}]}}`, `[[[[`, `]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := scanner{data: data}
		s.skip()
		got := s.end()
		if s.reason == "nested too deeply" {
			return
		}
		require.Equal(t, json.Valid(data), got, "%s", s.reason)
		if o, ok := parseObject(data); ok {
			var want map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(data, &want))
			require.Len(t, o, len(want))
			for k, v := range want {
				require.Contains(t, o, k)
				require.Equal(t, string(bytes.ToValidUTF8(v, []byte("\uFFFD"))), string(o[k]))
			}
		}
	})
}

func FuzzAnnotation(f *testing.F) {
	f.Add([]byte(`{"id":"a","turnId":"","resource":"/w/a","resolved":false,"entries":[{"id":"e","text":"x"}],"range":{"start":{"line":-1}}}`))
	f.Add([]byte(`{"id":"a","origin":{"session":"s","chat":"c","turnId":"t"},"entries":[{"text":{"markdown":"x"}}],"_meta":{"vscode.agentFeedback":{"state":"created","suggestion":{"edits":[{"range":{}}]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := DecodeAnnotation(data)
		checkProblems(t, err)
		if a == nil {
			require.Error(t, err)
			return
		}
		require.NotEmpty(t, a.ID)
		once, err := json.Marshal(a)
		require.NoError(t, err)
		again, _ := DecodeAnnotation(once)
		require.NotNil(t, again)
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		require.JSONEq(t, string(once), string(twice))

		a.Turn()
		a.Feedback()
		for _, e := range a.Entries {
			e.ByAgent()
		}
		f, ok := a.WithFeedbackState(FeedbackResolved).Feedback()
		require.True(t, ok)
		require.Equal(t, FeedbackResolved, f.State)
		checkWritable(t, a.WithFeedbackState(FeedbackResolved))
	})
}

func FuzzAnnotationsState(f *testing.F) {
	seedStates(f, "annotations")
	f.Add([]byte(baseAnnotations))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeAnnotations(data)
		checkProblems(t, err)
		checkAnnotations(t, s)
		if !json.Valid(data) {
			require.Zero(t, s.Len())
		}
	})
}

func FuzzAnnotationAction(f *testing.F) {
	seedActions(f, "annotations/")
	for _, member := range []string{`"resolved":true`, `"range":{}`, `"entry":{"id":"e"}`, `"entryId":"e"`, `"origin":{}`, `"turnId":"t"`} {
		for _, kind := range []string{TypeAnnotationsUpdated, TypeAnnotationsEntrySet, TypeAnnotationsEntryRemoved, TypeAnnotationsRemoved} {
			f.Add([]byte(`{"type":"` + kind + `","annotationId":"b",` + member + `}`))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var a Action
		if a.UnmarshalJSON(data); a.Type == "" {
			return
		}
		s, err := DecodeAnnotations([]byte(baseAnnotations))
		require.NoError(t, err)
		before, size := lookAnnotation(s.Get("a"))+lookAnnotation(s.Get("b")), s.Len()
		olds := []*Annotation{s.Get("a"), s.Get("b")}
		id, err := s.Apply(a)
		checkProblems(t, err)
		checkAnnotations(t, s)
		require.Equal(t, before, lookAnnotation(olds[0])+lookAnnotation(olds[1]))
		if id == "" {
			require.Equal(t, size, s.Len())
			require.Same(t, olds[0], s.Get("a"))
			require.Same(t, olds[1], s.Get("b"))
		}
	})
}

func FuzzSessionSummary(f *testing.F) {
	f.Add([]byte(`{"resource":"ahp-session:/s","provider":"p","title":"t","status":8,"modifiedAt":"2026-11-21T11:39:52.101Z","project":{"uri":"file:///w"},"workingDirectories":["file:///w",{"uri":"file:///v"}]}`), []byte(`{"status":1,"title":null,"resource":"x","modifiedAt":5}`))
	f.Add([]byte(`{"resource":"s","modifiedAt":1700000000000,"workingDirectory":"file:///w","project":"file:///w"}`), []byte(`{"workingDirectory":"file:///v"}`))
	f.Fuzz(func(t *testing.T, data, changes []byte) {
		s, err := DecodeSessionSummary(data)
		checkProblems(t, err)
		require.NotContains(t, s.Directories(), "")
		m, err := s.Merge(changes)
		checkProblems(t, err)
		require.Equal(t, s.Resource, m.Resource)
		require.NotContains(t, m.Directories(), "")
		same, err := s.Merge([]byte(`{}`))
		checkProblems(t, err)
		require.True(t, maps.EqualFunc(s.raw, same.raw, func(a, b json.RawMessage) bool { return string(a) == string(b) }))
		s.raw, same.raw = nil, nil
		require.Equal(t, s, same)
	})
}
