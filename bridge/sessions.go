package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"ahp-lsp/bridge/ahp"
)

// relist asks for the sessions and follows those that match. Notifications
// about sessions are not replayed after a reconnect, so it runs on every one.
func (c *Client) relist(ctx context.Context) error {
	if err := c.list(ctx); err != nil {
		// A host without listSessions can still serve a pinned session.
		c.warn("list sessions: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.choose()
	return nil
}

const maxSessionPages = 64

// list reads every page of the host's sessions. One list at a time.
func (c *Client) list(ctx context.Context) error {
	select {
	case c.lists <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("listSessions: %w", ctx.Err())
	}
	defer func() { <-c.lists }()
	cn, err := c.live()
	if err != nil {
		return err
	}
	c.mu.Lock()
	// Notifications that come between the pages are noted in both.
	c.listing = map[string]ahp.SessionSummary{}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.listing = nil
		c.mu.Unlock()
	}()
	params := ahp.ListSessionsParams{Channel: ahp.RootURI}
	for done, page := false, 1; !done; page++ {
		err := c.await(ctx, cn, "listSessions", params, func(raw json.RawMessage) error {
			var r ahp.ListSessionsResult
			if err := json.Unmarshal(raw, &r); err != nil {
				return fmt.Errorf("the host's answer cannot be read: %w", err)
			}
			c.listPage(r)
			done = r.NextCursor == "" || r.NextCursor == params.Cursor || page == maxSessionPages
			params.Cursor = r.NextCursor
			if done {
				c.listed = c.listing
				c.order = slices.Sorted(maps.Keys(c.listed))
				c.sortSessions()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) listPage(r ahp.ListSessionsResult) {
	for _, raw := range r.Items {
		s, err := ahp.DecodeSessionSummary(raw)
		if err != nil {
			c.warn("list sessions: %v", err)
		}
		if s.Resource != "" {
			c.listing[s.Resource] = s
		}
	}
}

// sortSessions puts the newest first.
func (c *Client) sortSessions() {
	slices.SortStableFunc(c.order, func(a, b string) int {
		return c.listed[b].ModifiedAt.Compare(c.listed[a].ModifiedAt)
	})
}

// note takes what is known of a session; nil: it is gone.
func (c *Client) note(uri string, s *ahp.SessionSummary) {
	_, known := c.listed[uri]
	for _, list := range []map[string]ahp.SessionSummary{c.listed, c.listing} {
		switch {
		case list == nil:
		case s == nil:
			delete(list, uri)
		default:
			list[uri] = *s
		}
	}
	switch {
	case s == nil:
		c.order = slices.DeleteFunc(c.order, func(u string) bool { return u == uri })
	case !known:
		c.order = slices.Insert(c.order, 0, uri)
	}
	c.sortSessions()
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
		c.note(s.Resource, &s)
		delete(c.refused, s.Resource)
	case ahp.NoteSessionRemoved:
		c.note(p.Session, nil)
		c.unfollow(p.Session, Reason{Kind: ReasonDeleted}, true)
	case ahp.NoteSessionSummaryChanged:
		s, ok := c.listed[p.Session]
		if !ok {
			return
		}
		next, err := s.Merge(p.Changes)
		if err != nil {
			c.warn("%s: %v", m.Method, err)
		}
		c.note(p.Session, &next)
		if slices.Equal(next.Directories(), s.Directories()) && next.Status&ahp.StatusArchived == s.Status&ahp.StatusArchived {
			c.tellSessions()
			return
		}
		delete(c.refused, p.Session)
	}
	c.choose()
}

// choose follows the sessions that belong to the workspace and lets go of the
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
			budget = len(c.order)
		}
		// Those already followed keep their place.
		for _, uri := range c.order {
			if c.followed[uri] != nil && c.mismatch(uri) == (Reason{}) {
				want[uri] = true
			}
		}
		for _, uri := range c.order {
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
	for _, uri := range c.order {
		if want[uri] && c.followed[uri] == nil {
			c.follow(uri)
		}
	}
	if pinned := c.pinned(); pinned != "" && want[pinned] && c.followed[pinned] == nil {
		c.follow(pinned) // a draft: not listed
	}
	c.chooseOwners()
	c.tellSessions()
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
	s := c.listed[uri]
	if s.Status&ahp.StatusArchived != 0 {
		return Reason{Kind: ReasonArchived}
	}
	return c.elsewhere(s.Directories())
}

// refusal is why a session could not be followed when it was tried.
func (c *Client) refusal(uri string) Reason {
	if c.oversized[uri] {
		return Reason{Kind: ReasonTooLarge}
	}
	return c.refused[uri]
}

// elsewhere is why working directories do not belong to the workspace.
func (c *Client) elsewhere(dirs []string) Reason {
	if len(dirs) == 0 {
		return Reason{Kind: ReasonNoFolder}
	}
	if len(c.roots) == 0 {
		return Reason{Kind: ReasonNoRoot}
	}
	var missing string
	paths := c.paths.Load()
	for _, dir := range dirs {
		local := paths.local(dir)
		if !slices.ContainsFunc(c.roots, func(root string) bool { return related(local, root) }) {
			continue
		}
		path, ok := ahp.FilePath(local)
		if !ok {
			continue
		}
		if _, err := os.Stat(filepath.FromSlash(path)); err == nil {
			return Reason{}
		}
		missing = path
	}
	if missing != "" {
		return Reason{Kind: ReasonMissing, Folder: missing}
	}
	local := paths.local(dirs[0])
	if path, ok := ahp.FilePath(local); ok {
		return Reason{Kind: ReasonElsewhere, Folder: path}
	}
	return Reason{Kind: ReasonNotFile, Folder: dirs[0]}
}

func (c *Client) sessionInfos() []SessionInfo {
	infos := make([]SessionInfo, 0, len(c.order))
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
		}
		infos = append(infos, info)
	}
	for _, uri := range c.order {
		s := c.listed[uri]
		add(uri, SessionInfo{Title: s.Title, Provider: s.Provider, Status: s.Status, Modified: s.ModifiedAt}, s.Directories())
	}
	for _, uri := range slices.Sorted(maps.Keys(c.followed)) {
		if _, ok := c.listed[uri]; !ok {
			if st := c.followed[uri].state; st != nil {
				add(uri, SessionInfo{Title: st.Title, Provider: st.Provider, Status: st.Status}, st.Directories())
			}
		}
	}
	return infos
}

func (c *Client) tellSessions() { c.emit(SessionsChanged{Sessions: c.sessionInfos()}) }
