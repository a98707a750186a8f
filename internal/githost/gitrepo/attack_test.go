//go:build unix

package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// victim is a repository as somebody else may have made it: what it names must not
// run when it is looked at. Whatever runs leaves the file mark.
type victim struct {
	*tree
	mark   string
	script string // the program: it passes on what it reads
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	w := &tree{t: t, dir: filepath.Join(t.TempDir(), "repo")}
	require.NoError(t, os.Mkdir(w.dir, 0o777))
	w.git("init", "-q", "-b", "main")
	w.write("a.txt", "one\ntwo\n", "b.txt", "b\n", "dir/c.txt", "c\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "first")
	w.write("a.txt", "one\n2\n", "new.txt", "new\n")
	v := &victim{tree: w, mark: filepath.Join(t.TempDir(), "it ran")}
	v.script = filepath.Join(t.TempDir(), "evil")
	require.NoError(t, os.WriteFile(v.script, []byte("#!/bin/sh\necho \"$0 $*\" >>'"+v.mark+"'\ncat\n"), 0o755))
	return v
}

// config sets values: key, value pairs.
func (v *victim) config(kv ...string) {
	v.t.Helper()
	for i := 0; i < len(kv); i += 2 {
		v.git("config", kv[i], kv[i+1])
	}
}

// look does what is done when a file is opened in an editor and looked at, and what
// an operation reads before it refuses. What fails of it is no matter here.
func look(ctx context.Context, dir string) error {
	r, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = r.State(ctx)
	if err != nil {
		return err
	}
	_, _ = r.Dirs(ctx)
	_, _ = r.Ignored(ctx, []string{"a.txt", "x.log"})
	_, _ = r.Staged(ctx)
	_, _, _ = r.Branch(ctx)
	_, _ = r.Compare(ctx, HEAD, "HEAD")
	scan := r.NewScan()
	scan.Watched(true)
	files, err := scan.Compare(ctx, HEAD)
	for _, f := range files {
		for _, s := range []*Side{f.Before, f.After} {
			if s != nil {
				_, _ = r.Content(ctx, *s)
			}
		}
	}
	_, _, _ = r.Checkpoint(ctx, "refs/ahp/turn/x/start", "x")
	_, _, _ = scan.Checkpoint(ctx, "refs/ahp/turn/x/end", "x", 1<<20)
	_, _ = r.Refs(ctx, "refs/ahp/")
	_, _ = r.UndoList(ctx)
	if patch, perr := ParsePatch([]byte("--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n")); perr == nil {
		_, _ = r.PatchAfter(ctx, patch)
	}
	return err
}

func (v *victim) unharmed(t *testing.T) {
	t.Helper()
	ran, _ := os.ReadFile(v.mark)
	require.Empty(t, string(ran), "a program of the repository ran")
}

// Programs that a repository's configuration names.
var attacks = map[string]func(v *victim){
	"fsmonitor":       func(v *victim) { v.config("core.fsmonitor", v.script) },
	"fsmonitor, hook": func(v *victim) { v.config("core.fsmonitor", v.script, "core.fsmonitorHookVersion", "2") },
	"clean": func(v *victim) {
		v.write(".gitattributes", "* filter=x\n")
		v.config("filter.x.clean", v.script)
	},
	"smudge": func(v *victim) {
		v.write(".gitattributes", "* filter=x\n")
		v.config("filter.x.smudge", v.script)
	},
	"process": func(v *victim) {
		v.write(".gitattributes", "* filter=x\n")
		v.config("filter.x.process", v.script)
	},
	"required filter": func(v *victim) {
		v.write(".gitattributes", "* filter=x\n")
		v.config("filter.x.clean", v.script, "filter.x.smudge", v.script, "filter.x.required", "true")
	},
	"filter whose name has an equals sign": func(v *victim) {
		v.write(".gitattributes", "* filter=x=y.clean=\n")
		v.config("filter.x=y.clean=.clean", v.script, "filter.x=y.clean=.smudge", v.script)
	},
	"filter of the work tree's configuration": func(v *victim) {
		v.write(".gitattributes", "* filter=x\n")
		v.config("extensions.worktreeConfig", "true")
		v.git("config", "--worktree", "filter.x.clean", v.script)
	},
	"filter of an included file": func(v *victim) {
		v.write(".gitattributes", "* filter=x\n", "evil.config", "[filter \"x\"]\n\tclean = "+v.script+"\n\tsmudge = "+v.script+"\n[core]\n\tfsmonitor = "+v.script+"\n")
		v.config("include.path", "../evil.config")
	},
	"filter of a file included by the branch": func(v *victim) {
		v.write(".gitattributes", "* filter=x\n", "evil.config", "[filter \"x\"]\n\tclean = "+v.script+"\n\tsmudge = "+v.script+"\n")
		v.config("includeIf.onbranch:main.path", "../evil.config")
	},
	"filter of attributes in the git directory": func(v *victim) {
		v.write(".git/info/attributes", "* filter=x\n")
		v.config("filter.x.clean", v.script, "filter.x.smudge", v.script)
	},
	"hooks": func(v *victim) {
		for _, name := range []string{"post-index-change", "reference-transaction", "post-checkout", "pre-commit", "pre-auto-gc", "fsmonitor-watchman"} {
			require.NoError(v.t, os.Symlink(v.script, filepath.Join(v.dir, ".git/hooks", name)))
		}
	},
	"folder of hooks": func(v *victim) {
		for _, name := range []string{"post-index-change", "reference-transaction"} {
			require.NoError(v.t, os.MkdirAll(filepath.Join(v.dir, "hooks"), 0o777))
			require.NoError(v.t, os.Symlink(v.script, filepath.Join(v.dir, "hooks", name)))
		}
		v.config("core.hooksPath", "hooks")
	},
	"diffs": func(v *victim) {
		v.write(".gitattributes", "* diff=x merge=x\n")
		v.config("diff.external", v.script, "diff.x.command", v.script, "diff.x.textconv", v.script, "diff.x.cachetextconv", "true",
			"merge.x.driver", v.script, "interactive.diffFilter", v.script)
	},
	"pagers, editors, signatures and the like": func(v *victim) {
		v.config("core.pager", v.script, "core.editor", v.script, "sequence.editor", v.script, "core.askPass", v.script,
			"credential.helper", "!"+v.script, "gpg.program", v.script, "gpg.ssh.program", v.script, "log.showSignature", "true",
			"commit.gpgSign", "true", "trailer.x.command", v.script, "core.alternateRefsCommand", v.script, "core.gitProxy", v.script,
			"uploadpack.packObjectsHook", v.script, "pager.status", v.script, "pager.diff", v.script, "status.submoduleSummary", "true")
	},
	"a nested repository": func(v *victim) {
		v.write("nested/f", "f\n")
		at := filepath.Join(v.dir, "nested")
		gitAt(v.t, at, "init", "-q")
		gitAt(v.t, at, "add", ".")
		gitAt(v.t, at, "commit", "-qm", "one")
		gitAt(v.t, at, "config", "core.fsmonitor", v.script)
		gitAt(v.t, at, "config", "filter.x.clean", v.script)
		v.write("nested/.gitattributes", "* filter=x\n", "nested/f", "2\n")
		v.git("add", "nested")
		v.git("commit", "-qm", "nested")
		gitAt(v.t, at, "config", "status.submoduleSummary", "true")
		v.config("diff.ignoreSubmodules", "none", "submodule.nested.update", "!"+v.script, "submodule.recurse", "true", "diff.submodule", "diff")
	},
	"borrowed objects": func(v *victim) {
		v.write(".git/objects/info/alternates", filepath.Join(v.dir, "../other/objects")+"\n")
		v.config("core.alternateRefsCommand", v.script)
	},
}

func TestLookingRunsNothing(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t)
			attack(v)
			require.NoError(t, look(t.Context(), v.dir))
			v.unharmed(t)
			// What is written later counts as well.
			again := newVictim(t)
			r, err := Open(t.Context(), again.dir)
			require.NoError(t, err)
			defer r.Close()
			_, err = r.Uncommitted(t.Context())
			require.NoError(t, err)
			attack(again)
			again.write("b.txt", "later\n")
			_, _ = r.Uncommitted(t.Context())
			_, _ = r.Staged(t.Context())
			again.unharmed(t)
		})
	}
}

// A branch that is switched to can make an include count.
func TestIncludeOfAnotherBranch(t *testing.T) {
	v := newVictim(t)
	v.write(".gitattributes", "* filter=x\n", "evil.config", "[filter \"x\"]\n\tclean = "+v.script+"\n")
	v.config("includeIf.onbranch:other.path", "../evil.config")
	r, err := Open(t.Context(), v.dir)
	require.NoError(t, err)
	defer r.Close()
	_, err = r.Uncommitted(t.Context())
	require.NoError(t, err)
	v.git("symbolic-ref", "HEAD", "refs/heads/other")
	v.git("update-ref", "refs/heads/other", "main")
	v.write("b.txt", "more\n")
	_, err = r.Uncommitted(t.Context())
	require.NoError(t, err)
	v.unharmed(t)
}

// A partial clone lacks objects. They are not fetched by looking.
func TestMissingObjectsAreNotFetched(t *testing.T) {
	for name, remote := range map[string]func(v *victim) []string{
		"ssh": func(v *victim) []string {
			return []string{"remote.origin.url", "ssh://host/x", "core.sshCommand", v.script}
		},
		"upload-pack": func(v *victim) []string {
			return []string{"remote.origin.url", "file://" + v.dir, "remote.origin.uploadpack", v.script}
		},
		"a path": func(v *victim) []string {
			return []string{"remote.origin.url", v.dir, "remote.origin.uploadpack", v.script}
		},
		"ext": func(v *victim) []string {
			return []string{"remote.origin.url", "ext::" + v.script, "protocol.ext.allow", "always", "protocol.allow", "always"}
		},
		"a helper": func(v *victim) []string {
			return []string{"remote.origin.vcs", "ext", "remote.origin.url", v.script, "protocol.ext.allow", "always"}
		},
		"http": func(v *victim) []string {
			return []string{"remote.origin.url", "http://127.0.0.1:1/", "credential.helper", "!" + v.script, "protocol.http.allow", "always"}
		},
		"git": func(v *victim) []string {
			return []string{"remote.origin.url", "git://127.0.0.1:1/", "core.gitProxy", v.script}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t)
			v.config("extensions.partialClone", "origin", "remote.origin.promisor", "true", "remote.origin.partialCloneFilter", "blob:none", "core.repositoryFormatVersion", "1")
			v.config(remote(v)...)
			blob := strings.TrimSpace(v.git("rev-parse", "HEAD:a.txt"))
			require.NoError(t, os.Remove(filepath.Join(v.dir, ".git/objects", blob[:2], blob[2:])))
			require.ErrorIs(t, look(t.Context(), v.dir), ErrNotDownloaded)
			v.unharmed(t)
			r, err := Open(t.Context(), v.dir)
			require.NoError(t, err)
			defer r.Close()
			_, err = r.Content(t.Context(), Side{Path: "a.txt", Mode: ModeFile, Blob: blob})
			require.ErrorIs(t, err, ErrNotDownloaded)
			require.ErrorContains(t, err, "partial clone")
			_, err = r.Blob(t.Context(), blob)
			require.Error(t, err)
			v.unharmed(t)
		})
	}
}

// A bare repository that is committed inside a normal one comes with a clone.
func TestBareRepositoryInsideAnother(t *testing.T) {
	v := newVictim(t)
	at := filepath.Join(v.dir, "fixtures")
	gitAt(t, v.dir, "clone", "-q", "--bare", v.dir, at)
	gitAt(t, at, "config", "core.bare", "false")
	gitAt(t, at, "config", "core.fsmonitor", v.script)
	v.write("fixtures/files/a.txt", "a\n", "fixtures/files/sub/b.txt", "b\n")
	gitAt(t, at, "config", "core.worktree", "files")
	for _, dir := range []string{"fixtures", "fixtures/files", "fixtures/files/sub"} {
		err := look(t.Context(), filepath.Join(v.dir, dir))
		require.ErrorIs(t, err, ErrBare, dir)
		v.unharmed(t)
	}
	// The clone around it is served as always.
	require.NoError(t, look(t.Context(), v.dir))
	v.unharmed(t)
}

// A configuration that claims another folder for its work tree.
func TestForeignWorkTree(t *testing.T) {
	home := t.TempDir()
	key := filepath.Join(home, "id_ed25519")
	require.NoError(t, os.WriteFile(key, []byte("a private key\n"), 0o600))
	v := newVictim(t)
	v.config("core.worktree", home)
	require.ErrorIs(t, look(t.Context(), v.dir), ErrForeign)
	inside := filepath.Join(home, "downloads", "evil")
	require.NoError(t, os.MkdirAll(filepath.Dir(inside), 0o777))
	require.NoError(t, os.Rename(v.dir, inside))
	err := look(t.Context(), inside)
	require.ErrorIs(t, err, ErrForeign, "the claimed folder is one above")
	require.ErrorContains(t, err, home)
	// Nothing of it was copied.
	gitAt(t, home, "config", "--file", filepath.Join(inside, ".git/config"), "--unset", "core.worktree")
	require.NotContains(t, gitAt(t, inside, "fsck", "--unreachable", "--no-reflogs"), "blob")
}

// Work trees, submodules and links that are as they should be are served.
func TestUsualWorkTrees(t *testing.T) {
	w := newTree(t, "a", "1\n", "sub/b", "1\n")
	linked := filepath.Join(t.TempDir(), "linked")
	w.git("worktree", "add", "-q", linked)
	separate := filepath.Join(t.TempDir(), "separate")
	require.NoError(t, os.Mkdir(separate, 0o777))
	gitAt(t, separate, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "elsewhere"))
	gitAt(t, w.dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", w.dir, "module")
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(w.dir, link))
	bare, ofBare := filepath.Join(t.TempDir(), "bare.git"), filepath.Join(t.TempDir(), "ofbare")
	gitAt(t, w.dir, "clone", "-q", "--bare", w.dir, bare)
	gitAt(t, bare, "worktree", "add", "-q", ofBare)
	gitAt(t, ofBare, "config", "core.bare", "true")
	for _, dir := range []string{w.dir, filepath.Join(w.dir, "sub"), linked, separate, ofBare, filepath.Join(w.dir, "module"), link, filepath.Join(link, "sub")} {
		require.NoError(t, look(t.Context(), dir), dir)
	}
	for _, dir := range []string{linked, ofBare} {
		r, err := Open(t.Context(), dir)
		require.NoError(t, err)
		refs, err := r.Refs(t.Context(), "refs/ahp/turn/")
		require.NoError(t, err)
		require.Len(t, refs, 2)
		require.NoError(t, r.Close())
	}
}

// Git waits for what never comes, and says so in the end.
func TestGitThatHangs(t *testing.T) {
	for name, hang := range map[string]func(v *victim, fifo string){
		"rules": func(v *victim, fifo string) {
			require.NoError(v.t, os.Rename(fifo, filepath.Join(v.dir, ".gitignore")))
		},
		"excludes":   func(v *victim, fifo string) { v.config("core.excludesFile", fifo) },
		"attributes": func(v *victim, fifo string) { v.config("core.attributesFile", fifo) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t)
			v.open()
			v.repo.cmd.Patience = 300 * time.Millisecond
			fifo := filepath.Join(t.TempDir(), "fifo")
			require.NoError(t, syscall.Mkfifo(fifo, 0o600))
			hang(v, fifo)
			_, err := v.repo.Uncommitted(t.Context())
			require.ErrorIs(t, err, ErrHangs)
			require.ErrorContains(t, err, "no answer after 300ms")
		})
	}
}
