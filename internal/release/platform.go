package main

import (
	"fmt"
	"strings"
)

// A platform is one that the program is built for.
type platform struct {
	os, arch string // as the Go tool calls them
	variant  string // of arch; "" for the oldest
}

// platforms are those of a release.
var platforms = []platform{
	{os: "linux", arch: "amd64"},
	{os: "linux", arch: "arm64"},
	{os: "linux", arch: "arm", variant: "7"},
	{os: "linux", arch: "riscv64"},
	{os: "darwin", arch: "amd64"},
	{os: "darwin", arch: "arm64"},
	{os: "windows", arch: "amd64"},
	{os: "windows", arch: "arm64"},
	{os: "freebsd", arch: "amd64"},
}

// String is such as linux_armv7, as in the names of files.
func (p platform) String() string {
	if p.variant != "" {
		return p.os + "_" + p.arch + "v" + p.variant
	}
	return p.os + "_" + p.arch
}

// env is what makes the Go tool build for the platform. The variants are named so that
// nobody's own settings get into a release.
func (p platform) env() []string {
	env := []string{"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GORISCV64=rva20u64", "GOFLAGS=", "GOEXPERIMENT="}
	if p.variant != "" {
		env = append(env, "GOARM="+p.variant)
	}
	return env
}

// selected are the platforms of these names, or all for none.
func selected(names []string) ([]platform, error) {
	if len(names) == 0 {
		return platforms, nil
	}
	var found []platform
	for _, name := range names {
		before := len(found)
		for _, p := range platforms {
			if p.String() == strings.ReplaceAll(name, "/", "_") {
				found = append(found, p)
			}
		}
		if len(found) == before {
			return nil, fmt.Errorf("%s is none of the platforms %v", name, platforms)
		}
	}
	return found, nil
}
