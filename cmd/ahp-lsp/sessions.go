package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/internal/hosts"
	"ahp-lsp/internal/printable"
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
	warnAboutToken(os.Stderr, set)
	embedded := brief(ctx)
	defer embedded.Close()
	client, now, end := hosts.Connect(ctx, hosts.Search{
		Hosts: func(roots []string) []bridge.Host {
			return set.Hosts(discoverWith(embedded), func() []string { return roots })()
		},
		Session: set.Session, Dir: dir, Info: program(),
	})
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

func (c *sessionsCommand) print(list []bridge.SessionInfo) error {
	if c.JSON {
		if list == nil {
			list = []bridge.SessionInfo{}
		}
		data, err := printable.JSON(list)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(data)
		return err
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
			here = "no: " + printable.Label(s.Reason.String())
		}
		modified := ""
		if !s.Modified.IsZero() {
			modified = s.Modified.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", printable.Label(s.URI), printable.Label(s.Title), modified, here)
	}
	return w.Flush()
}
