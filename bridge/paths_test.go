package bridge

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/winetest"
)

func TestPathMap(t *testing.T) {
	mapping := []PathMapping{
		{Host: "file:///home/dev", Local: "file:///mnt/dev"},
		{Host: "/home/dev/special/", Local: "/special"},
		{Host: "vscode-remote://box/src", Local: "file:///src"},
	}
	p := newPaths(mapping, nil)
	for host, local := range map[string]string{
		"file:///home/dev/a.go":        "file:///mnt/dev/a.go",
		"file:///home/dev":             "file:///mnt/dev",
		"file:///home/dev/special/a":   "file:///special/a",
		"file:///home/dev/specially/a": "file:///mnt/dev/specially/a",
		"file:///home/developer/a":     "file:///home/developer/a",
		"file:///home/dev/sp%20ace":    "file:///mnt/dev/sp%20ace",
		"vscode-remote://box/src/a":    "file:///src/a",
		"vscode-remote://box/srcs":     "vscode-remote://box/srcs",
		"git-blob:/home/dev/a":         "git-blob:/home/dev/a",
	} {
		require.Equal(t, local, p.local(host))
		require.Equal(t, host, p.host(local))
	}
	// Spellings that editors and agents use.
	require.Equal(t, "file:///mnt/dev/a.go", p.local("/home/dev/x/../a.go"))
	require.Equal(t, "file:///mnt/dev/a.go", p.local("file://localhost/home/dev/a.go"))
	require.Equal(t, "file:///home/dev/a.go", p.host("/mnt/dev/a.go"))
}

// symlink makes a link that this system follows, or skips the test.
func symlink(t *testing.T, real, link string) {
	t.Helper()
	if err := os.Symlink(real, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if got, err := filepath.EvalSymlinks(link); err != nil || filepath.Base(got) != filepath.Base(real) {
		t.Skipf("symbolic links are not followed here: %s is %s, %v", link, got, err)
	}
}

func TestSymlinkedRoot(t *testing.T) {
	dir, err := filepath.EvalSymlinks(winetest.TempDir(t))
	require.NoError(t, err)
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	require.NoError(t, os.Mkdir(real, 0o777))
	symlink(t, real, link)
	realURI, linkURI := ahp.CanonicalURI(filepath.ToSlash(real)), ahp.CanonicalURI(filepath.ToSlash(link))

	p := newPaths(nil, []string{linkURI})
	require.Equal(t, linkURI+"/a.go", p.local(realURI+"/a.go"), "the host's real path is shown under the name the user opened")
	require.Equal(t, realURI+"/a.go", p.host(linkURI+"/a.go"))
	require.Equal(t, linkURI+"/a.go", p.local(linkURI+"/a.go"))

	// With a pathMap, whichever of the names it has.
	for _, local := range []string{realURI, linkURI} {
		p := newPaths([]PathMapping{{Host: "file:///srv/w", Local: local}}, []string{linkURI})
		require.Equal(t, linkURI+"/a.go", p.local("file:///srv/w/a.go"))
		require.Equal(t, "file:///srv/w/a.go", p.host(linkURI+"/a.go"))
		require.Equal(t, "file:///srv/w/a.go", p.host(realURI+"/a.go"))
	}
}

func TestRelated(t *testing.T) {
	for _, tc := range []struct {
		dir, root string
		want      bool
	}{
		{"file:///w", "file:///w", true},
		{"file:///w/sub", "file:///w", true},
		{"file:///w", "file:///w/sub", true},
		{"file:///w-other", "file:///w", false},
		{"file:///w", "file:///w-other", false},
		{"file:///", "file:///w", true},
		{"file:///w", "file://", true}, // a root of "/", as prefixURI spells it
		{"vscode-remote://a/w", "file:///w", false},
	} {
		require.Equal(t, tc.want, related(tc.dir, tc.root), "%s and %s", tc.dir, tc.root)
	}
}
