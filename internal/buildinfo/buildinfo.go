// Package buildinfo says which version of the program runs, from what the Go tool
// writes into every binary.
package buildinfo

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// Info is how this binary was built. What is not known is "".
type Info struct {
	Version  string // such as v1.2.3; "devel" if it is not known
	Commit   string // the whole hash
	Modified bool   // the sources had changes that were not committed
	Go       string // version of the Go tool
	Platform string // operating system and architecture
}

// Read describes this binary. version, unless "", is the one of a release that was
// built from sources without their repository.
func Read(version string) Info {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		b = &debug.BuildInfo{}
	}
	return from(b, version)
}

func from(b *debug.BuildInfo, version string) Info {
	i := Info{Version: version, Go: b.GoVersion}
	settings := map[string]string{}
	for _, s := range b.Settings {
		settings[s.Key] = s.Value
	}
	i.Commit = settings["vcs.revision"]
	i.Modified = settings["vcs.modified"] == "true"
	if os := settings["GOOS"]; os != "" {
		i.Platform = os + "/" + settings["GOARCH"]
	}
	if main := b.Main.Version; main != "(devel)" {
		i.Version = cmp.Or(i.Version, main)
	}
	if i.Version == "" {
		i.Version = "devel"
		if i.Commit != "" {
			i.Version += "-" + i.Commit[:min(len(i.Commit), 12)]
			if i.Modified {
				i.Version += "+dirty"
			}
		}
	}
	return i
}

// String is the description in lines, the version first.
func (i Info) String() string {
	var b strings.Builder
	b.WriteString(i.Version)
	if i.Commit != "" {
		b.WriteString("\ncommit " + i.Commit)
		if i.Modified {
			b.WriteString(", with uncommitted changes")
		}
	}
	if i.Go != "" {
		b.WriteString("\nbuilt with " + i.Go)
		if i.Platform != "" {
			b.WriteString(" for " + i.Platform)
		}
	}
	return b.String()
}
