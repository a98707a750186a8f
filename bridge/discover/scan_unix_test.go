//go:build unix

package discover

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/winetest"
)

// scanAs is Scan of one directory for a user, without changing who we are.
func scanAs(dir string, uid int) ([]Endpoint, []Finding) {
	s := scan{alive: everyone, uid: uid}
	s.directory(dir)
	return s.found, s.passedOver
}

func TestEntriesOfOthers(t *testing.T) {
	for mode, ok := range map[fs.FileMode]bool{
		0o600: true, 0o400: true, 0o700: true,
		0o640: false, 0o604: false, 0o620: false, 0o602: false, 0o610: false, 0o644: false, 0o666: false,
	} {
		t.Run(fmt.Sprintf("%04o", mode), func(t *testing.T) {
			dir := entriesDir(t)
			path := host(nil).write(t, dir)
			require.NoError(t, os.Chmod(path, mode))
			found, passed := Scan([]string{dir}, everyone)
			if ok {
				require.Empty(t, passed)
				require.Len(t, found, 1)
				return
			}
			require.Empty(t, found)
			require.Equal(t, []Finding{{Path: path, Reason: fmt.Sprintf("other users have access to it (mode %04o); set its mode to 0600, and restart the host: others may know its token", mode)}}, passed)
		})
	}
}

func TestDirectoriesOfOthers(t *testing.T) {
	for mode, ok := range map[fs.FileMode]bool{0o700: true, 0o755: true, 0o770: false, 0o777: false} {
		t.Run(fmt.Sprintf("%04o", mode), func(t *testing.T) {
			dir := entriesDir(t)
			host(nil).write(t, dir)
			require.NoError(t, os.Chmod(dir, mode))
			found, passed := Scan([]string{dir}, everyone)
			require.Equal(t, ok, len(found) == 1)
			if !ok {
				require.Equal(t, []Finding{{Path: dir, Reason: fmt.Sprintf("other users have access to it (mode %04o); set its mode to 0700", mode)}}, passed)
			}
		})
	}
}

func TestOtherOwner(t *testing.T) {
	dir := entriesDir(t)
	path := host(nil).write(t, dir)
	other := os.Geteuid() + 1
	found, passed := scanAs(dir, other)
	require.Empty(t, found)
	require.Equal(t, []Finding{{Path: dir, Reason: fmt.Sprintf("it does not belong to the current user (uid %d)", other)}}, passed)

	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	_, _, err = readEntry(root, filepath.Base(path), other)
	require.ErrorContains(t, err, "does not belong to the current user")
}

func TestLinksAreNotFollowed(t *testing.T) {
	outside := host(nil).write(t, entriesDir(t))
	for name, target := range map[string]string{
		"out of the directory": outside, "inside": "real", "broken": "nowhere",
	} {
		t.Run(name, func(t *testing.T) {
			dir := entriesDir(t)
			write(t, filepath.Join(dir, "real"), host(nil).json(t))
			link := filepath.Join(dir, host(nil).name())
			require.NoError(t, os.Symlink(target, link))
			found, passed := Scan([]string{dir}, everyone)
			require.Empty(t, found)
			require.Equal(t, []Finding{{Path: link, Reason: "it is not a regular file"}}, passed)
		})
	}
}

func TestPipesDoNotBlock(t *testing.T) {
	dir := entriesDir(t)
	pipe := filepath.Join(dir, host(nil).name())
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	found, passed := Scan([]string{dir, pipe}, everyone)
	require.Empty(t, found)
	require.Equal(t, []Finding{
		{Path: pipe, Reason: "it is not a regular file"},
		{Path: pipe, Reason: "it is not a directory"},
	}, passed)
}

// A user data directory may well be a link to another disk.
func TestDirectoryBehindALink(t *testing.T) {
	dir := entriesDir(t)
	host(nil).write(t, dir)
	link := filepath.Join(winetest.TempDir(t), "link")
	require.NoError(t, os.Symlink(filepath.Dir(dir), link))
	found, passed := Scan([]string{filepath.Join(link, "entries")}, everyone)
	require.Empty(t, passed)
	require.Len(t, found, 1)
}
