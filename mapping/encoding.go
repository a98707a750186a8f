package mapping

// Encoding is the unit in which Position.Character counts (LSP 3.17,
// PositionEncodingKind). The zero value is UTF16, the protocol's default and
// what AHP hosts send.
type Encoding int

// The encodings of LSP 3.17.
const (
	UTF16 Encoding = iota // UTF-16 code units
	UTF8                  // bytes
	UTF32                 // code points
)

// ParseEncoding reads a PositionEncodingKind such as "utf-8". The second result
// is false, and the first UTF16, for a kind the protocol does not define.
func ParseEncoding(s string) (Encoding, bool) {
	switch s {
	case "utf-8":
		return UTF8, true
	case "utf-16":
		return UTF16, true
	case "utf-32":
		return UTF32, true
	}
	return UTF16, false
}

// String is the PositionEncodingKind as the protocol spells it.
func (e Encoding) String() string {
	switch e {
	case UTF8:
		return "utf-8"
	case UTF32:
		return "utf-32"
	}
	return "utf-16"
}
