//go:build unix

package githost

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/wire"
)

// Nothing that the repository names runs until the user has allowed it: by an operation
// that every client can ask about.
func TestProgramsAreAllowedFirst(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	w := newTree(t, "a.txt", "ONE\n", ".gitattributes", "a.txt filter=up\n")
	mark := filepath.Join(t.TempDir(), "it ran")
	w.git("config", "filter.up.clean", "echo clean >>'"+mark+"'; tr A-Z a-z")
	w.git("config", "filter.up.smudge", "echo smudge >>'"+mark+"'; tr a-z A-Z")
	w.git("config", "core.fsmonitor", "echo monitor >>'"+mark+"'; false")
	w.write("a.txt", "ONE\nTWO\n")
	repo, err := gitrepo.Open(t.Context(), w.root)
	require.NoError(t, err)
	defer repo.Close()
	h, err := Open(t.Context(), repo, Options{Log: testLog(t), Info: ahp.Implementation{Name: "ahp-lsp", Version: "test"}})
	require.NoError(t, err)
	defer func() { require.NoError(t, h.Close()) }()
	await(t, h.watch.ready)
	c := connect(t, h)
	var state struct {
		Meta json.RawMessage `json:"_meta"`
	}
	require.NoError(t, json.Unmarshal(c.subscribe(h.names.Session), &state))
	notice := wire.Text(wire.Parse(state.Meta)["notice"])
	require.Contains(t, notice, "do not run until you allow them")
	require.Contains(t, notice, "(filter.up.clean)")
	require.NotContains(t, notice, "monitor", "it never runs")
	require.Contains(t, string(wire.Parse(state.Meta)[session.MetaKey]), "heldPrograms")

	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w, "a.txt")
	require.Equal(t, ahp.CodeInvalidParams, m.fails("stage", nil).Code)
	require.NoFileExists(t, mark)

	var allow *ahp.Operation
	for _, o := range m.state.Operations {
		if strings.HasPrefix(o.ID, session.OpTrust) {
			allow = o
		}
	}
	require.NotNil(t, allow)
	require.Contains(t, allow.Confirmation.Value, "(filter.up.smudge)")
	// Another program comes before the user has answered.
	w.git("config", "filter.up.smudge", "cat")
	require.NotZero(t, m.fails(allow.ID, nil).Code)
	require.NoFileExists(t, mark)
	p, err := repo.Programs(t.Context())
	require.NoError(t, err)
	m.until("the operation for the new programs", func(*ahp.Changeset) bool { return m.operation(session.OpTrust+p.Hash) != nil })
	require.Contains(t, m.invoke(session.OpTrust+p.Hash, nil), "Allowed: ")
	m.until("no question any more", func(*ahp.Changeset) bool { return m.operation(session.OpTrust+p.Hash) == nil })
	m.invoke("stage", nil)
	require.Equal(t, "one\ntwo", w.git("-c", "core.fsmonitor=false", "show", ":a.txt"))
	ran, err := os.ReadFile(mark)
	require.NoError(t, err)
	require.NotContains(t, string(ran), "monitor")
	require.NotContains(t, string(ran), "smudge")
}
