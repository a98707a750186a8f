package main

import (
	"fmt"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/buildinfo"
)

// version is for releases that are built from sources without their repository
// (-ldflags "-X main.version=…"); elsewhere the Go tool knows it.
var version string

// buildVersion is the version of this binary.
func buildVersion() string { return buildinfo.Read(version).Version }

type versionCommand struct{}

// Run prints the version, how this binary was built, and the protocol's versions.
func (versionCommand) Run() error {
	fmt.Printf("ahp-lsp %s\nAgent Host Protocol %s\n", buildinfo.Read(version), strings.Join(ahp.Versions(), ", "))
	return nil
}
