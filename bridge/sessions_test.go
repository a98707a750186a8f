package bridge

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
	"ahp-lsp/internal/winetest"
)

// makeFolders makes a directory with subdirectories and returns its URI.
func makeFolders(t *testing.T, subs ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(winetest.TempDir(t))
	require.NoError(t, err)
	for _, sub := range subs {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o777))
	}
	return ahp.FileURI(filepath.ToSlash(dir))
}

func at(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }

func TestChooseByDirectory(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		base := makeFolders(t, "w/sub/deep", "elsewhere", "w-tree")
		root := base + "/w"
		sessions := []struct {
			uri      string
			dirs     []string
			status   int
			followed bool
			reason   string
		}{
			{"s:/root", []string{root}, 0, true, ""},
			{"s:/slash", []string{root + "/"}, 0, true, ""},
			{"s:/inside", []string{root + "/sub/deep"}, 0, true, ""},
			{"s:/around", []string{base}, 0, true, ""},
			{"s:/second", []string{base + "/elsewhere", root}, 0, true, ""},
			{"s:/path", []string{must(pathOf(root))}, 0, true, ""},
			{"s:/elsewhere", []string{base + "/elsewhere"}, 0, false, "it works in " + must(pathOf(base+"/elsewhere")) + "; open that folder"},
			{"s:/worktree", []string{base + "/w-tree"}, 0, false, "w-tree; open that folder"},
			{"s:/missing", []string{root + "/gone"}, 0, false, "not on this machine"},
			{"s:/remote", []string{"vscode-remote://box/w"}, 0, false, "not a file path"},
			{"s:/nowhere", nil, 0, false, "no working directory"},
			{"s:/archived", []string{root}, ahp.StatusIdle | ahp.StatusArchived, false, "archived"},
		}
		for i, s := range sessions {
			h.AddSession(ahptest.Session{URI: s.uri, Title: "T " + s.uri, Directories: s.dirs, Status: s.status, Modified: at(i)})
		}
		r := start(t, h, func(c *Config) { c.Roots = []string{root} })
		got := r.sessions()
		require.Len(t, got, len(sessions))
		for _, s := range sessions {
			require.Equal(t, s.followed, got[s.uri].Followed, "%s: %s", s.uri, got[s.uri].Reason)
			require.Contains(t, got[s.uri].Reason.String(), s.reason, s.uri)
			require.Equal(t, s.followed, got[s.uri].Reason == Reason{}, s.uri)
			require.Equal(t, "T "+s.uri, got[s.uri].Title)
			require.Equal(t, btoi(s.followed), h.Subscribers(s.uri), s.uri)
			require.Equal(t, btoi(s.followed), h.Subscribers(s.uri+"/annotations"), s.uri)
		}
		require.Equal(t, "s:/archived", last[SessionsChanged](r.take()).Sessions[0].URI, "newest first")
		listed, err := r.c.Sessions(t.Context())
		require.NoError(t, err)
		require.Len(t, listed, len(sessions))
	})
}

func pathOf(uri string) (string, error) {
	p, ok := ahp.FilePath(uri)
	if !ok {
		return "", fmt.Errorf("no path: %s", uri)
	}
	return p, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestOldVersionsDirectory(t *testing.T) {
	bubble(t, ahptest.Options{Versions: []string{"0.6.0"}}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		r := start(t, h, func(c *Config) { c.Roots = []string{root} })
		require.True(t, r.sessions()[one].Followed)
	})
}

func TestMaxSessions(t *testing.T) {
	bubble(t, ahptest.Options{PageSize: 2}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		for i := range 5 {
			h.AddSession(ahptest.Session{URI: fmt.Sprint("s:/", i), Directories: []string{root}, Modified: at(i)})
		}
		r := start(t, h, func(c *Config) { c.Roots, c.MaxSessions = []string{root}, 2 })
		require.Len(t, sent(h, "listSessions"), 3, "every page")
		followed := func() (out []string) {
			for _, s := range last[SessionsChanged](r.everything()).Sessions {
				if s.Followed {
					out = append(out, s.URI)
				} else {
					require.Equal(t, Reason{Kind: ReasonNewer}, s.Reason)
				}
			}
			return out
		}
		require.Equal(t, []string{"s:/4", "s:/3"}, followed())

		// Choice is sticky: an older one that is written to does not push out
		// one that is being reviewed, but the list is in the new order.
		h.ChangeSummary("s:/0", map[string]any{"modifiedAt": at(50)})
		require.Equal(t, []string{"s:/4", "s:/3"}, followed())
		require.Equal(t, "s:/0", last[SessionsChanged](r.everything()).Sessions[0].URI)

		// One that goes makes room for the newest of the others.
		h.RemoveSession("s:/4")
		require.Equal(t, []string{"s:/0", "s:/3"}, followed())
		require.Zero(t, h.Subscribers("s:/4"))

		// All of them.
		r.c.Select(SessionAll)
		require.Len(t, followed(), 4)
		r.c.Select("s:/2")
		require.Equal(t, []string{"s:/2"}, selected(r))
	})
}

func selected(r *rig) (out []string) {
	for _, s := range last[SessionsChanged](r.everything()).Sessions {
		if s.Followed {
			out = append(out, s.URI)
		}
	}
	return out
}

func TestSessionsComeAndGo(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		r := start(t, h, func(c *Config) { c.Roots = []string{root} })
		require.Empty(t, r.sessions())
		said := []Notice{{Severity: NoticeInfo, Text: `no agent session works here; "ahp-lsp doctor" says why`}}
		require.Equal(t, said, these[Notice](r.everything()))

		h.AddSession(ahptest.Session{URI: one, Title: "One", Directories: []string{root}})
		h.SetAnnotations(one, annotation("a", "x"))
		require.True(t, r.sessions()[one].Followed)
		require.Equal(t, "One", last[SessionChanged](r.everything()).View.State.Title)

		h.ChangeSummary(one, map[string]any{"title": "Uno", "status": 8})
		require.Equal(t, "Uno", r.sessions()[one].Title)
		require.Equal(t, 8, r.sessions()[one].Status)

		h.ChangeSummary(one, map[string]any{"status": 1 | ahp.StatusArchived})
		require.False(t, r.sessions()[one].Followed)
		require.Equal(t, SessionChanged{Session: one}, last[SessionChanged](r.everything()))
		require.Empty(t, r.shown(one), "its annotations are gone")
		h.ChangeSummary(one, map[string]any{"status": 1})
		require.True(t, r.sessions()[one].Followed)
		require.Len(t, r.shown(one), 1)

		h.RemoveSession(one)
		require.Empty(t, r.sessions())
		require.Equal(t, SessionChanged{Session: one}, last[SessionChanged](r.everything()))
		require.Empty(t, r.shown(one))
		require.Equal(t, said, these[Notice](r.everything()), "nobody has to do anything")

		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}}) // the same URI again
		require.True(t, r.sessions()[one].Followed)
	})
}

// A notification that comes between two pages of a list is not lost.
func TestSessionAddedWhileListing(t *testing.T) {
	bubble(t, ahptest.Options{PageSize: 1}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		for i := range 3 {
			h.AddSession(ahptest.Session{URI: fmt.Sprint("s:/", i), Directories: []string{root}})
		}
		asked := 0
		h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
			if method == "listSessions" {
				if asked++; asked == 3 {
					h.Notify(ahp.NoteSessionAdded, map[string]any{"channel": ahp.RootURI, "summary": map[string]any{
						"resource": "s:/new", "workingDirectories": []string{root}}})
					h.Notify(ahp.NoteSessionRemoved, map[string]any{"channel": ahp.RootURI, "session": "s:/0"})
				}
			}
			return nil, nil, false
		})
		r := start(t, h, func(c *Config) { c.Roots = []string{root} })
		got := r.sessions()
		require.Contains(t, got, "s:/new")
		require.NotContains(t, got, "s:/0")
		require.Contains(t, got, "s:/1")
		require.Contains(t, got, "s:/2")
	})
}

func TestPinned(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		h.AddSession(ahptest.Session{URI: two, Directories: []string{"file:///some/where/else"}})
		r := start(t, h, func(c *Config) { c.Roots, c.Session = []string{root}, two })
		require.Equal(t, []string{two}, selected(r), "wherever it works")

		r.c.Select("")
		require.Equal(t, []string{one}, selected(r))
	})
}

func TestPinnedDraft(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Title: "Draft", Directories: []string{root}, Draft: true,
			Changesets: []ahp.CatalogueEntry{{Kind: "uncommitted"}}})
		r := start(t, h, func(c *Config) { c.Session = one })
		require.Equal(t, []string{one}, selected(r))
		require.Equal(t, ahp.LifecycleCreating, last[SessionChanged](r.everything()).View.State.Lifecycle)
		require.Contains(t, r.changesets(), one+"/changeset/uncommitted")

		h.Do(one, `{"type":"session/ready"}`) // the first turn: now it is listed
		require.Equal(t, []string{one}, selected(r))
		require.Equal(t, ahp.LifecycleReady, last[SessionChanged](r.everything()).View.State.Lifecycle)
		require.Len(t, sent(h, "unsubscribe"), 0)
	})
}

func TestPinnedUnknown(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, func(c *Config) { c.Session = one })
		notices := these[Notice](r.everything())
		require.Len(t, notices, 1)
		require.Contains(t, notices[0].Text, one+" does not exist")
		require.Contains(t, notices[0].Text, "ahp-lsp sessions")

		h.DropConnections() // told once
		time.Sleep(time.Minute)
		require.Len(t, these[Notice](r.everything()), 1)

		h.AddSession(ahptest.Session{URI: one, Directories: []string{"file:///x"}})
		require.Equal(t, []string{one}, selected(r), "it is there at last")
	})
}

func TestCreationFailed(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		h.AddSession(ahptest.Session{URI: one, Title: "Draft", Draft: true})
		r := start(t, h, func(c *Config) { c.Session = one })
		h.Do(one, `{"type":"session/creationFailed","error":{"errorType":"x","message":"no disk"}}`)
		require.Equal(t, `the agent session "Draft" could not be created: no disk`, last[Notice](r.everything()).Text)
	})
}

// Worktree isolation moves a session at its first turn.
func TestSessionMovesToWorktree(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		base := makeFolders(t, "w", "tree")
		root, tree := base+"/w", base+"/tree"
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		h.SetAnnotations(one, annotation("a", "x"))
		r := start(t, h, func(c *Config) { c.Roots = []string{root} })
		require.Equal(t, []string{one}, selected(r))

		h.Do(one, map[string]any{"type": "session/workingDirectoryReplaced", "directory": root, "replacement": tree})
		require.Empty(t, selected(r))
		require.Equal(t, Reason{Kind: ReasonElsewhere, Folder: must(pathOf(tree))}, r.sessions()[one].Reason)
		require.Empty(t, r.shown(one), "it is never shown in the wrong files")
		require.Zero(t, h.Subscribers(one))

		// Not even after the connection was lost, when the list may be stale.
		h.DropConnections()
		time.Sleep(time.Minute)
		require.Empty(t, selected(r))

		r.c.SetRoots([]string{root, tree}) // the user opens it
		require.Equal(t, []string{one}, selected(r))
		require.Len(t, r.shown(one), 1)
	})
}

func TestSetRoots(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		base := makeFolders(t, "a", "b")
		h.AddSession(ahptest.Session{URI: one, Directories: []string{base + "/a"}})
		h.AddSession(ahptest.Session{URI: two, Directories: []string{base + "/b"}})
		r := start(t, h, nil)
		require.Empty(t, selected(r))
		require.Equal(t, Reason{Kind: ReasonNoRoot}, r.sessions()[one].Reason)
		r.c.SetRoots([]string{base + "/a/"})
		require.Equal(t, []string{one}, selected(r))
		r.c.SetRoots([]string{base + "/b"})
		require.Equal(t, []string{two}, selected(r))
		require.Zero(t, h.Subscribers(one))
	})
}

func TestPathMapAndSymlinkInSessions(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		base := makeFolders(t, "real")
		realPath, linkPath := must(pathOf(base+"/real")), must(pathOf(base+"/link"))
		symlink(t, filepath.FromSlash(realPath), filepath.FromSlash(linkPath))
		h.AddSession(ahptest.Session{URI: one, Directories: []string{"file:///srv/checkout"}})
		h.AddSession(ahptest.Session{URI: two, Directories: []string{base + "/real"}})
		r := start(t, h, func(c *Config) {
			c.Roots = []string{base + "/link"}
			c.PathMap = []PathMapping{{Host: "file:///srv/checkout", Local: base + "/real"}}
		})
		require.ElementsMatch(t, []string{one, two}, selected(r))
		require.Equal(t, []string{base + "/link"}, r.sessions()[one].Directories)
		require.Equal(t, []string{base + "/link"}, r.sessions()[two].Directories)
		require.Equal(t, base+"/link/a.go", r.c.ToLocal("file:///srv/checkout/a.go"))
		require.Equal(t, "file:///srv/checkout/a.go", r.c.ToHost(base+"/link/a.go"))
	})
}

// A host without listSessions can still serve a pinned session.
func TestNoSessionList(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		h.AddSession(ahptest.Session{URI: one, Directories: []string{"file:///x"}})
		h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
			return nil, &ahp.Error{Code: -32601, Message: "Method not found"}, method == "listSessions"
		})
		r := start(t, h, func(c *Config) { c.Session = one })
		require.Equal(t, []string{one}, selected(r))
		require.Contains(t, r.log.text(), "listSessions")
		_, err := r.c.Sessions(t.Context())
		require.True(t, ahp.Is(err, ahp.CodeMethodNotFound))
	})
}

// Sessions that work in the same directory see the same uncommitted files: the
// changesets of one of them are enough.
func TestOneOwnerOfADirectory(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		for i, uri := range []string{one, two} {
			h.AddSession(ahptest.Session{URI: uri, Directories: []string{root}, Modified: at(i), Changesets: []ahp.CatalogueEntry{{Kind: "uncommitted"}}})
		}
		r := start(t, h, func(c *Config) { c.Roots = []string{root} })
		require.Len(t, selected(r), 2)
		require.Len(t, r.changesets(), 1)
		require.Contains(t, r.changesets(), two+"/changeset/uncommitted", "the newest")
		h.RemoveSession(two)
		synctest.Wait()
		require.Len(t, r.changesets(), 1)
		require.Contains(t, r.changesets(), one+"/changeset/uncommitted")
	})
}
