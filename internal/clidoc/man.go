package clidoc

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Environment is a variable that the program reads.
type Environment struct{ Name, Help string }

// Man is the manual page of a program, in section 1, as troff with the macros of man(7).
// It has no date: the same definition gives the same page.
func Man(app *kong.Application, version string, environment []Environment) string {
	var b strings.Builder
	name := app.Name
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s\n", quote(strings.ToUpper(name)), quote(name+" "+version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escape(name), escape(strings.TrimSuffix(app.Help, ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.RI [ command ]\n.RI [ argument \" ...]\"\n", escape(name))
	b.WriteString(".SH DESCRIPTION\n")
	if app.DefaultCmd != nil {
		fmt.Fprintf(&b, "Without a command, %s is done.\n", bold(app.DefaultCmd.Name))
	}
	b.WriteString("What is asked for goes to standard output, everything else to standard error.\n.SH COMMANDS\n")
	for _, leaf := range app.Leaves(true) {
		writeCommand(&b, leaf)
	}
	if len(environment) > 0 {
		b.WriteString(".SH ENVIRONMENT\n")
		for _, v := range environment {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", bold(v.Name), escape(v.Help))
		}
	}
	b.WriteString(".SH EXIT STATUS\n0 if all went well, 1 if it did not, 2 if the command line is wrong.\n")
	return b.String()
}

func writeCommand(b *strings.Builder, n *kong.Node) {
	fmt.Fprintf(b, ".SS %s\n%s\n", quote(commandLine(n)), escape(n.Help))
	if n.Detail != "" {
		fmt.Fprintf(b, ".PP\n%s\n", escape(n.Detail))
	}
	for _, arg := range n.Positional {
		fmt.Fprintf(b, ".TP\n\\fI%s\\fP\n%s\n", escape(arg.Name), escape(arg.Help))
	}
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		title := bold("--" + f.Name)
		if f.Short != 0 {
			title = bold("-"+string(f.Short)) + ", " + title
		}
		if !f.IsBool() && !f.IsCounter() {
			title += "=\\fI" + escape(cmp.Or(f.PlaceHolder, "VALUE")) + "\\fP"
		}
		help := f.Help
		if f.Default != "" {
			help += " Default: " + f.Default + "."
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", title, escape(help))
	}
}

// commandLine is a command with its arguments: comment PLACE TEXT ...
func commandLine(n *kong.Node) string {
	path := strings.SplitN(n.FullPath(), " ", 2)
	line := path[len(path)-1]
	for _, arg := range n.Positional {
		line += " " + arg.Summary()
	}
	return line
}

func bold(s string) string { return "\\fB" + escape(s) + "\\fP" }

// quote is s as one argument of a macro.
func quote(s string) string { return `"` + strings.ReplaceAll(escape(s), `"`, `\(dq`) + `"` }

// escape is s as text of troff: no control line, and hyphens that can be copied.
func escape(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
