package lsp

import (
	"context"
	"fmt"
	"path"
	"sort"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
)

// statusResult is the answer of ahp.status.
type statusResult struct {
	OK         bool                 `json:"ok"`
	State      string               `json:"state"` // searching, connecting, connected, disconnected
	Host       string               `json:"host,omitempty"`
	Protocol   string               `json:"protocol,omitempty"`
	Server     string               `json:"server,omitempty"`
	Error      string               `json:"error,omitempty"`
	Sessions   []bridge.SessionInfo `json:"sessions"`
	Comments   int                  `json:"comments"` // open ones, of followed sessions
	Changesets []changesetStatus    `json:"changesets"`
	Working    bool                 `json:"working"` // an agent's turn is running
	// Reviewed counts the kept hunks of the open files.
	Reviewed reviewedStatus `json:"reviewed"`
}

type reviewedStatus struct {
	Kept  int `json:"kept"`
	Hunks int `json:"hunks"`
}

type changesetStatus struct {
	Channel string `json:"channel"`
	Session string `json:"session"`
	Label   string `json:"label"`
	Kind    string `json:"kind"`
	Status  string `json:"status"`
	Files   int    `json:"files"`
	Shown   bool   `json:"shown"` // hunks are shown from it
}

// status is ahp.status.
func (s *Server) status(commandArgs) (any, error) {
	c := s.connection
	r := statusResult{OK: true, State: c.State.String(), Host: c.Host, Protocol: c.Version, Server: c.Server, Sessions: s.listed, Changesets: []changesetStatus{}}
	if c.Err != nil {
		r.Error = c.Err.Error()
	}
	if r.Sessions == nil {
		r.Sessions = []bridge.SessionInfo{}
	}
	for _, ses := range s.sessions {
		for id, f := range ses.threads {
			if ses.view != nil && !f.threads[threadKey{ses.view.URI, id}].annotation.Resolved {
				r.Comments++
			}
		}
		r.Working = r.Working || ses.view != nil && ses.view.Chat.Active != nil
	}
	for _, f := range s.files {
		if c := f.primary(); f.doc != nil && c != nil && c.content != nil {
			kept, all := s.keptCount(c)
			r.Reviewed.Kept += kept
			r.Reviewed.Hunks += all
		}
	}
	for channel, cs := range s.changesets {
		r.Changesets = append(r.Changesets, changesetStatus{
			Channel: channel, Session: cs.view.Session, Label: cs.view.Entry.Label, Kind: cs.view.Entry.Kind,
			Status: cs.view.State.Status, Files: len(cs.view.State.Files()), Shown: cs.view.Primary,
		})
	}
	sort.Slice(r.Changesets, func(i, j int) bool { return r.Changesets[i].Channel < r.Changesets[j].Channel })
	return r, nil
}

// reconnect is ahp.reconnect.
func (s *Server) reconnect(commandArgs) (any, error) {
	if s.host != nil {
		s.host.Reconnect()
	}
	return done(nil), nil
}

// maxChoices bounds a question's answers: editors show them in a row.
const maxChoices = 12

// sessionSelect is ahp.session.select {session?}: follows one session, all
// ("all"), or the newest of the workspace (""). Without the member the user is
// asked.
func (s *Server) sessionSelect(args commandArgs) (any, error) {
	var p struct {
		Session *string `json:"session"`
	}
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	if s.host == nil {
		return s.sorry("not connected to an agent host")
	}
	if p.Session != nil {
		s.host.Select(*p.Session)
		return done(nil), nil
	}
	sessions := s.listed
	if len(sessions) == 0 {
		return s.sorry("the host has no session")
	}
	if !s.client.asks() {
		return done(map[string]any{"sessions": sessions}), nil
	}
	const newest = "Newest of this folder"
	answers := []string{newest}
	byTitle := map[string]bridge.SessionInfo{}
	for _, info := range sessions[:min(len(sessions), maxChoices)] {
		title := sessionTitle(info)
		if _, taken := byTitle[title]; taken {
			title += " (" + path.Base(info.URI) + ")"
		}
		byTitle[title] = info
		answers = append(answers, title)
	}
	host := s.host
	return nil, later{func(ctx context.Context) (any, error) {
		answer, err := s.choose(ctx, bridge.NoticeInfo, "Which agent session do you want to review?", answers...)
		if err != nil {
			return s.sorry("nothing was chosen: %v", err)
		}
		info, ok := byTitle[answer]
		switch {
		case answer == newest:
			host.Select("")
		case !ok:
			return declined()
		case !info.Followed && elsewhere(info):
			s.tell(bridge.NoticeInfo, fmt.Sprintf("%s: %s", sessionTitle(info), info.Reason))
			return map[string]any{"ok": false, "reason": info.Reason}, nil
		default:
			host.Select(info.URI)
		}
		return done(map[string]any{"session": info.URI}), nil
	}}
}

// elsewhere reports whether a session works on other files than this
// workspace's: choosing it would show nothing here.
func elsewhere(info bridge.SessionInfo) bool {
	return strings.HasPrefix(info.Reason, "it works in ")
}

func sessionTitle(info bridge.SessionInfo) string {
	title := info.Title
	if title == "" {
		title = path.Base(info.URI)
	}
	switch {
	case info.Status&ahp.StatusInProgress != 0:
		title += " (working)"
	case info.Followed:
		title += " (shown)"
	}
	if !info.Followed && elsewhere(info) && len(info.Directories) > 0 {
		title += " in " + baseName(info.Directories[0])
	}
	return title
}

// baseName is a file's name out of its URI.
func baseName(uri string) string {
	if p, ok := ahp.FilePath(uri); ok {
		return path.Base(p)
	}
	return path.Base(uri)
}

func parentURI(uri string) string {
	if p, ok := ahp.FilePath(uri); ok {
		return ahp.FileURI(path.Dir(p))
	}
	return uri
}

// insideURI reports whether a canonical URI is dir or lies in it.
func insideURI(uri, dir string) bool {
	rest, ok := strings.CutPrefix(uri, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

func sortDiagnostics(list []protocol.Diagnostic) {
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Range.Start.Line != b.Range.Start.Line {
			return a.Range.Start.Line < b.Range.Start.Line
		}
		return a.Message < b.Message
	})
}
