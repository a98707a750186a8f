package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"ahp-lsp/internal/editor"
	"ahp-lsp/internal/helixconfig"
)

// planHelix does what "ahp-lsp helix-config --write" does, which keeps the old file itself.
func planHelix(ctx context.Context, c Command) (plan, error) {
	p := plan{next: "Helix reads it at its next start; run this again after updating Helix."}
	e := editor.Find(ctx, editor.Helix)
	switch {
	case c.Remove:
	case e.Path == "":
		return p, errors.New("hx (Helix) is not on the PATH, so its languages are not known\nhint: \"ahp-lsp helix-config --shipped --write\" takes those of the version that ahp-lsp knows")
	case e.TooOld():
		return p, fmt.Errorf("%s is too old: it has to be 23.10 or newer", e)
	}
	path := helixconfig.UserFile(c.Home)
	old, err := read(path)
	if err != nil {
		return p, err
	}
	command := helixconfig.Command{Remove: c.Remove, File: path, Dir: c.Dir, Home: c.Home}
	var text bytes.Buffer
	if err := command.Run(ctx, &text, io.Discard); err != nil {
		return p, err
	}
	if bytes.Equal(old, text.Bytes()) {
		return p, nil
	}
	shown := plan{files: []change{{path: path, old: old, text: text.Bytes(), edit: old != nil}}}
	var what strings.Builder
	shown.show(&what)
	command.Write = true
	p.actions = append(p.actions, action{strings.TrimSuffix(what.String(), "\n"), func(ctx context.Context) (string, error) {
		var said bytes.Buffer
		err := command.Run(ctx, &said, &said)
		return strings.TrimSuffix(said.String(), "\n"), err
	}})
	return p, nil
}
