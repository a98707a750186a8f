package hosts

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTokenInClear(t *testing.T) {
	for address, want := range map[string]bool{
		"ws://example.com:1/":      true,
		"WS://example.com/":        true,
		"ws://192.168.1.2:1/":      true,
		"ws://[2001:db8::1]:1/":    true,
		"ws://localhost.evil.com/": true,
		"ws://0.0.0.0:1/":          true,
		"wss://example.com/":       false,
		"ws://localhost:1/":        false,
		"ws://LOCALHOST./":         false,
		"ws://127.9.9.9:1/":        false,
		"ws://[::1]:1/":            false,
		"ws://[::ffff:127.0.0.1]/": false,
		"ws+unix:///run/x.sock":    false,
		"auto":                     false,
		"git":                      false,
		"":                         false,
		"::":                       false,
	} {
		require.Equal(t, want, TokenInClear(address, true), address)
		require.False(t, TokenInClear(address, false), address)
	}
	require.True(t, TokenInClear("ws://example.com/?tkn=x", false))
}

func TestOpenToOthers(t *testing.T) {
	for address, want := range map[string]bool{
		":8080": false, "127.0.0.1:0": false, "localhost:1": false, "[::1]:1": false, "nonsense": false,
		"0.0.0.0:1": true, "[::]:1": true, "192.168.1.2:1": true, "example.com:1": true,
	} {
		require.Equal(t, want, OpenToOthers(address), address)
	}
}
