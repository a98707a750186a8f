package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"ahp-lsp/bridge/ahp"
)

// relist asks for the sessions and follows those that match. Notifications
// about sessions are not replayed after a reconnect, so it runs on every one.
func (c *Client) relist(ctx context.Context) error {
	if err := c.readList(ctx); err != nil {
		// A host without listSessions can still serve a pinned session.
		c.warn("list sessions: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.choose()
	return nil
}

const maxSessionPages = 64

// readList reads every page of the host's sessions. One list at a time.
func (c *Client) readList(ctx context.Context) error {
	select {
	case c.list.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("listSessions: %w", ctx.Err())
	}
	defer func() { <-c.list.turn }()
	cn, err := c.live()
	if err != nil {
		return err
	}
	c.mu.Lock()
	// Notifications that come between the pages are noted in both.
	c.list.pages = map[string]ahp.SessionSummary{}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.list.pages = nil
		c.mu.Unlock()
	}()
	params := ahp.ListSessionsParams{Channel: ahp.RootURI}
	for done, page := false, 1; !done; page++ {
		err := c.await(ctx, cn, "listSessions", params, func(raw json.RawMessage) error {
			var r ahp.ListSessionsResult
			if err := json.Unmarshal(raw, &r); err != nil {
				return fmt.Errorf("the host's answer cannot be read: %w", err)
			}
			for _, raw := range r.Items {
				s, err := ahp.DecodeSessionSummary(raw)
				if err != nil {
					c.warn("list sessions: %v", err)
				}
				if s.Resource != "" {
					c.list.pages[s.Resource] = s
				}
			}
			done = r.NextCursor == "" || r.NextCursor == params.Cursor || page == maxSessionPages
			params.Cursor = r.NextCursor
			if done {
				c.list.complete()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rootNote takes a notification about a session; c.mu is held.
func (c *Client) rootNote(m ahp.Message) {
	var p struct {
		Summary json.RawMessage `json:"summary"`
		Session string          `json:"session"`
		Changes json.RawMessage `json:"changes"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		c.warn("%s: %v", m.Method, err)
	}
	switch m.Method {
	case ahp.NoteSessionAdded:
		s, err := ahp.DecodeSessionSummary(p.Summary)
		if err != nil {
			c.warn("%s: %v", m.Method, err)
		}
		if s.Resource == "" {
			return
		}
		c.list.set(s)
		delete(c.list.refused, s.Resource)
	case ahp.NoteSessionRemoved:
		c.list.remove(p.Session)
		c.unfollow(p.Session, Reason{Kind: ReasonDeleted}, true)
	case ahp.NoteSessionSummaryChanged:
		s, ok := c.list.listed[p.Session]
		if !ok {
			return
		}
		next, err := s.Merge(p.Changes)
		if err != nil {
			c.warn("%s: %v", m.Method, err)
		}
		c.list.set(next)
		if slices.Equal(next.Directories(), s.Directories()) && next.Status&ahp.StatusArchived == s.Status&ahp.StatusArchived {
			c.emitSessions()
			return
		}
		delete(c.list.refused, p.Session)
	}
	c.choose()
}

// choose follows the sessions that belong to the workspace and drops the
// others; c.mu is held. It is sticky: a followed session stays as long as it
// matches, whichever was written to last.
func (c *Client) choose() {
	want := map[string]bool{}
	if pinned := c.pinned(); pinned != "" {
		if c.refusal(pinned) == (Reason{}) {
			want[pinned] = true
		}
	} else {
		budget := c.cfg.MaxSessions
		if c.session == SessionAll {
			budget = len(c.list.order)
		}
		// Those already followed keep their place.
		for _, uri := range c.list.order {
			if c.followed[uri] != nil && c.mismatch(uri) == (Reason{}) {
				want[uri] = true
			}
		}
		for _, uri := range c.list.order {
			if len(want) < budget && c.mismatch(uri) == (Reason{}) {
				want[uri] = true
			}
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(c.followed)) {
		if !want[uri] {
			c.unfollow(uri, Reason{}, false)
		}
	}
	for _, uri := range c.list.order {
		if want[uri] && c.followed[uri] == nil {
			c.follow(uri)
		}
	}
	if pinned := c.pinned(); pinned != "" && want[pinned] && c.followed[pinned] == nil {
		c.follow(pinned) // a draft: not listed
	}
	c.chooseOwners()
	c.emitSessions()
	c.emitCaughtUp()
}

func (c *Client) pinned() string {
	if c.session == SessionAll {
		return ""
	}
	return c.session
}

// mismatch is why a listed session is not followed; none if it can be.
func (c *Client) mismatch(uri string) Reason {
	if why := c.refusal(uri); why != (Reason{}) {
		return why
	}
	s := c.list.listed[uri]
	if s.Status&ahp.StatusArchived != 0 {
		return Reason{Kind: ReasonArchived}
	}
	return c.workspace.mismatch(s.Directories())
}

// refusal is why a session could not be followed when it was tried.
func (c *Client) refusal(uri string) Reason {
	if c.snapshots.oversized[uri] {
		return Reason{Kind: ReasonTooLarge}
	}
	return c.list.refused[uri]
}

func (c *Client) sessionInfos() []SessionInfo {
	infos := make([]SessionInfo, 0, len(c.list.order))
	add := func(uri string, info SessionInfo, dirs []string) {
		info.URI, info.Followed = uri, c.followed[uri] != nil
		for _, d := range dirs {
			info.Directories = append(info.Directories, c.ToLocal(d))
		}
		if !info.Followed {
			info.Reason = c.mismatch(uri)
			if info.Reason == (Reason{}) {
				info.Reason.Kind = ReasonNewer
			}
			info.Elsewhere = info.Reason.Elsewhere()
		}
		infos = append(infos, info)
	}
	for _, uri := range c.list.order {
		s := c.list.listed[uri]
		add(uri, SessionInfo{Title: s.Title, Provider: s.Provider, Status: s.Status, Modified: s.ModifiedAt}, s.Directories())
	}
	for _, uri := range slices.Sorted(maps.Keys(c.followed)) {
		if _, ok := c.list.listed[uri]; !ok {
			if st := c.followed[uri].state; st != nil {
				add(uri, SessionInfo{Title: st.Title, Provider: st.Provider, Status: st.Status}, st.Directories())
			}
		}
	}
	return infos
}

func (c *Client) emitSessions() { c.emit(SessionsChanged{Sessions: c.sessionInfos()}) }
