// Package ahptest is an agent host in memory, for tests and benchmarks. It is a
// test double of the wire, not a host: it keeps what a test puts into it,
// answers as protocol.md says the reference host (VS Code 1.139) does, with its
// error codes, and can be made to misbehave. It runs no agent, reads files only
// to answer resourceRead, and trusts its caller.
//
// # In memory
//
// [Host.Dial] connects through net.Pipe and fits bridge.Config.Dial. Everything
// the Host starts waits on channels and pipes only, so a Host made inside a
// testing/synctest bubble comes to rest there and synctest.Wait returns. It must
// be closed before the bubble ends:
//
//	h := ahptest.New(ahptest.Options{})
//	t.Cleanup(h.Close)
//	h.AddSession(ahptest.Session{URI: "ahp-session:/1", Directories: []string{root}})
//	bridge.New(bridge.Config{Hosts: func() []bridge.Host { return []bridge.Host{{URL: ahptest.MemoryURL}} }, Dial: h.Dial, …})
//
// [Host.URL] serves the same Host on loopback TCP instead, for benchmarks.
//
// # Concurrency
//
// A Host is safe for concurrent use. Functions given to it (OnFrame, Reject)
// run with its mutex held and must not call it; OnInvoke and Intercept may.
package ahptest
