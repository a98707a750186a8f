// Package protocol has the types of the wire between the server and its editor:
// those of LSP 3.16 under the names that glsp gives them, the members of 3.17 and
// 3.18 that glsp lacks or loses, and the arguments of this server's own commands.
// It holds no behaviour but questions about what a client can do.
package protocol
