// Package bridge is the client of an agent host: it dials, shakes hands,
// chooses the sessions that belong to the workspace, mirrors their channels,
// dispatches actions ahead of their confirmation, reads content, invokes
// operations, and comes back after a lost connection.
//
// # Concurrency
//
// A [Client] is safe for concurrent use. All of its state sits behind one mutex
// that is never held while something is read from or written to a socket.
// Every change goes to Config.OnChange, in the host's order and without gaps.
// The callback runs with the mutex held, on the goroutine that reads the socket
// or on that of a caller whose call changed something: it must only queue the
// change, and must not call the Client.
//
// Inside, a goroutine that holds the Client's mutex may take that of a connection,
// of a queue or of the content cache, never the other way round, and no two of
// those. Callbacks for answers run without a lock.
//
// Values in a [Change] are immutable: they can be kept and read from anywhere.
//
// # Coordinates
//
// URIs inside protocol values are the host's. Those of the editor's machine are
// made from them with [Client.ToLocal] and back with [Client.ToHost].
package bridge
