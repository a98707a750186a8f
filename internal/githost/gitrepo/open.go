package gitrepo

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Repo is one work tree of a git repository. It is safe for concurrent use;
// calls that change something run one at a time.
type Repo struct {
	root, gitDir, commonDir string
	id                      string
	sha256                  bool // the repository's object format
	noFileMode              bool // the file system does not keep executable bits
	ignoreCase              bool // the file system takes A and a for one name

	change sync.Mutex // held by every call that changes something
	blobs  batch
	limits limits
}

// limits bound what is read into memory or stored. In bytes.
type limits struct {
	text   int64 // content held in memory: line ranges, patches, Blob, Content
	stored int64 // one file in a checkpoint or an undo record
}

var defaultLimits = limits{text: 64 << 20, stored: 256 << 20}

// Open finds the work tree that holds dir, in a linked work tree or a submodule
// too. Errors: ErrNotRepository, ErrBare, ErrNoGit.
func Open(ctx context.Context, dir string) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	if info, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	} else if !info.IsDir() {
		abs = filepath.Dir(abs)
	}
	r := &Repo{limits: defaultLimits}
	ask := func(args ...string) (string, error) {
		out, err := r.run(ctx, command{args: append([]string{"rev-parse"}, args...), dir: abs})
		return strings.TrimSuffix(string(out), "\n"), err
	}
	if r.gitDir, err = ask("--absolute-git-dir"); err != nil {
		return nil, openError(dir, err)
	}
	if r.root, err = ask("--path-format=absolute", "--show-toplevel"); err != nil {
		var g *gitError
		if errors.As(err, &g) && strings.Contains(g.stderr, "must be run in a work tree") {
			return nil, fmt.Errorf("open %s: %w: it is bare, or the folder is inside %s; choose a folder with checked-out files", dir, ErrBare, r.gitDir)
		}
		return nil, openError(dir, err)
	}
	if strings.HasPrefix(r.root, "--path-format") { // older ones print what they do not know
		return nil, fmt.Errorf("open %s: %w: git 2.31 or newer is needed; update it", dir, ErrNoGit)
	}
	if r.commonDir, err = ask("--path-format=absolute", "--git-common-dir"); err != nil {
		return nil, openError(dir, err)
	}
	r.root, r.gitDir, r.commonDir = filepath.FromSlash(r.root), filepath.FromSlash(r.gitDir), filepath.FromSlash(r.commonDir)
	format, err := ask("--show-object-format")
	if err != nil {
		return nil, openError(dir, err)
	}
	r.sha256 = format == "sha256"
	if r.noFileMode, err = r.isSet(ctx, "core.fileMode", "false"); err != nil {
		return nil, openError(dir, err)
	}
	if r.ignoreCase, err = r.isSet(ctx, "core.ignoreCase", "true"); err != nil {
		return nil, openError(dir, err)
	}
	r.id = uuidOf(r.gitDir, r.root)
	r.blobs.repo = r
	r.sweep()
	return r, nil
}

// isSet reports whether a boolean setting has a value.
func (r *Repo) isSet(ctx context.Context, key, value string) (bool, error) {
	out, err := r.git(ctx, "config", "--type=bool", "--get", key)
	if err != nil && exitCode(err) != 1 {
		return false, err
	}
	return strings.TrimSpace(string(out)) == value, nil
}

// sweep removes temporary indexes of processes that were killed.
func (r *Repo) sweep() {
	left, _ := filepath.Glob(filepath.Join(r.gitDir, tempIndexPrefix+"*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.RemoveAll(dir)
		}
	}
}

func openError(dir string, err error) error {
	var g *gitError
	if !errors.As(err, &g) {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	if strings.Contains(g.stderr, "dubious ownership") {
		return fmt.Errorf("open %s: %w: it belongs to another user; if you trust it, run git config --global --add safe.directory with its path (%s)", dir, ErrNotRepository, g.stderr)
	}
	if g.kind == ErrNotRepository {
		return fmt.Errorf("open %s: %w: neither it nor a folder above it has a .git; run git init there, or choose another folder", dir, ErrNotRepository)
	}
	return fmt.Errorf("open %s: %w", dir, err)
}

func uuidOf(parts ...string) string {
	sum := sha256.Sum256([]byte("ahp-lsp work tree\x00" + strings.Join(parts, "\x00")))
	b := sum[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80 // version 8 (custom), RFC 9562
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Close ends the git process that Blob keeps open.
func (r *Repo) Close() error {
	r.blobs.close()
	return nil
}

// Root is the work tree's absolute path, symbolic links resolved.
func (r *Repo) Root() string { return r.root }

// GitDir is the git directory of this work tree alone, absolute.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the git directory shared by all work trees of the repository.
func (r *Repo) CommonDir() string { return r.commonDir }

// ID is the same for every process that opens this work tree at this place, and
// different for any other: a UUID made from the paths.
func (r *Repo) ID() string { return r.id }

// Name tells this work tree from the others of the repository. Other than its ID it
// stays the same when the work tree, or the whole repository, is moved. It can be
// part of a ref's name.
func (r *Repo) Name() string {
	if filepath.Clean(r.gitDir) == filepath.Clean(r.commonDir) {
		return "main"
	}
	return "linked-" + filepath.Base(r.gitDir)
}

// owns reports whether a record is this work tree's. Older ones have its ID.
func (r *Repo) owns(rec record) bool { return rec.worktree == r.Name() || rec.worktree == r.id }

// emptyObject is the id of an empty object of a type, which git knows without
// storing it.
func (r *Repo) emptyObject(kind string) string {
	if r.sha256 {
		sum := sha256.Sum256([]byte(kind + " 0\x00"))
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum([]byte(kind + " 0\x00"))
	return hex.EncodeToString(sum[:])
}

// noObject is the id that stands for nothing.
func (r *Repo) noObject() string {
	if r.sha256 {
		return strings.Repeat("0", 64)
	}
	return strings.Repeat("0", 40)
}
