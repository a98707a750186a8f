package clidoc

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

type testCLI struct {
	Serve struct {
		Host  string `help:"Address. More of it."`
		Level string `enum:"error,info" default:"info" help:"Level."`
		Stdio bool   `help:"Standard streams."`
		Old   string `hidden:""`
	} `cmd:"" default:"withargs" help:"Serve one editor."`
	Turn struct {
		Start struct {
			Title string `help:"What to do." short:"t"`
			Agent string `help:"Which." enum:",claude,gemini" default:""`
		} `cmd:"" help:"Begin."`
		Hook struct {
			Agent string `arg:"" enum:"claude,gemini" help:"Which agent."`
			File  string `arg:"" optional:"" help:"A file, .or 'so' \\ and \"so\"."`
		} `cmd:"" help:"Print hooks."`
	} `cmd:"" help:"Turns."`
	Secret struct{} `cmd:"" hidden:""`
}

func testApp(t *testing.T) *kong.Application {
	p, err := kong.New(&testCLI{}, kong.Name("prog"), kong.Description("Test things."))
	require.NoError(t, err)
	return p.Model
}

func TestComplete(t *testing.T) {
	root := testApp(t).Node
	for _, test := range []struct {
		words []string
		want  []string
	}{
		{nil, []string{"serve", "turn"}},
		{[]string{""}, []string{"serve", "turn"}},
		{[]string{"t"}, []string{"turn"}},
		{[]string{"sec"}, nil},
		{[]string{"--"}, []string{"--help", "--host", "--level", "--stdio"}},
		{[]string{"--h"}, []string{"--help", "--host"}},
		{[]string{"serve", "--o"}, nil},
		{[]string{"--level", ""}, []string{"error", "info"}},
		{[]string{"--level", "e"}, []string{"error"}},
		{[]string{"--level="}, []string{"--level=error", "--level=info"}},
		{[]string{"--level", "="}, []string{"error", "info"}},     // of bash
		{[]string{"--level", "=", "i"}, []string{"info"}},         // of bash
		{[]string{"--level", "=", "info", "t"}, []string{"turn"}}, // of bash
		{[]string{"--level=info", "t"}, []string{"turn"}},
		{[]string{"--host", ""}, nil},
		{[]string{"--host", "turn", "t"}, []string{"turn"}},
		{[]string{"--stdio", "t"}, []string{"turn"}},
		{[]string{"turn", ""}, []string{"start", "hook"}},
		{[]string{"turn", "start", "-"}, []string{"--help", "--title", "--agent"}},
		{[]string{"turn", "start", "-t", "--agent"}, nil},
		{[]string{"turn", "start", "-t", "x", "--agent", ""}, []string{"claude", "gemini"}},
		{[]string{"turn", "hook", ""}, []string{"claude", "gemini"}},
		{[]string{"turn", "hook", "claude", ""}, nil},
		{[]string{"turn", "hook", "--", "c"}, nil},
		{[]string{"nonsense", "--level", "i"}, []string{"info"}},
	} {
		var got []string
		for _, c := range Complete(root, test.words) {
			got = append(got, c.Word)
		}
		require.Equal(t, test.want, got, "%q", test.words)
	}
	require.Equal(t, []Candidate{{"--host", "Address"}}, Complete(root, []string{"--ho"}))
}

func TestScripts(t *testing.T) {
	for _, shell := range Shells {
		text, err := Script(shell)
		require.NoError(t, err)
		require.Contains(t, text, " complete -- ", shell)
	}
	_, err := Script("csh")
	require.ErrorContains(t, err, `no completions for "csh"; there are for bash, zsh, fish`)
}

func TestMan(t *testing.T) {
	page := Man(testApp(t), "v1.2.3", []Environment{{"PROG_HOST", "The host."}})
	require.Equal(t, `.TH "PROG" 1 "" "prog v1.2.3"
.SH NAME
prog \- Test things
.SH SYNOPSIS
.B prog
.RI [ command ]
.RI [ argument " ...]"
.SH DESCRIPTION
Without a command, \fBserve\fP is done.
What is asked for goes to standard output, everything else to standard error.
.SH COMMANDS
.SS "serve"
Serve one editor.
.TP
\fB\-\-host\fP=\fIVALUE\fP
Address. More of it.
.TP
\fB\-\-level\fP=\fIVALUE\fP
Level. Default: info.
.TP
\fB\-\-stdio\fP
Standard streams.
.SS "turn start"
Begin.
.TP
\fB\-t\fP, \fB\-\-title\fP=\fIVALUE\fP
What to do.
.TP
\fB\-\-agent\fP=\fIVALUE\fP
Which.
.SS "turn hook <agent> [<file>]"
Print hooks.
.TP
\fIagent\fP
Which agent.
.TP
\fIfile\fP
A file, .or 'so' \e and "so".
.SH ENVIRONMENT
.TP
\fBPROG_HOST\fP
The host.
.SH EXIT STATUS
0 if all went well, 1 if it did not, 2 if the command line is wrong.
`, page)
}
