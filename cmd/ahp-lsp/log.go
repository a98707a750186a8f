package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/tliron/commonlog"
	"github.com/tliron/commonlog/simple"

	"ahp-lsp/internal/printable"
)

// startLog sends the log to a file, or to standard error. Standard output is
// the editor's.
func startLog(file, level string) error {
	backend := simple.NewBackend()
	backend.Format = formatLog
	verbosity := map[string]int{"error": -2, "warning": -1, "notice": 0, "info": 1, "debug": 2}[level]
	var path *string
	if file != "" {
		// commonlog ends the process if it cannot open the file; say why instead.
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("open the log file: %w", err)
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("open the log file: %w", err)
		}
		path = &file
	}
	backend.Configure(verbosity, path)
	commonlog.SetBackend(backend)
	return nil
}

// formatLog writes a message with nothing that would act on a terminal, and so that no
// line of it looks like another message.
func formatLog(m *commonlog.LinearMessage, name []string, level commonlog.Level, colorize bool) string {
	m.Message = strings.ReplaceAll(printable.Text(strings.TrimRight(m.Message, "\n")), "\n", "\n    ")
	return simple.DefaultFormat(m, name, level, colorize)
}
