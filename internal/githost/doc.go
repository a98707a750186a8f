// Package githost is the embedded agent host: it serves a git work tree as a
// session of the Agent Host Protocol, so that a review needs no other host and
// no configuration. Clients reach it through the protocol only, over a pipe inside
// the process or over a socket.
//
// # What to call
//
// [Serve] gives a process the host of a work tree: it starts one, or finds the
// one that another process runs. Clients connect with [Service.Dial] to
// [Service.Address]. The rest is for commands that need no host, and that a
// running one notices: [StartTurn], [EndTurn], [Turns], [ImportPatchSet],
// [Undo]. [EntryDirs] is where hosts publish themselves.
//
// # Rooms
//
// An arrow points to what is imported; TestRooms checks them.
//
//	githost  → session, disk, store, journal, publish, gitrepo, wire
//	disk     → session, gitrepo, wire         what is on disk, and how it is sent
//	store    → session, journal, gitrepo, wire what is kept in the git directory
//	session  → gitrepo (types), wire          the state; no I/O, locks, goroutines
//	journal                                   records in a file, durable
//	publish                                   who owns a work tree; how it is found
//	wire                                      JSON objects, member by member
//
// This package itself has the connections ([Host].Serve, peer, request,
// handshake), the numbering and replay of actions (hub), and three goroutines'
// work: worker, committer, watcher. Only cmd/ahp-lsp imports it; nothing imports
// the rooms below it but it and each other.
//
// # What is served
//
// One session, git:/<id of the work tree>, with one chat whose turns are
// recorded checkpoints, the annotations channel, and changesets (uncommitted,
// staged, branch, session, turn, compare-turns, and a patchset for each
// proposal). Content is referred to by git-blob: and ahp-patchset: URIs, which
// never change their content, and file: URIs. What changes anything is an
// operation of a changeset: package gitrepo does the work.
//
// # Which goroutine touches what
//
// Each connection has a goroutine that reads and answers, and one that writes.
// Requests that read the disk or run an operation are answered by goroutines of
// their own.
//
// The worker's goroutine is the only one that asks git: operations, changesets,
// turns, one at a time. It knows the work tree's status from before and looks
// again where the watcher has seen writes (gitrepo.Scan). The committer's
// goroutine is the only one that changes annotations, reviewed flags, stashes and
// verdicts: it writes them to disk, then it changes the state and echoes them.
// The watcher's goroutine says what has changed on disk.
//
// They share the session.State under the Host's mutex, and change it through
// Host.with only. Nobody waits for a disk, git or a client while holding it. An
// action is numbered, applied and queued for every subscriber in one hold of it,
// so that all see the same order.
//
// # What is kept, and where
//
// In the git directory that all work trees share, below ahp/: annotations.jsonl
// (comments, reviewed flags, verdicts), patchsets/, host.lock, host.at, poke-*; those
// of a linked work tree have its name behind. Turns and what operations have
// destroyed are commits whose refs are in records.git there, and are not pushed; see
// package gitrepo/records. Old ones go when a host starts.
package githost
