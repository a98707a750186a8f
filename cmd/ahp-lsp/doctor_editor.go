package main

import (
	"context"
	"slices"
)

// editors says which editors are there, and whether they know of ahp-lsp.
func (c *checkup) editors(ctx context.Context) {
	found := make([]foundEditor, len(knownEditors))
	for i, known := range knownEditors {
		found[i] = lookEditor(ctx, known.name)
	}
	if !slices.ContainsFunc(found, func(e foundEditor) bool { return e.path != "" }) {
		c.add(levelWarn, "editor", "any editor with LSP can be used: its command is \"ahp-lsp serve --stdio\"", "neither Neovim (nvim), Helix (hx) nor VS Code (code) is on the PATH")
		return
	}
	for _, e := range found {
		if e.path != "" {
			c.editor(e)
		}
	}
}

func (c *checkup) editor(e foundEditor) {
	if e.old {
		c.add(levelWarn, "editor", "install Neovim 0.11 or newer", "%s is too old", e)
		return
	}
	if e.name == "code" {
		c.add(levelOK, "editor", "", "%s; needs the extension in editors/vscode", e)
		return
	}
	file, looked := e.configured(c.home)
	switch {
	case file != "":
		c.add(levelOK, "editor", "", "%s; configured in %s", e, file)
	case e.name == "nvim":
		c.add(levelWarn, "editor", "install the plugin in editors/neovim, for example with \"ln -s $PWD/editors/neovim ~/.local/share/nvim/site/pack/ahp/start/ahp\"", "%s; nothing in %s mentions ahp-lsp", e, looked)
	default:
		c.add(levelWarn, "editor", "add editors/helix/languages.toml to it", "%s; %s does not mention ahp-lsp", e, looked)
	}
}
