package lsp

// The words that tests of this package are written in: methods of rig, which is a
// Server between an editor and a host, in memory. Everything is at rest when one of
// them returns.
//
//	bubble, run, start, handshake, end      start a server in a synctest bubble, and stop it    rig_test.go
//	capability                              what the editor can do                              rig_test.go
//	step, passes                            do something, let time pass; a heading each         rig_test.go
//	inLoop                                  look at the server's state                          rig_test.go
//	write, remove, path, uri, onDisk        files of the workspace                              rig_test.go
//
//	world, greet, changed, between          the host's session and changesets                   world_test.go
//	review, remark, suggesting              comments of the agent and of a person               world_test.go, scenes_threads_test.go
//	reviewed, commented, commenting         whole situations to begin with                      scenes_*_test.go, held_test.go
//	does                                    the host changes something                          script_test.go
//	hostCanGo                               the host goes for good                              held_test.go
//
//	opens, opensWith, closes, saves         documents                                           script_test.go
//	types, splice, replace                  edits of documents                                  script_test.go, editor_docs_test.go
//	rangeIn, cursorAt, rangeOnDisk          places                                              script_test.go, world_test.go
//	asks, fails, refused, result            requests and their answers                          script_test.go, badinput_test.go
//	hovers, lensesOf, hintsOf, pulls        what the editor shows                               script_test.go
//	offered, selected, chooses, clicks      code actions and lenses                             script_test.go, pointed_test.go
//	commands, invokes, answers              commands, operations, the user's answers            script_test.go
//	fills, fillsUnseen, overwrites          texts that were asked for in files                  script_waits_test.go
//	holdOperations, operationEnds           operations that take their time                     script_waits_test.go
//	holdReads                               a slow disk                                         pull_test.go
//
//	shownOn, sets, comments, replies        what to compare                                     held_test.go, invariant_test.go
//	alive                                   nothing is broken                                   badinput_test.go
//
// A scene (transcript_test.go) is a story whose whole conversation is compared with
// testdata/lsp; a new one goes into one of the scenes_*_test.go.
