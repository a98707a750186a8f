package journal

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
)

// record is one thing that is set or removed.
type record struct {
	Set     *thing `json:"set,omitempty"`
	Removed string `json:"removed,omitempty"`
}

type thing struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func rec(id string) record { return record{Set: &thing{ID: id, Text: "text of " + id}} }

func none(func(record) bool) {}

func ids(records []record) (out []string) {
	for _, r := range records {
		if r.Set != nil {
			out = append(out, r.Set.ID)
		} else {
			out = append(out, "-"+r.Removed)
		}
	}
	return out
}

func reopen(t *testing.T, path string) (*Journal[record], []record, string) {
	t.Helper()
	j, records, notice, err := Open[record](path, time.Unix(1700000000, 0))
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	return j, records, notice
}

func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ahp", "annotations.jsonl")
	j, records, notice := reopen(t, path)
	require.Empty(t, records)
	require.Empty(t, notice)
	require.NoDirExists(t, filepath.Dir(path), "nothing is made before something is kept")
	require.NoError(t, j.Append([]record{rec("a"), rec("b")}, none, 0))
	require.NoError(t, j.Append([]record{{Removed: "a"}}, none, 1))
	require.NoError(t, j.Append([]record{rec("c")}, none, 1))
	_, records, notice = reopen(t, path)
	require.Equal(t, []string{"a", "b", "-a", "c"}, ids(records))
	require.Equal(t, rec("a"), records[0])
	require.Empty(t, notice)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// A crash can leave any part of the last write: no record before it is lost,
// nothing is said about it, and the next write covers it.
func TestEveryTornWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j.jsonl")
	j, _, _ := reopen(t, path)
	require.NoError(t, j.Append([]record{rec("a")}, none, 0))
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, j.Append([]record{rec("b")}, none, 1))
	all, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := len(kept); n < len(all); n++ {
		for _, rubbish := range []string{"", "\x00\x00\x00"} {
			require.NoError(t, os.WriteFile(path, append(bytes.Clone(all[:n]), rubbish...), 0o600))
			j, records, notice := reopen(t, path)
			require.Equal(t, []string{"a"}, ids(records))
			require.Empty(t, notice)
			require.NoError(t, j.Append([]record{rec("c")}, none, 1))
			_, records, notice = reopen(t, path)
			require.Equal(t, []string{"a", "c"}, ids(records))
			require.Empty(t, notice)
		}
	}
}

// Whatever byte is changed, no more than one record is lost, and the damaged
// file is still there.
func TestEveryDamagedByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j.jsonl")
	j, _, _ := reopen(t, path)
	require.NoError(t, j.Append([]record{rec("a"), rec("b")}, none, 0))
	all, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := range all[:len(all)-1] {
		damaged := bytes.Clone(all)
		damaged[i] ^= 0x01
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		j, records, notice, err := Open[record](path, time.Unix(1700000000, 0))
		var newer NewerFormat
		if errors.As(err, &newer) {
			continue // the format's number itself
		}
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(records), 1, "byte %d", i)
		if notice == "" {
			require.Len(t, records, 2, "byte %d makes no difference", i)
			continue
		}
		_, still, told := reopen(t, path)
		require.Equal(t, ids(records), ids(still), "a crash before the file is replaced loses nothing")
		require.Contains(t, told, "damaged")
		aside, err := filepath.Glob(path + ".damaged-*")
		require.NoError(t, err)
		require.Len(t, aside, 1)
		kept, err := os.ReadFile(aside[0])
		require.NoError(t, err)
		require.Equal(t, damaged, kept)
		require.NoError(t, os.Remove(aside[0]))
		require.NoError(t, j.Tidy(slices.Values(records)))
		_, again, notice := reopen(t, path)
		require.Equal(t, ids(records), ids(again))
		require.Empty(t, notice)
		j.Close()
	}
}

func TestDamagedFilesAreNeverOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	for i := range 4 {
		content := fmt.Sprintf("rubbish %d\n", i)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		j, records, notice := reopen(t, path)
		require.Empty(t, records)
		require.Contains(t, notice, "damaged")
		require.NoError(t, j.Tidy(none))
	}
	aside, err := filepath.Glob(path + ".damaged-*")
	require.NoError(t, err)
	require.Len(t, aside, 4)
	seen := map[string]bool{}
	for _, name := range aside {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		seen[string(data)] = true
	}
	require.Len(t, seen, 4)
}

func TestJournalIsRewrittenWhenMostOfItIsOutOfDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j, _, _ := reopen(t, path)
	live := iter.Seq[record](func(yield func(record) bool) { yield(rec("a")) })
	for range 2*rewriteSlack + 10 {
		require.NoError(t, j.Append([]record{rec("a")}, live, 1))
	}
	_, records, _ := reopen(t, path)
	require.Less(t, len(records), rewriteSlack+10)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*tmp*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// A record that was refused does not come back, whatever the failed write left.
func TestFailedWriteIsTakenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j, _, _ := reopen(t, path)
	require.NoError(t, j.Append([]record{rec("a")}, none, 0))
	good := j.file
	readOnly, err := os.Open(path)
	require.NoError(t, err)
	j.file = readOnly // a disk that takes nothing any more
	require.Error(t, j.Append([]record{rec("b")}, none, 1))
	require.True(t, j.suspect)
	readOnly.Close()
	j.file = good
	require.NoError(t, j.Append([]record{rec("c")}, slices.Values([]record{rec("a")}), 1))
	_, records, notice := reopen(t, path)
	require.Equal(t, []string{"a", "c"}, ids(records))
	require.Empty(t, notice)
}

func FuzzDecodeJournal(f *testing.F) {
	line, err := encodeLine(rec("a"))
	require.NoError(f, err)
	head, err := ahp.Marshal(header{journalKind, Format})
	require.NoError(f, err)
	good := append(append(head, '\n'), line...)
	for _, seed := range [][]byte{nil, good, good[:len(good)-3], []byte("\n\n"), []byte("{}\n{}\n"), append(bytes.Clone(good), "x\n"...)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		records, whole, damaged, err := decodeJournal[record](data)
		if err != nil {
			return
		}
		require.LessOrEqual(t, whole, len(data))
		require.LessOrEqual(t, damaged, bytes.Count(data, []byte("\n"))+1)
		again, _, _, err := decodeJournal[record](data[:whole])
		require.NoError(t, err)
		require.Equal(t, len(records), len(again))
	})
}
