package main

import (
	"fmt"
	"os"

	"github.com/tliron/commonlog"
	_ "github.com/tliron/commonlog/simple" // the backend that writes
)

// startLog sends the log to a file, or to standard error. Standard output is
// the editor's.
func startLog(file, level string) error {
	verbosity := map[string]int{"error": -2, "warning": -1, "notice": 0, "info": 1, "debug": 2}[level]
	if file == "" {
		commonlog.Configure(verbosity, nil)
		return nil
	}
	// commonlog ends the process if it cannot open the file; say why instead.
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log file: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("open the log file: %w", err)
	}
	commonlog.Configure(verbosity, &file)
	return nil
}
