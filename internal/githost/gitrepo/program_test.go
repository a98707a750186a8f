//go:build unix

package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without being allowed, a filter of the repository's own does not run, and what would
// need it is refused. Once it is allowed all is as in git.
func TestFilterUntilAllowed(t *testing.T) {
	v := newVictim(t)
	v.write(".gitattributes", "up filter=up\n", "up", "ONE\n")
	v.config("filter.up.clean", "tr A-Z a-z", "filter.up.smudge", "tr a-z A-Z", "filter.up.required", "true")
	v.git("add", "-A")
	v.git("commit", "-qm", "up")
	v.write("up", "ONE\nTWO\n")
	allowed := map[string]bool{}
	r, err := Open(t.Context(), v.dir, Trust(func(_, hash string) bool { return allowed[hash] }))
	require.NoError(t, err)
	defer r.Close()
	before := func() string {
		files, err := r.Uncommitted(t.Context())
		require.NoError(t, err)
		require.Len(t, files, 1)
		data, err := r.Content(t.Context(), *files[0].Before)
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, "one\n", before())
	p, err := r.Programs(t.Context())
	require.NoError(t, err)
	require.True(t, p.Held)
	require.Equal(t, "tr A-Z a-z (filter.up.clean), tr a-z A-Z (filter.up.smudge)", p.String())
	for name, do := range map[string]func() (Outcome, error){
		"stage":  func() (Outcome, error) { return r.Stage(t.Context(), one("up")) },
		"revert": func() (Outcome, error) { return r.Revert(t.Context(), uncommittedTrees, one("up")) },
		"commit": func() (Outcome, error) { return r.Commit(t.Context(), "x") },
		"apply": func() (Outcome, error) {
			return r.ApplyPatch(t.Context(), parse(t, "--- a/up\n+++ b/up\n@@ -1,2 +1,3 @@\n ONE\n TWO\n+THREE\n"), all)
		},
	} {
		_, err := do()
		require.ErrorIs(t, err, ErrNotAllowed, name)
		require.ErrorContains(t, err, "ahp-lsp trust", name)
	}
	require.Equal(t, "ONE\nTWO\n", v.read("up"))

	allowed[p.Hash] = true
	r.Reconsider()
	require.Equal(t, "ONE\n", before())
	_, err = r.Stage(t.Context(), one("up"))
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", v.git("show", ":up"))
	// It was allowed as it was.
	v.config("filter.up.smudge", v.script)
	p, err = r.Programs(t.Context())
	require.NoError(t, err)
	require.True(t, p.Held)
	v.unharmed(t)
}

// Filters of the user's own configuration are the user's, also where the repository
// says the same.
func TestFilterOfTheUser(t *testing.T) {
	global := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(global, []byte("[filter \"up\"]\n\tclean = tr A-Z a-z\n\tsmudge = tr a-z A-Z\n"), 0o600))
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	v := newVictim(t)
	v.write(".gitattributes", "up filter=up\n", "up", "ONE\n")
	v.config("filter.up.clean", "tr A-Z a-z")
	v.git("add", "-A")
	v.git("commit", "-qm", "up")
	content := func() string {
		r, err := Open(t.Context(), v.dir)
		require.NoError(t, err)
		defer r.Close()
		data, err := r.Content(t.Context(), Side{Path: "up", Mode: ModeFile, Blob: strings.TrimSpace(v.git("rev-parse", "HEAD:up"))})
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, "ONE\n", content())
	// The repository puts a program of its own in its place: the user's runs.
	v.config("filter.up.smudge", v.script)
	require.Equal(t, "ONE\n", content())
	v.unharmed(t)
}
