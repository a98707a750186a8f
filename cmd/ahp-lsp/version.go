package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"ahp-lsp/bridge/ahp"
)

// version is set by release builds (-ldflags "-X main.version=…").
var version string

// buildVersion is the version of this binary: as released, or the commit it
// was built from.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+changes"
			}
		}
	}
	if revision == "" {
		return "devel"
	}
	return "devel-" + revision + dirty
}

type versionCommand struct{}

// Run prints the version and the protocol's.
func (versionCommand) Run() error {
	fmt.Printf("ahp-lsp %s\nAgent Host Protocol %s\n", buildVersion(), strings.Join(ahp.Versions(), ", "))
	return nil
}
