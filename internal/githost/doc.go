// Package githost is the embedded agent host: it serves a git work tree as a
// session of the Agent Host Protocol, so that a review needs no other host and
// no configuration. It is reached through the protocol only, over a pipe inside
// the process or over a socket.
//
// # What to call
//
// [Serve] gives a process the host of a work tree: it starts one, or finds the
// one that another process runs. Clients connect with [Service.Dial] to
// [Service.Address]. The rest is for commands that need no host, and that a
// running one notices: [StartTurn], [EndTurn], [Turns], [ImportPatchSet],
// [Undo].
//
// # What is served
//
// One session, ahp-session:/<id of the work tree>, with one chat whose turns are
// recorded checkpoints, the annotations channel, and changesets (uncommitted,
// staged, branch, session, turn, compare-turns, and a patchset for each
// proposal). Content is referred to by git-blob: and ahp-patchset: URIs, which
// never change their content, and file: URIs. What changes anything is an
// operation of a changeset: package gitrepo does the work.
//
// # Who does what
//
// Each connection has a goroutine that reads and answers, and one that writes.
// The worker's goroutine is the only one that asks git: operations, changesets,
// turns, one at a time. It knows the work tree's status from before and looks
// again where the watcher has seen writes (gitrepo.Scan). The committer's goroutine is the only one that changes
// annotations and reviewed flags: it writes them to disk, and then they are
// echoed. The watcher's goroutine says what has changed on disk. They share the
// Host's state under one mutex, which is never held while a disk, git or a
// client is waited for; an action is numbered, applied and queued for every
// subscriber in one hold of it, so that all see the same order.
//
// # What is kept, and where
//
// In the git directory all work trees share, below ahp/: annotations.jsonl
// (comments, reviewed flags, verdicts), patchsets/, host.lock, host.at, poke-*; of a
// linked work tree each with its name behind. Turns and what operations have
// destroyed are commits under refs/ahp/; old ones go when a host starts.
package githost
