// Package doctor is "ahp-lsp doctor": it looks for all that reviewing needs in a
// folder, and says what works, what does not, and what to do.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/hosts"
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp"
)

// Levels of findings.
const (
	LevelOK   = "ok"
	LevelWarn = "warn"
	LevelFail = "FAIL" // reviewing cannot work
)

// Finding is one line of a report. It never holds a token.
type Finding struct {
	Level   string   `json:"level"`
	About   string   `json:"about"` // program, discovery, git, host, session, editor
	Text    string   `json:"text"`
	Hint    string   `json:"hint,omitempty"`    // what to do
	Details []string `json:"details,omitempty"` // more about it, which only some want to read
}

// Options say what is examined.
type Options struct {
	Info    ahp.Implementation // of this program
	Dir     string             // the folder to review
	Home    string             // the user's; "" if it is not known
	Env     lsp.Settings       // of the environment
	Flags   lsp.Settings       // of the command line
	Timeout time.Duration      // how long the host may take

	Embedded *hosts.Embedded // where the embedded host is from
}

// Report is what was found.
type Report struct{ Findings []Finding }

// checkup is one run of the doctor.
type checkup struct {
	Options
	findings []Finding
}

func (c *checkup) add(level, about, hint, format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ") // of errors that are several
	c.findings = append(c.findings, Finding{Level: level, About: about, Text: text, Hint: hint})
}

// detail adds lines to the newest finding.
func (c *checkup) detail(lines ...string) {
	f := &c.findings[len(c.findings)-1]
	f.Details = append(f.Details, lines...)
}

// settings are those that a server started here would begin with.
func (c *checkup) settings() lsp.Settings { return c.Env.Over(c.Flags) }

// find lists the hosts to try, as the language server does.
func (c *checkup) find(kind string, roots []string) []bridge.Host {
	return c.Embedded.Find(kind == lsp.HostAuto, roots)
}

// Examine looks at everything that reviewing needs.
func Examine(ctx context.Context, o Options) Report {
	c := &checkup{Options: o}
	c.program()
	c.discovery()
	git := c.git(ctx)
	c.host(ctx, git)
	c.editors(ctx)
	return Report{c.findings}
}

// Failed reports whether reviewing cannot work.
func (r Report) Failed() bool {
	for _, f := range r.Findings {
		if f.Level == LevelFail {
			return true
		}
	}
	return false
}

// WriteText prints the report for a person; with verbose, the details too.
func (r Report) WriteText(w io.Writer, verbose bool) error {
	for _, f := range r.Findings {
		if _, err := fmt.Fprintf(w, "%-4s  %s: %s\n", f.Level, f.About, printable.Line(f.Text)); err != nil {
			return err
		}
		lines := []string{}
		if verbose {
			lines = f.Details
		}
		if f.Hint != "" {
			lines = append([]string{"hint: " + f.Hint}, lines...)
		}
		for _, line := range lines {
			if _, err := fmt.Fprintf(w, "      %s\n", printable.Line(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteJSON prints the report, details included.
func (r Report) WriteJSON(w io.Writer) error {
	data, err := printable.JSON(map[string]any{"ok": !r.Failed(), "findings": r.Findings})
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}
