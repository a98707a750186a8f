package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// face is a kind of record as its users see it.
type face struct {
	folder string
	write  func(ctx context.Context, s *Store) error
	read   func(ctx context.Context, s *Store) (int, error) // how much is there
}

var faces = []face{
	{
		keptFolder,
		func(ctx context.Context, s *Store) error { return s.Keep(ctx, one, keep("x")) },
		func(ctx context.Context, s *Store) (int, error) {
			files, err := s.Kept(ctx, one)
			return len(files), err
		},
	},
	{
		anchorsFolder,
		func(ctx context.Context, s *Store) error {
			name := TextName("text")
			return s.SaveAnchors(ctx, one, map[string]Anchor{"a": {Text: name, End: 4}}, nil, map[string]string{name: "text"})
		},
		func(ctx context.Context, s *Store) (int, error) {
			records, _, err := s.Anchors(ctx, one)
			return len(records), err
		},
	},
	{
		unsentFolder,
		func(ctx context.Context, s *Store) error { return s.AddUnsent(ctx, one, action("x")) },
		func(ctx context.Context, s *Store) (int, error) {
			actions, err := s.Unsent(ctx, one)
			return len(actions), err
		},
	},
}

var damages = map[string]string{
	"empty":           "",
	"no JSON":         "{",
	"half":            `{"version":1,"scope":"` + one + `","session":"` + one + `","files":{"a":["x`,
	"zeros":           "\x00\x00\x00\x00",
	"null":            "null",
	"a list":          "[]",
	"no version":      `{"scope":"` + one + `","session":"` + one + `"}`,
	"version zero":    `{"version":0,"scope":"` + one + `","session":"` + one + `"}`,
	"version in text": `{"version":"1","scope":"` + one + `","session":"` + one + `"}`,
	"no key":          `{"version":1}`,
	"another key":     `{"version":1,"scope":"` + two + `","session":"` + two + `"}`,
	"another shape":   `{"version":1,"scope":"` + one + `","session":"` + one + `","files":1,"anchors":1,"actions":1}`,
	"too long":        `{"version":1,"scope":"` + one + `","session":"` + one + `"` + strings.Repeat(" ", 2<<10) + `}`,
}

// What is damaged is moved away, once; what is written goes into a new file.
func TestDamage(t *testing.T) {
	for _, f := range faces {
		for what, content := range damages {
			for _, reading := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/reading=%v", f.folder, what, reading), func(t *testing.T) {
					s := New(t.TempDir())
					s.limits.record = 2 << 10
					path := s.path(f.folder, one)
					put(t, path, content)
					n := 0
					var err error
					if reading {
						n, err = f.read(t.Context(), s)
					} else {
						err = f.write(t.Context(), s)
					}
					require.Zero(t, n)
					var d *Damaged
					require.ErrorAs(t, err, &d)
					require.Equal(t, path, d.Path)
					require.Equal(t, path+".damaged-1", d.AsideAs)
					require.ErrorContains(t, err, d.AsideAs)
					require.Error(t, d.Cause)
					require.Equal(t, content, get(t, d.AsideAs))
					met, failure := Damage(err)
					require.Same(t, d, met)
					require.NoError(t, failure)

					if reading {
						require.NoFileExists(t, path)
						require.NoError(t, f.write(t.Context(), s))
					}
					n, err = f.read(t.Context(), New(s.dir))
					require.NoError(t, err, "once")
					require.Equal(t, 1, n)
					require.Equal(t, content, get(t, d.AsideAs))
				})
			}
		}
	}
}

// A bounded number of damaged files stays, the last ones, and none is written over.
func TestDamagedFilesAreBounded(t *testing.T) {
	s := New(t.TempDir())
	s.limits.aside = 3
	for i := range 12 {
		put(t, s.path(keptFolder, fmt.Sprint(i%2)), fmt.Sprint("damage ", i))
		_, err := s.Kept(t.Context(), fmt.Sprint(i%2))
		d, failure := Damage(err)
		require.NoError(t, failure)
		require.Equal(t, fmt.Sprint("damage ", i), get(t, d.AsideAs))
		if i == 5 { // which are not its own
			put(t, s.path(keptFolder, "2")+".damaged-x", "")
			put(t, s.path(keptFolder, "2")+".damaged-99999999999999999999", "")
		}
	}
	var list []string
	for _, name := range names(t, filepath.Join(s.dir, keptFolder)) {
		if _, number, _ := strings.Cut(name, asideMark); len(number) < 3 {
			list = append(list, get(t, filepath.Join(s.dir, keptFolder, name)))
		}
	}
	require.ElementsMatch(t, []string{"damage 9", "damage 10", "damage 11", ""}, list)
}

// A record of a later version can be neither read nor written, and stays.
func TestNewerVersion(t *testing.T) {
	for _, f := range faces {
		for _, content := range []string{
			`{"version":2,"scope":"` + one + `","session":"` + one + `"}`,
			`{"scope":{"other":"shape"},"session":7,"files":7,"anchors":[],"version":99}`,
		} {
			s := New(t.TempDir())
			path := s.path(f.folder, one)
			put(t, path, content)
			n, rerr := f.read(t.Context(), s)
			require.Zero(t, n)
			for _, err := range []error{rerr, f.write(t.Context(), s)} {
				var newer *NewerVersion
				require.ErrorAs(t, err, &newer)
				require.Equal(t, path, newer.Path)
				require.Equal(t, 1, newer.Known)
				require.ErrorContains(t, err, "update ahp-lsp")
				d, failure := Damage(err)
				require.Nil(t, d)
				require.Equal(t, err, failure)
			}
			require.Equal(t, content, get(t, path))
			require.Equal(t, []string{filepath.Base(path)}, names(t, filepath.Dir(path)))
		}
	}
}

// What is no regular file is moved away as it is: nothing is read through it.
func TestNotRegular(t *testing.T) {
	for _, f := range faces {
		for what, in := range map[string]func(t *testing.T, path string){
			"a folder": func(t *testing.T, path string) {
				put(t, filepath.Join(path, "inside"), "")
			},
			"a link": func(t *testing.T, path string) {
				target := filepath.Join(t.TempDir(), "elsewhere")
				put(t, target, `{"version":1,"scope":"`+one+`","session":"`+one+`","files":{"a":["x"]},"actions":[1]}`)
				link(t, target, path)
			},
			"a link to nothing": func(t *testing.T, path string) {
				link(t, filepath.Join(t.TempDir(), "nothing"), path)
			},
			"a pipe": fifo,
		} {
			t.Run(f.folder+"/"+what, func(t *testing.T) {
				s := New(t.TempDir())
				path := s.path(f.folder, one)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				in(t, path)
				n, err := f.read(t.Context(), s)
				require.Zero(t, n)
				var d *Damaged
				require.ErrorAs(t, err, &d)
				require.ErrorIs(t, err, errNotRegular)
				_, err = os.Lstat(d.AsideAs)
				require.NoError(t, err)
				require.NoError(t, f.write(t.Context(), s))
				n, err = f.read(t.Context(), s)
				require.NoError(t, err)
				require.Equal(t, 1, n)
			})
		}
	}
}

func link(t *testing.T, target, path string) {
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no links here: %v", err)
	}
}

// A damaged file that cannot be moved is not written over.
func TestDamageThatStays(t *testing.T) {
	for _, f := range faces {
		s := New(t.TempDir())
		path := s.path(f.folder, one)
		put(t, path, "{")
		folderReadOnly(t, filepath.Dir(path))
		n, rerr := f.read(t.Context(), s)
		require.Zero(t, n)
		d, failure := Damage(rerr)
		require.Empty(t, d.AsideAs)
		require.ErrorIs(t, failure, os.ErrPermission)
		require.NotContains(t, rerr.Error(), "\n")
		require.ErrorIs(t, f.write(t.Context(), s), os.ErrPermission)
		require.Equal(t, "{", get(t, path))
	}
}

// Where nothing can be written, what is there can be read.
func TestReadOnly(t *testing.T) {
	for _, f := range faces {
		s := New(t.TempDir())
		require.NoError(t, f.write(t.Context(), s))
		folder := filepath.Join(s.dir, f.folder)
		require.NoError(t, os.Remove(filepath.Join(folder, ".lock")))
		folderReadOnly(t, folder)
		n, err := f.read(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Error(t, f.write(t.Context(), s))
	}
}

func folderReadOnly(t *testing.T, dir string) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may write in any folder")
	}
	require.NoError(t, os.Chmod(dir, 0o500))
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
}

// A file that the system cannot read is not damaged.
func TestUnreadable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may read any file")
	}
	for _, f := range faces {
		s := New(t.TempDir())
		require.NoError(t, f.write(t.Context(), s))
		path := s.path(f.folder, one)
		require.NoError(t, os.Chmod(path, 0))
		_, err := f.read(t.Context(), s)
		require.ErrorIs(t, err, os.ErrPermission)
		require.ErrorIs(t, f.write(t.Context(), s), os.ErrPermission)
		require.False(t, errors.As(err, new(*Damaged)))
		require.FileExists(t, path)
	}
}
