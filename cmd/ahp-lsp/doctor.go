package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ahp-lsp/internal/doctor"
)

type doctorCommand struct {
	hostFlags
	JSON    bool          `help:"Print JSON."`
	Verbose bool          `short:"v" help:"Print details too, such as every folder that was searched."`
	Timeout time.Duration `help:"How long to wait for the host." default:"10s"`
}

// errFailed is the result of a report with a FAIL.
var errFailed = errors.New("doctor: reviewing cannot work here; see the hints above")

// Run reports on everything that reviewing needs.
func (c *doctorCommand) Run(ctx context.Context) error {
	if err := startLog("", "error"); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	home, _ := os.UserHomeDir()
	embedded := brief(ctx)
	defer embedded.Close()
	report := doctor.Examine(ctx, doctor.Options{
		Info: program(), Dir: dir, Home: home, Env: envSettings(), Flags: c.settings(),
		Timeout: c.Timeout, Embedded: embedded,
	})
	if c.JSON {
		err = report.WriteJSON(os.Stdout)
	} else {
		err = report.WriteText(os.Stdout, c.Verbose)
	}
	if err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	if report.Failed() {
		return errFailed
	}
	return nil
}
