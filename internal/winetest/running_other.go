//go:build !windows

package winetest

// Running reports whether this Windows is Wine.
func Running() bool { return false }
