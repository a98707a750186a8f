package review

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/hosts"
)

// bench is a review of a work tree of its own.
type bench struct {
	*Review
	t    *testing.T
	root string
}

// start makes a repository with one commit that has the files, given as name and
// content in turns, and reviews it with a real host.
func start(t *testing.T, files ...string) *bench {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	b := &bench{t: t, root: root}
	for i := 0; i < len(files); i += 2 {
		b.write(files[i], files[i+1])
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Test"}, {"config", "user.email", "test@example.invalid"},
		{"config", "core.autocrlf", "false"}, {"add", "."}, {"commit", "-q", "--allow-empty", "-m", "first"},
	} {
		b.git(args...)
	}
	repo, err := gitrepo.Open(t.Context(), root)
	require.NoError(t, err)
	info := ahp.Implementation{Name: "test", Version: "1"}
	embedded := hosts.NewEmbedded(t.Context(), hosts.Options{Info: info, Brief: true, Dir: filepath.Join(t.TempDir(), "run")})
	b.Review, err = Open(t.Context(), repo, embedded, info)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

func (b *bench) git(args ...string) {
	b.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", b.root}, args...)...).CombinedOutput()
	require.NoError(b.t, err, "git %v: %s", args, out)
}

func (b *bench) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

func (b *bench) write(name, text string) {
	require.NoError(b.t, os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	require.NoError(b.t, os.WriteFile(b.path(name), []byte(text), 0o644))
}

func (b *bench) add(place, text string) string {
	b.t.Helper()
	id, err := b.Add(b.t.Context(), Draft{Place: b.path(place), Text: text})
	require.NoError(b.t, err)
	return id
}

// set stores a comment as another client of the host may: on whatever it names.
func (b *bench) set(id, uri, quote string, lines ...int) {
	b.t.Helper()
	a := &ahp.Annotation{ID: id, Resource: uri, Entries: []ahp.Entry{{ID: id + ":0", Text: ahp.Plain("text")}}}
	if len(lines) > 0 {
		a.Range = &ahp.Range{Start: ahp.Position{Line: lines[0]}, End: ahp.Position{Line: lines[1]}}
	}
	a.Meta = ahp.NewFeedback(b.view.URI, quote)
	action, err := ahp.SetAnnotation(a)
	require.NoError(b.t, b.dispatch(b.t.Context(), action, err))
}

func (b *bench) comment(id string) Comment {
	b.t.Helper()
	list, err := b.Comments(b.t.Context(), false)
	require.NoError(b.t, err)
	for _, c := range list {
		if c.ID == id {
			return c
		}
	}
	require.Fail(b.t, "no such comment", id)
	return Comment{}
}

func TestStates(t *testing.T) {
	b := start(t, "a.txt", "one\ntwo is here\nthree is there\nfour\n", "sub/b.txt", "b\n")
	lines, file := b.add("a.txt:2-3", "these"), b.add("a.txt", "all of it")
	c := b.comment(lines)
	require.Equal(t, []any{"live", 2, 3, "two is here\nthree is there", "", ""}, []any{c.State, c.Line, c.EndLine, c.Code, c.CodeNow, c.note()})
	require.Equal(t, "live", b.comment(file).State)

	b.write("a.txt", "zero\none\ntwo is here\nthree is there\nfour\n")
	c = b.comment(lines)
	require.Equal(t, []any{"moved", 3, 4, ""}, []any{c.State, c.Line, c.EndLine, c.note()})

	b.write("a.txt", "one\ntwo is here\nthree is now there\nfour\n")
	c = b.comment(lines)
	require.Equal(t, []any{"outdated", 2, 3, " (code changed since)"}, []any{c.State, c.Line, c.EndLine, c.note()})
	require.Equal(t, "two is here\nthree is there", c.Code)
	require.Equal(t, "two is here\nthree is now there", c.CodeNow)

	b.write("a.txt", "something\nelse\n")
	c = b.comment(lines)
	require.Equal(t, []any{"detached", " (code removed)", "two is here\nthree is there"}, []any{c.State, c.note(), c.Code})

	require.NoError(t, os.Remove(b.path("a.txt")))
	c = b.comment(lines)
	require.Equal(t, []any{"detached", " (file deleted)", 2, 3}, []any{c.State, c.note(), c.Line, c.EndLine})
	require.Equal(t, " (file deleted)", b.comment(file).note())
	require.NoError(t, b.Resolve(t.Context(), file[:8], true))
	require.Equal(t, " (file deleted, resolved)", b.comment(file).note())
}

// A quote of a long selection is cut, and is one of the code all the same.
func TestLongQuote(t *testing.T) {
	long := ""
	for range 300 {
		long += "a line of code, one of many\n"
	}
	b := start(t, "a.txt", long)
	id := b.add("a.txt:1-300", "too long")
	require.Equal(t, "live", b.comment(id).State)
	require.Len(t, []rune(b.comment(id).Code), maxQuote)
}

// The file is gone; what it was is in the last commit.
func TestDeletedFile(t *testing.T) {
	b := start(t, "sub/a.txt", "one\ntwo\n")
	require.NoError(t, os.RemoveAll(b.path("sub")))
	c := b.comment(b.add("sub/a.txt:2", "why?"))
	require.Equal(t, []any{"sub/a.txt", "two", 2, " (file deleted)"}, []any{c.File, c.Code, c.Line, c.note()})
	require.Equal(t, " (file deleted)", b.comment(b.add("sub/a.txt", "why?")).note())
	_, err := b.Add(t.Context(), Draft{Place: b.path("sub/a.txt:3"), Text: "no"})
	require.ErrorContains(t, err, "has 2 lines; there is no 3")
	b.git("checkout", "-q", "-b", "work")
	b.git("commit", "-q", "-a", "-m", "removed")
	require.Equal(t, "one", b.comment(b.add("sub/a.txt:1", "why?")).Code, "gone from the last commit too")
	_, err = b.Add(t.Context(), Draft{Place: b.path("none.txt"), Text: "no"})
	require.ErrorContains(t, err, "none.txt")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// What is not in the work tree is neither read nor commented on.
func TestOutside(t *testing.T) {
	b := start(t, "a.txt", "one\n")
	outside := filepath.Join(t.TempDir(), "secret.txt")
	require.NoError(t, os.WriteFile(outside, []byte("s3cret\n"), 0o600))
	b.set("absolute", ahp.FileURI(filepath.ToSlash(outside)), "", 0, 1)
	b.set("above", ahp.FileURI(filepath.ToSlash(b.root)+"/../"+filepath.Base(filepath.Dir(outside))+"/secret.txt"), "", 0, 1)
	b.set("git", ahp.FileURI(filepath.ToSlash(b.path(".git/config"))), "", 0, 1)
	b.set("other", "untitled:Untitled-1", "", 0, 1)
	ids := []string{"absolute", "above", "git", "other"}
	places := []string{outside, b.path(".git/config")}
	if os.Symlink(outside, b.path("link.txt")) == nil {
		b.set("link", ahp.FileURI(filepath.ToSlash(b.path("link.txt"))), "", 0, 1)
		require.NoError(t, os.Symlink(filepath.Dir(outside), b.path("folder")))
		b.set("folder", ahp.FileURI(filepath.ToSlash(b.path("folder/secret.txt"))), "", 0, 1)
		ids = append(ids, "folder")
		places = append(places, b.path("link.txt"), b.path("folder/secret.txt"))
		require.Equal(t, " (the file cannot be read)", b.comment("link").note())
	}
	for _, id := range ids {
		require.Equal(t, stateOutside, b.comment(id).State, id)
		require.Equal(t, " (not in this work tree)", b.comment(id).note(), id)
	}
	list, err := b.Comments(t.Context(), false)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, WriteText(&text, list))
	require.NoError(t, WriteMarkdown(&text, list))
	require.NoError(t, WriteJSON(&text, list))
	require.NotContains(t, text.String(), "s3cret")
	require.NotContains(t, text.String(), "repositoryformatversion")
	for _, place := range places {
		_, err := b.Add(t.Context(), Draft{Place: place + ":1", Text: "text"})
		require.Error(t, err, place)
	}
	if runtime.GOOS != "windows" { // a link to another file of the work tree is one
		require.NoError(t, os.Symlink("a.txt", b.path("inside.txt")))
		require.Equal(t, "one", b.comment(b.add("inside.txt:1", "text")).Code)
	}
}

func TestSuggestion(t *testing.T) {
	b := start(t, "a.txt", "one\n\ttwo äö\U0001f600\nthree\n")
	for _, text := range []string{"TWO\n", "TWO\r\n", "TWO"} {
		id, err := b.Add(t.Context(), Draft{Place: b.path("a.txt:2-3"), Text: "louder", Suggest: &text, Agent: true})
		require.NoError(t, err)
		all, err := b.annotations(t.Context())
		require.NoError(t, err)
		f, ok := all.Get(id).Feedback()
		require.True(t, ok)
		require.Equal(t, &ahp.Suggestion{Edits: []ahp.SuggestedEdit{{
			Range: ahp.EditorRange{StartLine: 2, StartColumn: 1, EndLine: 3, EndColumn: 6}, OldText: "\ttwo äö\U0001f600\nthree", NewText: "TWO",
		}}}, f.Suggestion)
		require.Equal(t, all.Get(id).Range, ptr(f.Suggestion.Edits[0].Range.Range()))
		require.Equal(t, ahp.FeedbackCreated, f.State)
		require.Equal(t, "codeReview", f.Kind)
	}
	text := "x"
	_, err := b.Add(t.Context(), Draft{Place: b.path("a.txt"), Text: "louder", Suggest: &text})
	require.ErrorContains(t, err, "a suggestion needs lines")
}

func ptr[T any](v T) *T { return &v }

// What a host, an agent or a file name says does not act on the terminal.
func TestPrintsNothingHidden(t *testing.T) {
	b := start(t, "a.txt", "one\x1b[2J \u202etwo\n")
	b.add("a.txt:1", "red \x1b[31m\nnext\rline\u200b")
	b.set("id\x1b]0;x\a", ahp.FileURI(filepath.ToSlash(b.path("no\x1bsuch\nfile"))), "quote\u009b", 0, 1)
	list, err := b.Comments(t.Context(), false)
	require.NoError(t, err)
	for _, write := range []func(*bytes.Buffer) error{
		func(w *bytes.Buffer) error { return WriteText(w, list) },
		func(w *bytes.Buffer) error { return WriteMarkdown(w, list) },
		func(w *bytes.Buffer) error { return WriteJSON(w, list) },
	} {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		for _, r := range out.String() {
			require.True(t, r == '\n' || r == '\t' || r >= ' ' && (r < 0x7f || r > 0x9f) && r != 0x202e && r != 0x200b, "%U in %q", r, out.String())
		}
		require.NotContains(t, out.String(), "\nfile")
	}
}
