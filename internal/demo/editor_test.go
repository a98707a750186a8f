//go:build unix

package demo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpensTheEditorThatIsThere(t *testing.T) {
	const neovim, old, helix = "NVIM v0.11.1", "NVIM v0.10.4", "helix 25.7 (abcdef)"
	for _, test := range []struct {
		name, visual, nvim, hx, want string
	}{
		{name: "Neovim alone", nvim: neovim, want: "nvim"},
		{name: "Neovim first", nvim: neovim, hx: helix, want: "nvim"},
		{name: "an old Neovim", nvim: old, hx: helix, want: "hx"},
		{name: "VISUAL", visual: "/usr/bin/helix -w", nvim: neovim, hx: helix, want: "hx"},
		{name: "VISUAL is not there", visual: "hx", nvim: neovim, want: "nvim"},
		{name: "VISUAL is another one", visual: "nano", nvim: neovim, want: "nvim"},
		{name: "none", visual: "nano"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bin := t.TempDir()
			for name, version := range map[string]string{"nvim": test.nvim, "hx": test.hx} {
				if version != "" {
					script := "#!/bin/sh\necho '" + version + "'\n"
					require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
				}
			}
			t.Setenv("PATH", bin)
			t.Setenv("VISUAL", test.visual)
			e, ok := anyEditor(t.Context())
			require.Equal(t, test.want, e.Name)
			require.Equal(t, test.want != "", ok)
		})
	}
}
