package ahp

import (
	"encoding/json"
	"slices"
	"strings"
)

// sessionActions are the actions that are mirrored.
var sessionActions = map[string]bool{
	TypeSessionReady: true, TypeSessionCreationFailed: true, TypeSessionTitleChanged: true,
	TypeSessionDefaultChatChanged: true, TypeSessionChangesetsChanged: true, TypeSessionMetaChanged: true,
	TypeSessionChatAdded: true, TypeSessionChatRemoved: true, TypeSessionChatUpdated: true,
	TypeSessionIsReadChanged: true, TypeSessionIsArchivedChanged: true,
	TypeSessionInputNeededSet: true, TypeSessionInputNeededRemoved: true,
	TypeSessionWorkingDirectorySet: true, TypeSessionWorkingDirectoryRemoved: true, TypeSessionWorkingDirectoryReplaced: true,
}

// Apply reduces one session/* action into the state and reports whether it
// changed anything. The error, of type Problems, says what could not be read.
// Slices that were taken from the state before stay as they were.
func (s *Session) Apply(a Action) (changed bool, err error) {
	if !sessionActions[a.Type] {
		return false, nil // tools and customizations: large, and not mirrored
	}
	d := newDecoder(a.Type, a.Raw)
	m := d.sessionAction()
	if d.broken {
		_, err = d.finish()
		return false, err
	}
	switch {
	case m.chat == "" && (a.Type == TypeSessionChatRemoved || a.Type == TypeSessionChatUpdated):
		d.missing("chat")
	case m.input == nil && a.Type == TypeSessionInputNeededSet:
		d.missing("request")
	case m.id == "" && a.Type == TypeSessionInputNeededRemoved:
		d.missing("id")
	case m.summary == nil && a.Type == TypeSessionChatAdded:
		d.missing("summary")
	case m.directory == "" && strings.HasPrefix(a.Type, "session/workingDirectory"):
		d.missing("directory")
	default:
		changed = s.apply(d, a.Type, m)
	}
	_, err = d.finish()
	return changed, err
}

func (s *Session) apply(d *decoder, kind string, m sessionAction) (changed bool) {
	switch kind {
	case TypeSessionReady:
		s.Lifecycle = LifecycleReady
	case TypeSessionCreationFailed:
		s.Lifecycle, s.CreationError = LifecycleCreationFailed, m.err
	case TypeSessionTitleChanged:
		s.Title = m.title
	case TypeSessionDefaultChatChanged:
		s.DefaultChat = m.defaultChat
	case TypeSessionChangesetsChanged:
		if m.badChangesets {
			return false
		}
		s.Changesets, s.hasChangesets = m.changesets, m.hasChangesets
	case TypeSessionMetaChanged:
		s.Meta = m.meta
	case TypeSessionIsReadChanged:
		return m.hasFlag && s.setStatus(StatusRead, m.flag)
	case TypeSessionIsArchivedChanged:
		return m.hasFlag && s.setStatus(StatusArchived, m.flag)
	case TypeSessionInputNeededSet:
		s.setInputNeeded(*m.input)
	case TypeSessionInputNeededRemoved:
		return s.removeInputNeeded(m.id)
	case TypeSessionChatAdded:
		s.setChat(*m.summary)
	case TypeSessionChatRemoved:
		return s.removeChat(m.chat)
	case TypeSessionChatUpdated:
		return s.updateChat(d, m.chat, m.changes)
	case TypeSessionWorkingDirectorySet:
		dirs := s.Directories()
		if slices.Contains(dirs, m.directory) {
			return false
		}
		s.workingDirectories, s.hasDirectories = append(dirs, m.directory), true
	case TypeSessionWorkingDirectoryRemoved:
		return s.replaceDirectory(m.directory, "")
	case TypeSessionWorkingDirectoryReplaced:
		if m.replacement == "" {
			d.missing("replacement")
			return false
		}
		return s.replaceDirectory(m.directory, m.replacement)
	}
	return true
}

// sessionAction is every member the session/* actions that matter here may have.
type sessionAction struct {
	id, title              string
	chat, defaultChat      string
	directory, replacement string
	flag, hasFlag          bool
	err                    *ErrorInfo
	meta                   json.RawMessage
	summary                *ChatSummary
	changes                object
	input                  *InputNeeded

	changesets                   []CatalogueEntry
	hasChangesets, badChangesets bool
}

func (d *decoder) sessionAction() (m sessionAction) {
	if !d.object() {
		return m
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			m.id = d.str()
		case "request":
			m.input = nil
			if n, ok := (chatDecoder{d}).inputNeeded(); ok {
				m.input = &n
			}
		case "title":
			m.title = d.str()
		case "chat":
			m.chat = d.str()
		case "defaultChat":
			m.defaultChat = d.str()
		case "directory":
			m.directory = d.directory()
		case "replacement":
			m.replacement = d.directory()
		case "isRead", "isArchived":
			m.flag, m.hasFlag = d.optBool()
		case "error":
			m.err = d.errorInfo()
		case "_meta":
			m.meta = d.keep()
		case "summary":
			m.summary = nil
			if c, ok := d.chatSummary(); ok {
				m.summary = &c
			}
		case "changes":
			m.changes, _ = d.rawObject()
		case "changesets":
			null := d.peek() == 'n'
			m.changesets, m.hasChangesets = d.catalogue()
			m.badChangesets = !null && !m.hasChangesets
		default:
			d.skip()
		}
	}
	d.end()
	return m
}

func (s *Session) setStatus(bit int, set bool) bool {
	old := s.Status
	s.Status &^= bit
	if set {
		s.Status |= bit
	}
	return s.Status != old
}

func (s *Session) chatIndex(uri string) int {
	return slices.IndexFunc(s.Chats, func(c ChatSummary) bool { return c.Resource == uri })
}

func (s *Session) setChat(c ChatSummary) {
	if i := s.chatIndex(c.Resource); i >= 0 {
		s.Chats = slices.Clone(s.Chats)
		s.Chats[i] = c
		return
	}
	s.Chats = append(s.Chats, c)
}

func (s *Session) removeChat(uri string) bool {
	i := s.chatIndex(uri)
	if i < 0 {
		return false
	}
	s.Chats = slices.Concat(s.Chats[:i], s.Chats[i+1:])
	if s.DefaultChat == uri {
		s.DefaultChat = ""
	}
	return true
}

func (s *Session) updateChat(d *decoder, uri string, changes object) bool {
	i := s.chatIndex(uri)
	if i < 0 || changes == nil {
		return false
	}
	delete(changes, "resource") // what a chat is called never changes
	s.Chats = slices.Clone(s.Chats)
	s.Chats[i] = d.newChatSummary(mergeObject(s.Chats[i].raw, changes))
	return true
}

// replaceDirectory puts replacement in the place of old, or takes old out if it
// is "". A replacement that stands before old stays where it is, one behind it
// goes.
func (s *Session) replaceDirectory(old, replacement string) bool {
	dirs := s.Directories()
	i := slices.Index(dirs, old)
	if i < 0 {
		return false
	}
	var out []string
	for j, dir := range dirs {
		switch {
		case j == i && replacement != "" && !slices.Contains(dirs[:i], replacement):
			out = append(out, replacement)
		case j != i && (dir != replacement || j < i):
			out = append(out, dir)
		}
	}
	s.workingDirectories, s.workingDirectory, s.hasDirectories = out, "", true
	return true
}
