package disk

import (
	"net/url"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/githost/gitrepo"
)

func FuzzAllowed(f *testing.F) {
	for _, s := range []string{"a", "a/b", "../a", "a/../b", ".git/x", "a/.GIT", "a//b", "/a", ".", "a\x00", ".git./x", "GIT~1/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, rel string) {
		if !Allowed(rel) {
			return
		}
		joined := filepath.Join("/root/tree", rel)
		inside, ok := below("/root/tree", filepath.ToSlash(joined))
		require.True(t, ok)
		require.Equal(t, rel, inside)
	})
}

// asVSCodeHasIt is a URI as VS Code writes it that has read it.
func asVSCodeHasIt(t *testing.T, uri string) string {
	u, err := url.Parse(uri)
	require.NoError(t, err)
	return u.Scheme + ":" + u.EscapedPath() + "?" + url.QueryEscape(u.RawQuery)
}

func FuzzBlobURI(f *testing.F) {
	f.Add("a b/ü?#%.txt")
	f.Fuzz(func(t *testing.T, path string) {
		if !Allowed(path) {
			return
		}
		s := gitrepo.Side{Path: path, Blob: "0123456789012345678901234567890123456789", Mode: gitrepo.ModeFile}
		for _, uri := range []string{blobURI(s), asVSCodeHasIt(t, blobURI(s))} {
			back, ok := parseBlob(uri)
			require.True(t, ok, uri)
			require.Equal(t, s, back)
		}
		id, rel, version, ok := ParseProposal(asVSCodeHasIt(t, proposalURI("id", path, "v")))
		require.True(t, ok)
		require.Equal(t, []string{"id", path, "v"}, []string{id, rel, version})
	})
}
