// Command release prepares a release of ahp-lsp. It works from the root of the
// repository:
//
//	go run ./internal/release COMMAND
//
// It publishes nothing: what is made is left in a folder.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"
)

// cli is the command line.
type cli struct {
	Root string `help:"The root of the repository." type:"existingdir" default:"."`

	SetHome   setHomeCommand   `cmd:"" name:"set-home" help:"Say where the project is at home, and write that wherever it has to be."`
	Modules   modulesCommand   `cmd:"" help:"Write what depends on the modules that are linked: their licences, and their hash for Nix."`
	Packaging packagingCommand `cmd:"" help:"Write descriptions of packages for others' collections."`
	Build     buildCommand     `cmd:"" help:"Build archives, packages, checksums and lists of components, with goreleaser, in dist."`
	Documents documentsCommand `cmd:"" help:"Write completions and the manual page for archives and packages."`
	Sbom      sbomCommand      `cmd:"" help:"Write what is in the program of an archive, as CycloneDX."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var c cli
	k := kong.Parse(&c,
		kong.Name("release"),
		kong.Description("Prepare a release of ahp-lsp."),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err := k.Run(root(c.Root)); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// root is the folder of the repository.
type root string
