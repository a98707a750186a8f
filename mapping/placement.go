package mapping

// State says how much of an anchor's text is left in a version of the document.
type State int

const (
	// Live: the anchored text is there, where the line diff says.
	Live State = iota
	// Moved: the anchored text is there, at another place than the diff says.
	Moved
	// Outdated: the anchored text changed; the span is what stands in its place.
	Outdated
	// Detached: the anchored text is gone; the span is the empty place where it
	// was.
	Detached
)

// String is the state in lower case, as plugins and logs spell it.
func (s State) String() string {
	switch s {
	case Live:
		return "live"
	case Moved:
		return "moved"
	case Outdated:
		return "outdated"
	case Detached:
		return "detached"
	}
	return "unknown"
}

// Placement is where an anchor is in one text. Live and Moved imply that the
// text of Span equals the anchored text but for the kind of its line ends.
type Placement struct {
	// Span is in bytes of the current text, always within it and on character
	// borders.
	Span Span
	// State says what is left of the anchored text.
	State State
	// Confidence, from 0 to 1, says how sure the place is. For Outdated it is
	// the likeness of the text then and now.
	Confidence float64
}

// Note is what a placement adds to a comment's text; "" if there is nothing to
// say.
func (p Placement) Note() string {
	switch p.State {
	case Outdated:
		return "(code changed since)"
	case Detached:
		return "(code removed)"
	}
	return ""
}
