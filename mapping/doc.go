// Package mapping relates texts and places in them.
// It is pure: no I/O, no locks, no goroutines; values go in and values come out.
//
// # Texts and positions
//
// A [Text] is one immutable version of a document. Inside the program a place is
// a byte offset and a stretch is a [Span] of them; [Text.Offset] and
// [Text.Position] convert at the edge, in the [Encoding] agreed with the editor.
// Positions of agents and editors are clamped, never refused.
//
// # Anchors and placements
//
// An [Anchor] says what a comment is about and never changes: a span of a base
// text. A [Placement] says where that is in one version of the document and what
// is left of it. To place one anchor, or many in one text, [Align] the base with
// the current text and call [Alignment.Place]; to follow a document while it is
// edited, give its edits to a [Tracker]. When the base is lost, [PlaceQuote]
// searches for the quoted text.
//
// The rule that everything here serves is that a comment is never silently
// wrong. Hence a place is not believed because a diff says so, but because
// something proves it, for example a line nearby that occurs once in both texts;
// what is not proven is shown, but as [Outdated]. And hence a placement depends
// on the two texts alone, not on the edits between them: however a text came
// about, its placements are the same, so no error can build up.
//
// Changes between two texts are [Hunks]; a [FileChange] adds those of line ends,
// finds the words that changed inside lines and the blocks that moved, places its
// hunks into buffers, and reverts them, whole or line by line.
// [Alignment.MapSpan] translates a span exactly or not at all, for what acts on
// text rather than shows something.
package mapping
