// Package gitcmd runs the git binary, and decides what it may run in turn. It is the
// only place from which this program runs git in a repository of the user.
//
// Anybody can have written a repository's configuration: the author of the archive it
// came in, or a program that may write into it. So of what it names nothing runs
// that has not been allowed:
//
//   - Nothing is fetched: no protocol is allowed, and objects that a partial clone
//     lacks are fault.ErrNotDownloaded.
//   - Hooks run for a [Command] with Own only, that is, for a commit.
//   - Of the programs that read the files of the work tree, file system monitors
//     run if the user's own configuration says so, and external diffs, text
//     conversions, pagers, editors and credential helpers never.
//   - Filters that the repository itself defines run if the user has allowed
//     them; see [Program]. Those of the user's own configuration do always.
//
// A [Runner] is safe for concurrent use.
package gitcmd
