// Package neovim has the plugin for Neovim, for a program that brings it along.
package neovim

import "embed"

// Plugin is the folder to be put on Neovim's 'runtimepath'.
//
//go:embed lsp lua plugin doc
var Plugin embed.FS
