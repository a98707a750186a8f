// Package publish decides which process runs the host of a work tree, and lets the
// others find it: a lock elects the owner, an entry says where it listens.
//
// It does not know what a host does: it starts one with [Config.Start], and needs
// no more of it than [Host] says. Only package githost imports it, and it imports
// nothing of the host. A [Service] may be used by any goroutine; its mutex is held
// while it elects, so an election waits for another.
package publish
