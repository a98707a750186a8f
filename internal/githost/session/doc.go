// Package session is the state of the embedded host's one session: its turns,
// changesets, operations, annotations and proposals, and what each change of it
// means to clients.
//
// It does no I/O, starts no goroutine and takes no lock. [State] belongs to the
// Host, which changes it in one place with its mutex held (Host.with) and then
// sends what [State.Take] returns. [Guesser] decides when a turn that nobody
// announced begins and ends; it is part of the State. What asks the disk, a
// [Batch], says so, and is used without the mutex by the one goroutine that
// changes what is kept (see [Kept]).
//
// Only packages githost, disk and store import it. It imports the protocol
// (bridge/ahp), gitrepo for its types, and wire.
package session
