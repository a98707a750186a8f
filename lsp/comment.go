package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

func newID() string { return uuid.NewString() }

// createArgs is the argument of ahp.annotation.create. Without a range it is
// about the whole file; without a text the user is asked for it. Remove, used
// by our own code action, is the text of the buffer that becomes the comment.
type createArgs struct {
	URI     string          `json:"uri"`
	Range   *protocol.Range `json:"range,omitempty"`
	Text    *string         `json:"text,omitempty"`
	Seen    int             `json:"seen,omitempty"` // of Range, see pointed
	Session string          `json:"session,omitempty"`
	Remove  *removeArgs     `json:"remove,omitempty"`
}

type removeArgs struct {
	Range protocol.Range `json:"range"`
	Text  string         `json:"text"` // what must still stand there
}

// sessionsOf are the followed sessions that work where the file is, newest
// first.
func (s *Server) sessionsOf(uri string) (out []string) {
	for session, ses := range s.sessions {
		if ses.view == nil || ses.view.State == nil {
			continue
		}
		for _, dir := range ses.view.State.Directories() {
			if insideURI(uri, s.host.ToLocal(dir)) {
				out = append(out, session)
				break
			}
		}
	}
	place := map[string]int{}
	for i, info := range s.listed {
		place[info.URI] = i + 1
	}
	slices.SortFunc(out, func(a, b string) int {
		if d := place[a] - place[b]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out
}

// annotationCreate is ahp.annotation.create.
func (s *Server) annotationCreate(args commandArgs) (any, error) {
	var p createArgs
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	f := s.open(p.URI)
	if f == nil {
		return refuse("%s is not open", p.URI)
	}
	return s.afterLoading(f, loadingTimeout, func() (any, error) {
		text := f.text()
		switch {
		case f.doc == nil:
			return s.sorry("the comment was not made: %s was closed", baseName(f.uri))
		case text == nil:
			return s.sorry("the comment was not made: %v", errOutOfStep)
		}
		session, err := s.sessionFor(f, p.Session)
		if err != nil {
			return s.sorry("the comment was not made: %v", err)
		}
		var span *mapping.Span
		if p.Range != nil {
			sp, err := s.pointed(f, text, *p.Range, p.Seen)
			if err != nil {
				return s.sorry("the comment was not made: %v", err)
			}
			span = &sp
		}
		if p.Text == nil {
			quoted := ""
			if span != nil {
				quoted = text.Slice(*span)
			}
			anchor := mapping.NewAnchor(text, orWhole(span))
			return nil, s.askText(scratchRequest{
				name: "comment", intro: "Comment on " + baseName(f.uri), quoted: quoted,
				send: func(body string) (any, error) { return s.createLater(f.uri, session, anchor, span != nil, body) },
			})
		}
		return s.create(f, session, text, span, *p.Text, p.Remove)
	})
}

func orWhole(span *mapping.Span) mapping.Span {
	if span == nil {
		return mapping.Span{}
	}
	return *span
}

// createLater makes a comment whose text took its time: its place is looked
// for in the text as it is now.
func (s *Server) createLater(uri, session string, anchor mapping.Anchor, ranged bool, body string) (any, error) {
	f := s.files[uri]
	if f == nil || f.text() == nil {
		return s.sorry("the comment was not made: %s is not open any more", baseName(uri))
	}
	text := f.text()
	var span *mapping.Span
	if ranged {
		p := mapping.Align(anchor.Base, text).Place(anchor)
		if p.State == mapping.Detached {
			return s.sorry("the comment was not made: the code it is about is gone")
		}
		span = &p.Span
	}
	return s.create(f, session, text, span, body, nil)
}

func (s *Server) sessionFor(f *file, wanted string) (string, error) {
	if wanted != "" {
		if ses := s.sessions[wanted]; ses == nil || ses.view == nil {
			return "", fmt.Errorf("the session %s is not followed", wanted)
		}
		return wanted, nil
	}
	if list := s.sessionsOf(f.uri); len(list) > 0 {
		return list[0], nil
	}
	return "", fmt.Errorf("no agent session works on %s; start one there, or choose one with the command ahp.session.select", baseName(f.uri))
}

// create makes a comment. The host is told the place in the text on disk, which
// is what the agent sees; here the comment is about the text in the buffer.
func (s *Server) create(f *file, session string, text *mapping.Text, span *mapping.Span, body string, remove *removeArgs) (any, error) {
	if body = cleanText(body); body == "" {
		return s.sorry("an empty comment is not sent")
	}
	if remove != nil && text.Slice(s.fromRange(text, remove.Range)) != remove.Text {
		return s.sorry("the comment was not made: its line changed meanwhile")
	}
	a := s.newAnnotation(f, session, text, span, body)
	key := threadKey{session, a.ID}
	if span != nil {
		anchor := mapping.NewAnchor(text, *span)
		s.ownAnchors[key] = knownPlace{&anchor, a.Resource, a.Range}
		if remove != nil || f.disk.text != nil && f.disk.text.String() != text.String() {
			s.adrift = append(s.adrift, key)
		}
	}
	action, err := ahp.SetAnnotation(a)
	r, err := s.dispatchAnnotation(session, action, err)
	m, ok := r.(map[string]any)
	if err != nil || !ok || m["ok"] != true {
		delete(s.ownAnchors, key)
		s.forgetAdrift(key)
		return r, err
	}
	m["session"], m["annotation"] = session, a.ID
	if remove == nil {
		return m, nil
	}
	edit := s.edit(f.doc, []protocol.TextEdit{{Range: remove.Range}})
	return nil, later{func(ctx context.Context) (any, error) {
		if err := s.applyEdit(ctx, "Remove the comment's line", edit); err != nil {
			// The comment is made; that its line stays is only untidy.
			s.tell(0, fmt.Sprintf("the comment was made, but its line could not be removed: %v", err))
		}
		return m, nil
	}}
}

func (s *Server) newAnnotation(f *file, session string, text *mapping.Text, span *mapping.Span, body string) *ahp.Annotation {
	id := newID()
	a := &ahp.Annotation{
		ID: id, Resource: s.host.ToHost(f.uri),
		Entries: []ahp.Entry{{ID: id + ":0", Text: ahp.Plain(body)}},
	}
	quote := ""
	if span != nil {
		disk := f.disk.text
		if disk == nil {
			disk = text
		}
		quote = text.Slice(*span)
		at, ok := mapping.Align(text, disk).MapSpan(*span)
		if !ok {
			// Lines that are not saved yet: the nearest place on disk; the quote
			// says what is meant.
			at = mapping.Align(text, disk).Place(mapping.NewAnchor(text, *span)).Span
		}
		r := hostRange(disk, at)
		a.Range = &r
	}
	a.Meta = ahp.NewFeedback(session, cutQuote(quote))
	turn, chat := "", ""
	if ses := s.sessions[session]; ses != nil && ses.view != nil {
		turn, chat = f.writtenBy(session, ses.view.Chat.Latest()), ses.view.State.DefaultChat
	}
	if ahp.CompareVersions(s.host.Version(), "0.9.0") >= 0 {
		a.Origin = &ahp.Origin{Session: session, Chat: chat, TurnID: turn}
	} else {
		a.TurnID = &turn
	}
	return a
}

// writtenBy returns the turn if the text on disk is what it left there: only
// then is a range in that text one in the turn's. Otherwise no turn is named.
func (f *file) writtenBy(session, turn string) string {
	for _, c := range f.changes {
		if c.view.Session == session && c.view.Turn == turn && c.content != nil && f.disk.text != nil &&
			c.content.After.String() == f.disk.text.String() {
			return turn
		}
	}
	return ""
}

// commentLineAction offers to turn an "ahp: …" line into a comment.
func (s *Server) commentLineAction(l *actionList, f *file, text *mapping.Text, selection mapping.Span, lines mapping.LineRange) {
	for line := lines.Start; line < min(lines.End, lines.Start+1000); line++ {
		c, ok := mapping.FindCommentLine(text, line)
		if !ok {
			continue
		}
		title := "Create comment from this line: " + mapping.Shorten(firstLine(c.Text), 48)
		if _, err := s.sessionFor(f, ""); err != nil {
			l.disabled(title, err.Error())
			return
		}
		target := s.toRange(text, c.Target(text, selection))
		l.command(title, "ahp.annotation.create", createArgs{
			URI: f.editorURI(), Range: &target, Text: &c.Text,
			Remove: &removeArgs{Range: s.toRange(text, c.Remove), Text: text.Slice(c.Remove)},
		})
		l.list[len(l.list)-1].IsPreferred = ptr(true)
		return
	}
}

// maxQuote bounds, in bytes, the code that a comment quotes for the agent.
const maxQuote = 2048

// cutQuote is a quote as it is sent: of a long one the beginning, and nothing
// else, so that it can be found again.
func cutQuote(s string) string {
	if len(s) <= maxQuote {
		return s
	}
	n := maxQuote
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cleanText is a text as it is sent: without the white space around it.
func cleanText(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
}
