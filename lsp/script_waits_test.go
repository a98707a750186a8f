package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
)

// More words for scripts: texts that are asked for in files, and operations
// that take their time.

// fills writes below the line of the newest scratch file of a name, saves it
// and tells so.
func (r *rig) fills(name, text string) {
	r.t.Helper()
	path := r.scratchFile(name)
	r.step(fmt.Sprintf("write %q into the file and save it", text), func() {
		r.fill(path, text)
		r.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": "file://" + path}})
	})
}

// fillsUnseen is fills in an editor that does not tell this server of it.
func (r *rig) fillsUnseen(name, text string) {
	r.t.Helper()
	path := r.scratchFile(name)
	r.step(fmt.Sprintf("write %q into the file and save it; the server is not told", text), func() {
		r.fill(path, text)
		time.Sleep(3 * scratchPoll)
	})
}

func (r *rig) fill(path, text string) {
	body, err := os.ReadFile(path)
	require.NoError(r.t, err)
	head, _, found := strings.Cut(string(body), scissors)
	require.True(r.t, found, "%s", body)
	require.NoError(r.t, os.WriteFile(path, []byte(head+scissors+"\n"+text+"\n"), 0o600))
}

// scratchFile is the newest file of a name.
func (r *rig) scratchFile(name string) string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.base, "scratch", "*", name))
	require.NoError(r.t, err)
	require.NotEmpty(r.t, files, "no file %s", name)
	slices.SortFunc(files, func(a, b string) int {
		x, _ := os.Stat(a)
		y, _ := os.Stat(b)
		return y.ModTime().Compare(x.ModTime())
	})
	return files[0]
}

type operationEnd struct {
	result ahp.InvokeResult
	err    *ahp.Error
	first  func()
}

// holdOperations makes the host carry operations out when the script says so.
func (r *rig) holdOperations() {
	r.operations = make(chan operationEnd)
	r.t.Cleanup(func() { close(r.operations) })
	r.host.OnInvoke(func(ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error) {
		end := <-r.operations
		if end.first != nil {
			end.first()
		}
		return end.result, end.err
	})
}

// operationEnds ends the operation that runs; first is what it does before.
func (r *rig) operationEnds(result ahp.InvokeResult, err *ahp.Error, first ...func()) {
	r.step("the operation ends", func() {
		end := operationEnd{result: result, err: err}
		if len(first) > 0 {
			end.first = first[0]
		}
		r.operations <- end
	})
}
