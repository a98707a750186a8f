package discover

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/winetest"
)

func TestScan(t *testing.T) {
	dir := entriesDir(t)
	path := host(nil).write(t, dir)
	at := aged(t, path, 1)

	found, passed := Scan([]string{dir}, func(pid int) bool { return pid == 4711 })
	require.Empty(t, passed)
	require.Len(t, found, 1)
	require.True(t, at.Equal(found[0].Modified))
	found[0].Modified = at
	require.Equal(t, []Endpoint{{
		Type: "editor", PID: 4711, InstanceID: "a-b-c", ProtocolVersion: "0.9.0",
		URL: "ws://127.0.0.1:8123/", Token: testToken, File: path, Modified: at,
	}}, found)
}

func TestScanAsksTheSystem(t *testing.T) {
	dir := entriesDir(t)
	host(published{"pid": os.Getpid()}).write(t, dir)
	found, passed := Scan([]string{dir}, nil)
	require.Empty(t, passed)
	require.Len(t, found, 1)
}

func TestScanPassesOver(t *testing.T) {
	name := host(nil).name()
	content := host(nil).json(t)
	put := func(name string, data []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { write(t, filepath.Join(dir, name), data) }
	}
	for label, tt := range map[string]struct {
		prepare func(t *testing.T, dir string)
		file    string // the finding's file name; "" if there is to be none
		reason  string
	}{
		"a temporary file":    {prepare: put(name+".tmp", content)},
		"a hidden file":       {prepare: put("."+name, content)},
		"no suffix":           {prepare: put(strings.TrimSuffix(name, ".json"), content)},
		"another name":        {put("host.json", content), "host.json", "its name is not that of an entry"},
		"upper case":          {put(strings.ToUpper(name[:64])+".json", content), strings.ToUpper(name[:64]) + ".json", "its name is not that of an entry"},
		"another's identity":  {put(host(published{"pid": 1}).name(), content), host(published{"pid": 1}).name(), "not the identity"},
		"not an object":       {put(name, []byte("[]")), name, "not a JSON object"},
		"too large":           {put(name, append(bytes.Repeat([]byte(" "), maxEntry), content...)), name, "larger than 64 KiB"},
		"a directory":         {func(t *testing.T, dir string) { require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700)) }, name, "not a regular file"},
		"a process that died": {put(host(published{"pid": 99}).name(), host(published{"pid": 99}).json(t)), host(published{"pid": 99}).name(), "no process has the pid 99"},
	} {
		t.Run(label, func(t *testing.T) {
			dir := entriesDir(t)
			tt.prepare(t, dir)
			// One bad entry never hides a good one.
			good := host(published{"instanceId": "good"})
			good.write(t, dir)

			found, passed := Scan([]string{dir}, func(pid int) bool { return pid != 99 })
			require.Len(t, found, 1)
			require.Equal(t, "good", found[0].InstanceID)
			if tt.file == "" {
				require.Empty(t, passed)
				return
			}
			require.Len(t, passed, 1)
			require.Equal(t, filepath.Join(dir, tt.file), passed[0].Path)
			require.Contains(t, passed[0].Reason, tt.reason)
			require.Equal(t, strings.Contains(tt.reason, "no process has the pid"), passed[0].Kind == Ended)
			require.NotContains(t, passed[0].Reason, testToken)
		})
	}
}

func TestScanSizeLimit(t *testing.T) {
	dir := entriesDir(t)
	content := host(nil).json(t)
	padding := bytes.Repeat([]byte(" "), maxEntry-len(content))
	write(t, filepath.Join(dir, host(nil).name()), append(padding, content...))
	found, passed := Scan([]string{dir}, everyone)
	require.Empty(t, passed)
	require.Len(t, found, 1)
}

func TestScanDirectories(t *testing.T) {
	parent := winetest.TempDir(t)
	missing := filepath.Join(parent, "missing")
	file := write(t, filepath.Join(parent, "file"), nil)
	empty := entriesDir(t)
	found, passed := Scan([]string{missing, file, empty, "", missing + string(filepath.Separator)}, everyone)
	require.Empty(t, found)
	require.Equal(t, []Finding{
		{Path: missing, Kind: NoDirectory, Reason: "there is no such directory"},
		{Path: file, Reason: "it is not a directory"},
	}, passed)

	_, passed = Scan(nil, everyone)
	require.Empty(t, passed)
}

func TestScanOrder(t *testing.T) {
	first, second := entriesDir(t), entriesDir(t)
	for _, entry := range []struct {
		dir, instance string
		minute        int
	}{
		{first, "old", 1}, {first, "new", 9}, {first, "twice, older here", 2},
		{second, "newest", 10}, {second, "middle", 5}, {second, "twice, older here", 3},
		{first, "same time, first dir", 4}, {second, "same time, second dir", 4},
	} {
		aged(t, host(published{"instanceId": entry.instance}).write(t, entry.dir), entry.minute)
	}
	want := []string{"newest", "new", "middle", "same time, first dir", "same time, second dir", "twice, older here", "old"}
	for range 3 {
		found, passed := Scan([]string{first, second}, everyone)
		var got []string
		for _, e := range found {
			got = append(got, e.InstanceID)
		}
		require.Equal(t, want, got)
		twice := host(published{"instanceId": "twice, older here"}).name()
		require.Equal(t, filepath.Join(second, twice), found[5].File)
		require.Equal(t, []Finding{{
			Path:   filepath.Join(first, twice),
			Reason: "the same host is published, more recently, by " + filepath.Join(second, twice),
		}}, passed)
	}
}

func TestScanWritesNothing(t *testing.T) {
	dir := entriesDir(t)
	good := host(nil).write(t, dir)
	dead := host(published{"pid": 99}).write(t, dir)
	temporary := write(t, good+".tmp", []byte("{"))
	Scan([]string{dir}, func(pid int) bool { return pid != 99 })
	for _, path := range []string{good, dead, temporary} {
		require.FileExists(t, path)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 3)
}
