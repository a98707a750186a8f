package ahp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// wireAnnotations is a snapshot of n annotations of about 290 bytes, as a
// reviewing agent leaves them; with feedback they are about 530 bytes.
func wireAnnotations(n int, feedback bool) []byte {
	var b bytes.Buffer
	b.WriteString(`{"annotations":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"870cfc63-a4f1-48eb-b655-%012d","origin":{"session":"ahp-session:/b24af53c-b8f8-431c-a20d-cbbe3505d994"},`+
			`"resource":"file:///home/dev/ws/src/file%d.go","range":{"start":{"line":%d,"character":1},"end":{"line":%d,"character":15}},"resolved":false,`+
			`"entries":[{"id":"e%d","text":"comment \"%d\" on this line"`, i, i%1000, i%500, i%500+1, i, i)
		if feedback {
			b.WriteString(`,"_meta":{"vscode.agentFeedback":{"author":"agent"}}}],"_meta":{"vscode.agentFeedback":{"kind":"codeReview","state":"created",` +
				`"sessionResource":"ahp-session:/b24af53c-b8f8-431c-a20d-cbbe3505d994","codeSelection":"\tif err != nil {\n\t\treturn err\n\t}"}}}`)
		} else {
			b.WriteString(`}]}`)
		}
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// One action costs the same in a channel of a hundred and of a hundred thousand.
func BenchmarkAnnotationsUpdated(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := DecodeAnnotations(wireAnnotations(n, false))
			require.NoError(b, err)
			var actions []Action
			for i := range 64 {
				a, err := ResolveAnnotation(fmt.Sprintf("870cfc63-a4f1-48eb-b655-%012d", i*n/64), i%2 == 0)
				require.NoError(b, err)
				actions = append(actions, a)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := s.Apply(actions[i%64]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Adding and removing leave and close holes; on the average that is flat too.
func BenchmarkAnnotationsSetAndRemoved(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := DecodeAnnotations(wireAnnotations(n, false))
			require.NoError(b, err)
			for i := 0; b.Loop(); i++ {
				id := fmt.Sprintf("870cfc63-a4f1-48eb-b655-%012d", i%n)
				a := s.Get(id)
				s.Remove(id)
				s.Set(a)
			}
		})
	}
}

func BenchmarkDecodeAnnotations(b *testing.B) {
	for name, feedback := range map[string]bool{"small": false, "feedback": true} {
		b.Run(name, func(b *testing.B) {
			data := wireAnnotations(100_000, feedback)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var s *Annotations
			for b.Loop() {
				s, _ = DecodeAnnotations(data)
			}
			b.StopTimer()
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&after)
			n := s.Len()
			s = nil //nolint:wastedassign // it is to be collected
			runtime.GC()
			runtime.ReadMemStats(&before)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "held-B/annotation")
		})
	}
}

// BenchmarkSubscribeFrame reads the answer to a subscribe from the frame to the
// state, as the bridge does, and as encoding/json alone would get there.
func BenchmarkSubscribeFrame(b *testing.B) {
	data := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{"snapshot":{"resource":"x","state":%s,"fromSeq":7}}}`, wireAnnotations(100_000, false))
	b.Run("scanner", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			m, err := DecodeMessage(data)
			require.NoError(b, err)
			r, err := DecodeSubscribeResult(m.Result)
			require.NoError(b, err)
			_, err = DecodeAnnotations(r.Snapshot.State)
			require.NoError(b, err)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var m Message
			require.NoError(b, json.Unmarshal(data, &m))
			var r SubscribeResult
			require.NoError(b, json.Unmarshal(m.Result, &r))
			_, err := DecodeAnnotations(r.Snapshot.State)
			require.NoError(b, err)
		}
	})
}

// wireChangeset is a changeset of n files as a snapshot has it.
func wireChangeset(n int) []byte {
	var w bytes.Buffer
	w.WriteString(`{"status":"ready","files":[`)
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString(wireFile(i))
	}
	w.WriteString(`],"operations":[{"id":"commit","label":"Commit","scopes":["changeset"],"status":"idle"}]}`)
	return w.Bytes()
}

func wireFile(i int) string {
	uri := fmt.Sprintf("file:///home/dev/ws/src/dir%d/file%d.go", i%37, i)
	return fmt.Sprintf(`{"id":%q,"edit":{"before":{"uri":%q,"content":{"uri":"git-blob:/x?%%7B%%22sha%%22%%3A%d%%7D","sizeHint":1234}},`+
		`"after":{"uri":%q,"content":{"uri":%q}},"diff":{"added":%d,"removed":2}},"reviewed":false}`, uri, uri, i, uri, uri, i)
}

func BenchmarkDecodeChangeset(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := wireChangeset(n)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				c, err := DecodeChangeset(data)
				if err != nil || c.Len() != n {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFileAction is one file's action on a copy of a changeset, as the
// bridge takes it. It has to cost the same for any number of files. "whole" is
// what a copy of all files, and of their index, costs: the floor of a reducer
// that copies.
func BenchmarkFileAction(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000, 100_000} {
		c, err := DecodeChangeset(wireChangeset(n))
		require.NoError(b, err)
		var actions []Action
		for i := range 64 {
			raw := fmt.Sprintf(`{"type":"changeset/fileSet","file":%s}`, wireFile(i*n/64))
			actions = append(actions, Action{Type: TypeChangesetFileSet, Raw: []byte(raw)})
		}
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			state := c
			for i := 0; b.Loop(); i++ {
				next := state.Clone()
				if touched, _, err := next.Apply(actions[i%64]); err != nil || len(touched) != 2 {
					b.Fatal(touched, err)
				}
				state = next
			}
		})
		b.Run(fmt.Sprintf("whole/files=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			files, index := c.Files(), map[string]int{}
			for i, f := range files {
				index[f.ID] = i
			}
			for b.Loop() {
				files, index = slices.Clone(files), maps.Clone(index)
			}
		})
	}
}
