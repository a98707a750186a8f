// Package emacs has what Emacs needs, for a program that brings it along.
package emacs

import _ "embed"

// Library is ahp.el.
//
//go:embed ahp.el
var Library []byte
