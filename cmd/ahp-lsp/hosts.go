package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/hosts"
	"ahp-lsp/internal/review"
	"ahp-lsp/lsp"
)

// hostFlags name an agent host. Flags win over the editor's settings, those
// over the environment.
type hostFlags struct {
	Host      string `help:"Agent host: ws://, wss://, ws+unix:// or ws+pipe:// address; git for the embedded one; or auto (the default) to look for one, and otherwise take the embedded one. Environment: AHP_HOST." placeholder:"URL"`
	Token     string `help:"Token of the host. Other users can see it in the list of processes: prefer --token-file or AHP_TOKEN." placeholder:"T"`
	TokenFile string `help:"File that holds the token: one line, in a file that nobody else can read." placeholder:"F" type:"path"`
}

func (f hostFlags) settings() lsp.Settings {
	return lsp.Settings{Host: f.Host, Token: f.Token, TokenFile: f.TokenFile}
}

// warnAboutToken warns about a token that other machines on the way can read.
func warnAboutToken(w io.Writer, s lsp.Settings) {
	if hosts.TokenInClear(s.Host, s.Token != "" || s.TokenFile != "") {
		fmt.Fprintf(w, "warning: the token goes to %s unencrypted\nhint: use wss://, or a tunnel to this machine (ssh -L)\n", bridge.RedactHost(s.Host))
	}
}

func envSettings() lsp.Settings {
	return lsp.Settings{Host: os.Getenv("AHP_HOST"), Token: os.Getenv("AHP_TOKEN"), Session: os.Getenv("AHP_SESSION")}
}

// program is what this program calls itself to others.
func program() ahp.Implementation {
	return ahp.Implementation{Name: "ahp-lsp", Version: buildVersion()}
}

// brief is where a command that ends soon has its embedded host from.
func brief(ctx context.Context) *hosts.Embedded {
	return hosts.NewEmbedded(ctx, hosts.Options{Info: program(), Brief: true})
}

// discoverWith lists the hosts to try for the open folders, see lsp.Config.
func discoverWith(e *hosts.Embedded) func(kind string, roots []string) []bridge.Host {
	return func(kind string, roots []string) []bridge.Host { return e.Find(kind == lsp.HostAuto, roots) }
}

// openRepo opens the git work tree that the current folder is in.
func openRepo(ctx context.Context) (*gitrepo.Repo, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return gitrepo.Open(ctx, dir)
}

// openReview connects to the embedded host of the current folder.
func openReview(ctx context.Context) (*review.Review, error) {
	repo, err := openRepo(ctx)
	if err != nil {
		return nil, err
	}
	return review.Open(ctx, repo, brief(ctx), program())
}
