package discover

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func seeds(f *testing.F) {
	f.Add(host(nil).json(f))
	f.Add(host(published{"type": "standalone", "quality": "insider", "tunnelName": "t"}).json(f))
	f.Add(host(published{"endpoint": published{"type": "socket", "path": "/tmp/a b?#%.sock"}}).json(f))
	f.Add(host(published{"endpoint": published{"type": "socket", "path": `\\.\pipe\x`}}).json(f))
	f.Add(host(published{"endpoint": published{"type": "tcp", "host": "fe80::1%eth0", "port": 1}}).json(f))
	f.Add(host(published{"pid": -1}).json(f))
	f.Add([]byte(`{"schemaVersion":2,"pid":null,"endpoint":null,"connectionToken":null}`))
	f.Add([]byte("null"))
	f.Add([]byte{})
}

// FuzzParseEntry: an endpoint comes out only if everything about it holds, and
// neither it nor an error shows the token.
func FuzzParseEntry(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parseEntry(data)
		if err != nil {
			require.Zero(t, e)
			require.NotContains(t, err.Error(), testToken)
			return
		}
		require.Contains(t, []string{"editor", "standalone"}, e.Type)
		require.Positive(t, e.PID)
		require.NotEmpty(t, e.InstanceID)
		require.NotEmpty(t, e.ProtocolVersion)

		u, err := url.Parse(e.URL)
		require.NoError(t, err)
		require.Nil(t, u.User)
		require.Empty(t, u.RawQuery)
		require.Empty(t, u.Fragment)
		if u.Scheme == "ws+unix" || u.Scheme == "ws+pipe" {
			require.Empty(t, u.Host)
			require.True(t, strings.HasPrefix(u.Path, "/"))
		} else {
			require.Equal(t, "ws", u.Scheme)
			require.Equal(t, "/", u.Path)
			require.NotEmpty(t, u.Hostname())
			require.NotEmpty(t, u.Port())
		}

		// The same entry with another token reads the same.
		other := e
		other.Token += "x"
		require.Equal(t, e.String(), other.String())
	})
}

// FuzzScan writes any content under the name it asks for and under another:
// the first is found where it can be parsed, the second never.
func FuzzScan(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := entriesDir(t)
		wrong := write(t, filepath.Join(dir, strings.Repeat("0", 64)+".json"), data)
		want, err := parseEntry(data)
		if err == nil && len(data) <= maxEntry {
			want.File = write(t, filepath.Join(dir, want.identity()+".json"), data)
		}

		found, passed := Scan([]string{dir}, everyone)
		require.Len(t, passed, 1)
		require.Equal(t, wrong, passed[0].Path)
		if want.File == "" {
			require.Empty(t, found)
			return
		}
		require.Len(t, found, 1)
		want.Modified = found[0].Modified
		require.Equal(t, want, found[0])
	})
}
