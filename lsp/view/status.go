package view

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"ahp-lsp/bridge/remote"
	"ahp-lsp/internal/printable"
)

// Status is the answer of ahp.status.
type Status struct {
	OK         bool                 `json:"ok"`
	State      string               `json:"state"` // searching, connecting, connected, disconnected
	Host       string               `json:"host,omitempty"`
	Protocol   string               `json:"protocol,omitempty"`
	Server     string               `json:"server,omitempty"`
	Error      string               `json:"error,omitempty"`
	Sessions   []remote.SessionInfo `json:"sessions"`
	Comments   int                  `json:"comments"` // open ones, of followed sessions
	Changesets []ChangesetStatus    `json:"changesets"`
	Working    bool                 `json:"working"` // an agent's turn is running
	// Loading: a host is looked for, or not every comment is known yet.
	Loading bool `json:"loading,omitempty"`
	// Reviewed counts the kept hunks of the open files.
	Reviewed ReviewedStatus `json:"reviewed"`
}

// ReviewedStatus counts hunks.
type ReviewedStatus struct {
	Kept  int `json:"kept"`
	Hunks int `json:"hunks"`
}

// ChangesetStatus is a followed changeset.
type ChangesetStatus struct {
	Channel string `json:"channel"`
	Session string `json:"session"`
	Label   string `json:"label"`
	Kind    string `json:"kind"`
	Status  string `json:"status"`
	Files   int    `json:"files"`
	Shown   bool   `json:"shown"` // hunks are shown from it
}

// Status answers ahp.status.
func (v View) Status() Status {
	c := v.w.Connection()
	r := Status{
		OK: true, State: c.State.String(), Host: c.Host, Protocol: c.Version, Server: c.Server, Sessions: v.w.Listed(),
		Changesets: []ChangesetStatus{}, Comments: v.w.Unresolved(), Loading: v.w.Loading(),
	}
	if c.Err != nil {
		r.Error = c.Err.Error()
	}
	if r.Sessions == nil {
		r.Sessions = []remote.SessionInfo{}
	}
	for _, uri := range v.w.Sessions() {
		r.Working = r.Working || v.w.Session(uri).Busy()
	}
	for f := range v.w.Files() {
		if c := f.Primary(); f.Doc() != nil && c != nil && c.Content() != nil {
			kept, all := v.w.KeptCount(c)
			r.Reviewed.Kept += kept
			r.Reviewed.Hunks += all
		}
	}
	for channel, cs := range v.w.Changesets() {
		r.Changesets = append(r.Changesets, ChangesetStatus{
			Channel: channel, Session: cs.View().Session, Label: printable.Label(v.ChangesetName(cs.View())), Kind: cs.View().Entry.Kind,
			Status: cs.View().State.Status, Files: len(cs.View().State.Files()), Shown: cs.View().Primary,
		})
	}
	slices.SortFunc(r.Changesets, func(a, b ChangesetStatus) int { return strings.Compare(a.Channel, b.Channel) })
	return r
}

// StatusHash is another one when a plugin should ask for the status again: when
// the connection, the sessions, or the number of comments changed.
func (v View) StatusHash() uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	c := v.w.Connection()
	fmt.Fprintln(&h, c.State, c.Host, c.Version, c.Server, c.Err, v.w.Unresolved(), v.w.Loading())
	for _, info := range v.w.Listed() {
		fmt.Fprintln(&h, info.URI, info.Title, info.Provider, info.Status, info.Directories, info.Followed, info.Reason)
	}
	for _, uri := range v.w.Sessions() {
		if ses := v.w.Session(uri); ses.View() != nil {
			fmt.Fprintln(&h, uri, ses.Busy())
		}
	}
	return h.Sum64()
}
