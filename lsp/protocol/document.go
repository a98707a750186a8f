package protocol

import (
	"math"

	"ahp-lsp/mapping"
)

// RawRange reads positions of any size and sign: an editor that sends a column
// of 2³¹ or -1 must not get its document out of step.
type RawRange struct {
	Start RawPosition `json:"start"`
	End   RawPosition `json:"end"`
}

// RawPosition is one of its ends.
type RawPosition struct {
	Line      float64 `json:"line"`
	Character float64 `json:"character"`
}

// DidOpenParams are those of textDocument/didOpen.
type DidOpenParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

// DidChangeParams are those of textDocument/didChange. A change without a range
// replaces the whole text.
type DidChangeParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int32 `json:"version"`
	} `json:"textDocument"`
	ContentChanges []struct {
		Range *RawRange `json:"range"`
		Text  string    `json:"text"`
	} `json:"contentChanges"`
}

// Clamped are the range's ends as numbers that can be computed with: a line or
// column below 0 becomes -1, one past 2³¹-1 that.
func (r RawRange) Clamped() mapping.Range {
	return mapping.Range{Start: r.Start.clamped(), End: r.End.clamped()}
}

func (p RawPosition) clamped() mapping.Position {
	clamp := func(f float64) int { return int(math.Max(-1, math.Min(math.MaxInt32, f))) }
	return mapping.Position{Line: clamp(p.Line), Character: clamp(p.Character)}
}

// Mapped is a range of the editor's as package mapping has it.
func Mapped(r Range) mapping.Range {
	return mapping.Range{
		Start: mapping.Position{Line: int(r.Start.Line), Character: int(r.Start.Character)},
		End:   mapping.Position{Line: int(r.End.Line), Character: int(r.End.Character)},
	}
}

// ToRange is a range of package mapping's as the editor takes it. Its positions
// must not be negative.
func ToRange(r mapping.Range) Range { return Range{Start: ToPosition(r.Start), End: ToPosition(r.End)} }

// ToPosition is a position of package mapping's as the editor takes it.
func ToPosition(p mapping.Position) Position {
	return Position{Line: UInteger(p.Line), Character: UInteger(p.Character)}
}
