package mapping

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// chunk is an immutable stretch of whole lines, shared by all versions of a
// document that have it.
type chunk struct {
	s      string
	starts []int32 // where every line begins in s; starts[0] is 0
	ascii  bool    // every byte is one unit in every encoding
}

// placedChunk is a chunk and where it is in one version.
type placedChunk struct {
	*chunk
	off  int // byte offset of its beginning
	line int // number of its first line
}

// Sizes of chunks in bytes. Tests make them small.
var (
	// maxChunk is the size from which a chunk ends with the line. A longer line
	// is a chunk of its own.
	maxChunk = 2 << 10
	// minChunk is the size under which a chunk that was edited is joined with the
	// next, so that deletions do not leave tiny chunks behind.
	minChunk = 512
)

func (c placedChunk) end() int     { return c.off + len(c.s) }
func (c *chunk) lineCount() int    { return len(c.starts) }
func (c *chunk) lastByte() byte    { return c.s[len(c.s)-1] }
func isLineEnd(c byte) bool        { return c == '\n' || c == '\r' }
func (c *chunk) lineAt(at int) int { return lastAtMost(c.starts, int32(at)) }

// fullLine is line k of the chunk with its line end.
func (c *chunk) fullLine(k int) Span {
	s := Span{int(c.starts[k]), len(c.s)}
	if k+1 < len(c.starts) {
		s.End = int(c.starts[k+1])
	}
	return s
}

// lastAtMost is the index of the last of the ascending starts that is at most
// at.
func lastAtMost(starts []int32, at int32) int {
	return sort.Search(len(starts), func(i int) bool { return starts[i] > at }) - 1
}

// split cuts s into chunks at line ends. No part of s is copied.
func split(s string) []chunk {
	var chunks []chunk
	starts := make([]int32, 0, strings.Count(s, "\n")+1)
	lf := -1 // the first "\n" at or behind at; one is far away where lines end with "\r"
	for from := 0; from < len(s); {
		first := len(starts)
		at := from
		for at < len(s) && at-from < maxChunk {
			starts = append(starts, int32(at-from))
			if lf < at {
				if lf = strings.IndexByte(s[at:], '\n'); lf >= 0 {
					lf += at
				} else {
					lf = len(s)
				}
			}
			at = lineEnd(s, at, lf)
		}
		part := s[from:at]
		chunks = append(chunks, chunk{part, starts[first:len(starts):len(starts)], isASCII(part)})
		from = at
	}
	return chunks
}

// lineEnd is where the line of s that begins at at ends, with its line end. lf
// is where the next "\n" is, or the length of s.
func lineEnd(s string, at, lf int) int {
	if r := strings.IndexByte(s[at:lf], '\r'); r >= 0 && at+r != lf-1 {
		return at + r + 1
	}
	return min(lf+1, len(s))
}

// trimLineEnd is a line without its line end.
func trimLineEnd(line string) string {
	n := len(line)
	if n > 0 && line[n-1] == '\n' {
		n--
	}
	if n > 0 && line[n-1] == '\r' {
		n--
	}
	return line[:n]
}

func isASCII(s string) bool {
	for len(s) >= 8 { // eight at once: every key typed passes here
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&utf8.RuneSelf != 0 {
			return false
		}
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
