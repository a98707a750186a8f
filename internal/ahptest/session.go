package ahptest

import (
	"cmp"
	"encoding/base64"
	"slices"
	"time"

	"ahp-lsp/bridge/ahp"
)

// Session is what a test says about a session of the Host.
type Session struct {
	URI         string
	Title       string
	Directories []string // URIs
	Modified    time.Time
	Status      int // 0 is idle (1)
	// Changesets is the catalogue. An empty Template stands for the reference
	// host's: <session>/changeset/<kind>, …/turn/{turnId} and so on.
	Changesets []ahp.CatalogueEntry
	Turns      []ahp.Turn // of the default chat, which every session has
	Draft      bool       // lifecycle creating: not listed
}

type session struct {
	Session
	state *ahp.Session
}

// ChatURI is a session's default chat.
func ChatURI(session string) string {
	return "ahp-chat://default/" + base64.RawURLEncoding.EncodeToString([]byte(session))
}

// AddSession puts a session into the Host and tells clients (root/sessionAdded),
// unless it is a draft. An existing one is replaced.
func (h *Host) AddSession(s Session) {
	s.Status = cmp.Or(s.Status, ahp.StatusIdle)
	lifecycle := ahp.LifecycleReady
	if s.Draft {
		lifecycle = "creating"
	}
	chat := ChatURI(s.URI)
	m := h.directories(s, map[string]any{
		"provider": "test", "title": s.Title, "status": s.Status, "lifecycle": lifecycle, "defaultChat": chat,
		"chats": []any{map[string]any{"resource": chat, "title": s.Title, "status": s.Status}},
	})
	if len(s.Changesets) > 0 {
		m["changesets"] = catalogue(s.URI, s.Changesets)
	}
	state, err := ahp.DecodeSession(encode(m))
	if err != nil {
		panic("ahptest: " + err.Error())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.store.sessions[s.URI] == nil {
		h.store.order = append(h.store.order, s.URI)
	}
	h.store.sessions[s.URI] = &session{s, state}
	h.put(s.URI, sessionState{state})
	h.put(chat, chatState{&ahp.Chat{Turns: slices.Clone(s.Turns)}})
	if h.store.channels[s.URI+"/annotations"] == nil {
		h.put(s.URI+"/annotations", annotationsState{ahp.NewAnnotations()})
	}
	if !s.Draft {
		h.notify(ahp.NoteSessionAdded, map[string]any{"channel": ahp.RootURI, "summary": h.summary(h.store.sessions[s.URI])})
	}
}

// directories writes working directories as the Host's oldest version has them.
func (h *Host) directories(s Session, m map[string]any) map[string]any {
	if ahp.CompareVersions(h.opts.Versions[0], "0.7.0") >= 0 {
		m["workingDirectories"] = append([]string{}, s.Directories...)
	} else if len(s.Directories) > 0 {
		m["workingDirectory"] = s.Directories[0]
	}
	return m
}

func (h *Host) summary(s *session) map[string]any {
	now := s.Session
	now.Directories = s.state.Directories()
	return h.directories(now, map[string]any{
		"resource": s.URI, "provider": "test", "title": s.state.Title, "status": s.Status,
		"createdAt": s.Modified, "modifiedAt": s.Modified,
	})
}

// ChangeSummary tells clients that members of a session's summary have changed
// (root/sessionSummaryChanged); status and modified are kept for later lists.
func (h *Host) ChangeSummary(session string, changes map[string]any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.store.sessions[session]; s != nil {
		if status, ok := changes["status"].(int); ok {
			s.Status = status
		}
		if t, ok := changes["modifiedAt"].(time.Time); ok {
			s.Modified = t
		}
	}
	h.notify(ahp.NoteSessionSummaryChanged, map[string]any{"channel": ahp.RootURI, "session": session, "changes": changes})
}

// RemoveSession disposes of a session as the reference host does: its
// changesets are cleared, then root/sessionRemoved.
func (h *Host) RemoveSession(uri string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.store.sessions[uri]
	if s == nil {
		return
	}
	for _, e := range s.state.Changesets {
		if h.store.channels[e.Template] != nil {
			h.publish(ahp.Envelope{Channel: e.Template, Action: toAction(`{"type":"changeset/cleared"}`)})
			delete(h.store.channels, e.Template)
		}
	}
	delete(h.store.sessions, uri)
	h.store.order = slices.DeleteFunc(h.store.order, func(u string) bool { return u == uri })
	for _, channel := range []string{uri, uri + "/annotations", ChatURI(uri)} {
		delete(h.store.channels, channel)
	}
	h.notify(ahp.NoteSessionRemoved, map[string]any{"channel": ahp.RootURI, "session": uri})
}

// RunTurn lets a turn start and complete on a session's default chat.
func (h *Host) RunTurn(session, id, prompt string) {
	h.Do(ChatURI(session), map[string]any{
		"type": ahp.TypeChatTurnStarted, "turnId": id, "startedAt": "2026-01-02T03:04:05Z", "message": map[string]string{"text": prompt},
	})
	h.Do(ChatURI(session), map[string]any{"type": ahp.TypeChatTurnComplete, "turnId": id, "duration": 1})
}

// catalogue writes entries, with the reference host's templates where a test
// gave none.
func catalogue(session string, entries []ahp.CatalogueEntry) []any {
	out := []any{}
	for _, e := range entries {
		template := e.Template
		if template == "" {
			template = session + "/changeset/" + map[string]string{
				"turn": "turn/{turnId}", "compare-turns": "compare/{originalTurnId}/{modifiedTurnId}",
			}[e.Kind]
			if e.Kind != "turn" && e.Kind != "compare-turns" {
				template += e.Kind
			}
		}
		m := map[string]any{"label": cmp.Or(e.Label, e.Kind), "uriTemplate": template, "changeKind": e.Kind}
		if e.Description != "" {
			m["description"] = e.Description
		}
		if e.Review {
			m["capabilities"] = map[string]any{"review": map[string]any{}}
		}
		out = append(out, m)
	}
	return out
}
