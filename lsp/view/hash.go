package view

import (
	"encoding/binary"
	"encoding/json"
	"hash/maphash"

	"ahp-lsp/lsp/protocol"
)

var seed = maphash.MakeSeed()

// Hash is a hash of what v is written as; it holds for this process only. 0: it
// cannot be written.
func Hash(v any) uint64 {
	body, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return maphash.Bytes(seed, body)
}

// HashDiagnostics tells sets apart without encoding them.
func HashDiagnostics(list []protocol.Diagnostic) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	number := func(n ...uint32) {
		for _, n := range n {
			var b [4]byte
			binary.LittleEndian.PutUint32(b[:], n)
			h.Write(b[:])
		}
	}
	text := func(s string) {
		number(uint32(len(s)))
		h.WriteString(s)
	}
	for _, d := range list {
		number(d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line, d.Range.End.Character, uint32(*d.Severity))
		text(d.Message)
		data := d.Data.(protocol.ThreadArgs)
		text(data.Session)
		text(data.Annotation)
		number(uint32(len(d.RelatedInformation)))
		for _, r := range d.RelatedInformation { // at the range of d
			text(r.Message)
			text(r.Location.URI)
		}
	}
	return h.Sum64()
}
