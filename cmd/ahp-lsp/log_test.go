package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tliron/commonlog"
)

func TestLogIsPrintable(t *testing.T) {
	m := &commonlog.LinearMessage{Message: "a host says \x1b[2J\n2026/01/01 00:00:00.000  NOTICE all is well\n"}
	line := formatLog(m, []string{"ahp"}, commonlog.Warning, false)
	require.Contains(t, line, "a host says <U+001B>[2J\n    2026/01/01")
	require.NotContains(t, line, "\x1b")
}
