// Package vim has what Vim needs, for a program that brings it along.
package vim

import _ "embed"

// Plugin is ahp.vim, a plugin of one file that works through ALE.
//
//go:embed ahp.vim
var Plugin []byte
