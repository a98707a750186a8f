package ahp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurnIDAndOrigin(t *testing.T) {
	empty, t1 := "", "t1"
	for _, c := range []struct {
		name, members string
		turnID        *string
		origin        *Origin
		turn          string
		written       string // the same members, "" means as they were read
	}{
		{"neither", ``, nil, nil, "", ""},
		{"0.8", `"turnId":"t1",`, &t1, nil, "t1", ""},
		{"0.8, the agent's own", `"turnId":"",`, &empty, nil, "", ""},
		{"0.9", `"origin":{"session":"s","chat":"c","turnId":"t2"},`, nil, &Origin{"s", "c", "t2"}, "t2", ""},
		{"0.9 without a turn", `"origin":{"session":"s"},`, nil, &Origin{Session: "s"}, "", ""},
		{"0.9 with an empty turn", `"origin":{"session":"s","turnId":""},`, nil, &Origin{Session: "s"}, "", ""},
		{"both", `"turnId":"t1","origin":{"session":"s","turnId":"t2"},`, &t1, &Origin{Session: "s", TurnID: "t2"}, "t2", ""},
		{"both, the turn in turnId", `"turnId":"t1","origin":{"session":"s"},`, &t1, &Origin{Session: "s"}, "t1", ""},
		{"nulls", `"turnId":null,"origin":null,`, nil, nil, "", " "},
		{"wrong types", `"turnId":1,"origin":"s",`, nil, nil, "", " "},
		{"origin without a session", `"origin":{},`, nil, &Origin{}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			const rest = `"id":"a","resource":"/x","resolved":false,"entries":[{"id":"e","text":""}]}`
			a, _ := DecodeAnnotation([]byte("{" + c.members + rest))
			require.Equal(t, c.turnID, a.TurnID)
			require.Equal(t, c.origin, a.Origin)
			require.Equal(t, c.turn, a.Turn())
			if c.written == "" {
				c.written = c.members
			}
			require.JSONEq(t, "{"+strings.TrimSpace(c.written)+rest, mustJSON(t, a))
		})
	}
}

// TestUpdateOfTurns: what annotations/updated does to either shape.
func TestUpdateOfTurns(t *testing.T) {
	const v08, v09 = `"turnId":"t1"`, `"origin":{"session":"s","chat":"c","turnId":"t1"}`
	for _, c := range []struct{ name, old, update, want string }{
		{"turnId of 0.8", v08, `"turnId":"t2"`, `"turnId":"t2"`},
		{"turnId where neither is", ``, `"turnId":"t2"`, `"turnId":"t2"`},
		{"origin of 0.9", v09, `"origin":{"session":"s","turnId":"t2"}`, `"origin":{"session":"s","turnId":"t2"}`},
		// As the reference host does it: see line 128 of the transcript.
		{"turnId on 0.9 is ignored", v09, `"turnId":"t2"`, v09},
		{"both on 0.9", v09, `"turnId":"t2","origin":{"session":"z"}`, `"origin":{"session":"z"}`},
		{"origin on 0.8 joins", v08, `"origin":{"session":"z"}`, `"turnId":"t1","origin":{"session":"z"}`},
		{"an origin with more", v09, `"origin":{"session":"z","x":1}`, `"origin":{"session":"z","x":1}`},
		{"nothing that can be read", v09, `"turnId":5,"origin":[],"resolved":"no","range":1`, v09},
	} {
		t.Run(c.name, func(t *testing.T) {
			wire := func(members string) string {
				return `{"annotations":[{"id":"a","resource":"/x","resolved":false,"entries":[],` + strings.TrimSuffix(members+",", ",,") + `"z":1}]}`
			}
			if c.old == "" {
				c.old = `"y":1`
				c.want += `,"y":1`
			}
			s, _ := DecodeAnnotations([]byte(wire(c.old)))
			old := s.Get("a")
			id, _ := s.Apply(action(t, `{"type":"annotations/updated","annotationId":"a",`+c.update+`}`))
			require.JSONEq(t, wire(c.want), mustJSON(t, s))
			require.Equal(t, c.old == c.want, s.Get("a") == old, "the same pointer means no change")
			require.Equal(t, c.old == c.want, id == "")
		})
	}
}

func action(t testing.TB, wire string) (a Action) {
	t.Helper()
	require.NoError(t, a.UnmarshalJSON([]byte(wire)))
	require.NotEmpty(t, a.Type)
	return a
}

func TestFaultyAnnotations(t *testing.T) {
	for _, c := range []struct{ wire, problems string }{
		{`null`, `annotation: missing`},
		{`[]`, `annotation: want an object, got an array`},
		{`{"resource":"/x"}`, `annotation.id: missing`},
		{`{"id":""}`, `annotation.id: missing`},
		{`{"id":7}`, `annotation.id: want a string, got a number; annotation.id: missing`},
		{`{"id":"a"`, `annotation "a": not readable as JSON at byte 9 of 9: want a comma or the end of an object or array`},
		{`{"id":"a"} x`, `annotation "a": not readable as JSON at byte 11 of 12: more behind the value`},
	} {
		a, err := DecodeAnnotation([]byte(c.wire))
		require.Nil(t, a, c.wire)
		require.EqualError(t, err, c.problems)
	}

	a, err := DecodeAnnotation([]byte(`{"resolved":1,"entries":[5,{"text":"x"},{"id":"e"},null],"id":"a","_meta":"m","z":null}`))
	require.EqualError(t, err, strings.Join([]string{
		`annotation.resolved: want true or false, got a number`,
		`annotation.entries[0]: want an object, got a number`,
		`annotation.entries[1].id: missing`,
		`annotation.entries[2] "e".text: missing`,
		`annotation "a".resource: missing`,
	}, "; "))
	require.JSONEq(t, `{"id":"a","resource":"","resolved":false,"entries":[{"id":"","text":"x"},{"id":"e","text":""}],"_meta":"m","z":null}`, mustJSON(t, a))
}

func TestFaultyAnnotationActions(t *testing.T) {
	for _, c := range []struct{ wire, problems string }{
		{`{"type":"annotations/set"}`, `annotations/set.annotation: missing`},
		{`{"type":"annotations/set","annotation":null}`, `annotations/set.annotation: missing`},
		{`{"type":"annotations/set","annotation":{"resource":"/x"}}`, `annotations/set.annotation.id: missing`},
		{`{"type":"annotations/removed"}`, `annotations/removed.annotationId: missing`},
		{`{"type":"annotations/updated","resolved":true}`, `annotations/updated.annotationId: missing`},
		{`{"type":"annotations/entrySet","annotationId":"a"}`, `annotations/entrySet.entry: missing`},
		{`{"type":"annotations/entrySet","annotationId":"a","entry":{"text":"x"}}`, `annotations/entrySet.entry.id: missing`},
		{`{"type":"annotations/entryRemoved","annotationId":"a"}`, `annotations/entryRemoved.entryId: missing`},
		{`{"type":"annotations/bogus","annotationId":"a"}`, ``},
	} {
		s, _ := DecodeAnnotations([]byte(baseAnnotations))
		id, change, err := DecodeAnnotationChange(action(t, c.wire))
		require.Empty(t, id, c.wire)
		require.Nil(t, change, c.wire)
		if c.problems == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.problems)
		}
		before := mustJSON(t, s)
		id, again := s.Apply(action(t, c.wire))
		require.Empty(t, id)
		require.Equal(t, err, again)
		require.Equal(t, before, mustJSON(t, s))
	}
	for _, a := range []Action{{Type: TypeAnnotationsRemoved}, {Type: TypeAnnotationsRemoved, Raw: []byte(`{"annotationId":"a"`)}} {
		_, change, err := DecodeAnnotationChange(a)
		require.Nil(t, change, "an unreadable action changes nothing")
		require.Error(t, err)
	}
}

// TestProblemsAreBounded: a hostile snapshot costs a few lines of log.
func TestProblemsAreBounded(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	items := strings.Repeat(fmt.Sprintf(`{"id":%q,"resource":5},`, long), 100)
	s, err := DecodeAnnotations([]byte(`{"annotations":[` + items + `1]}`))
	require.Equal(t, 1, s.Len())
	checkProblems(t, err)
	require.Less(t, len(err.Error()), 8<<10)
	require.ErrorContains(t, err, "; and ")

	_, err = DecodeAnnotations([]byte(strings.Repeat(`{"annotations":[`, 1_000_000)))
	checkProblems(t, err)
	require.ErrorContains(t, err, "nested too deeply")
}
