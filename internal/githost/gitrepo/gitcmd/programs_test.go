package gitcmd

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramsOf(t *testing.T) {
	values := []value{
		{"system", "", "filter.lfs.clean", "git-lfs clean -- %f"},
		{"global", "", "filter.lfs.smudge", "git-lfs smudge -- %f"},
		{"global", "", "filter.mine.clean", "mine"},
		{"local", "", "filter.lfs.clean", "git-lfs clean -- %f"}, // as the user has it
		{"local", "", "filter.lfs.smudge", "evil"},
		{"local", "", "filter.mine.clean", ""},
		{"local", "", "filter.x.clean", "first"},
		{"worktree", "", "filter.x.clean", "last\x1b[2J"},
		{"local", "", "filter.x.required", "true"},
		{"local", "", "filter.a.b.process", "p"},
		{"local", "", "core.fsmonitor", "never runs"},
		{"local", "", "core.pager", "never runs"},
		{"local", "", "core.hookspath", os.DevNull},
		{"command", "", "filter.ours.clean", "c"},
	}
	p := programsOf(values)
	require.Equal(t, []Program{
		{"local", "filter.a.b.process", "p"},
		{"local", "filter.lfs.smudge", "evil"},
		{"worktree", "filter.x.clean", "last\x1b[2J"},
	}, p.List)
	require.Contains(t, p.String(), `"last\x1b[2J" (filter.x.clean)`)
	require.Empty(t, p.Filters(), "nothing is held back")
	p.Held = true
	require.Equal(t, map[string]bool{"a.b": true, "lfs": true, "x": true}, p.Filters())
	got := map[string]string{}
	for _, s := range without(p, values) {
		got[s.key] = s.value
	}
	require.Equal(t, map[string]string{"filter.a.b.process": "", "filter.a.b.required": "false", "filter.lfs.smudge": "git-lfs smudge -- %f",
		"filter.x.clean": "", "filter.x.required": "false"}, got)
	// The hash is of the programs, in any order, and of nothing else.
	require.Equal(t, p.Hash, programsOf(append([]value{{"local", "", "user.name", "x"}}, values...)).Hash)
	values[4].text = "other"
	require.NotEqual(t, p.Hash, programsOf(values).Hash)
	require.Empty(t, programsOf(values[:4]).Hash)
	hooks := programsOf([]value{{"local", "", "core.hookspath", ".husky/_"}})
	require.True(t, hooks.List[0].ForCommit())
}
