// Package command carries out what users and plugins ask for through
// workspace/executeCommand: one file per command or family of commands.
//
// A command runs in the loop of package lsp, where it may use the workspace. What
// has to wait (for the user, the editor, the host) is a method of one of the
// interfaces Workspace, Editor and Host that says so: it leaves the loop while it
// waits, and is in the loop again when it returns. So a command reads from top to
// bottom; what it learned of the workspace before such a call has to be looked up
// again after it.
package command
