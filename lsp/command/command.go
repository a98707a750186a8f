package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
)

// Workspace is the state, and how it changes.
type Workspace interface {
	State() *workspace.Workspace
	// Apply changes the state and carries out the effects. It does not wait.
	Apply(workspace.Event)
	// Await leaves the loop until a condition, which is asked for in the loop,
	// holds, or for limit. Errors: that of ctx.
	Await(ctx context.Context, limit time.Duration, until func() bool) error
}

// Editor is what a command asks of the editor and its user.
type Editor interface {
	Client() *protocol.Capabilities
	// Tell shows a message. It does not wait.
	Tell(severity remote.NoticeSeverity, text string)
	// Progress shows that something is under way until end is called. Neither
	// waits.
	Progress(title string) (end func())

	// Choose asks the user; "" means that the question was closed. It leaves the
	// loop for as long as the person takes.
	Choose(ctx context.Context, severity remote.NoticeSeverity, question string, answers ...string) (string, error)
	// ApplyEdit changes documents. It leaves the loop.
	ApplyEdit(ctx context.Context, label string, edit protocol.WorkspaceEdit) error
	// ShowDocument opens a file or a page. It leaves the loop.
	ShowDocument(ctx context.Context, p protocol.ShowDocumentParams) error
	// ShowText opens a text as a read-only file. It leaves the loop.
	ShowText(ctx context.Context, name, text string, selection *protocol.Range) (uri string, err error)
	// AskText asks for a text through a file that the user saves. It leaves the
	// loop until the file is shown; the text comes later, to r.Send.
	AskText(ctx context.Context, r TextRequest) (uri string, err error)
}

// Host is what a command asks of the agent host.
type Host interface {
	Version() string // of the protocol
	// Dispatch sends an action. It does not wait.
	Dispatch(channel string, a ahp.Action) error
	Select(session string)
	SelectBaseline(kindOrURI string) (ok bool)
	Baselines() []remote.Baseline
	Reconnect()

	// Invoke runs an operation. It leaves the loop until it has ended. See
	// bridge.Client.Invoke for the errors.
	Invoke(ctx context.Context, channel, operation string, target *ahp.OperationTarget) (ahp.InvokeResult, error)
	// Read reads a content. It leaves the loop.
	Read(ctx context.Context, ref ahp.ContentRef) ([]byte, error)
}

// TextRequest is a text that the user is asked for.
type TextRequest struct {
	Name    string // of the file, without its extension
	Intro   string // what the text is for
	Quoted  string // is shown, and not sent
	Initial string // stands there to be changed
	// Send takes the text, in the loop. If it fails, the file is kept.
	Send func(ctx context.Context, text string) (Result, error)
}

// Commands are the commands of one server. They belong to its loop.
type Commands struct {
	ws     Workspace
	editor Editor
	host   func() Host // nil: none is followed
	log    commonlog.Logger
	table  map[string]handler
	armed  map[string]armedAction // confirmations without a question
}

type handler func(ctx context.Context, call invocation) (any, error)

// invocation is one call of a command.
type invocation struct {
	name string
	args json.RawMessage // an object
}

// New returns the commands over what they act on. host returns nil while no host
// is followed.
func New(ws Workspace, editor Editor, host func() Host, log commonlog.Logger) *Commands {
	c := &Commands{ws: ws, editor: editor, host: host, log: log, armed: map[string]armedAction{}}
	c.table = map[string]handler{
		"ahp.annotation.create":   typed(c.createComment),
		"ahp.annotation.reply":    typed(c.reply),
		"ahp.annotation.edit":     typed(c.editEntry),
		"ahp.annotation.resolve":  typed(c.resolve),
		"ahp.annotation.reopen":   typed(c.reopen),
		"ahp.annotation.accept":   typed(c.accept),
		"ahp.annotation.delete":   confirmable(c.deleteComment),
		"ahp.annotation.reanchor": typed(c.reanchor),
		"ahp.original.show":       typed(c.showOriginal),
		"ahp.suggestion.apply":    typed(c.applySuggestion),
		"ahp.operation.invoke":    confirmable(c.invokeOperation),
		"ahp.hunk.keep":           typed(c.keepHunks),
		"ahp.file.keep":           typed(c.keepFile),
		"ahp.hunk.revert":         typed(c.revertHunks),
		"ahp.file.setReviewed":    typed(c.setReviewed),
		"ahp.thread.show":         typed(c.showThread),
		"ahp.before.show":         typed(c.showBefore),
		"ahp.session.select":      typed(c.selectSession),
		"ahp.status":              typed(c.status),
		"ahp.reconnect":           typed(c.reconnect),
	}
	return c
}

// Names are those of all commands, in order.
func (c *Commands) Names() []string { return slices.Sorted(maps.Keys(c.table)) }

// typed decodes a command's argument.
func typed[P, R any](run func(context.Context, P) (R, error)) handler {
	return func(ctx context.Context, call invocation) (any, error) {
		var p P
		if err := call.decode(&p); err != nil {
			return nil, err
		}
		return run(ctx, p)
	}
}

// confirmable is typed for a command that may ask for a confirmation.
func confirmable[P any](run func(context.Context, invocation, P) (Result, error)) handler {
	return func(ctx context.Context, call invocation) (any, error) {
		var p P
		if err := call.decode(&p); err != nil {
			return nil, err
		}
		return run(ctx, call, p)
	}
}

func (i invocation) decode(v any) error {
	if err := json.Unmarshal(i.args, v); err != nil {
		return invalid("%s: bad argument: %v", i.name, err)
	}
	return nil
}

// Execute runs a command with the arguments that the client sent. The result is
// what the client gets: a Result, or a value with the members "ok" and its own. An
// error says that the call cannot be right.
func (c *Commands) Execute(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	run, ok := c.table[name]
	if !ok {
		return nil, invalid("ahp-lsp has no command %q", name)
	}
	call := invocation{name, json.RawMessage("{}")}
	switch {
	case len(args) > 1:
		return nil, invalid("%s takes one object, not %d arguments", name, len(args))
	case len(args) == 1 && string(args[0]) != "null":
		call.args = args[0]
	}
	return run(ctx, call)
}

// invalid refuses a call that cannot be right: the caller's fault, not the user's.
func invalid(format string, args ...any) error {
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// loadTimeout is how long a command waits for the contents it needs.
const loadTimeout = 3 * time.Second

// loaded waits until what a file's view is made of has been loaded, or long
// enough. Errors: that of ctx.
func (c *Commands) loaded(ctx context.Context, f *workspace.File) error {
	if !f.Loading() {
		return nil
	}
	c.ws.Apply(workspace.Needed{File: f})
	return c.ws.Await(ctx, loadTimeout, func() bool { return !f.Loading() })
}

func (c *Commands) state() *workspace.Workspace { return c.ws.State() }

func (c *Commands) view() view.View { return view.Of(c.ws.State(), c.editor.Client()) }
