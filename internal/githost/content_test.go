//go:build unix

package githost

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
)

func TestContentIsTheWorkTreesOnly(t *testing.T) {
	w := newTree(t, "a.txt", "a\n", "dir/b.txt", "b\n", "sp ace/ü%#?.txt", "odd\n")
	outside := filepath.Join(filepath.Dir(w.root), "secret.txt")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	link := func(target, name string) {
		t.Helper()
		require.NoError(t, os.Symlink(target, w.path(name)))
	}
	link(outside, "link-out.txt")
	link(filepath.Dir(w.root), "link-up")
	link(".git", "link-git")
	link("dir", "link-dir")
	link(".git/config", "link-config")
	require.NoError(t, os.Mkdir(w.path("nested"), 0o755))
	require.NoError(t, os.MkdirAll(w.path("nested/.git"), 0o755))
	w.write("nested/.git/config", "secret")
	w.write("binary", "\xff\xfe\x00")
	require.NoError(t, syscall.Mkfifo(w.path("pipe"), 0o600))
	h := w.host(brief)
	c := connect(t, h)

	for name, want := range map[string]string{"a.txt": "a\n", "dir/b.txt": "b\n", "sp ace/ü%#?.txt": "odd\n"} {
		require.Equal(t, want, c.content(w.uri(name)))
	}
	require.Equal(t, "a\n", c.content(w.path("a.txt")), "a plain path, as agents write")
	// What git has of a link is where it points to.
	require.Equal(t, outside, c.content(w.uri("link-out.txt")))
	require.Equal(t, ".git/config", c.content(w.uri("link-config")))
	var r ahp.ResourceReadResult
	c.result("resourceRead", map[string]any{"uri": w.uri("binary"), "channel": ahp.RootURI, "encoding": "utf-8"}, &r)
	require.Equal(t, "base64", r.Encoding)
	data, err := base64.StdEncoding.DecodeString(r.Data)
	require.NoError(t, err)
	require.Equal(t, "\xff\xfe\x00", string(data))
	c.result("resourceRead", map[string]any{"uri": w.uri("a.txt"), "channel": ahp.RootURI, "encoding": "base64"}, &r)
	require.Equal(t, "base64", r.Encoding)

	sha := w.git("rev-parse", "HEAD:a.txt")
	blob := "git-blob:///a.txt?sha=" + sha + "&mode=100644"
	require.Equal(t, "a\n", c.content(blob))

	root := h.names.Root
	for uri, code := range map[string]int{
		ahp.FileURI(outside):                       ahp.CodePermission,
		"file:///etc/passwd":                       ahp.CodePermission,
		"/etc/passwd":                              ahp.CodePermission,
		root:                                       ahp.CodePermission,
		root + "/":                                 ahp.CodePermission,
		root + "/../secret.txt":                    ahp.CodePermission,
		root + "/dir/../../secret.txt":             ahp.CodePermission,
		root + "/%2e%2e/secret.txt":                ahp.CodePermission,
		root + "/dir%2f..%2f..%2fsecret.txt":       ahp.CodePermission,
		root + "x/../secret.txt":                   ahp.CodePermission,
		root + "/link-up/secret.txt":               ahp.CodePermission,
		root + "/link-dir/b.txt":                   ahp.CodePermission,
		root + "/link-git/config":                  ahp.CodePermission,
		root + "/.git/config":                      ahp.CodePermission,
		root + "/.GIT/config":                      ahp.CodePermission,
		root + "/.git":                             ahp.CodePermission,
		root + "/nested/.git/config":               ahp.CodePermission,
		root + "/a.txt%00":                         ahp.CodePermission,
		ahp.FileURI(h.messageFile()):               ahp.CodeNotFound,
		root + "/missing.txt":                      ahp.CodeNotFound,
		root + "/missing/x.txt":                    ahp.CodeNotFound,
		root + "/dir":                              ahp.CodeContent,
		root + "/pipe":                             ahp.CodeContent,
		"https://example.org/":                     ahp.CodePermission,
		"session-db:/x":                            ahp.CodePermission,
		"git-blob:///a.txt?sha=HEAD&mode=100644":   ahp.CodeNotFound,
		"git-blob:///a.txt?sha=--help&mode=100644": ahp.CodeNotFound,
		"git-blob:///.git/config?sha=" + sha + "&mode=100644":                        ahp.CodePermission,
		"git-blob:///../x?sha=" + sha + "&mode=100644":                               ahp.CodePermission,
		"git-blob:///a.txt?sha=0123456789012345678901234567890123456789&mode=100644": ahp.CodeNotFound,
		"ahp-patchset:///x/a.txt?version=1":                                          ahp.CodeNotFound,
		"ahp-patchset:":                                                              ahp.CodeNotFound,
		"":                                                                           ahp.CodeInvalidParams,
	} {
		e := c.refused("resourceRead", map[string]any{"channel": ahp.RootURI, "uri": uri})
		require.Equal(t, code, e.Code, "%q: %s", uri, e.Message)
		require.NotContains(t, e.Message, "secret\n")
	}
}

func TestHugeFilesAreNotShown(t *testing.T) {
	w := newTree(t, "a.txt", "a\n")
	f, err := os.Create(w.path("huge"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(2<<30)) // takes no room
	require.NoError(t, f.Close())
	h := w.host(brief)
	c := connect(t, h)
	e := c.refused("resourceRead", map[string]any{"channel": ahp.RootURI, "uri": w.uri("huge")})
	require.Equal(t, ahp.CodeContent, e.Code)
	require.Contains(t, e.Message, "larger than 64 MiB")
}
