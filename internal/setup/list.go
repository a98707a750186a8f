package setup

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"text/tabwriter"

	"ahp-lsp/internal/doctor"
	"ahp-lsp/internal/editor"
)

// list prints which editors are installed, and which of them are set up.
func (c Command) list(ctx context.Context) error {
	out := tabwriter.NewWriter(c.Stdout, 0, 0, 2, ' ', 0)
	for _, a := range applications {
		line := a.name + "\t" + a.found(ctx)
		if state := c.state(ctx, a); state != "" {
			line += "\t" + state
		}
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

// found says whether an editor is installed, and where.
func (a application) found(ctx context.Context) string {
	for _, program := range a.programs {
		path, err := exec.LookPath(program)
		if err != nil {
			continue
		}
		if e := editor.FindAt(ctx, a.programs[0], path); e.Version != "" {
			return fmt.Sprintf("%s %s (%s)", a.title, e.Version, path)
		}
		return fmt.Sprintf("%s (%s)", a.title, path)
	}
	return a.title + " is not installed"
}

func (c Command) state(ctx context.Context, a application) string {
	installed := false
	for _, program := range a.programs {
		_, err := exec.LookPath(program)
		installed = installed || err == nil
	}
	p, err := a.plan(ctx, c)
	switch {
	case err != nil && !installed:
		return ""
	case err != nil:
		why, _, _ := strings.Cut(err.Error(), "\n")
		return "not set up: " + why
	case p.empty():
		return "set up"
	case p.outdated():
		return "set up by another version: run ahp-lsp setup " + a.name
	}
	if a.name == "nvim" {
		if file, _ := doctor.NeovimConfigured(c.Home); file != "" {
			return "set up by hand: " + file
		}
	}
	if !installed {
		return ""
	}
	return "not set up: run ahp-lsp setup " + a.name
}

// outdated reports whether files of ours are there, but not as they should be.
func (p *plan) outdated() bool {
	for _, f := range p.files {
		if f.old != nil && !f.edit {
			return true
		}
	}
	return false
}
