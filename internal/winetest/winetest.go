// Package winetest lets tests that are built for Windows run under Wine as
// well, which is how they can be run on Linux. Wine 8 differs from Windows in
// what these tests meet:
//
//   - it cannot delete files in the way of os.RemoveAll ("Invalid function"),
//     which ends every test that uses T.TempDir: use [TempDir];
//   - it lets a client connect to the first instance of a named pipe, which
//     Windows keeps closed until the listener accepts;
//   - the parent of a process that was started from Linux has the id 0;
//   - it has no Unix sockets, and does not follow symbolic links.
//
// What it cannot show: access rights of files and pipes, for it has one user.
package winetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TempDir is [testing.TB.TempDir], and works under Wine.
func TempDir(t testing.TB) string {
	t.Helper()
	if !Running() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("", "test")
	if err != nil {
		t.Fatalf("make a temporary folder: %v", err)
	}
	t.Cleanup(func() {
		var paths []string
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
			paths = append(paths, path)
			return nil
		})
		slices.Reverse(paths) // a folder behind what is in it
		for _, path := range paths {
			_ = os.Remove(path) // what is left over lies in Wine's own folder
		}
	})
	return dir
}
