// Command ahp-lsp is a language server that shows, in any editor, what AI
// agents did to code: it is a client of an agent host (Agent Host Protocol).
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"ahp-lsp/internal/printable"
)

// cli is the command line. Every subcommand is in a file of its own.
type cli struct {
	Serve      serveCommand      `cmd:"" default:"withargs" help:"Serve one editor on standard input and output (the default)."`
	Sessions   sessionsCommand   `cmd:"" help:"List the sessions of an agent host."`
	Host       hostCommand       `cmd:"" help:"Run the embedded host of this git work tree in the foreground."`
	Turn       turnCommand       `cmd:"" help:"Record an agent's turns."`
	Comments   commentsCommand   `cmd:"" help:"Print the comments on this git work tree."`
	Comment    commentCommand    `cmd:"" help:"Comment on a file or on lines of it."`
	Reply      replyCommand      `cmd:"" help:"Reply to a comment."`
	Resolve    resolveCommand    `cmd:"" help:"Resolve a comment."`
	Patchset   patchsetCommand   `cmd:"" help:"Propose changes for review."`
	Undo       undoCommand       `cmd:"" help:"Restore what an operation of the embedded host destroyed."`
	Trust      trustCommand      `cmd:"" help:"Allow the programs that this repository's configuration names, such as filters."`
	Demo       demoCommand       `cmd:"" help:"Try it: a throw-away repository with an agent's changes and comments, in your editor."`
	Setup      setupCommand      `cmd:"" help:"Set an editor up for ahp-lsp, or take that back; list what is set up."`
	Doctor     doctorCommand     `cmd:"" help:"Say what works here and what does not, with hints."`
	Helix      helixCommand      `cmd:"" name:"helix-config" help:"Print, or write, a languages.toml with ahp-lsp for every language of Helix."`
	Completion completionCommand `cmd:"" help:"Print completions for a shell."`
	Complete   completeCommand   `cmd:"" hidden:""`
	Man        manCommand        `cmd:"" help:"Print the manual page."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
}

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	// A closed pipe is an error of a write, not the end of the process.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var c cli
	code := 0
	parser, err := kong.New(&c,
		kong.Name("ahp-lsp"),
		kong.Description("Review what AI agents do to code, in the editor you already use."),
		kong.UsageOnError(),
		kong.Writers(os.Stderr, os.Stderr), // nothing but LSP on standard output
		kong.Exit(func(n int) { code = n; panic(exit{}) }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(&code),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ahp-lsp:", err)
		return 2
	}
	return dispatch(parser, args, &code)
}

// exit unwinds the stack when kong wants to end the process (--help).
type exit struct{}

func dispatch(parser *kong.Kong, args []string, code *int) (result int) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(exit); !ok {
				panic(v)
			}
			result = *code
		}
	}()
	k, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "ahp-lsp: %s\nhint: run \"ahp-lsp --help\"\n", printable.Text(err.Error()))
		return 2
	}
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "ahp-lsp:", printable.Text(err.Error()))
		if *code == 0 {
			*code = 1
		}
	}
	return *code
}
