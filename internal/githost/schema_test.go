package githost

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

const schemaBase = "https://microsoft.github.io/agent-host-protocol/schema/"

// schemas are the published ones of 0.6.0, compiled on first use.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	compiler := jsonschema.NewCompiler()
	for _, name := range []string{"actions", "commands", "notifications", "state", "errors"} {
		file, err := os.Open(filepath.Join("..", "..", "testdata", "ahp", "schema", name+".schema.json"))
		if err != nil {
			panic(err)
		}
		doc, err := jsonschema.UnmarshalJSON(file)
		file.Close()
		if err != nil {
			panic(err)
		}
		defs := doc.(map[string]any)["$defs"].(map[string]any)
		// The published action schema refers to a definition without a name.
		defs[""] = false
		// The generator wrote "string" for the content of a file's sides, where
		// every host sends a ContentRef.
		if edit, ok := defs["FileEdit"].(map[string]any); ok {
			for _, side := range []string{"before", "after"} {
				props := edit["properties"].(map[string]any)[side].(map[string]any)["properties"].(map[string]any)
				props["content"] = map[string]any{"$ref": "#/$defs/ContentRef"}
			}
		}
		// A number whose values are bits.
		if _, ok := defs["SessionStatus"]; ok {
			defs["SessionStatus"] = map[string]any{"type": "number"}
		}
		if err := compiler.AddResource(schemaBase+name+".schema.json", doc); err != nil {
			panic(err)
		}
	}
	compiled := map[string]*jsonschema.Schema{}
	for _, def := range []string{
		"actions/ChangesetStatusChangedAction", "actions/ChangesetFileSetAction", "actions/ChangesetFileRemovedAction",
		"actions/ChangesetFilesReviewChangedAction", "actions/ChangesetContentChangedAction", "actions/ChangesetOperationsChangedAction",
		"actions/ChangesetOperationStatusChangedAction", "actions/AnnotationsSetAction", "actions/AnnotationsUpdatedAction",
		"actions/AnnotationsRemovedAction", "actions/AnnotationsEntrySetAction", "actions/AnnotationsEntryRemovedAction",
		"actions/SessionTitleChangedAction", "actions/SessionMetaChangedAction", "actions/SessionChangesetsChangedAction",
		"actions/SessionChatUpdatedAction", "actions/ChatTurnStartedAction", "actions/ChatTurnCompleteAction", "actions/ActionOrigin",
		"notifications/SessionSummaryChangedParams", "notifications/SessionAddedParams",
		"commands/InitializeResult", "commands/ReconnectReplayResult", "commands/ReconnectSnapshotResult",
		"commands/SubscribeResult", "commands/ListSessionsResult", "commands/ResourceReadResult",
		"commands/InvokeChangesetOperationResult",
		"state/RootState", "state/SessionState", "state/ChatState", "state/ChangesetState", "state/AnnotationsState",
	} {
		file, name, _ := strings.Cut(def, "/")
		compiled[def] = compiler.MustCompile(schemaBase + file + ".schema.json#/$defs/" + name)
	}
	return compiled
})

// fits holds a value against a definition.
func fits(t testing.TB, def string, raw json.RawMessage) {
	t.Helper()
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Errorf("%s: %v", def, err)
		return
	}
	schema := schemas()[def]
	if schema == nil {
		t.Errorf("no schema %s for %s", def, raw)
		return
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%s does not fit: %s\n%v", def, raw, err)
	}
}

// checkNotification holds a notification against the schemas. Annotations in the
// shape of 0.9 have no turnId, which 0.6 wants.
func checkNotification(t testing.TB, frame []byte, m ahp.Message) {
	t.Helper()
	if !strings.HasPrefix(string(frame), `{"jsonrpc":"2.0",`) {
		t.Errorf("no jsonrpc member: %s", frame)
	}
	switch m.Method {
	case "action":
		checkAction(t, m.Params)
	case ahp.NoteSessionSummaryChanged:
		fits(t, "notifications/SessionSummaryChangedParams", m.Params)
	default:
		t.Errorf("unknown notification %s", m.Method)
	}
}

// checkAction holds an envelope against the schemas: that of an envelope as a
// whole would say of a wrong action only that it is none of a hundred.
func checkAction(t testing.TB, params json.RawMessage) {
	t.Helper()
	e := wire.Parse(params)
	var seq int64
	if wire.Text(e["channel"]) == "" || json.Unmarshal(e["serverSeq"], &seq) != nil || seq < 1 {
		t.Errorf("no channel or serverSeq: %s", params)
	}
	for member := range e {
		if !strings.Contains(" channel action serverSeq origin rejectionReason ", " "+member+" ") {
			t.Errorf("unknown member %s: %s", member, params)
		}
	}
	if e["origin"] != nil {
		fits(t, "actions/ActionOrigin", e["origin"])
	}
	kind := wire.Text(wire.Parse(e["action"])["type"])
	if e["rejectionReason"] != nil {
		if wire.Text(e["rejectionReason"]) == "" {
			t.Errorf("a refusal without a reason: %s", params)
		}
		return // what it refuses is the client's
	}
	newest := strings.Contains(string(params), `"origin":{"session"`) || strings.Contains(string(params), `"origin":{"chat"`)
	if kind == ahp.TypeChangesetFilesReviewedChanged || newest {
		return // before 0.6, after 0.8
	}
	area, name, _ := strings.Cut(kind, "/")
	fits(t, "actions/"+strings.ToUpper(area[:1])+area[1:]+strings.ToUpper(name[:1])+name[1:]+"Action", e["action"])
}

// checkResult holds a result against the schemas, and the states in it against
// those of their channels: the schema of a snapshot takes any state for any
// channel.
func checkResult(t testing.TB, method string, raw json.RawMessage) {
	t.Helper()
	newest := strings.Contains(string(raw), `"origin":{"session"`) || strings.Contains(string(raw), `"origin":{"chat"`)
	switch method {
	case "initialize":
		if !newest {
			fits(t, "commands/InitializeResult", raw)
		}
	case "subscribe":
		if !newest {
			fits(t, "commands/SubscribeResult", raw)
		}
	case "listSessions":
		fits(t, "commands/ListSessionsResult", raw)
	case "resourceRead":
		fits(t, "commands/ResourceReadResult", raw)
	case "invokeChangesetOperation":
		fits(t, "commands/InvokeChangesetOperationResult", raw)
	case "reconnect":
		if strings.Contains(string(raw), `"type":"replay"`) && !newest && !strings.Contains(string(raw), `"channels":`) {
			fits(t, "commands/ReconnectReplayResult", raw)
		}
	}
	var r struct {
		Snapshot  *ahp.Snapshot
		Snapshots []ahp.Snapshot
	}
	_ = json.Unmarshal(raw, &r)
	if r.Snapshot != nil {
		r.Snapshots = append(r.Snapshots, *r.Snapshot)
	}
	for _, s := range r.Snapshots {
		switch {
		case s.Resource == ahp.RootURI:
			fits(t, "state/RootState", s.State)
		case strings.Contains(s.Resource, "/changeset/"):
			fits(t, "state/ChangesetState", s.State)
		case strings.HasSuffix(s.Resource, "/annotations"):
			if !newest {
				fits(t, "state/AnnotationsState", s.State)
			}
		case strings.HasPrefix(s.Resource, "ahp-chat:"):
			fits(t, "state/ChatState", s.State)
		default:
			fits(t, "state/SessionState", s.State)
		}
	}
}

// pipeClient dials a WebSocket over a connection that is there already.
func pipeClient(conn net.Conn) *websocket.DialOptions {
	return &websocket.DialOptions{HTTPClient: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return conn, nil },
	}}}
}
