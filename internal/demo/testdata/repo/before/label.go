package parcel

import "strings"

// Label is the text on a parcel: at most width letters in a line.
func Label(name, street, town string, width int) string {
	lines := []string{name, street, town}
	for i, line := range lines {
		if len(line) > width {
			lines[i] = line[:width]
		}
	}
	return strings.Join(lines, "\n")
}
