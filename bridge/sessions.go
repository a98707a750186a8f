package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// list reads every page of the host's sessions.
func (c *Client) list(ctx context.Context) error {
	cn, err := c.live()
	if err != nil {
		return err
	}
	found := map[string]ahp.SessionSummary{}
	params := ahp.ListSessionsParams{Channel: ahp.RootURI}
	for range maxSessionPages {
		var page ahp.ListSessionsResult
		if err := cn.call(ctx, "listSessions", params, &page); err != nil {
			return err
		}
		for _, raw := range page.Items {
			s, err := ahp.DecodeSessionSummary(raw)
			if err != nil {
				c.warn("list sessions: %v", err)
			}
			if s.Resource != "" {
				found[s.Resource] = s
			}
		}
		if page.NextCursor == "" || page.NextCursor == params.Cursor {
			break
		}
		params.Cursor = page.NextCursor
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listed = found
	c.order = slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		if d := found[b].ModifiedAt.Compare(found[a].ModifiedAt); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
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
		if _, known := c.listed[s.Resource]; !known {
			c.order = slices.Insert(c.order, 0, s.Resource)
		}
		c.listed[s.Resource] = s
		delete(c.refused, s.Resource)
	case ahp.NoteSessionRemoved:
		delete(c.listed, p.Session)
		c.order = slices.DeleteFunc(c.order, func(u string) bool { return u == p.Session })
		c.unfollow(p.Session, "it was deleted on the host")
	case ahp.NoteSessionSummaryChanged:
		s, ok := c.listed[p.Session]
		if !ok {
			return
		}
		next, err := s.Merge(p.Changes)
		if err != nil {
			c.warn("%s: %v", m.Method, err)
		}
		c.listed[p.Session] = next
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
		if c.refused[pinned] == "" {
			want[pinned] = true
		}
	} else {
		budget := c.cfg.MaxSessions
		if c.session == SessionAll {
			budget = len(c.order)
		}
		// Those already followed keep their place.
		for _, uri := range c.order {
			if c.followed[uri] != nil && c.mismatch(uri) == "" {
				want[uri] = true
			}
		}
		for _, uri := range c.order {
			if len(want) < budget && c.mismatch(uri) == "" {
				want[uri] = true
			}
		}
	}
	for uri := range c.followed {
		if !want[uri] {
			c.unfollow(uri, "")
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

// mismatch says why a listed session is not followed, "" if it can be.
func (c *Client) mismatch(uri string) string {
	if why := c.refused[uri]; why != "" {
		return why
	}
	s := c.listed[uri]
	if s.Status&ahp.StatusArchived != 0 {
		return "it is archived"
	}
	return c.elsewhere(s.Directories())
}

// elsewhere says why working directories do not belong to the workspace.
func (c *Client) elsewhere(dirs []string) string {
	if len(dirs) == 0 {
		return "it has no working directory"
	}
	if len(c.roots) == 0 {
		return "no folder is open in the editor"
	}
	var missing string
	for _, dir := range dirs {
		local := c.paths.local(dir)
		if !slices.ContainsFunc(c.roots, func(root string) bool { return related(local, root) }) {
			continue
		}
		path, ok := ahp.FilePath(local)
		if !ok {
			continue
		}
		if _, err := os.Stat(filepath.FromSlash(path)); err == nil {
			return ""
		}
		missing = path
	}
	if missing != "" {
		return fmt.Sprintf("it works in %s, which is not on this machine; if it is the same folder under another name, add it to the setting pathMap", missing)
	}
	local := c.paths.local(dirs[0])
	if path, ok := ahp.FilePath(local); ok {
		return fmt.Sprintf("it works in %s; open that folder to review it", path)
	}
	return fmt.Sprintf("it works in %s, which is not a file path", dirs[0])
}

func (c *Client) sessionInfos() []SessionInfo {
	infos := make([]SessionInfo, 0, len(c.order))
	add := func(uri string, info SessionInfo, dirs []string) {
		info.URI, info.Followed = uri, c.followed[uri] != nil
		for _, d := range dirs {
			info.Directories = append(info.Directories, c.paths.local(d))
		}
		if !info.Followed {
			if info.Reason == "" {
				info.Reason = c.mismatch(uri)
			}
			if info.Reason == "" {
				info.Reason = "newer sessions are followed; select it to see it"
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

func (c *Client) tellSessions() { c.emit(SessionsChanged{c.sessionInfos()}) }
