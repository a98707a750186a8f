package ahp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

const schemaBase = "https://microsoft.github.io/agent-host-protocol/schema/"

// schemas validates what we send against the published schemas of 0.6.0.
type schemas struct {
	compiler *jsonschema.Compiler
	defs     map[string]map[string]any // file → $defs
}

func loadSchemas(t *testing.T) *schemas {
	s := &schemas{compiler: jsonschema.NewCompiler(), defs: map[string]map[string]any{}}
	for _, name := range []string{"actions", "commands", "state"} {
		file, err := os.Open(filepath.Join(testdata, "schema", name+".schema.json"))
		require.NoError(t, err)
		defer file.Close()
		doc, err := jsonschema.UnmarshalJSON(file)
		require.NoError(t, err)
		s.defs[name] = doc.(map[string]any)["$defs"].(map[string]any)
		// The published action schema refers to a definition without a name, as if it were a kind of action.
		s.defs[name][""] = false
		require.NoError(t, s.compiler.AddResource(schemaBase+name+".schema.json", doc))
	}
	return s
}

// accept checks that a definition accepts v, and that v has no member the
// definition does not name: the schemas allow those, a typo of ours is one.
func (s *schemas) accept(t *testing.T, file, def string, v any) {
	t.Helper()
	schema, err := s.compiler.Compile(schemaBase + file + ".schema.json#/$defs/" + def)
	require.NoError(t, err)
	var doc any
	require.NoError(t, json.Unmarshal([]byte(mustJSON(t, v)), &doc))
	require.NoError(t, schema.Validate(doc), "%s: %s", def, mustJSON(t, v))
	if known, ok := s.defs[file][def].(map[string]any)["properties"].(map[string]any); ok {
		for member := range doc.(map[string]any) {
			require.Contains(t, known, member, def)
		}
	}
}

// annotationFor07 is written for 0.8 and older, where the schemas' turnId is.
func annotationFor07() *Annotation {
	turn := ""
	return &Annotation{
		ID: "a1", TurnID: &turn, Resource: "file:///w/a.go",
		Range:   &Range{Start: Position{Line: 1}, End: Position{Line: 1, Character: 4}},
		Entries: []Entry{{ID: "e1", Text: Plain("a < b && c")}, {ID: "e2", Text: Text{Value: "**x**", Markdown: true}}},
		Meta:    NewFeedback("copilotcli:/s", "if a {"),
	}
}

func TestSentActionsFitTheSchemas(t *testing.T) {
	s := loadSchemas(t)
	action := func(a Action, err error) Action {
		require.NoError(t, err)
		return a
	}
	for def, a := range map[string]Action{
		"AnnotationsSetAction":              action(SetAnnotation(annotationFor07())),
		"AnnotationsUpdatedAction":          action(ResolveAnnotation("a1", false)),
		"AnnotationsRemovedAction":          action(RemoveAnnotation("a1")),
		"AnnotationsEntrySetAction":         action(SetEntry("a1", Entry{ID: "e3", Text: Plain("reply")})),
		"ChangesetFilesReviewChangedAction": action(ReviewFiles("0.6.0", nil, true)),
	} {
		t.Run(def, func(t *testing.T) {
			s.accept(t, "actions", def, a)
			s.accept(t, "actions", "StateAction", a)
			s.accept(t, "commands", "DispatchActionParams", DispatchParams{Channel: "ahp-session:/s/annotations", ClientSeq: 7, Action: a})
		})
	}
	input, answers := "ls", map[string]Answer{
		"a": Selected("x"), "b": SelectedFreeform("mine"), "c": SelectedMany([]string{"x", "y"}, "mine"),
		"d": Written("text"), "e": Number(1.5), "f": YesNo(true), "g": Skipped(),
	}
	for _, c := range []struct {
		def string
		a   Action
	}{
		{"ChatTurnStartedAction", action(StartTurn("t", time.Now(), UserMessage("/act-on-feedback", AttachAnnotations("s:/1/annotations", "2 comments", []string{"a", "b"}))))},
		{"ChatTurnCancelledAction", action(CancelTurn("t", time.Second))},
		{"ChatPendingMessageSetAction", action(SetPendingMessage(PendingSteering, "m", UserMessage("stop")))},
		{"ChatPendingMessageRemovedAction", action(RemovePendingMessage(PendingQueued, "m"))},
		{"ChatToolCallApprovedAction", action(ConfirmToolCall("t", "c", Verdict{Approve: true}))},
		{"ChatToolCallApprovedAction", action(ConfirmToolCall("t", "c", Verdict{Approve: true, Option: "o", Input: &input}))},
		{"ChatToolCallDeniedAction", action(ConfirmToolCall("t", "c", Verdict{}))},
		{"ChatToolCallDeniedAction", action(ConfirmToolCall("t", "c", Verdict{Skip: true, Option: "o", Suggestion: "ask first"}))},
		{"ChatToolCallResultConfirmedAction", action(ConfirmResult("t", "c", true))},
		{"ChatInputCompletedAction", action(CompleteInput("f", ResponseAccept, answers))},
		{"ChatInputCompletedAction", action(CompleteInput("f", ResponseDecline, nil))},
	} {
		s.accept(t, "actions", c.def, c.a)
	}
	for _, answer := range answers {
		s.accept(t, "state", "ChatInputAnswer", answer)
	}
	s.accept(t, "state", "Annotation", annotationFor07())
	s.accept(t, "state", "AnnotationEntry", Entry{ID: "e", Text: Text{Markdown: true}})

	// What 0.6 renamed.
	old := action(ReviewFiles("0.5.2", []string{"f"}, true))
	require.JSONEq(t, `{"type":"changeset/filesReviewedChanged","fileIds":["f"],"reviewed":true}`, mustJSON(t, old))
	require.Equal(t, TypeChangesetFilesReviewedChanged, old.Type)
}

func TestSentParamsFitTheSchemas(t *testing.T) {
	s := loadSchemas(t)
	root := ChannelParams{Channel: RootURI}
	target := &OperationTarget{Kind: ScopeResource, Resource: "file:///w/a.go", Side: "after"}
	for _, c := range []struct {
		def    string
		params any
	}{
		{"InitializeParams", InitializeParams{Channel: RootURI, ProtocolVersions: Versions(), ClientID: "c"}},
		{"InitializeParams", InitializeParams{
			Channel: RootURI, ProtocolVersions: Versions(), ClientID: "c", Locale: "en",
			ClientInfo: &Implementation{Name: "ahp-lsp", Version: "1.0.0"}, InitialSubscriptions: []string{RootURI},
		}},
		{"SubscribeParams", ChannelParams{Channel: "ahp-session:/s"}},
		{"UnsubscribeParams", ChannelParams{Channel: "ahp-session:/s"}},
		{"PingParams", root},
		{"ReconnectParams", ReconnectParams{Channel: RootURI, ClientID: "c", LastSeenServerSeq: 9, Subscriptions: []string{RootURI}}},
		{"ListSessionsParams", ListSessionsParams{Channel: RootURI}},
		{"ListSessionsParams", ListSessionsParams{Channel: RootURI, Limit: 50, Cursor: "x"}},
		{"ResourceReadParams", ResourceReadParams{Channel: RootURI, URI: "git-blob:/x"}},
		{"ResourceReadParams", ResourceReadParams{Channel: RootURI, URI: "git-blob:/x", Encoding: "utf-8"}},
		{"InvokeChangesetOperationParams", InvokeParams{Channel: "x:/changeset/branch", OperationID: "commit"}},
		{"InvokeChangesetOperationParams", InvokeParams{Channel: "x:/changeset/branch", OperationID: "discard", Target: target}},
		{"ChangesetOperationTarget", target},
		// The schema's generator wrote "string" for the range of a target; the
		// round-trip cases have the real shape. What the schema can still say is
		// that it accepts one of the two.
		{"ChangesetOperationTarget", &OperationTarget{Kind: ScopeRange, Resource: "file:///w/a.go", Range: &Range{}}},
	} {
		t.Run(c.def, func(t *testing.T) { s.accept(t, "commands", c.def, c.params) })
	}
}

// TestReadingWhatTheSchemasHave reads the schema's own shape of a changeset's
// content, which is a bare URI.
func TestReadingWhatTheSchemasHave(t *testing.T) {
	c, err := DecodeChangeset([]byte(`{"status":"ready","files":[{"id":"f","edit":{"after":{"uri":"file:///a","content":"blob:1"}}}]}`))
	require.NoError(t, err)
	require.Equal(t, ContentRef{URI: "blob:1"}, c.File("f").After.Content)
}
