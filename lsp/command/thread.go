package command

import (
	"context"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/mapping"
	"ahp-lsp/mapping/thread"
)

// annotationsChannel is where a session's comments are.
func annotationsChannel(session string) string { return session + "/annotations" }

// dispatch sends an action on a session's comments. err is that of making it.
func (c *Commands) dispatch(session string, a ahp.Action, err error) (Result, error) {
	if err == nil {
		if host := c.host(); host == nil {
			err = errNoHost
		} else {
			err = host.Dispatch(annotationsChannel(session), a)
		}
	}
	if err != nil {
		return c.fail("%v", err)
	}
	return done(), nil
}

// resolve is ahp.annotation.resolve.
func (c *Commands) resolve(_ context.Context, p protocol.ThreadArgs) (Result, error) {
	if _, _, err := c.state().Thread(p.Session, p.Annotation); err != nil {
		return c.fail("%v", err)
	}
	a, err := ahp.ResolveAnnotation(p.Annotation, true)
	return c.dispatch(p.Session, a, err)
}

// reopen is ahp.annotation.reopen.
func (c *Commands) reopen(_ context.Context, p protocol.ThreadArgs) (Result, error) {
	t, _, err := c.state().Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("%v", err)
	}
	// The reference host's agent marks what it resolved in the metadata too.
	if fb, ok := t.Annotation().Feedback(); ok && fb.State == ahp.FeedbackResolved {
		next := t.Annotation().WithFeedbackState(ahp.FeedbackSubmitted)
		next.Resolved = false
		a, err := ahp.SetAnnotation(next)
		return c.dispatch(p.Session, a, err)
	}
	a, err := ahp.ResolveAnnotation(p.Annotation, false)
	return c.dispatch(p.Session, a, err)
}

// accept is ahp.annotation.accept.
func (c *Commands) accept(_ context.Context, p protocol.ThreadArgs) (Result, error) {
	t, _, err := c.state().Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("%v", err)
	}
	if _, ok := t.Annotation().Feedback(); !ok {
		return c.fail("the comment was not made by the host's review convention; there is nothing to accept")
	}
	a, err := ahp.SetAnnotation(t.Annotation().WithFeedbackState(ahp.FeedbackAccepted))
	return c.dispatch(p.Session, a, err)
}

// deleteComment is ahp.annotation.delete.
func (c *Commands) deleteComment(ctx context.Context, call invocation, p protocol.ThreadArgs) (Result, error) {
	t, _, err := c.state().Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("%v", err)
	}
	summary := thread.Summary(t.Annotation(), mapping.Placement{}, 60)
	ok, r, err := c.confirm(ctx, call, question{
		text: "Delete this comment and its replies?\n" + summary, yes: "Delete", title: "Delete: " + summary,
	})
	if !ok || err != nil {
		return r, err
	}
	if _, _, err := c.state().Thread(p.Session, p.Annotation); err != nil {
		return c.fail("%v", err)
	}
	a, err := ahp.RemoveAnnotation(p.Annotation)
	return c.dispatch(p.Session, a, err)
}

// cleanText is a text as it is sent: without the white space around it.
func cleanText(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
}
