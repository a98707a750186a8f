package mapping

import "ahp-lsp/mapping/words"

// baseIndex numbers the distinct lines of a base text. It depends on the base
// alone, so every alignment of the same base shares one.
type baseIndex struct {
	ids     map[string]int32 // content → number
	line    []int32          // number of every content line
	count   []int32          // how often a number occurs in the base
	hasWord []bool           // whether a number's content has a letter or digit
}

func newBaseIndex(base *Text) *baseIndex {
	n := base.contentLines()
	x := &baseIndex{
		ids:     make(map[string]int32, n),
		line:    make([]int32, n),
		count:   make([]int32, 0, n),
		hasWord: make([]bool, 0, n),
	}
	for i := range n {
		s := base.content(i)
		id, ok := x.ids[s]
		if !ok {
			id = int32(len(x.count))
			x.ids[s] = id
			x.count = append(x.count, 0)
			x.hasWord = append(x.hasWord, words.Any(s))
		}
		x.line[i] = id
		x.count[id]++
	}
	return x
}

// lineIndex adds to a baseIndex where the lines of the base occur in a current
// text. It depends only on which lines of the current text are lines of the
// base, so it outlives edits of lines the base does not know.
type lineIndex struct {
	*baseIndex
	cur      []int32 // number of every content line of the current text, or -1
	curCount []int32 // how often a number occurs in the current text
	curPos   []int32 // one line where it does
}

// newLineIndex indexes current, of which the differences to the base are hunks.
// Only their lines must be looked up.
func newLineIndex(base *baseIndex, current *Text, hunks []Hunk) *lineIndex {
	x := &lineIndex{
		baseIndex: base,
		cur:       make([]int32, current.contentLines()),
		curCount:  make([]int32, len(base.count)),
		curPos:    make([]int32, len(base.count)),
	}
	i, j := 0, 0
	for _, h := range hunks {
		copy(x.cur[j:h.After.Start], base.line[i:h.Before.Start])
		for k := h.After.Start; k < h.After.End; k++ {
			x.cur[k] = -1
			if id, ok := base.ids[current.content(k)]; ok {
				x.cur[k] = id
			}
		}
		i, j = h.Before.End, h.After.End
	}
	copy(x.cur[j:], base.line[i:])
	for k, id := range x.cur {
		if id >= 0 {
			x.curCount[id]++
			x.curPos[id] = int32(k)
		}
	}
	return x
}

// pin is the line of the current text that must be line i of the base, because
// its content says something and occurs once in both; or -1.
func (x *lineIndex) pin(i int) int {
	if i < 0 || i >= len(x.line) {
		return -1
	}
	id := x.line[i]
	if x.count[id] == 1 && x.curCount[id] == 1 && x.hasWord[id] {
		return int(x.curPos[id])
	}
	return -1
}

// pinned reports whether line j of the current text is the image of a pin.
func (x *lineIndex) pinned(j int) bool {
	id := x.cur[j]
	return id >= 0 && x.count[id] == 1 && x.curCount[id] == 1 && x.hasWord[id]
}

// equal reports whether the n lines of the base from i are those of the current
// text from j.
func (x *lineIndex) equal(i, j, n int) bool {
	if i < 0 || j < 0 || i+n > len(x.line) || j+n > len(x.cur) {
		return false
	}
	for k := range n {
		if x.line[i+k] != x.cur[j+k] {
			return false
		}
	}
	return true
}
