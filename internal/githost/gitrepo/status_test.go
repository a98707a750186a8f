package gitrepo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who watches the disk ignores what the engine ignores: by the same configuration.
func TestIgnoredIsWhatTheEngineIgnores(t *testing.T) {
	dir := t.TempDir()
	excludes, global := filepath.Join(dir, "excludes"), filepath.Join(dir, "config")
	require.NoError(t, os.WriteFile(excludes, []byte("*.gen\nout/\n"), 0o600))
	require.NoError(t, os.WriteFile(global, []byte("[core]\n\texcludesFile = "+filepath.ToSlash(excludes)+"\n"), 0o600))
	w := newTree(t, "tracked.gen", "1\n", ".gitignore", "*.log\n", "dir/sub/f", "f\n")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	paths := []string{"tracked.gen", "x.gen", "x.log", "out/y", "new", ":(literal)odd", "é ü.log", "nested/deep/z"}
	for _, p := range paths[1:] {
		w.write(p, "x\n")
	}
	shown := map[string]bool{"tracked.gen": true} // and unchanged
	for _, f := range w.uncommitted() {
		shown[f.Path()] = true
	}
	ignored, err := w.repo.Ignored(t.Context(), paths)
	require.NoError(t, err)
	for _, p := range paths {
		require.Equal(t, !shown[p], ignored[p], p)
	}
	ignored, err = w.repo.Ignored(t.Context(), []string{"new"})
	require.NoError(t, err)
	require.Empty(t, ignored)
	dirs, err := w.repo.Dirs(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{".", "dir", "dir/sub", "nested", "nested/deep"}, dirs)
}
