// Package journal keeps records in a file, so that what has been acknowledged
// survives a crash and a power cut.
//
// The embedded host's committer uses it for comments, reviewed flags and
// verdicts. It knows nothing of what the records mean, and imports nothing of the
// host. A Journal belongs to one goroutine.
package journal
