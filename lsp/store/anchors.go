package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Anchor says which part of which text an annotation is about.
type Anchor struct {
	Text  string `json:"text"`  // [TextName] of the text
	Range Range  `json:"range"` // the host's, when the annotation was anchored
	Start int    `json:"start"` // bytes in the text
	End   int    `json:"end"`   // bytes in the text, not before Start
}

// Range is a range as AHP has it: half open, lines counted from zero, characters
// in UTF-16 code units. Its JSON is that of AHP's TextRange.
type Range struct{ StartLine, StartChar, EndLine, EndChar int }

type textRange struct {
	Start textPosition `json:"start"`
	End   textPosition `json:"end"`
}

type textPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// MarshalJSON implements [json.Marshaler].
func (r Range) MarshalJSON() ([]byte, error) {
	return json.Marshal(textRange{textPosition{r.StartLine, r.StartChar}, textPosition{r.EndLine, r.EndChar}})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Range) UnmarshalJSON(data []byte) error {
	var t textRange
	err := json.Unmarshal(data, &t)
	*r = Range{t.Start.Line, t.Start.Character, t.End.Line, t.End.Character}
	return err
}

// anchorRecord is what the annotations of a session are about.
type anchorRecord struct {
	Version int               `json:"version"`
	Session string            `json:"session"`
	Anchors map[string]Anchor `json:"anchors"` // by annotation
}

var anchorKind = kind[anchorRecord]{
	folder:  anchorsFolder,
	version: 1,
	header:  func(r *anchorRecord) (*int, *string) { return &r.Version, &r.Session },
	empty:   func(r *anchorRecord) bool { return len(r.Anchors) == 0 },
}

// Anchors returns the anchors of a session by annotation, and the texts that
// they name. Each anchor's text is there, and its span is inside.
func (s *Store) Anchors(ctx context.Context, session string) (records map[string]Anchor, texts map[string]string, err error) {
	records, texts = map[string]Anchor{}, map[string]string{}
	err = anchorKind.view(ctx, s, session, func(r *anchorRecord) {
		read := map[string]*string{} // nil: not there
		for id, a := range r.Anchors {
			text, ok := read[a.Text]
			if !ok {
				text = s.readText(a.Text)
				read[a.Text] = text
			}
			if text != nil && a.inside(int64(len(*text))) {
				records[id], texts[a.Text] = a, *text
			}
		}
	})
	return records, texts, failed("read what comments are about", err)
}

// SaveAnchors changes the anchors of a session: those of forget go, and then
// those of set are added or replaced, by annotation. All others stay as they
// are. Texts, by their [TextName], are those that the anchors of set name and
// the store may not have.
//
// An anchor is left out if it could not be used: its text is neither given nor
// stored or is longer than 1 MiB, or its span is outside. So are the anchors of
// the texts that were named longest ago, those of set last, if a session has more
// than 2000 or their texts more than 64 MiB. If all texts together have more,
// those of other sessions that were named longest ago go, with what names them.
func (s *Store) SaveAnchors(ctx context.Context, session string, set map[string]Anchor, forget []string, texts map[string]string) error {
	const operation = "save what comments are about"
	for name, text := range texts {
		if TextName(text) != name {
			return fmt.Errorf("%s: %q is not the name of the text with it", operation, name)
		}
	}
	err := anchorKind.update(ctx, s, session, func(r *anchorRecord) (bool, error) {
		next := maps.Clone(r.Anchors)
		if next == nil {
			next = map[string]Anchor{}
		}
		for _, id := range forget {
			delete(next, id)
		}
		maps.Copy(next, set)
		sizes := s.fit(next, set, texts)
		// A record names texts that are there: they are written first.
		wrote, err := s.writeTexts(sizes, texts)
		if err != nil {
			return false, err
		}
		if wrote {
			err = s.trimTexts(sizes)
		}
		changed := !maps.Equal(r.Anchors, next)
		r.Anchors = next
		return changed, err
	})
	return failed(operation, err)
}

// inside reports whether the span lies in a text of size bytes.
func (a Anchor) inside(size int64) bool {
	return 0 <= a.Start && a.Start <= a.End && int64(a.End) <= size
}

// fit leaves out of next what cannot be used and what is too much, and returns
// the size in bytes of each text that the rest names.
func (s *Store) fit(next, set map[string]Anchor, texts map[string]string) map[string]int64 {
	type stored struct {
		size  int64
		named time.Time
	}
	known := map[string]stored{}
	uses := map[string]int{}
	bytes := int64(0)
	for id, a := range next {
		text, ok := known[a.Text]
		if !ok {
			text.size, text.named = -1, time.Time{}
			if given, ok := texts[a.Text]; ok {
				text.size = int64(len(given))
			} else if info, ok := s.statText(a.Text); ok {
				text.size, text.named = info.Size(), info.ModTime()
			}
			known[a.Text] = text
		}
		if text.size > s.limits.text || !a.inside(text.size) {
			delete(next, id)
			continue
		}
		if uses[a.Text]++; uses[a.Text] == 1 {
			bytes += text.size
		}
	}
	if len(next) > s.limits.anchors || bytes > s.limits.texts {
		first := slices.SortedFunc(maps.Keys(next), func(a, b string) int {
			_, newA := set[a]
			_, newB := set[b]
			switch {
			case newA && !newB:
				return 1
			case newB && !newA:
				return -1
			}
			return cmp.Or(known[next[a].Text].named.Compare(known[next[b].Text].named), cmp.Compare(a, b))
		})
		for _, id := range first {
			if len(next) <= s.limits.anchors && bytes <= s.limits.texts {
				break
			}
			name := next[id].Text
			if uses[name]--; uses[name] == 0 {
				delete(uses, name)
				bytes -= known[name].size
			}
			delete(next, id)
		}
	}
	sizes := make(map[string]int64, len(uses))
	for name := range uses {
		sizes[name] = known[name].size
	}
	return sizes
}
