package parcel

import "strings"

// Label is the text on a parcel: at most width letters in a line. What is
// longer ends in "…".
func Label(name, street, town string, width int) string {
	lines := []string{name, street, town}
	for i, line := range lines {
		if len(line) > width {
			lines[i] = line[:width-1] + "…"
		}
	}
	return strings.ToUpper(strings.Join(lines, "\n"))
}
