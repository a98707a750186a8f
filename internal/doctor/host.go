package doctor

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"strings"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/discover"
	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/hosts"
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp"
)

// program reports the version, and what the environment sets.
func (c *checkup) program() {
	versions := ahp.Versions()
	c.add(LevelOK, "program", "", "ahp-lsp %s; speaks the Agent Host Protocol %s to %s", c.Info.Version, versions[len(versions)-1], versions[0])
	if c.Env.Host != "" {
		c.add(LevelOK, "program", "", "AHP_HOST is %s", shownHost(c.Env.Host))
	}
	if c.Env.Token != "" {
		c.add(LevelOK, "program", "", "AHP_TOKEN is set")
	}
	if c.Env.Session != "" {
		c.add(LevelOK, "program", "", "AHP_SESSION is %s", c.Env.Session)
	}
}

// shownHost is a setting "host" without a token.
func shownHost(host string) string {
	if host == lsp.HostAuto || host == lsp.HostGit {
		return host
	}
	return bridge.RedactHost(host)
}

// discovery reports which hosts published themselves on this machine, and where they
// were looked for.
func (c *checkup) discovery() {
	var dirs []string
	if c.Home == "" {
		c.add(LevelWarn, "discovery", "set HOME", "the home folder is not known: VS Code's hosts cannot be found")
	} else {
		dirs = discover.DefaultLocations(os.Getenv, runtime.GOOS, c.Home)
	}
	dirs = append(dirs, githost.EntryDirs()...)
	endpoints, passedOver := discover.Scan(dirs, discover.Alive)
	absent := map[string]bool{}
	for _, f := range passedOver {
		absent[f.Path] = absent[f.Path] || f.Kind == discover.NoDirectory
	}
	var there, searched []string
	for _, dir := range dirs {
		if absent[dir] {
			searched = append(searched, dir+" (does not exist)")
		} else {
			there = append(there, dir)
			searched = append(searched, dir)
		}
	}
	where := "none of the folders exists in which hosts publish themselves"
	if len(there) > 0 {
		where = "searched " + strings.Join(there, ", ")
	}
	c.add(LevelOK, "discovery", "", "%s found; %s", plural(len(endpoints), "published host"), where)
	c.detail(searched...)
	for _, e := range endpoints {
		c.add(LevelOK, "discovery", "", "found %s", e)
	}
	for _, f := range passedOver {
		switch {
		case f.Kind == discover.NoDirectory:
		case f.Kind == discover.Ended: // Helix kills its servers when it quits
			c.add(LevelOK, "discovery", "", "ignored %s: %s", f.Path, f.Reason)
		default:
			c.add(LevelWarn, "discovery", "if a host of yours published it, restart that host", "ignored %s: %s", f.Path, f.Reason)
		}
	}
}

// host reports which host is chosen, and which of its sessions are followed.
func (c *checkup) host(ctx context.Context, git bool) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	set := c.settings()
	named := set.Host != "" && set.Host != lsp.HostAuto
	views := make(chan *bridge.SessionView, 16)
	if hosts.TokenInClear(set.Host, set.Token != "" || set.TokenFile != "") {
		c.add(LevelWarn, "host", "use wss://, or a tunnel to this machine (ssh -L)", "the token goes to %s unencrypted", shownHost(set.Host))
	}
	client, now, end := hosts.Connect(ctx, hosts.Search{
		Hosts: func(roots []string) []bridge.Host {
			return set.Hosts(c.find, func() []string { return roots })()
		},
		Session: set.Session, Dir: c.Dir, Info: c.Info,
		OnSession: func(v *bridge.SessionView) {
			select {
			case views <- v:
			default: // enough to tell
			}
		},
	})
	defer end()
	switch {
	case now.State == bridge.Connected:
	case now.State == bridge.Searching:
		hint := "go to a folder in a git work tree, or name a host with --host"
		if !git {
			hint = "make this folder a git repository (git init), or name a host with --host"
		}
		c.add(LevelFail, "host", hint, "no host was found, and there is no git work tree for the embedded one")
		return
	case now.State == bridge.Disconnected && now.Err != nil:
		where := "the host"
		if now.Host != "" {
			where = now.Host
		}
		c.add(LevelFail, "host", hintForHost(now.Err, named), "%s cannot be used: %v", where, now.Err)
		return
	default:
		c.add(LevelFail, "host", "check that it runs, or wait longer with --timeout", "%s did not answer within %s", cmp.Or(now.Host, "the host"), c.Timeout)
		return
	}
	server := cmp.Or(printable.Label(now.Server), "an unnamed host")
	c.add(LevelOK, "host", "", "%s, at %s; both sides speak %s", server, now.Host, now.Version)
	if c.sessions(ctx, client) {
		c.notices(ctx, views)
	}
}

// notices reports what a session that is followed has to say to its user.
func (c *checkup) notices(ctx context.Context, views <-chan *bridge.SessionView) {
	select {
	case v := <-views:
		for line := range strings.Lines(v.State.Notes().Notice) {
			if line = strings.TrimSpace(line); line != "" {
				c.add(LevelWarn, "session", "", "%s: %s", printable.Label(v.URI), printable.Label(line))
			}
		}
	case <-ctx.Done():
	}
}

func hintForHost(err error, named bool) string {
	switch {
	case errors.Is(err, bridge.ErrForbidden):
		return "set its token with --token-file or AHP_TOKEN"
	case errors.Is(err, bridge.ErrBadURL):
		return "an address is ws://HOST:PORT/, wss://…, ws+unix:///path/of/the.sock, ws+pipe:///NAME, git or auto"
	case ahp.Is(err, ahp.CodeVersion):
		return "update the older of the two"
	case named:
		return "check that it runs and that the address is right, or leave out --host and AHP_HOST"
	}
	return "the reason is above; --host names another host"
}

// sessions reports whether one is followed.
func (c *checkup) sessions(ctx context.Context, client *bridge.Client) bool {
	list, err := client.Sessions(ctx)
	if err != nil {
		c.add(LevelFail, "session", "check that the host still runs", "the host does not list its sessions: %v", err)
		return false
	}
	followed := 0
	for _, s := range list {
		title := printable.Label(s.URI)
		if s.Title != "" {
			title = printable.Label(s.Title) + " (" + title + ")"
		}
		if s.Followed {
			followed++
			c.add(LevelOK, "session", "", "%s is followed", title)
		} else {
			c.add(LevelOK, "session", "", "%s is not followed: %s", title, printable.Label(s.Reason.String()))
		}
	}
	if followed == 0 {
		c.add(LevelWarn, "session", "open the folder that the agent works in, or take the embedded host with --host git", "none of the host's %d sessions works in %s", len(list), c.Dir)
	}
	return followed > 0
}
