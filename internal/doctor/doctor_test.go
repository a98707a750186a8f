package doctor

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReport(t *testing.T) {
	c := &checkup{}
	c.add(LevelOK, "discovery", "", "%s found", plural(2, "host"))
	c.detail("/a (does not exist)", "/b\x1b[2J")
	c.add(LevelWarn, "host", "do this", "a title \u202e\nand an error\nmore")
	r := Report{c.findings}

	var short, long bytes.Buffer
	require.NoError(t, r.WriteText(&short, false))
	require.Equal(t, "ok    discovery: 2 hosts found\nwarn  host: a title <U+202E>; and an error; more\n      hint: do this\n", short.String())
	require.NoError(t, r.WriteText(&long, true))
	require.Contains(t, long.String(), "2 hosts found\n      /a (does not exist)\n      /b<U+001B>[2J\nwarn ")

	var data bytes.Buffer
	require.NoError(t, r.WriteJSON(&data))
	require.NotContains(t, data.String(), "\u202e")
	var back struct {
		OK       bool
		Findings []Finding
	}
	require.NoError(t, json.Unmarshal(data.Bytes(), &back))
	require.True(t, back.OK)
	require.Equal(t, r.Findings, back.Findings)

	c.add(LevelFail, "host", "", "none")
	require.True(t, Report{c.findings}.Failed())
}

func TestFilesIn(t *testing.T) {
	require.Empty(t, filesIn(t.Context(), t.TempDir()))
}
