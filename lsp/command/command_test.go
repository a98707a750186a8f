package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/lsp/protocol"
)

func TestCutQuote(t *testing.T) {
	require.Equal(t, "short", cutQuote("short"))
	long := strings.Repeat("é", maxQuote)
	cut := cutQuote("x" + long)
	require.True(t, len(cut) <= maxQuote && strings.HasPrefix("x"+long, cut), "the beginning, on a character border")
	require.Len(t, cut, maxQuote-1)
}

// A question names the lines that are at stake; a whole line ends where the next
// one begins.
func TestLineNumbers(t *testing.T) {
	at := func(line, character uint32) protocol.Position {
		return protocol.Position{Line: line, Character: character}
	}
	require.Equal(t, "6", lineNumbers(protocol.Range{Start: at(5, 0), End: at(6, 0)}))
	require.Equal(t, "6–8", lineNumbers(protocol.Range{Start: at(5, 0), End: at(8, 0)}))
	require.Equal(t, "6–8", lineNumbers(protocol.Range{Start: at(5, 2), End: at(7, 1)}))
	require.Equal(t, "6", lineNumbers(protocol.Range{Start: at(5, 0), End: at(5, 0)}), "where lines were removed")
}

func TestResult(t *testing.T) {
	for want, r := range map[string]Result{
		`{"ok":true}`:                        done(),
		`{"kept":1,"ok":true,"uri":"file:"}`: done("uri", "file:", "kept", 1),
		`{"ok":false,"reason":"declined"}`:   declined(),
	} {
		raw, err := r.MarshalJSON()
		require.NoError(t, err)
		require.JSONEq(t, want, string(raw))
	}
}
