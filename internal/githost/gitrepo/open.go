package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/records"
	"ahp-lsp/internal/githost/gitrepo/worktree"
	"ahp-lsp/internal/trust"
)

// Repo is one work tree of a git repository. It is safe for concurrent use;
// calls that change something run one at a time.
type Repo struct {
	cmd     *gitcmd.Runner
	files   *worktree.Tree
	content *contents
	index   *indexes
	disk    *comparer
	records *records.Store
	log     *undoLog
	id      string

	change sync.Mutex // held by every call that changes something
}

const (
	maxText   = 64 << 20  // bytes held in memory: line ranges, patches, Blob, Content
	maxStored = 256 << 20 // bytes of one file in a checkpoint or an undo record
)

// Option is a choice at Open.
type Option func(*Repo)

// Trust lets the programs run that the repository's own configuration names, if
// allowed says so of their hash; see Programs. allowed is asked with the repository's
// CommonDir, when the repository is opened, when its configuration changes, and after
// Reconsider. Without this option the user's answers count; see package trust.
func Trust(allowed func(commonDir, hash string) bool) Option {
	return func(r *Repo) {
		r.cmd.Trust = func(hash string) bool { return allowed(r.cmd.CommonDir, hash) }
	}
}

// Open finds the work tree that holds dir, in a linked work tree or a submodule
// too. Errors: ErrNotRepository, ErrForeign, ErrBare, ErrNoGit.
func Open(ctx context.Context, dir string, options ...Option) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	if info, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	} else if !info.IsDir() {
		abs = filepath.Dir(abs)
	}
	r := &Repo{cmd: &gitcmd.Runner{MaxObject: maxText}}
	Trust(trust.Default().Allowed)(r)
	for _, o := range options {
		o(r)
	}
	if err := r.cmd.Locate(ctx, abs); err != nil {
		return nil, openError(dir, err)
	}
	format, err := r.cmd.Output(ctx, "rev-parse", "--show-object-format")
	if err != nil {
		return nil, openError(dir, err)
	}
	r.cmd.SHA256 = strings.TrimSpace(string(format)) == "sha256"
	r.files = &worktree.Tree{Root: r.cmd.Root, MaxText: maxText}
	if r.files.NoFileMode, err = r.cmd.IsSet(ctx, "core.fileMode", "false"); err != nil {
		return nil, openError(dir, err)
	}
	if r.files.IgnoreCase, err = r.cmd.IsSet(ctx, "core.ignoreCase", "true"); err != nil {
		return nil, openError(dir, err)
	}
	r.content = &contents{r.cmd, r.files}
	r.index = &indexes{r.cmd, r.files}
	r.disk = &comparer{r.cmd, r.files, r.index, r.content}
	r.records = records.New(r.cmd)
	r.log = &undoLog{r.cmd, r.files, r.records, r.Name(), maxStored}
	r.id = uuidOf(r.cmd.GitDir, r.cmd.Root)
	r.sweep()
	return r, nil
}

// sweep removes temporary indexes and the like of processes that were killed.
func (r *Repo) sweep() {
	for _, dir := range []string{r.cmd.GitDir, os.TempDir()} {
		for _, prefix := range []string{tempIndexPrefix, tempMergePrefix} {
			left, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
			for _, name := range left {
				if info, err := os.Lstat(name); err == nil && info.IsDir() && time.Since(info.ModTime()) > time.Hour {
					_ = os.RemoveAll(name) // another user's stays
				}
			}
		}
	}
}

func openError(dir string, err error) error {
	var g *gitcmd.Error
	if !errors.As(err, &g) {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	if strings.Contains(g.Stderr, "dubious ownership") {
		return fmt.Errorf("open %s: %w: it belongs to another user; if you trust it, run git config --global --add safe.directory with its path (%s)", dir, ErrNotRepository, g.Stderr)
	}
	if strings.Contains(g.Stderr, "safe.bareRepository") {
		return fmt.Errorf("open %s: %w: it lies in a bare repository inside other files, whose configuration is not trusted (%s)", dir, ErrBare, g.Stderr)
	}
	if errors.Is(g.Kind, ErrNotRepository) {
		return fmt.Errorf("open %s: %w: neither it nor a folder above it has a .git; run git init there, or choose another folder", dir, ErrNotRepository)
	}
	return fmt.Errorf("open %s: %w", dir, err)
}

func uuidOf(parts ...string) string {
	sum := sha256.Sum256([]byte("ahp-lsp work tree\x00" + strings.Join(parts, "\x00")))
	b := sum[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80 // Version 8 (custom), RFC 9562
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Close ends the git process that Blob keeps open.
func (r *Repo) Close() error {
	return r.cmd.Close()
}

// Root is the work tree's absolute path, symbolic links resolved.
func (r *Repo) Root() string { return r.cmd.Root }

// GitDir is the git directory of this work tree alone, absolute.
func (r *Repo) GitDir() string { return r.cmd.GitDir }

// CommonDir is the git directory shared by all work trees of the repository.
func (r *Repo) CommonDir() string { return r.cmd.CommonDir }

// ID is the same for every process that opens this work tree at this place, and
// different for any other: a UUID made from the paths.
func (r *Repo) ID() string { return r.id }

// Name tells this work tree from the others of the repository. Other than its ID it
// stays the same when the work tree, or the whole repository, is moved. It can be
// part of a ref's name.
func (r *Repo) Name() string {
	if filepath.Clean(r.cmd.GitDir) == filepath.Clean(r.cmd.CommonDir) {
		return "main"
	}
	return "linked-" + filepath.Base(r.cmd.GitDir)
}

// owns reports whether a record is this work tree's. Older ones have its ID.
func (r *Repo) owns(rec record) bool { return rec.worktree == r.Name() || rec.worktree == r.id }
