package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp"
)

type sessionsCommand struct {
	hostFlags
	JSON    bool          `help:"Print JSON."`
	Timeout time.Duration `help:"How long to wait for the host." default:"10s"`
}

// Run prints a host's sessions and why each is, or is not, followed from the
// current folder.
func (c *sessionsCommand) Run(ctx context.Context) error {
	if err := startLog("", "error"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	set := envSettings().Over(c.settings())
	hosts := newEmbedded(ctx, true)
	defer hosts.close()
	client, now, end := reach(ctx, set, dir, hosts)
	defer end()
	switch {
	case now.State == bridge.Searching:
		return errors.New("sessions: no agent host found; name one with --host or AHP_HOST, or go to a git work tree")
	case now.State == bridge.Disconnected:
		return fmt.Errorf("sessions: %w", now.Err)
	case now.State != bridge.Connected:
		return fmt.Errorf("sessions: no host answered within %s", c.Timeout)
	}
	list, err := client.Sessions(ctx)
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	return c.print(list)
}

// reach looks for a host as the language server does for a folder, and waits
// until it is connected, refused or not found, or ctx ends. end has to be
// called before hosts is closed. told hears of the sessions that are followed, on
// another goroutine.
func reach(ctx context.Context, set lsp.Settings, dir string, hosts *embedded, told ...func(*bridge.SessionView)) (client *bridge.Client, now bridge.Connection, end func()) {
	changed := make(chan bridge.Connection, 16)
	roots := []string{ahp.FileURI(filepath.ToSlash(dir))}
	list := set.Hosts(hosts.hosts, func() []string { return roots })
	client = bridge.New(bridge.Config{
		Hosts: func() []bridge.Host {
			found := list()
			if len(found) == 0 { // a client that has not had a host does not say that there is none
				offer(changed, bridge.Connection{State: bridge.Searching})
			}
			return found
		},
		Roots: roots, Session: set.Session,
		Info: ahp.Implementation{Name: "ahp-lsp", Version: buildVersion()},
		OnChange: func(ch bridge.Change) {
			switch ch := ch.(type) {
			case bridge.ConnectionChanged:
				offer(changed, ch.Connection)
			case bridge.SessionChanged:
				for _, f := range told {
					if ch.View != nil {
						f(ch.View)
					}
				}
			}
		},
	})
	run, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); _ = client.Run(run) }()
	end = func() { stop(); <-ended }
	for {
		select {
		case <-ctx.Done():
			return client, bridge.Connection{State: bridge.Connecting, Err: ctx.Err()}, end
		case now = <-changed:
			if now.State != bridge.Connecting {
				return client, now, end
			}
		}
	}
}

func (c *sessionsCommand) print(list []bridge.SessionInfo) error {
	if c.JSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if list == nil {
			list = []bridge.SessionInfo{}
		}
		return enc.Encode(list)
	}
	if len(list) == 0 {
		fmt.Fprintln(os.Stderr, "the host has no sessions")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SESSION\tTITLE\tMODIFIED\tHERE")
	for _, s := range list {
		here := "yes"
		if !s.Followed {
			here = "no: " + s.Reason.String()
		}
		modified := ""
		if !s.Modified.IsZero() {
			modified = s.Modified.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.URI, s.Title, modified, here)
	}
	return w.Flush()
}
