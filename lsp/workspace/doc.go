// Package workspace is the server's state: the documents and files of the editor,
// and the sessions, comments and changes that the host has of them.
//
// It changes in one place: Apply takes an event (the editor typed, a file was
// read, the host reported something) and returns effects, which are wishes: read
// this file, load those contents, write that record. Whoever holds the workspace
// carries them out somewhere else and applies their outcome as a further event.
// So this package has no I/O, starts no goroutine, takes no lock, and knows
// neither LSP's types nor the connection to the host.
//
// A Workspace belongs to one goroutine at a time, the one that holds the loop of
// package lsp. In race builds it checks that with the function it was made with.
// The values that its methods return (files, threads, changes) are part of it:
// they are read where it may be read, and nobody outside can change them. Texts,
// anchors, and the host's values are immutable and may be passed on.
//
// # Coordinates
//
// Places are spans of byte offsets in a text. What the editor counts (zero-based
// lines and characters, in the negotiated encoding) comes in and goes out as
// mapping.Range; what the host counts is UTF-16.
package workspace
