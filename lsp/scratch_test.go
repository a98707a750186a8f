package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// asking is a reply whose text is asked for in a file.
func (r *rig) asking() (path, body string) {
	r.t.Helper()
	r.reviewed()
	r.handshake()
	r.commands("ahp.annotation.reply", comment(one, "a1"))
	path = r.scratchFile("ahp-reply.md")
	raw, err := os.ReadFile(path)
	require.NoError(r.t, err)
	return path, string(raw)
}

func (r *rig) replies() (texts []string) {
	for _, e := range r.host.Annotation(one, "a1").Entries[1:] {
		texts = append(texts, e.Text.Value)
	}
	return texts
}

func (r *rig) overwrites(path, text string) {
	r.t.Helper()
	require.NoError(r.t, os.WriteFile(path, []byte(text), 0o600))
	time.Sleep(scratchPoll)
	synctest.Wait()
}

func TestScratchFile(t *testing.T) {
	t.Run("is private and shows what it is about", func(t *testing.T) {
		quiet(t, func(r *rig) {
			path, body := r.asking()
			require.Contains(t, body, "> agent: Should this be **configurable**?")
			require.True(t, strings.HasSuffix(body, scissors+"\n\n"))
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		})
	})
	t.Run("written in several steps", func(t *testing.T) {
		quiet(t, func(r *rig) {
			path, body := r.asking()
			r.overwrites(path, "")
			r.overwrites(path, body[:len(body)-1]+"half a rep")
			require.Empty(t, r.replies())
			r.overwrites(path, body+"half a reply, and the rest\n")
			require.Empty(t, r.replies(), "seen once")
			time.Sleep(scratchPoll)
			synctest.Wait()
			require.Equal(t, []string{"half a reply, and the rest"}, r.replies())
			require.NoFileExists(t, path)
		})
	})
	t.Run("deleted", func(t *testing.T) {
		quiet(t, func(r *rig) {
			path, _ := r.asking()
			require.NoError(t, os.Remove(path))
			time.Sleep(4 * scratchPoll)
			synctest.Wait()
			require.Empty(t, r.server.scratch.waiting)
			require.Empty(t, r.replies())
		})
	})
	t.Run("without the line", func(t *testing.T) {
		quiet(t, func(r *rig) {
			path, body := r.asking()
			r.overwrites(path, "only my text\n")
			time.Sleep(scratchPoll)
			synctest.Wait()
			require.Empty(t, r.replies())
			require.FileExists(t, path)
			r.overwrites(path, body+"my text\n")
			time.Sleep(scratchPoll)
			synctest.Wait()
			require.Equal(t, []string{"my text"}, r.replies())
		})
	})
	t.Run("the quoted thread has the line too", func(t *testing.T) {
		quiet(t, func(r *rig) {
			path, body := r.asking()
			r.overwrites(path, "> "+scissors+"\n"+body+"my text\n")
			time.Sleep(scratchPoll)
			synctest.Wait()
			require.Equal(t, []string{"my text"}, r.replies())
		})
	})
	t.Run("the session is gone", func(t *testing.T) {
		quiet(t, func(r *rig) {
			path, body := r.asking()
			r.host.RemoveSession(one)
			r.overwrites(path, body+"my text\n")
			time.Sleep(scratchPoll)
			synctest.Wait()
			require.FileExists(t, path, "the text is not lost")
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(raw), "my text")
		})
	})
	t.Run("the editor quits", func(t *testing.T) {
		quiet(t, func(r *rig) {
			r.cfg.ScratchDir = ""
			t.Setenv("TMPDIR", t.TempDir())
			r.reviewed()
			r.handshake()
			r.commands("ahp.annotation.reply", comment(one, "a1"))
			dir := r.server.scratch.dir.made()
			require.DirExists(t, dir)
			r.end()
			require.NoDirExists(t, dir)
		})
	})
	t.Run("the editor quits with a text that was not sent", func(t *testing.T) {
		quiet(t, func(r *rig) {
			path, body := r.asking()
			require.NoError(t, os.WriteFile(path, []byte(body+"unsent"), 0o600))
			r.end()
			require.FileExists(t, path)
			require.Contains(t, r.log.text(), "a text that was not sent is kept in "+path)
		})
	})
}

// An editor may start one more server for the file that a text is written in, without
// a folder. It has nothing to look for, and does not say that it found nothing.
func TestServerOfATextIsSilent(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.cfg.Flags = Settings{}
		r.cfg.Discover = func(string, []string) []bridge.Host { return nil }
		r.params["rootPath"], r.params["rootUri"], r.params["workspaceFolders"] = nil, nil, nil
		r.start()
		open := func(path string) {
			r.step("opens "+path, func() {
				r.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
					"uri": ahp.FileURI(filepath.ToSlash(path)), "languageId": "markdown", "version": 1, "text": "Mine.\n",
				}})
			})
			r.passes(time.Minute)
		}
		open(filepath.Join(os.TempDir(), "ahp-lsp-1", "2", "ahp-reply.md"))
		require.NotContains(t, r.log.text(), "no agent host found")
		open(r.path("greet.go"))
		require.Contains(t, r.log.text(), "no agent host found")
	})
}
