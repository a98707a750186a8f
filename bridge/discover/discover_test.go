package discover

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/winetest"
)

const testToken = "s3cret-0f-the-h0st"

// published is the content of an entry; a nil value leaves a member out.
type published map[string]any

// host is what a host publishes, changed by over.
func host(over published) published {
	p := published{
		"schemaVersion": 2, "type": "editor", "pid": 4711, "instanceId": "a-b-c", "protocolVersion": "0.9.0",
		"connectionToken": testToken, "endpoint": published{"type": "tcp", "host": "127.0.0.1", "port": 8123},
	}
	maps.Copy(p, over)
	maps.DeleteFunc(p, func(_ string, v any) bool { return v == nil })
	return p
}

func (p published) json(t testing.TB) []byte {
	t.Helper()
	data, err := json.Marshal(p)
	require.NoError(t, err)
	return data
}

// name is the file name of the entry, if its identity can be told.
func (p published) name() string {
	kind, _ := p["type"].(string)
	pid, _ := p["pid"].(int)
	id, _ := p["instanceId"].(string)
	return Endpoint{Type: kind, PID: pid, InstanceID: id}.identity() + ".json"
}

// entriesDir is an empty directory as a host makes it.
func entriesDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(winetest.TempDir(t), "entries")
	require.NoError(t, os.Mkdir(dir, 0o700))
	return dir
}

func write(t testing.TB, path string, data []byte) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func (p published) write(t testing.TB, dir string) string {
	t.Helper()
	return write(t, filepath.Join(dir, p.name()), p.json(t))
}

// aged sets the file's time to minutes after an arbitrary one.
func aged(t testing.TB, path string, minutes int) time.Time {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, minutes, 0, 0, time.UTC)
	require.NoError(t, os.Chtimes(path, at, at))
	return at
}

func everyone(int) bool { return true }
