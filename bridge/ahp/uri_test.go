package ahp

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFilePaths(t *testing.T) {
	for _, c := range []struct{ resource, path, uri string }{
		// POSIX
		{"file:///home/dev/a.go", "/home/dev/a.go", "file:///home/dev/a.go"},
		{"/home/dev/a.go", "/home/dev/a.go", "file:///home/dev/a.go"},
		{"file:/home/a", "/home/a", "file:///home/a"},
		{"FILE:///home/A", "/home/A", "file:///home/A"},
		{"file://localhost/home/a", "/home/a", "file:///home/a"},
		{"file://LocalHost/", "/", "file:///"},
		{"file:///", "/", "file:///"},
		{"file:////home//a/", "/home/a", "file:///home/a"},
		{"file:///w/../etc/./a", "/etc/a", "file:///etc/a"},
		{"/", "/", "file:///"},

		// percent-encoding
		{"file:///a%20b/%C3%A9%23%3F%25.go", "/a b/é#?%.go", "file:///a%20b/%C3%A9%23%3F%25.go"},
		{"file:///a b/é.go", "/a b/é.go", "file:///a%20b/%C3%A9.go"},
		{"/a b/100%/#x?.go", "/a b/100%/#x?.go", "file:///a%20b/100%25/%23x%3F.go"},
		{"file:///a%20b/100%/x%2", "/a b/100%/x%2", "file:///a%20b/100%25/x%252"},
		{"file:///a%zz%20", "/a%zz ", "file:///a%25zz%20"},
		{"file:///a%2Fb", "/a/b", "file:///a/b"},
		{"file:///a%2fb%2E%2e/c", "/a/b../c", "file:///a/b../c"},
		{"file:///%FF", "/\xff", "file:///%FF"},
		{"file:///a.go?x=1#L10", "/a.go", "file:///a.go"},
		{"file:///a+b&c=d;e,f:g@h!$'()*~", "/a+b&c=d;e,f:g@h!$'()*~", "file:///a+b&c=d;e,f:g@h%21$%27%28%29%2A~"},

		// Unicode normalisation is the file system's: both spellings of é stay.
		{"file:///\u00e9", "/\u00e9", "file:///%C3%A9"},
		{"file:///e\u0301", "/e\u0301", "file:///e%CC%81"},

		// Windows
		{"file:///c%3A/Users/x.go", "c:/Users/x.go", "file:///c:/Users/x.go"},
		{"file:///C:/Users/x.go", "c:/Users/x.go", "file:///c:/Users/x.go"},
		{"file:///C:\\Users\\x.go", "c:/Users/x.go", "file:///c:/Users/x.go"},
		{"file:c:/x", "c:/x", "file:///c:/x"},
		{"file://c:/x", "c:/x", "file:///c:/x"},
		{"file://C%3A/x", "c:/x", "file:///c:/x"},
		{`C:\Users\a b\x.go`, "c:/Users/a b/x.go", "file:///c:/Users/a%20b/x.go"},
		{`c:/x/..\y`, "c:/y", "file:///c:/y"},
		{`C:\`, "c:/", "file:///c:/"},
		{"C:", "c:/", "file:///c:/"},
		{"file:///c%3A", "c:/", "file:///c:/"},
		{"/c:/x", "c:/x", "file:///c:/x"},

		// shares
		{"file://Server/Share/a%20b", "//server/Share/a b", "file://server/Share/a%20b"},
		{`\\Server\Share\x`, "//server/Share/x", "file://server/Share/x"},
		{"file://server", "//server/", "file://server/"},
		{"//home//x", "/home/x", "file:///home/x"}, // POSIX: as many slashes as you like
	} {
		t.Run(c.resource, func(t *testing.T) {
			p, ok := FilePath(c.resource)
			require.True(t, ok)
			require.Equal(t, c.path, p)
			require.Equal(t, c.uri, FileURI(p))
			require.Equal(t, c.uri, CanonicalURI(c.resource))
			back, ok := FilePath(c.uri)
			require.True(t, ok)
			require.Equal(t, p, back)
		})
	}
}

func TestNoFilePaths(t *testing.T) {
	for _, s := range []string{
		"", "a.go", "./a.go", "src/a.go", "file:", "file:a.go", "fil", "untitled:Untitled-1", "git-blob:/x?%7B%7D", "ahp-session:/s",
		"vscode-remote://ssh/home/x", "http://x/y", "c:x.go", "1:/x", `\x`, `\\`, "file://a%2Fb/x", "~/.bashrc",
	} {
		p, ok := FilePath(s)
		require.False(t, ok, s)
		require.Empty(t, p)
		require.Equal(t, s, CanonicalURI(s))
	}
}

// What is recognised as canonical is what taking it apart would give.
func TestPlainlyCanonical(t *testing.T) {
	recognised := 0
	rapid.Check(t, func(t *rapid.T) {
		resource := "file:///" + rapid.StringOf(rapid.RuneFrom([]rune("ab.Cc:/-_%2é ?"))).Draw(t, "path")
		if !plainlyCanonical(resource) {
			return
		}
		recognised++
		p, ok := FilePath(resource)
		require.True(t, ok)
		require.Equal(t, resource, FileURI(p))
	})
	require.True(t, plainlyCanonical("file:///home/me/src/main.go"))
	require.Positive(t, recognised)
}
