package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/discover"
	"ahp-lsp/internal/githost"
	"ahp-lsp/lsp"
)

// program says which version this is, and what it was told.
func (c *checkup) program() {
	versions := ahp.Versions()
	c.add(levelOK, "program", "", "ahp-lsp %s; speaks the Agent Host Protocol %s to %s", buildVersion(), versions[len(versions)-1], versions[0])
	if host := os.Getenv("AHP_HOST"); host != "" {
		c.add(levelOK, "program", "", "AHP_HOST is %s", shownHost(host))
	}
	if os.Getenv("AHP_TOKEN") != "" {
		c.add(levelOK, "program", "", "AHP_TOKEN is set")
	}
	if session := os.Getenv("AHP_SESSION"); session != "" {
		c.add(levelOK, "program", "", "AHP_SESSION is %s", session)
	}
}

// shownHost is a setting "host" without a token.
func shownHost(host string) string {
	if host == lsp.HostAuto || host == lsp.HostGit {
		return host
	}
	return bridge.RedactHost(host)
}

// discovery says where hosts publish themselves, and what is there.
func (c *checkup) discovery() {
	var dirs []string
	if c.home == "" {
		c.add(levelWarn, "discovery", "set HOME", "the home folder is not known: VS Code's hosts cannot be found")
	} else {
		dirs = discover.DefaultLocations(os.Getenv, runtime.GOOS, c.home)
	}
	for _, place := range []struct {
		whose string
		dirs  []string
	}{{"VS Code", dirs}, {"ahp-lsp", githost.EntryDirs()}} {
		endpoints, passedOver := discover.Scan(place.dirs, discover.Alive)
		for _, dir := range place.dirs {
			absent := slices.ContainsFunc(passedOver, func(f discover.Finding) bool { return f.Path == dir && f.Kind == discover.NoDirectory })
			if absent {
				c.add(levelOK, "discovery", "", "no host of %s's in %s: there is no such directory", place.whose, dir)
			} else {
				c.add(levelOK, "discovery", "", "looked for hosts of %s's in %s", place.whose, dir)
			}
		}
		for _, e := range endpoints {
			c.add(levelOK, "discovery", "", "found %s", e)
		}
		for _, f := range passedOver {
			switch {
			case f.Kind == discover.NoDirectory:
			case f.Kind == discover.Ended: // Helix kills its servers when it quits
				c.add(levelOK, "discovery", "", "passed over %s, left over from a host that was killed: %s", f.Path, f.Reason)
			default:
				c.add(levelWarn, "discovery", "if a host of yours published it, start that host again", "passed over %s: %s", f.Path, f.Reason)
			}
		}
	}
}

// host says which host is chosen, and which of its sessions are followed.
func (c *checkup) host(ctx context.Context, git bool) {
	ctx, cancel := context.WithTimeout(ctx, c.command.Timeout)
	defer cancel()
	set := envSettings().Over(c.command.settings())
	named := set.Host != "" && set.Host != lsp.HostAuto
	hosts := newEmbedded(ctx, true)
	defer hosts.close()
	views := make(chan *bridge.SessionView, 16)
	client, now, end := reach(ctx, set, c.dir, hosts, func(v *bridge.SessionView) { offer(views, v) })
	defer end()
	switch {
	case now.State == bridge.Connected:
	case now.State == bridge.Searching:
		hint := "go to a folder in a git work tree, or name a host with --host"
		if !git {
			hint = "make this folder a git repository (git init), or name a host with --host"
		}
		c.add(levelFail, "host", hint, "there is none, and no git work tree to make one from")
		return
	case now.State == bridge.Disconnected && now.Err != nil:
		where := "the host"
		if now.Host != "" {
			where = now.Host
		}
		c.add(levelFail, "host", hintForHost(now.Err, named), "%s cannot be used: %v", where, now.Err)
		return
	default:
		c.add(levelFail, "host", "look whether it runs, or wait longer with --timeout", "%s did not answer within %s", cmp.Or(now.Host, "the host"), c.command.Timeout)
		return
	}
	server := cmp.Or(now.Server, "an unnamed host")
	c.add(levelOK, "host", "", "%s, at %s; both sides speak %s", server, now.Host, now.Version)
	if c.sessions(ctx, client) {
		c.notices(ctx, views)
	}
}

// notices repeats what a session that is followed has to tell its user.
func (c *checkup) notices(ctx context.Context, views <-chan *bridge.SessionView) {
	select {
	case v := <-views:
		for line := range strings.Lines(v.State.Notes().Notice) {
			if line = strings.TrimSpace(line); line != "" {
				c.add(levelWarn, "session", "", "%s: %s", v.URI, line)
			}
		}
	case <-ctx.Done():
	}
}

func hintForHost(err error, named bool) string {
	switch {
	case errors.Is(err, bridge.ErrForbidden):
		return "give its token with --token-file or AHP_TOKEN"
	case errors.Is(err, bridge.ErrBadURL):
		return "an address is ws://HOST:PORT/, wss://…, ws+unix:///path/of/the.sock, ws+pipe:///NAME, git or auto"
	case ahp.Is(err, ahp.CodeVersion):
		return "update whichever of the two is older"
	case named:
		return "look whether it runs and whether the address is right, or leave --host and AHP_HOST away"
	}
	return "the reason is above; --host names another host"
}

// sessions reports whether one is followed.
func (c *checkup) sessions(ctx context.Context, client *bridge.Client) bool {
	list, err := client.Sessions(ctx)
	if err != nil {
		c.add(levelFail, "session", "look whether the host still runs", "the host does not list its sessions: %v", err)
		return false
	}
	followed := 0
	for _, s := range list {
		title := s.URI
		if s.Title != "" {
			title = s.Title + " (" + s.URI + ")"
		}
		if s.Followed {
			followed++
			c.add(levelOK, "session", "", "%s is followed", title)
		} else {
			c.add(levelOK, "session", "", "%s is not followed: %s", title, s.Reason)
		}
	}
	if followed == 0 {
		c.add(levelWarn, "session", "open the folder that the agent works in, or take the embedded host with --host git", "none of the host's %d sessions works in %s", len(list), c.dir)
	}
	return followed > 0
}
