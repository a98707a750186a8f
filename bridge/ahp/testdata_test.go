package ahp

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const testdata = "../../testdata/ahp"

// readJSON reads one file of testdata into v.
func readJSON(t testing.TB, v any, elem ...string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{testdata}, elem...)...))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, v))
}

// eachFile runs f once for each JSON file of a folder of testdata.
func eachFile(t *testing.T, folder string, f func(t *testing.T, name string)) {
	files, err := filepath.Glob(filepath.Join(testdata, folder, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { f(t, filepath.Base(file)) })
	}
}

// frame is one line of a recorded conversation.
type frame struct {
	Conn string          `json:"conn"`
	Dir  string          `json:"dir"` // send, recv, and others that carry no message
	Msg  json.RawMessage `json:"msg"`
	line int
}

// The recorded conversations: with the reference host, and with it and a person
// who answers, steers and stops its agent.
const (
	recordedHost   = "vscode-1.139.1-ahp-0.9.0.jsonl"
	recordedPerson = "vscode-1.139.1-human-in-the-loop.jsonl"
)

func transcript(t testing.TB, name string) (frames []frame) {
	t.Helper()
	file, err := os.Open(filepath.Join(testdata, "transcripts", name))
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		f := frame{line: n}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &f))
		if f.Dir == "send" || f.Dir == "recv" {
			frames = append(frames, f)
		}
	}
	require.NoError(t, lines.Err())
	return frames
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}
