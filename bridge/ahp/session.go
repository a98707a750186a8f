package ahp

import (
	"encoding/json"
	"slices"
	"strings"
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

// DecodeSession reads a snapshot's state; never nil, faults in the error.
func DecodeSession(data []byte) (*Session, error) {
	s := &Session{}
	if isNull(data) {
		return s, nil
	}
	d := newDecoder("session state", data)
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			d.sessionMember(s, key)
		}
	}
	ok, err := d.finish()
	if !ok {
		return &Session{}, err
	}
	return s, err
}

func (d *decoder) sessionMember(s *Session, key []byte) {
	switch string(key) {
	case "provider":
		s.Provider = d.str()
	case "title":
		s.Title = d.str()
	case "status":
		s.Status = d.int()
	case "lifecycle":
		s.Lifecycle = d.str()
		if s.Lifecycle == "failed" {
			s.Lifecycle = LifecycleCreationFailed
		}
	case "creationError":
		s.CreationError = d.errorInfo()
	case "defaultChat":
		s.DefaultChat = d.str()
	case "workingDirectory":
		s.workingDirectory = d.directory()
	case "workingDirectories":
		s.workingDirectories, s.hasDirectories = d.directories()
	case "chats":
		s.Chats = d.chats()
	case "changesets":
		s.Changesets, s.hasChangesets = d.catalogue()
	case "inputNeeded":
		s.InputNeeded, _ = chatDecoder{d}.inputsNeeded()
	case "_meta":
		s.Meta = d.keep()
	default:
		d.other(&s.extra, key)
	}
}

func (d *decoder) chats() (chats []ChatSummary) {
	if !d.array() {
		return nil
	}
	seen := map[string]int{}
	for d.elem() {
		c, ok := d.chatSummary()
		if !ok {
			continue
		}
		if i, twice := seen[c.Resource]; twice {
			chats[i] = c
			continue
		}
		seen[c.Resource] = len(chats)
		chats = append(chats, c)
	}
	return chats
}

func (d *decoder) chatSummary() (ChatSummary, bool) {
	o, ok := d.rawObject()
	if !ok {
		return ChatSummary{}, false
	}
	c := d.newChatSummary(o)
	if c.Resource == "" {
		d.missing("resource")
		return ChatSummary{}, false
	}
	return c, true
}

func (d *decoder) newChatSummary(o object) ChatSummary {
	c := ChatSummary{raw: o}
	d.with(o, "resource", func() { c.Resource = d.str() })
	d.with(o, "title", func() { c.Title = d.str() })
	d.with(o, "status", func() { c.Status = d.int() })
	return c
}

// catalogue reads a list of changesets; present is false if there is no list.
func (d *decoder) catalogue() (entries []CatalogueEntry, present bool) {
	if !d.array() {
		return nil, false
	}
	for d.elem() {
		o, ok := d.rawObject()
		if !ok {
			continue
		}
		c := CatalogueEntry{raw: o}
		d.with(o, "label", func() { c.Label = d.str() })
		d.with(o, "description", func() { c.Description = d.str() })
		d.with(o, "uriTemplate", func() { c.Template = d.str() })
		d.with(o, "changeKind", func() { c.Kind = d.str() })
		d.with(o, "capabilities", func() {
			if caps, ok := d.rawObject(); ok {
				review := caps["review"]
				c.Review = !isNull(review) && !strings.HasPrefix(string(review), "false")
			}
		})
		if c.Template == "" {
			d.missing("uriTemplate")
			continue
		}
		entries = append(entries, c)
	}
	return entries, true
}

// directory reads a working directory: a URI, or an object with one, which
// newer drafts have.
func (d *decoder) directory() (uri string) {
	if d.peek() != '{' {
		return d.str()
	}
	d.enter(false)
	for key, ok := d.next(); ok; key, ok = d.next() {
		if string(key) == "uri" {
			uri = d.str()
		} else {
			d.skip()
		}
	}
	return uri
}

func (d *decoder) directories() (uris []string, ok bool) {
	if !d.array() {
		return nil, false
	}
	for d.elem() {
		if uri := d.directory(); uri != "" {
			uris = append(uris, uri)
		}
	}
	return uris, true
}
