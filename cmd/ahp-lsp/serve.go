package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
	"github.com/tliron/commonlog"

	"ahp-lsp/internal/hosts"
	"ahp-lsp/lsp"
)

type serveCommand struct {
	hostFlags
	Stdio    bool   `help:"Use standard input and output (the only way; accepted because editors pass it)."`
	Session  string `help:"Follow this session (URI), or all of the folder's. Environment: AHP_SESSION." placeholder:"URI|all"`
	LogFile  string `help:"Write the log to this file instead of standard error." placeholder:"F" type:"path"`
	LogLevel string `help:"How much to log: ${enum}." enum:"error,warning,notice,info,debug" default:"notice" placeholder:"L"`
}

// Run serves one editor.
func (c *serveCommand) Run(ctx context.Context, code *int) error {
	if err := startLog(c.LogFile, c.LogLevel); err != nil {
		return err
	}
	flags := c.settings()
	flags.Session = c.Session
	env := envSettings()
	warnAboutToken(os.Stderr, env.Over(flags))
	embedded := hosts.NewEmbedded(ctx, hosts.Options{Info: program()})
	defer embedded.Close()
	s := lsp.New(lsp.Config{
		Version: buildVersion(), Flags: flags, Env: env, Discover: discoverWith(embedded),
		Log: commonlog.GetLogger("ahp"), StateDir: filepath.Join(xdg.StateHome, "ahp-lsp"),
	})
	var err error
	*code, err = s.Run(ctx, os.Stdin, os.Stdout)
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
