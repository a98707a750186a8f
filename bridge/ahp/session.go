package ahp

import (
	"encoding/json"
	"fmt"
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
// not listed, but can be subscribed to.
const (
	LifecycleCreating       = "creating"
	LifecycleReady          = "ready"
	LifecycleCreationFailed = "creationFailed"
)

// Session is the state of a session channel (specification: Sessions).
type Session struct {
	Provider      string
	Title         string
	Status        int
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

// DecodeSession reads a snapshot's state; never nil, faults in the error.
func DecodeSession(data []byte) (*Session, error) {
	var d decoder
	s := &Session{}
	o, ok := d.object("session state", data)
	if !ok {
		return s, d.err()
	}
	s.Provider = d.str(o, "session", "provider")
	s.Title = d.str(o, "session", "title")
	s.Status, _ = d.int(o, "session", "status")
	s.Lifecycle = d.str(o, "session", "lifecycle")
	if raw := o.take("creationError"); !isNull(raw) {
		s.CreationError = d.errorInfo("session", object{"error": raw})
	}
	s.DefaultChat = d.str(o, "session", "defaultChat")
	s.workingDirectory = d.str(o, "session", "workingDirectory")
	if raw, ok := o["workingDirectories"]; ok && !isNull(raw) {
		s.hasDirectories = true
	}
	s.workingDirectories = d.strings(o, "session", "workingDirectories")
	chats, _ := d.array("session.chats", o.take("chats"))
	for i, raw := range chats {
		if c, ok := d.chatSummary(fmt.Sprintf("session.chats[%d]", i), raw); ok {
			s.Chats = append(s.Chats, c)
		}
	}
	s.Changesets, s.hasChangesets = d.catalogue("session", o.take("changesets"))
	s.Meta = o.take("_meta")
	s.extra = o.rest()
	return s, d.err()
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

// Apply reduces one session/* action into the state and reports whether it
// changed anything. The error, of type Problems, says what could not be read.
func (s *Session) Apply(a Action) (changed bool, err error) {
	var d decoder
	o, _ := d.object(a.Type, a.Raw)
	switch a.Type {
	case TypeSessionReady:
		s.Lifecycle, changed = LifecycleReady, true
	case TypeSessionCreationFailed:
		s.Lifecycle, s.CreationError, changed = LifecycleCreationFailed, d.errorInfo(a.Type, o), true
	case TypeSessionTitleChanged:
		s.Title, changed = d.str(o, a.Type, "title"), true
	case TypeSessionDefaultChatChanged:
		s.DefaultChat, changed = d.str(o, a.Type, "defaultChat"), true
	case TypeSessionChangesetsChanged:
		s.Changesets, s.hasChangesets = d.catalogue(a.Type, o.take("changesets"))
		changed = true
	case TypeSessionMetaChanged:
		s.Meta, changed = o.take("_meta"), true
	case TypeSessionChatAdded:
		if c, ok := d.chatSummary(a.Type+": summary", o.take("summary")); ok {
			s.setChat(c)
			changed = true
		}
	case TypeSessionChatRemoved:
		changed = s.removeChat(d.str(o, a.Type, "chat"))
	case TypeSessionChatUpdated:
		changed = s.updateChat(&d, d.str(o, a.Type, "chat"), o.take("changes"))
	case TypeSessionWorkingDirectorySet:
		if dir := d.str(o, a.Type, "directory"); dir != "" && !slices.Contains(s.workingDirectories, dir) {
			s.workingDirectories, s.hasDirectories, changed = append(s.workingDirectories, dir), true, true
		}
	case TypeSessionWorkingDirectoryRemoved:
		changed = s.replaceDirectory(d.str(o, a.Type, "directory"), "")
	case TypeSessionWorkingDirectoryReplaced:
		changed = s.replaceDirectory(d.str(o, a.Type, "directory"), d.str(o, a.Type, "replacement"))
	}
	return changed, d.err()
}

func (s *Session) setChat(c ChatSummary) {
	for i := range s.Chats {
		if s.Chats[i].Resource == c.Resource {
			s.Chats[i] = c
			return
		}
	}
	s.Chats = append(s.Chats, c)
}

func (s *Session) removeChat(uri string) bool {
	n := len(s.Chats)
	s.Chats = slices.DeleteFunc(s.Chats, func(c ChatSummary) bool { return c.Resource == uri })
	if len(s.Chats) == n {
		return false
	}
	if s.DefaultChat == uri {
		s.DefaultChat = ""
	}
	return true
}

func (s *Session) updateChat(d *decoder, uri string, data []byte) bool {
	changes, ok := d.object(TypeSessionChatUpdated+": changes", data)
	if !ok {
		return false
	}
	delete(changes, "resource")
	for i := range s.Chats {
		if s.Chats[i].Resource == uri {
			s.Chats[i] = d.newChatSummary(TypeSessionChatUpdated, mergeObject(s.Chats[i].raw, changes))
			return true
		}
	}
	return false
}

func (s *Session) replaceDirectory(old, replacement string) bool {
	i := slices.Index(s.workingDirectories, old)
	if i < 0 {
		return false
	}
	if replacement == "" || slices.Contains(s.workingDirectories, replacement) {
		s.workingDirectories = slices.Delete(s.workingDirectories, i, i+1)
	} else {
		s.workingDirectories[i] = replacement
	}
	return true
}

func (d *decoder) chatSummary(path string, data []byte) (ChatSummary, bool) {
	o, ok := d.object(path, data)
	if !ok {
		return ChatSummary{}, false
	}
	c := d.newChatSummary(path, o)
	if c.Resource == "" {
		d.problem("%s.resource: missing", path)
		return ChatSummary{}, false
	}
	return c, true
}

func (d *decoder) newChatSummary(path string, o object) ChatSummary {
	c := ChatSummary{raw: mergeObject(o, nil)}
	c.Resource = d.str(o, path, "resource")
	c.Title = d.str(o, path, "title")
	c.Status, _ = d.int(o, path, "status")
	return c
}

// catalogue reads a list of changesets; present is false for null or absent.
func (d *decoder) catalogue(path string, data []byte) (entries []CatalogueEntry, present bool) {
	items, ok := d.array(path+".changesets", data)
	if !ok {
		return nil, false
	}
	for i, raw := range items {
		p := fmt.Sprintf("%s.changesets[%d]", path, i)
		o, ok := d.object(p, raw)
		if !ok {
			continue
		}
		c := CatalogueEntry{raw: mergeObject(o, nil)}
		c.Label = d.str(o, p, "label")
		c.Description = d.str(o, p, "description")
		c.Template = d.str(o, p, "uriTemplate")
		c.Kind = d.str(o, p, "changeKind")
		if caps, ok := d.object(p+".capabilities", o.take("capabilities")); ok {
			c.Review = !isNull(caps["review"]) && !strings.HasPrefix(string(caps["review"]), "false")
		}
		if c.Template == "" {
			d.problem("%s.uriTemplate: missing", p)
			continue
		}
		entries = append(entries, c)
	}
	return entries, true
}
