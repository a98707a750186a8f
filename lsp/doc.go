// Package lsp is the editor's side: a language server that shows what package
// bridge mirrors of an agent host, and lets the user act on it.
//
// # One loop
//
// One goroutine, the loop, owns all mutable state: documents, files, threads,
// settings. Messages of the editor and changes of the host go through one
// queue to it, in order. Nothing in the loop waits for the editor, the host or
// the disk: slow work runs on immutable values in a goroutine of its own and
// posts its result back. Functions that must run in the loop say so or have a
// receiver that only the loop has.
//
// After each batch of queued work the loop publishes what differs from what the
// editor has.
//
// # Positions
//
// Inside, places are byte offsets. What the editor says and hears is converted
// with the negotiated encoding where it enters and leaves; what the host says
// is UTF-16.
package lsp
