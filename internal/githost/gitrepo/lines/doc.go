// Package lines compares two texts line by line and takes some of the lines from
// either: it says what a range of lines means. It is pure: no files, no git, no
// protocol, no goroutines. Values are not changed once they are made, except a
// [Choice] by its Add.
//
// # Lines and ranges
//
// Lines are counted from zero and end with "\n", "\r\n" or a lone "\r", as in
// LSP; the empty line behind a final line end is not a line. Lines are compared
// byte by byte, line end included.
//
// The two sides are aligned by content. Between aligned lines lie blocks: m
// lines of before replaced by n lines of after. Two aligned lines that differ in
// their line end only are a block with m = n = 1. A range covers lines of one
// side. Of a block it selects
//
//   - everything, if it covers all of the block's lines on the range's side;
//   - otherwise, of the first min(m, n) lines on either side, which pair up one
//     to one in order, every pair whose line it covers; and of the lines in
//     excess of that each one it covers, on the side that has them. Lines in
//     excess on the other side stay as they are.
//
// A block without lines on the range's side (a pure deletion seen from after, a
// pure insertion seen from before) is a place between two lines. It is selected
// whole by an empty range at exactly that place, and by a range that has it
// inside: strictly between its ends, or at the start or the end of the file if
// the range reaches there. A range that just touches it does not select it.
//
// A pure insertion or deletion can often be shifted without changing the texts
// (one of two equal neighbouring lines was added: which?). Differs disagree
// there, so a range that is exactly one of the block's shifted positions
// addresses the block.
//
// What is selected changes to the other side, all other bytes stay, with one
// exception: a line without line end that would come to stand before another
// line gets the line end its counterpart or the file has.
package lines

// The sides of a Range.
const (
	BeforeSide = "before"
	AfterSide  = "after"
)

// Range is whole lines of one side, zero based and half open. See the package
// comment for what it selects.
type Range struct {
	Side       string // before or after; "" is after
	Start, End int
}
