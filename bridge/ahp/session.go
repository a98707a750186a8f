package ahp

import (
	"encoding/json"
	"slices"
)

// Bits of a session's (and a chat's) status.
const (
	StatusIdle        = 1
	StatusError       = 2
	StatusInProgress  = 8
	StatusInputNeeded = 16
	StatusRead        = 32
	StatusArchived    = 64
)

// Lifecycle of a session. A session that is being created is a draft: it is
// not listed, but can be subscribed to. "failed", which newer hosts write, is
// read as LifecycleCreationFailed.
const (
	LifecycleCreating       = "creating"
	LifecycleReady          = "ready"
	LifecycleCreationFailed = "creationFailed"
)

// Session is the state of a session channel (specification: Sessions).
//
// Its Status goes stale: no action tells that a turn began or ended. The status
// of its chats, and of the session's summary on the root channel, stay right.
type Session struct {
	Provider      string
	Title         string
	Status        int // as of the snapshot: see SessionSummary.Status
	Lifecycle     string
	CreationError *ErrorInfo
	DefaultChat   string
	Chats         []ChatSummary
	Changesets    []CatalogueEntry
	Meta          json.RawMessage

	workingDirectory   string // ≤ 0.6
	workingDirectories []string
	hasDirectories     bool
	hasChangesets      bool
	extra              map[string]json.RawMessage
}

// ChatSummary is a chat as its session lists it.
type ChatSummary struct {
	Resource string
	Title    string
	Status   int

	raw object // every member, so that partial updates can be merged
}

// CatalogueEntry announces a changeset that can be subscribed to.
type CatalogueEntry struct {
	Label       string
	Description string
	Template    string // RFC 6570; may be relative to the session's URI
	Kind        string // session, branch, uncommitted, turn, compare-turns, or any other
	Review      bool   // files can be marked as reviewed

	raw object
}

// Directories are the session's working directories, URIs as the host wrote
// them, in both generations' form.
func (s *Session) Directories() []string {
	return directories(s.workingDirectory, s.workingDirectories)
}

func directories(one string, many []string) []string {
	if len(many) > 0 || one == "" {
		return many
	}
	return []string{one}
}

// MarshalJSON writes the state as a snapshot has it.
func (s *Session) MarshalJSON() ([]byte, error) {
	e := newEncoder(s.extra)
	e["provider"], e["title"], e["status"], e["lifecycle"] = s.Provider, s.Title, s.Status, s.Lifecycle
	if s.CreationError != nil {
		e["creationError"] = s.CreationError
	}
	e.setStr("defaultChat", s.DefaultChat)
	e.setStr("workingDirectory", s.workingDirectory)
	if s.hasDirectories {
		e["workingDirectories"] = append([]string{}, s.workingDirectories...)
	}
	chats := make([]object, 0, len(s.Chats))
	for _, c := range s.Chats {
		chats = append(chats, c.raw)
	}
	e["chats"] = chats
	if s.hasChangesets {
		entries := make([]object, 0, len(s.Changesets))
		for _, c := range s.Changesets {
			entries = append(entries, c.raw)
		}
		e["changesets"] = entries
	}
	e.setRaw("_meta", s.Meta)
	return e.encode()
}

// Clone returns a copy that Apply may change.
func (s *Session) Clone() *Session {
	n := *s
	n.Chats = slices.Clone(s.Chats)
	n.Changesets = slices.Clone(s.Changesets)
	n.workingDirectories = slices.Clone(s.workingDirectories)
	return &n
}
