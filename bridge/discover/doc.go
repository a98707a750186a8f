// Package discover finds the agent hosts that run on this machine, without any
// configuration: a host publishes itself by a small file, and this package reads
// those files. It never writes, dials or logs.
//
// # What is published
//
// The reference host (VS Code) keeps one file per running host,
// <userData>/agent-host/local-endpoint/entries/<identity>.json, schema version 2:
//
//	{"schemaVersion": 2, "type": "editor"|"standalone", "pid": 1234,
//	 "instanceId": "…", "protocolVersion": "0.9.0", "connectionToken": "…",
//	 "endpoint": {"type": "socket", "path": "…"} | {"type": "tcp", "host": "…", "port": 1},
//	 "quality"?: "…", "tunnelName"?: "…"}
//
// The directory has mode 0700 and the files 0600, for the token opens the host.
//
// # What is trusted
//
// Only what the file system says about the owner of a file. Each entry is judged
// alone: one bad file never hides a good one. What is passed over is reported as
// a [Finding], which tells a user why a host was not found.
//
// [Scan] keeps no state and may be called from several goroutines at once. Call
// it again before each attempt to connect: a host that restarted has another
// token.
package discover
