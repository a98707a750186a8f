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
	InputNeeded   []InputNeeded // what the agent waits for, oldest first
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

// members are the entry's, as it came or, where it was made here, what we know.
func (c CatalogueEntry) members() object {
	if c.raw != nil {
		return c.raw
	}
	e := newEncoder(nil)
	e["label"], e["uriTemplate"] = c.Label, c.Template
	e.setStr("description", c.Description)
	e.setStr("changeKind", c.Kind)
	if c.Review {
		e["capabilities"] = map[string]any{"review": struct{}{}}
	}
	o := object{}
	for key, value := range e {
		if raw, err := Marshal(value); err == nil {
			o[key] = raw
		}
	}
	return o
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
			entries = append(entries, c.members())
		}
		e["changesets"] = entries
	}
	if len(s.InputNeeded) > 0 {
		inputs := make([]object, 0, len(s.InputNeeded))
		for _, n := range s.InputNeeded {
			inputs = append(inputs, n.raw)
		}
		e["inputNeeded"] = inputs
	}
	e.setRaw("_meta", s.Meta)
	return e.encode()
}

// Clone returns a copy that Apply may change.
func (s *Session) Clone() *Session {
	n := *s
	n.Chats = slices.Clone(s.Chats)
	n.Changesets = slices.Clone(s.Changesets)
	n.InputNeeded = slices.Clone(s.InputNeeded)
	n.workingDirectories = slices.Clone(s.workingDirectories)
	return &n
}
