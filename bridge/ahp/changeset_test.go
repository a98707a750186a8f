package ahp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func changeset(t testing.TB) *Changeset {
	c, err := DecodeChangeset([]byte(baseChangeset))
	require.NoError(t, err)
	return c
}

func TestFileSides(t *testing.T) {
	for _, c := range []struct {
		name, file    string
		id, uri       string
		before, after string // URIs, "" for no side
		problem       string
	}{
		{"created", `{"id":"f","edit":{"after":{"uri":"x:/a","content":{"uri":"c"}}}}`, "f", "x:/a", "", "x:/a", ""},
		{"deleted", `{"id":"f","edit":{"before":{"uri":"x:/a","content":{"uri":"c"}}}}`, "f", "x:/a", "x:/a", "", ""},
		{"renamed", `{"id":"f","edit":{"before":{"uri":"x:/a","content":{}},"after":{"uri":"x:/b","content":{}}}}`, "f", "x:/b", "x:/a", "x:/b", ""},
		{"without an id", `{"edit":{"after":{"uri":"x:/a"}}}`, "x:/a", "x:/a", "", "x:/a", ""},
		{"without an edit", `{"id":"x:/a"}`, "x:/a", "x:/a", "", "", ""},
		{"null sides", `{"id":"f","edit":{"before":null,"after":{"uri":"x:/a"}}}`, "f", "x:/a", "", "x:/a", ""},
		{"the last of two edits", `{"id":"f","edit":{"before":{"uri":"x:/a"},"diff":{"added":1}},"edit":{"after":{"uri":"x:/b"}}}`, "f", "x:/b", "", "x:/b", ""},
		// Not a deletion: there is an after side, it only does not say where.
		{"after without a URI", `{"id":"f","edit":{"before":{"uri":"x:/a"},"after":{"content":{"uri":"c"}}}}`, "f", "x:/a", "x:/a", "x:/a", "[0].edit.after.uri: missing"},
		{"sides without URIs", `{"edit":{"before":{},"after":{}},"id":"x:/a"}`, "x:/a", "x:/a", "x:/a", "x:/a", "[0].edit.before.uri: missing"},
		{"sides of wrong types", `{"id":"f","edit":{"before":1,"after":[]}}`, "f", "f", "", "", "[0].edit.before: want an object, got a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := DecodeChangeset([]byte(`{"status":"ready","files":[` + c.file + `]}`))
			if c.problem == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, strings.TrimPrefix(c.problem, "[0]"))
			}
			require.Len(t, s.Files(), 1)
			f := s.File(c.id)
			require.NotNil(t, f)
			require.Equal(t, c.uri, f.URI())
			side := func(s *FileSide) string {
				if s == nil {
					return ""
				}
				return s.URI
			}
			require.Equal(t, c.before, side(f.Before))
			require.Equal(t, c.after, side(f.After))
		})
	}
	s, err := DecodeChangeset([]byte(`{"files":[{"edit":{}},7,{"id":"b"}]}`))
	require.EqualError(t, err, "changeset state.files[0]: neither an id nor a side with a URI; changeset state.files[1]: want an object, got a number")
	require.Len(t, s.Files(), 1)
}

func TestContentRefs(t *testing.T) {
	size := 5e9 // more than 32 bits
	for wire, want := range map[string]ContentRef{
		`"blob:1"`: {URI: "blob:1"},
		`{"uri":"blob:1","sizeHint":5000000000,"contentType":"text/plain","nonce":"n"}`: {URI: "blob:1", SizeHint: &size, ContentType: "text/plain", Nonce: "n"},
		`{"uri":5,"sizeHint":"big"}`: {},
		`null`:                       {},
		`[]`:                         {},
	} {
		s, _ := DecodeChangeset([]byte(`{"files":[{"id":"f","edit":{"after":{"uri":"x:/a","content":` + wire + `}}}]}`))
		require.Equal(t, want, s.File("f").After.Content, wire)
		var direct ContentRef
		require.NoError(t, direct.UnmarshalJSON([]byte(wire)))
		require.Equal(t, want, direct)
	}
}

func TestOperations(t *testing.T) {
	s, err := DecodeChangeset([]byte(`{"operations":[
		{"id":"a","label":"A","scopes":["changeset","range",5],"status":"idle"},
		{"id":"b","confirmation":"Sure about '{0}'?"},
		{"id":"c","confirmation":{"markdown":"**Sure?**"},"icon":"x","group":"g","description":"d"},
		{"id":"d","confirmation":true},
		{"id":"e","confirmation":null,"error":{"errorType":"t","message":"m","stack":"s"}},
		{"label":"no id"},
		{"id":"a","label":"again"}]}`))
	require.EqualError(t, err, strings.Join([]string{
		`changeset state.operations[0] "a".scopes[2]: want a string, got a number`,
		`changeset state.operations[3] "d".confirmation: want a string or {markdown}, got true or false`,
		`changeset state.operations[5].id: missing`,
		`changeset state.operations[6] "a": the id is taken, left out`,
	}, "; "))
	require.Len(t, s.Operations, 5)
	a, b, c, d, e := s.Operations[0], s.Operations[1], s.Operations[2], s.Operations[3], s.Operations[4]
	require.True(t, a.Allows(ScopeChangeset) && a.Allows(ScopeRange) && !a.Allows(ScopeResource) && !b.Allows(ScopeChangeset))
	require.Nil(t, a.Confirmation)
	require.Equal(t, Plain("Sure about '{0}'?"), *b.Confirmation)
	require.Equal(t, Text{"**Sure?**", true}, *c.Confirmation)
	require.NotNil(t, d.Confirmation, "an unreadable question is one still")
	require.Nil(t, e.Confirmation)
	require.Equal(t, &ErrorInfo{"t", "m"}, e.Error)
}

func TestChangesetActions(t *testing.T) {
	ids := func(files []*ChangesetFile) (out []string) {
		for _, f := range files {
			out = append(out, f.ID)
		}
		return out
	}
	for _, c := range []struct {
		name, action string
		touched      []string
		changed      bool
		problem      string
		check        func(t *testing.T, c *Changeset)
	}{
		{"status clears the error", `{"type":"changeset/statusChanged","status":"ready"}`, nil, true, "", func(t *testing.T, c *Changeset) { require.Nil(t, c.Error) }},
		{"an error only with its status", `{"type":"changeset/statusChanged","status":"computing","error":{"message":"x"}}`, nil, true, "", func(t *testing.T, c *Changeset) { require.Nil(t, c.Error) }},
		{"no status", `{"type":"changeset/statusChanged","error":{}}`, nil, false, "status: missing", nil},
		{"a file anew", `{"type":"changeset/fileSet","file":{"id":"a"}}`, []string{"a", "a"}, true, "", func(t *testing.T, c *Changeset) {
			require.Equal(t, []string{"a", "b"}, ids(c.Files()))
			require.Nil(t, c.File("a").Before)
		}},
		{"another file", `{"type":"changeset/fileSet","file":{"id":"c"}}`, []string{"c"}, true, "", nil},
		{"no file", `{"type":"changeset/fileSet","file":null}`, nil, false, "file: missing", nil},
		{"a file leaves", `{"type":"changeset/fileRemoved","fileId":"a"}`, []string{"a"}, true, "", func(t *testing.T, c *Changeset) {
			require.Nil(t, c.File("a"))
			require.Equal(t, "b", c.File("b").ID)
		}},
		{"an unknown file leaves", `{"type":"changeset/fileRemoved","fileId":"z"}`, nil, false, "", nil},
		{"no file leaves", `{"type":"changeset/fileRemoved"}`, nil, false, "fileId: missing", nil},
		{"reviewed", `{"type":"changeset/filesReviewChanged","files":["z","a"],"reviewed":true}`, []string{"a"}, true, "", func(t *testing.T, c *Changeset) { require.True(t, c.File("a").Reviewed) }},
		{"not reviewed, as before 0.6", `{"type":"changeset/filesReviewedChanged","fileIds":["b"],"reviewed":false}`, []string{"b"}, true, "", func(t *testing.T, c *Changeset) { require.False(t, c.File("b").Reviewed) }},
		{"reviewed or not", `{"type":"changeset/filesReviewChanged","files":["b"]}`, nil, false, "reviewed: missing", func(t *testing.T, c *Changeset) { require.True(t, c.File("b").Reviewed) }},
		{"new content", `{"type":"changeset/contentChanged","files":[{"id":"c"}]}`, []string{"a", "b", "c"}, true, "", func(t *testing.T, c *Changeset) {
			require.Len(t, c.Operations, 1, "absent operations are unchanged")
			require.Nil(t, c.Error, "an absent error is none")
		}},
		{"new content with null operations", `{"type":"changeset/contentChanged","files":[],"operations":null}`, []string{"a", "b"}, true, "", func(t *testing.T, c *Changeset) { require.Len(t, c.Operations, 1) }},
		{"new content with operations", `{"type":"changeset/contentChanged","files":[],"operations":[]}`, []string{"a", "b"}, true, "", func(t *testing.T, c *Changeset) { require.Empty(t, c.Operations) }},
		{"content that failed", `{"type":"changeset/contentChanged","files":[],"error":{"message":"no git"}}`, []string{"a", "b"}, true, "", func(t *testing.T, c *Changeset) { require.Equal(t, "no git", c.Error.Message) }},
		{"content without files", `{"type":"changeset/contentChanged","files":"none"}`, nil, true, "files: want an array, got a string", func(t *testing.T, c *Changeset) { require.Len(t, c.Files(), 2) }},
		{"no operations", `{"type":"changeset/operationsChanged"}`, nil, true, "", func(t *testing.T, c *Changeset) { require.Nil(t, c.Operations) }},
		{"unreadable operations", `{"type":"changeset/operationsChanged","operations":{}}`, nil, false, "operations: want an array, got an object", func(t *testing.T, c *Changeset) { require.Len(t, c.Operations, 1) }},
		{"an operation runs", `{"type":"changeset/operationStatusChanged","operationId":"o","status":"running","error":{"message":"x"}}`, nil, true, "", func(t *testing.T, c *Changeset) {
			require.Equal(t, OperationRunning, c.Operations[0].Status)
			require.Nil(t, c.Operations[0].Error)
		}},
		{"an operation fails", `{"type":"changeset/operationStatusChanged","operationId":"o","status":"error","error":{"message":"x"}}`, nil, true, "", func(t *testing.T, c *Changeset) { require.Equal(t, "x", c.Operations[0].Error.Message) }},
		{"an unknown operation", `{"type":"changeset/operationStatusChanged","operationId":"z","status":"error"}`, nil, false, "", nil},
		{"an operation without a status", `{"type":"changeset/operationStatusChanged","operationId":"o"}`, nil, false, "status: missing", nil},
		{"cleared", `{"type":"changeset/cleared"}`, []string{"a", "b"}, true, "", func(t *testing.T, c *Changeset) { require.Empty(t, c.Files()) }},
		{"disposed", `{"type":"changeset/disposed"}`, []string{"a", "b"}, true, "", func(t *testing.T, c *Changeset) { require.Empty(t, c.Files()) }},
		{"another channel's", `{"type":"annotations/removed"}`, nil, false, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := changeset(t)
			touched, changed, err := s.Apply(action(t, c.action))
			require.Equal(t, c.touched, ids(touched))
			require.Equal(t, c.changed, changed)
			if c.problem == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.problem)
			}
			if c.check != nil {
				c.check(t, s)
			}
			checkChangeset(t, s)
		})
	}
	var zero Changeset // usable
	_, changed, err := zero.Apply(action(t, `{"type":"changeset/fileSet","file":{"id":"a"}}`))
	require.NoError(t, err)
	require.True(t, changed)
	_, changed, err = zero.Apply(Action{Type: TypeChangesetCleared, Raw: []byte(`{"type":`)})
	require.Error(t, err)
	require.False(t, changed, "an unreadable action changes nothing")
}
