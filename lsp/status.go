package lsp

import (
	"fmt"
	"hash/maphash"
	"maps"
	"path"
	"slices"
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
	// Loading: a host is looked for, or not every comment is known yet.
	Loading bool `json:"loading,omitempty"`
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
	r := statusResult{OK: true, State: c.State.String(), Host: c.Host, Protocol: c.Version, Server: c.Server, Sessions: s.listed, Changesets: []changesetStatus{}, Comments: s.unsolved, Loading: s.loading != loadedAll}
	if c.Err != nil {
		r.Error = c.Err.Error()
	}
	if r.Sessions == nil {
		r.Sessions = []bridge.SessionInfo{}
	}
	for _, ses := range s.sessions {
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
			Channel: channel, Session: cs.view.Session, Label: s.changesetName(cs.view), Kind: cs.view.Entry.Kind,
			Status: cs.view.State.Status, Files: len(cs.view.State.Files()), Shown: cs.view.Primary,
		})
	}
	sort.Slice(r.Changesets, func(i, j int) bool { return r.Changesets[i].Channel < r.Changesets[j].Channel })
	return r, nil
}

// notifyStatus tells a plugin that asked for it that the connection, the
// sessions, or the number of comments is another than when it was last told.
func (s *Server) notifyStatus() {
	if !s.statusNew || !value(s.settings.Notifications) || s.phase != phaseInitialized {
		return
	}
	s.statusNew = false
	var h maphash.Hash
	h.SetSeed(seed)
	c := s.connection
	fmt.Fprintln(&h, c.State, c.Host, c.Version, c.Server, c.Err, s.unsolved, s.loading != loadedAll)
	for _, info := range s.listed {
		fmt.Fprintln(&h, info.URI, info.Title, info.Provider, info.Status, info.Directories, info.Followed, info.Reason)
	}
	for _, uri := range slices.Sorted(maps.Keys(s.sessions)) {
		if view := s.sessions[uri].view; view != nil {
			fmt.Fprintln(&h, uri, view.Chat.Active != nil)
		}
	}
	if hash := h.Sum64(); hash != s.statusWas {
		s.statusWas = hash
		s.notify("ahp/statusChanged", struct{}{})
	}
}

// reconnect is ahp.reconnect.
func (s *Server) reconnect(commandArgs) (any, error) {
	if s.host != nil {
		s.host.Reconnect()
	}
	return done(nil), nil
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
