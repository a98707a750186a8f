package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

type doctorCommand struct {
	hostFlags
	JSON    bool          `help:"Print JSON."`
	Timeout time.Duration `help:"How long to wait for the host." default:"10s"`
}

// Levels of findings.
const (
	levelOK   = "ok"
	levelWarn = "warn"
	levelFail = "FAIL" // the main job cannot work
)

// finding is one line of the doctor's report. It never holds a token.
type finding struct {
	Level string `json:"level"` // ok, warn, FAIL
	About string `json:"about"` // program, discovery, git, host, session, editor
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"` // what to do
}

// checkup is one run of the doctor.
type checkup struct {
	command  *doctorCommand
	dir      string // the current folder
	home     string // "" if it is not known
	findings []finding
}

func (c *checkup) add(level, about, hint, format string, args ...any) {
	c.findings = append(c.findings, finding{level, about, fmt.Sprintf(format, args...), hint})
}

// errNotWell is the result of a report with a FAIL.
var errNotWell = errors.New("doctor: reviewing cannot work here; see the hints above")

// Run reports on everything that the main job needs.
func (c *doctorCommand) Run(ctx context.Context) error {
	if err := startLog("", "error"); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	home, _ := os.UserHomeDir()
	check := &checkup{command: c, dir: dir, home: home, findings: []finding{}}
	check.program()
	check.discovery()
	git := check.git(ctx)
	check.host(ctx, git)
	check.editors(ctx)
	if c.JSON {
		err = check.writeJSON(os.Stdout)
	} else {
		err = check.write(os.Stdout)
	}
	if err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	if check.failed() {
		return errNotWell
	}
	return nil
}

func (c *checkup) failed() bool {
	for _, f := range c.findings {
		if f.Level == levelFail {
			return true
		}
	}
	return false
}

func (c *checkup) write(w io.Writer) error {
	for _, f := range c.findings {
		if _, err := fmt.Fprintf(w, "%-4s  %s: %s\n", f.Level, f.About, f.Text); err != nil {
			return err
		}
		if f.Hint != "" {
			if _, err := fmt.Fprintf(w, "      hint: %s\n", f.Hint); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checkup) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{"ok": !c.failed(), "findings": c.findings})
}
