package winetest

import "syscall"

// Running reports whether this Windows is Wine.
func Running() bool {
	return syscall.NewLazyDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}
