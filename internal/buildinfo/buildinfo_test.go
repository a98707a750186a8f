package buildinfo

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFrom(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef01234567"
	built := func(version string, settings ...string) *debug.BuildInfo {
		b := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			b.Settings = append(b.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return b
	}
	for _, test := range []struct {
		name, version string
		build         *debug.BuildInfo
		want          string
	}{
		{"go install of a release", "", built("v1.2.3", "GOOS", "linux", "GOARCH", "arm64"), "v1.2.3\nbuilt with go1.26 for linux/arm64"},
		{"go build in a repository", "", built("v1.2.4-0.20260101000000-0123456789ab+dirty", "vcs.revision", hash, "vcs.modified", "true"),
			"v1.2.4-0.20260101000000-0123456789ab+dirty\ncommit " + hash + ", with uncommitted changes\nbuilt with go1.26"},
		{"an older tool", "", built("(devel)", "vcs.revision", hash, "vcs.modified", "false"), "devel-0123456789ab\ncommit " + hash + "\nbuilt with go1.26"},
		{"changed sources", "", built("(devel)", "vcs.revision", hash, "vcs.modified", "true"), "devel-0123456789ab+dirty\ncommit " + hash + ", with uncommitted changes\nbuilt with go1.26"},
		{"a package without the repository", "1.2.3", built("(devel)"), "1.2.3\nbuilt with go1.26"},
		{"a test", "", built(""), "devel\nbuilt with go1.26"},
		{"nothing", "", &debug.BuildInfo{}, "devel"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, from(test.build, test.version).String())
		})
	}
	require.Equal(t, runtime.Version(), Read("").Go)
}
