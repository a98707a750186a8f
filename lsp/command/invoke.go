package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// invoke runs the operation and tells its outcome.
func (c *Commands) invoke(ctx context.Context, p protocol.OperationArgs, prep prepared, label string) (Result, error) {
	end := c.editor.Progress(label)
	r, err := prep.host.Invoke(ctx, p.Channel, p.Operation, prep.target)
	if conflict := (*ahp.Error)(nil); errors.As(err, &conflict) && conflict.Code == ahp.CodeConflict && prep.target != nil && prep.target.Range != nil {
		if again, ok := c.aimAgain(ctx, p, prep); ok {
			r, err = prep.host.Invoke(ctx, p.Channel, p.Operation, again.target)
		} else if ctx.Err() != nil {
			err = ctx.Err()
		}
	}
	end()
	if errors.Is(err, context.Canceled) {
		return Result{}, err
	}
	if errors.Is(err, remote.ErrDisconnected) {
		c.log.Infof("%v", err)
		return c.fail("%s: %v; look at the files to see whether it ran", label, remote.ErrDisconnected)
	}
	if err != nil {
		c.log.Infof("%v", err)
		why := err.Error()
		if refusal := (*ahp.Error)(nil); errors.As(err, &refusal) && refusal.Message != "" {
			why = printable.Label(view.FirstLine(refusal.Message)) // hosts send stacks along
		}
		return c.fail("%s failed: %s", label, why)
	}
	message := label + ": done."
	if r.Message != nil && r.Message.Value != "" {
		message = printable.Label(r.Message.Value)
	}
	c.editor.Tell(remote.NoticeInfo, message+c.afterOperation(ctx, prep))
	out := done("message", message)
	if r.FollowUp != nil {
		c.followUp(ctx, prep.host, r.FollowUp.Content, r.FollowUp.External, &out)
	}
	return out, nil
}

// A host refuses a target with a conflict when its file has been written since
// the host told what is in it: right after another operation, or while an agent
// is at work. The user sees neither. What is meant is known by the buffer, so
// a range is worked out again once the host has told what the file is like now, and
// sent once more: the lines that the user saw, or none. A whole file is another
// matter: what has been written to it since nobody has seen, so its refusal stands.

// aimAgain waits for the host's word on the file and works the target out again.
// ok is false if none comes in time, or if the buffer is not the one that the
// user pointed into any more.
func (c *Commands) aimAgain(ctx context.Context, p protocol.OperationArgs, prep prepared) (again prepared, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	told := func() bool { return prep.change.Entry() != prep.entry || prep.change.Dropped() }
	if !told() {
		if c.ws.Await(ctx, loadTimeout, told) != nil || !told() {
			return prepared{}, false
		}
	}
	if c.loaded(ctx, prep.file) != nil || prep.file.Text() != prep.text {
		return prepared{}, false
	}
	again, err := c.prepareTarget(p)
	return again, err == nil
}

// afterOperation looks at what the operation may have written. It gives what
// the user should do about a buffer that shows something else than the disk.
func (c *Commands) afterOperation(ctx context.Context, prep prepared) string {
	c.ws.Apply(workspace.FilesWritten{})
	f := prep.file
	if f == nil || f.Doc() == nil {
		return ""
	}
	if c.loaded(ctx, f) != nil {
		return "" // cancelled: it has run all the same
	}
	switch disk := f.Disk(); {
	case f.Doc() == nil || f.Text() == nil || !disk.Known:
	case disk.Text == nil:
		return " " + workspace.BaseName(f.URI()) + " cannot be read any more (" + disk.Why + ")"
	case f.Unsaved():
		return " The buffer shows another text than the disk: reload it."
	}
	return ""
}

// followUp shows what an operation leads to: a page outside, or a text.
func (c *Commands) followUp(ctx context.Context, host Host, ref ahp.ContentRef, external bool, out *Result) {
	out.set("followUp", ref.URI)
	web := strings.HasPrefix(ref.URI, "https://") || strings.HasPrefix(ref.URI, "http://")
	switch _, file := ahp.FilePath(ref.URI); {
	case web:
		if !c.leaveEditor(ctx, ref.URI) {
			return
		}
		if err := c.editor.ShowDocument(ctx, protocol.ShowDocumentParams{URI: ref.URI, External: true, TakeFocus: true}); err != nil {
			c.editor.Tell(remote.NoticeInfo, "see "+printable.Label(ref.URI))
		}
		return
	case external:
		c.editor.Tell(remote.NoticeWarning, "the host wants this opened, which is no web address: "+printable.Label(ref.URI))
		return
	case file && onNetwork(ref.URI):
		c.editor.Tell(remote.NoticeWarning, "the host wants a file of another machine opened, which is refused: "+printable.Label(ref.URI))
		return
	case file:
		uri := c.state().ToLocal(ref.URI)
		out.set("followUp", uri)
		if c.editor.ShowDocument(ctx, protocol.ShowDocumentParams{URI: uri, TakeFocus: true}) == nil {
			return
		} // not on this machine, perhaps: its text is
	}
	data, err := host.Read(ctx, ref)
	if err != nil {
		c.editor.Tell(remote.NoticeWarning, fmt.Sprintf("cannot read what the operation produced: %v", err))
		return
	}
	text, why := workspace.DecodeText(data)
	if text == nil {
		c.editor.Tell(remote.NoticeWarning, "cannot show what the operation produced: "+why)
		return
	}
	if _, err := c.editor.ShowText(ctx, "result.md", text.String(), nil); err != nil {
		c.editor.Tell(remote.NoticeInfo, mapping.Shorten(text.String(), 2000))
	}
}

// leaveEditor asks whether a page that the host names may be opened, in a program
// other than the editor.
func (c *Commands) leaveEditor(ctx context.Context, uri string) bool {
	if !c.editor.Client().Asks() {
		c.editor.Tell(remote.NoticeInfo, "see "+printable.Label(uri))
		return false
	}
	answer, err := c.editor.Choose(ctx, remote.NoticeInfo, "The agent host wants to open "+printable.Label(uri), "Open", "Cancel")
	return err == nil && answer == "Open"
}

// onNetwork reports whether a file URI names another machine: to open it tells that
// machine who the user is, on some systems.
func onNetwork(uri string) bool {
	path, ok := ahp.FilePath(uri)
	return ok && (strings.HasPrefix(path, "//") || strings.HasPrefix(path, `\\`))
}
