package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"ahp-lsp/bridge/ahp"
)

// Format is the version of the format that this program writes. A journal with
// a higher one was written by a newer program and is left alone.
const Format = 1

// header is the first line of a journal.
type header struct {
	Journal string `json:"journal"`
	Format  int    `json:"format"`
}

const journalKind = "ahp-lsp review"

// line is how a record stands in the file: with a checksum of its bytes, so
// that a line that a crash left half written does not pass for a whole one.
type line struct {
	Sum    string          `json:"sum"`
	Record json.RawMessage `json:"record"`
}

func checksum(data []byte) string {
	return strconv.FormatUint(uint64(crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))), 16)
}

// encodeLine writes a record as a line, its newline included.
func encodeLine[R any](r R) ([]byte, error) {
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
func decodeLine[R any](data []byte) (r R, err error) {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return r, err
	}
	if l.Sum != checksum(l.Record) {
		return r, errDamaged
	}
	err = json.Unmarshal(l.Record, &r)
	return r, err
}

// NewerFormat is the error of a file, of the given format, that only a newer
// program understands.
type NewerFormat int

func (f NewerFormat) Error() string {
	return fmt.Sprintf("it has format %d, and this version of ahp-lsp understands formats up to %d", int(f), Format)
}

// decodeJournal reads a whole journal. Every line that is sound is used,
// whatever surrounds it: damaged counts the others, apart from an unfinished
// last line (torn), which is what a crash in the middle of a write leaves of
// records that were never acknowledged. whole is the length of the journal
// without the torn line.
func decodeJournal[R any](data []byte) (records []R, whole, damaged int, err error) {
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
	} else if h.Format > Format {
		return nil, 0, 0, NewerFormat(h.Format)
	} else {
		whole = len(first) + 1
	}
	for len(rest) > 0 {
		text, after, ended := bytes.Cut(rest, []byte("\n"))
		if !ended {
			break
		}
		if r, err := decodeLine[R](text); err == nil {
			records = append(records, r)
		} else {
			damaged++
			records = append(records, salvage[R](text)...)
		}
		whole += len(text) + 1
		rest = after
	}
	return records, whole, damaged, nil
}

// salvage finds the sound records in a line that is damaged: where its line feed
// was, it holds two.
func salvage[R any](text []byte) (records []R) {
	start := []byte(`{"sum":"`)
	for i := bytes.Index(text, start); i >= 0; {
		var raw json.RawMessage
		if json.NewDecoder(bytes.NewReader(text[i:])).Decode(&raw) == nil {
			if r, err := decodeLine[R](raw); err == nil {
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
