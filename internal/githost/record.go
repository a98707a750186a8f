package githost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"ahp-lsp/bridge/ahp"
)

// journalFormat is the version of the journal's format that this program
// writes. A journal with a higher one was written by a newer program and is
// left alone.
const journalFormat = 1

// header is the first line of a journal.
type header struct {
	Journal string `json:"journal"`
	Format  int    `json:"format"`
}

const journalKind = "ahp-lsp review"

// record is one line of a journal: an annotation as it is now, the end of one,
// or the reviewed flag of a file. The newest record about a thing counts.
type record struct {
	Set     *ahp.Annotation `json:"set,omitempty"`
	Made    *provenance     `json:"made,omitempty"` // of the annotation in Set
	Removed string          `json:"removed,omitempty"`
	Review  *review         `json:"review,omitempty"`

	Stash    *stashed  `json:"stash,omitempty"`
	Decision *decision `json:"decision,omitempty"`
}

// stashed is a turn whose changes have been taken out of the work tree.
type stashed struct {
	Turn string `json:"turn"`
	Undo string `json:"undo,omitempty"` // the ref that brings them back; "": they are back
}

// provenance is where and on what an annotation was made.
type provenance struct {
	// Path is the file, relative to the work tree and with slashes: so the
	// annotation survives a move of the whole repository. "" is a resource
	// outside the work tree, whose URI stands in the annotation.
	Path    string `json:"path,omitempty"`
	Branch  string `json:"branch,omitempty"`  // "": HEAD was detached
	Commit  string `json:"commit,omitempty"`  // HEAD; "": the branch was unborn
	Version string `json:"version,omitempty"` // hash of the file's bytes on disk
}

// review is the reviewed flag of one file of one changeset. It holds as long
// as the file's two sides are those it was set for.
type review struct {
	Changeset string `json:"changeset"`
	File      string `json:"file"`
	Version   string `json:"version,omitempty"` // of both sides; "": not reviewed
}

// line is how a record stands in the file: with a checksum of its bytes, so
// that a line that a crash left half written is told from a whole one.
type line struct {
	Sum    string          `json:"sum"`
	Record json.RawMessage `json:"record"`
}

func checksum(data []byte) string {
	return strconv.FormatUint(uint64(crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))), 16)
}

// encodeLine writes a record as a line, its newline included.
func encodeLine(r record) ([]byte, error) {
	raw, err := ahp.Marshal(r)
	if err != nil {
		return nil, err
	}
	out, err := ahp.Marshal(line{Sum: checksum(raw), Record: raw})
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

var errDamaged = errors.New("the checksum is wrong")

// decodeLine reads a line without its newline.
func decodeLine(data []byte) (record, error) {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return record{}, err
	}
	if l.Sum != checksum(l.Record) {
		return record{}, errDamaged
	}
	var raw struct {
		Set     json.RawMessage `json:"set"`
		Made    *provenance     `json:"made"`
		Removed string          `json:"removed"`
		Review  *review         `json:"review"`

		Stash    *stashed  `json:"stash"`
		Decision *decision `json:"decision"`
	}
	if err := json.Unmarshal(l.Record, &raw); err != nil {
		return record{}, err
	}
	r := record{Made: raw.Made, Removed: raw.Removed, Review: raw.Review, Stash: raw.Stash, Decision: raw.Decision}
	if raw.Set != nil {
		a, err := ahp.DecodeAnnotation(raw.Set)
		if a == nil {
			return record{}, err
		}
		r.Set = a
	}
	return r, nil
}

// newerFormat is the error of a journal that only a newer program understands.
type newerFormat int

func (f newerFormat) Error() string {
	return fmt.Sprintf("it has format %d, and this version of ahp-lsp understands formats up to %d", int(f), journalFormat)
}

// decodeJournal reads a whole journal. Every line that is sound is used,
// whatever surrounds it: damaged counts the others, apart from an unfinished
// last line (torn), which is what a crash in the middle of a write leaves of
// records that were never acknowledged. whole is the length of the journal
// without the torn line.
func decodeJournal(data []byte) (records []record, whole, damaged int, err error) {
	first, rest, found := bytes.Cut(data, []byte("\n"))
	if !found {
		if len(data) == 0 {
			return nil, 0, 0, nil
		}
		return nil, 0, 1, nil
	}
	var h header
	if json.Unmarshal(first, &h) != nil || h.Journal != journalKind || h.Format < 1 {
		damaged++
		rest = data // perhaps only the header is missing
	} else if h.Format > journalFormat {
		return nil, 0, 0, newerFormat(h.Format)
	} else {
		whole = len(first) + 1
	}
	for len(rest) > 0 {
		text, after, ended := bytes.Cut(rest, []byte("\n"))
		if !ended {
			break
		}
		if r, err := decodeLine(text); err == nil {
			records = append(records, r)
		} else {
			damaged++
			records = append(records, salvage(text)...)
		}
		whole += len(text) + 1
		rest = after
	}
	return records, whole, damaged, nil
}

// salvage finds the sound records in a line that is damaged: where its line feed
// was, it holds two.
func salvage(text []byte) (records []record) {
	start := []byte(`{"sum":"`)
	for i := bytes.Index(text, start); i >= 0; {
		var raw json.RawMessage
		if json.NewDecoder(bytes.NewReader(text[i:])).Decode(&raw) == nil {
			if r, err := decodeLine(raw); err == nil {
				records = append(records, r)
			}
		}
		next := bytes.Index(text[i+1:], start)
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return records
}
