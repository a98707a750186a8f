// Package setup is "ahp-lsp setup": it sets an editor up for ahp-lsp as the README
// describes it, and takes that back.
//
// What is to be done is worked out first, as a plan; it is shown, and carried out
// only if the user agrees. An editor that is set up has an empty plan.
package setup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"ahp-lsp/internal/editor"
)

// Command is one run of "ahp-lsp setup".
type Command struct {
	Editor    string // one of Names; "" lists what is set up
	Remove    bool   // take it back
	Yes       bool   // do not ask
	Extension string // the .vsix for VS Code; "" is the one that came with this program

	Home     string // the user's; "" if it is not known
	Dir      string // the current folder
	Terminal bool   // Stdin and Stdout are a terminal, where the user can be asked

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// An application is an editor that can be set up.
type application struct {
	name     string // what the command line calls it
	title    string
	programs []string
	plan     func(ctx context.Context, c Command) (plan, error)
}

// applications are listed in this order.
var applications = []application{
	{"nvim", "Neovim", []string{editor.Neovim}, planNeovim},
	{"helix", "Helix", []string{editor.Helix, "helix"}, planHelix},
	{"code", "VS Code", []string{editor.VSCode}, planVSCode},
	{"emacs", "Emacs", []string{"emacs"}, planEmacs},
	{"vim", "Vim", []string{"vim"}, planVim},
}

// Names are the editors that can be set up, as the command line calls them.
func Names() (names []string) {
	for _, a := range applications {
		names = append(names, a.name)
	}
	return names
}

var (
	errNoHome   = errors.New("the home folder is not known\nhint: set HOME")
	errNotAsked = errors.New("nothing was changed: there is no terminal to ask on\nhint: --yes does what is listed above")
)

// Run lists the editors, or sets one up.
func (c Command) Run(ctx context.Context) error {
	if c.Home == "" {
		return errNoHome
	}
	if c.Editor == "" {
		return c.list(ctx)
	}
	for _, a := range applications {
		if a.name == c.Editor {
			return c.run(ctx, a)
		}
	}
	return fmt.Errorf("%q is none of %s", c.Editor, strings.Join(Names(), ", "))
}

func (c Command) run(ctx context.Context, a application) error {
	p, err := a.plan(ctx, c)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(c.Stdout)
	defer out.Flush()
	if p.empty() {
		state := "is set up"
		if c.Remove {
			state = "is not set up by this program"
		}
		fmt.Fprintf(out, "%s %s: there is nothing to do\n", a.title, state)
		return p.writeNotes(out)
	}
	p.show(out)
	if err := p.writeNotes(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if agreed, err := c.agreed(); err != nil || !agreed {
		return err
	}
	if err := p.apply(ctx, out); err != nil {
		return err
	}
	if c.Remove {
		_, err = fmt.Fprintf(out, "%s is no longer set up for ahp-lsp\n", a.title)
		return err
	}
	_, err = fmt.Fprintf(out, "%s is set up. %s\n", a.title, p.next)
	return err
}

// agreed asks the user.
func (c Command) agreed() (bool, error) {
	if c.Yes {
		return true, nil
	}
	if !c.Terminal {
		return false, errNotAsked
	}
	fmt.Fprint(c.Stdout, "Do this? [y/N] ")
	line, err := bufio.NewReader(c.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	fmt.Fprintln(c.Stdout, "Nothing was changed.")
	return false, nil
}
