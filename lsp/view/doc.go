// Package view makes what the editor shows out of a workspace: diagnostics,
// hovers, lenses, actions, hints, the answers to plugins, and the words for all of
// them. Its functions take the workspace and what the client can do, and return
// values of the wire. They change nothing: they have no way to.
//
// Whoever holds the workspace may call them; see package workspace.
package view
