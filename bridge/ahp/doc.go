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
// Hosts do not validate. A member of the wrong type, a range without an end, a
// resource that is a path: the value is decoded as far as it goes, what could
// not be read is left at its zero value and described in the error that comes
// with it. Such an error (of type [Problems]) never means that the value is
// unusable. Members this package does not know are kept and written back.
//
// # Values are immutable
//
// The items of a state (an *Annotation, a *ChangesetFile …) are never changed
// once they are reachable from it: a reducer replaces the pointer. A reader may
// keep an item as long as it likes. The states themselves are not safe for
// concurrent use.
//
// The package does no I/O, starts no goroutines and needs only the standard
// library.
package ahp
