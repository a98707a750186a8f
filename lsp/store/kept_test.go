package store

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestKeep(t *testing.T) {
	s := New(t.TempDir())
	const other = "file:///ws/b.go"
	for _, step := range []struct {
		name    string
		scope   string
		changes map[string]map[string]bool
		want    map[string][]string
	}{
		{"nothing", one, nil, map[string][]string{}},
		{"given up before it was kept", one, keep("-x"), map[string][]string{}},
		{"kept", one, keep("y", "x"), map[string][]string{uri: {"x", "y"}}},
		{"another file", one, map[string]map[string]bool{other: {"z": true}}, map[string][]string{uri: {"x", "y"}, other: {"z"}}},
		{"one given up, one kept", one, keep("-x", "w"), map[string][]string{uri: {"w", "y"}, other: {"z"}}},
		{"another scope", two, keep("v"), map[string][]string{uri: {"v"}}},
		{"as it is", one, keep("w", "-x"), map[string][]string{uri: {"w", "y"}, other: {"z"}}},
		{"all of a file given up", one, keep("-w", "-y"), map[string][]string{other: {"z"}}},
		{"all given up", one, map[string]map[string]bool{other: {"z": false}}, map[string][]string{}},
	} {
		require.NoError(t, s.Keep(t.Context(), step.scope, step.changes), step.name)
		require.Equal(t, step.want, kept(t, s, step.scope), step.name)
		require.Equal(t, step.want, kept(t, New(s.dir), step.scope), step.name)
	}
	require.Equal(t, map[string][]string{uri: {"v"}}, kept(t, s, two))
	require.NoFileExists(t, s.path(keptFolder, one), "nothing is left in it")
}

// What changes nothing is not written.
func TestKeepNothingNew(t *testing.T) {
	s := New(t.TempDir())
	require.NoError(t, s.Keep(t.Context(), one, keep("x")))
	path := s.path(keptFolder, one)
	age(t, path, time.Hour)
	before, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, s.Keep(t.Context(), one, keep("x", "-y")))
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after))
	require.Equal(t, before.ModTime(), after.ModTime())
}

// Goroutines of two stores on one folder do not lose each other's records.
func TestGoroutines(t *testing.T) {
	const writers, each = 8, 10
	dir := t.TempDir()
	stores := []*Store{New(dir), New(dir)}
	for _, s := range stores {
		s.wait = time.Minute // the machine may be busy
	}
	var wg sync.WaitGroup
	want := []string{}
	for w := range writers {
		s := stores[w%2]
		for i := range each {
			want = append(want, fmt.Sprintf("%d-%d", w, i))
		}
		wg.Go(func() {
			for i := range each {
				key := fmt.Sprintf("%d-%d", w, i)
				if err := s.Keep(t.Context(), one, keep(key)); err != nil {
					t.Errorf("keep %s: %v", key, err)
				}
				if files, err := s.Kept(t.Context(), one); err != nil || len(files[uri]) <= i {
					t.Errorf("after %s: %v, %v", key, files, err)
				}
			}
		})
	}
	wg.Wait()
	require.ElementsMatch(t, want, kept(t, stores[0], one)[uri])
}
