// Package ahp holds the Agent Host Protocol as data: the wire types of the
// channels this program uses (root, session, chat, annotations, changeset) and
// the pure reducers that turn a snapshot and a stream of actions into state.
//
// One model covers the released versions 0.4 to 1.0. Where they differ, both
// shapes are read (turnId and origin, workingDirectory and workingDirectories,
// plain and Markdown text, filesReviewedChanged and filesReviewChanged) and
// what the negotiated version has is written.
//
// # Reading is lenient
//
// Hosts do not validate. A value is decoded as far as it goes, and what could
// not be read is absent from it and described in the error that comes with it.
// Such an error (of type [Problems]) never means that the value is unusable.
// Members this package does not know are kept and written back, as long as the
// value they stand beside is the one that was read. What changes between
// reading and writing is this:
//
//   - a known member that is null or of the wrong type is absent;
//   - a range without an end ends at its start; without a start that names a
//     line it is no range; line and character lose their fraction and are
//     clamped to 32 bits, but are otherwise as the host wrote them;
//   - an annotation, file, operation, chat, turn or catalogue entry that
//     nothing identifies is left out; of annotations or files with the same id
//     the last counts, in the place of the first, of operations the first;
//   - an entry without id or text has an empty one, a Markdown text without
//     markdown too;
//   - a side of a file without a URI has that of the other side, or the file's id;
//   - what is no UTF-8 becomes U+FFFD.
//
// Only a text that is no JSON, or is nested more than 512 deep, is refused as a
// whole. Names of members are compared exactly, letter case included; of
// members with the same name the last one counts.
//
// # Values are immutable
//
// The items of a state (an *Annotation, a *ChangesetFile …) are never changed
// once they are reachable from it: a reducer replaces the pointer. So are the
// slices a state gives out: a reducer makes new ones. A reader may keep either
// as long as it likes, on any goroutine. The states themselves are not safe for
// concurrent use.
//
// The package does no I/O, starts no goroutines and needs only the standard
// library.
package ahp
