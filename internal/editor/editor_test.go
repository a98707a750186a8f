package editor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAtLeast(t *testing.T) {
	for version, want := range map[string]bool{
		"0.11.0": true, "0.11": true, "0.12.4": true, "1": true, "1.0": true,
		"0.10.4": false, "0.9": false, "0": false, "": false,
	} {
		require.Equal(t, want, AtLeast(version, 0, 11), version)
	}
}

func TestTooOld(t *testing.T) {
	for _, test := range []struct {
		e    Editor
		want bool
	}{
		{Editor{Name: Neovim, Version: "0.11.1"}, false},
		{Editor{Name: Neovim, Version: "0.10.4"}, true},
		{Editor{Name: Neovim}, true},
		{Editor{Name: Helix, Version: VersionIn("helix 25.7 (abcdef)")}, false},
		{Editor{Name: Helix, Version: "23.05"}, true},
		{Editor{Name: Helix}, false},
		{Editor{Name: VSCode, Version: "1.0.0"}, false},
	} {
		require.Equal(t, test.want, test.e.TooOld(), test.e.String())
	}
}
