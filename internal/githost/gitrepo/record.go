package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/records"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// edit replaces one file of the work tree.
type edit struct {
	path     string
	old, new worktree.Version
}

// record is an operation as stored under refs/ahp/: a commit whose tree holds
// before/<path> and after/<path> for each file, byte for byte.
type record struct {
	operation string
	message   string
	edits     []edit   // paths are sorted
	index     bool     // the versions are index entries: mode and blob only
	paths     []string // of the edits; known without reading the tree
	// intents are paths that the index had by "git add -N" only: in a tree they
	// look like empty files.
	intents  map[string]bool
	worktree string
}

// undoLog keeps what operations destroy, and reads it back.
type undoLog struct {
	cmd       *gitcmd.Runner
	files     *worktree.Tree
	commits   *records.Store
	name      string // of the work tree
	maxStored int64  // bytes of one file in a checkpoint or an undo record
}

const (
	undoPrefix   = "refs/ahp/undo/"
	undonePrefix = "refs/ahp/undone/"
)

// store writes a record under a new ref with the prefix. It is the first thing
// any operation does: if it fails, nothing has been touched.
func (r *undoLog) store(ctx context.Context, prefix string, rec record) (ref string, err error) {
	for _, e := range rec.edits {
		if err := r.storable(e); err != nil {
			return "", err
		}
	}
	if err := r.commits.Exist(ctx); err != nil {
		return "", fmt.Errorf("store what would be lost: %w", err)
	}
	now := time.Now()
	name := prefix + now.UTC().Format("20060102T150405") + fmt.Sprintf("%03d-", now.Nanosecond()/1e6)
	for n := 1; n <= 20; n++ {
		ref = name + strconv.Itoa(n)
		taken, err := r.commits.Resolve(ctx, ref)
		if err != nil {
			return "", err
		}
		if taken != "" {
			continue
		}
		err = r.fastImport(ctx, ref, rec, now)
		if err == nil {
			return ref, r.keepRecord(ctx, ref)
		}
		// Code 1 is a ref that could not be made: another process took the name
		// in the same instant.
		if gitcmd.ExitCode(err) != 1 {
			return "", fmt.Errorf("store what would be lost: %w", err)
		}
	}
	return "", fmt.Errorf("store what would be lost: no name below %s can be used", name)
}

// keepRecord makes sure that a new record stays, or takes it away.
func (r *undoLog) keepRecord(ctx context.Context, ref string) error {
	commit, err := r.commits.Resolve(ctx, ref)
	if err == nil {
		err = r.commits.Keep(ctx, commit)
	}
	if err != nil {
		_ = r.commits.Remove(context.WithoutCancel(ctx), ref)
		return fmt.Errorf("store what would be lost: %w", err)
	}
	return nil
}

// fastImport creates the record's objects and its ref in one git process.
func (r *undoLog) fastImport(ctx context.Context, ref string, rec record, now time.Time) error {
	in, out := io.Pipe()
	fed := make(chan error, 1)
	go func() {
		err := r.feed(out, ref, rec, now)
		out.CloseWithError(err)
		fed <- err
	}()
	_, err := r.commits.Run(ctx, gitcmd.Command{Args: []string{"fast-import", "--quiet", "--done", "--date-format=raw"}, Stdin: in, Durable: true})
	in.CloseWithError(io.ErrClosedPipe)
	if feedErr := <-fed; feedErr != nil && !errors.Is(feedErr, io.ErrClosedPipe) {
		return feedErr
	}
	return r.withoutCrashReport(err)
}

// storable refuses to destroy what is too large to be kept.
func (r *undoLog) storable(e edit) error {
	if e.old.Large() && e.old.Size > r.maxStored {
		return fmt.Errorf("%s: %w: it has %s, and at most %s are kept for undo; move it away yourself",
			e.path, ErrTooLarge, fault.SizeText(e.old.Size), fault.SizeText(r.maxStored))
	}
	return nil
}

// withoutCrashReport removes the file that fast-import writes when it fails, and
// its mention.
func (r *undoLog) withoutCrashReport(err error) error {
	var g *gitcmd.Error
	if !errors.As(err, &g) {
		return err
	}
	said, report, ok := strings.Cut(g.Stderr, "; fast-import: dumping crash report to ")
	if name := filepath.Base(report); ok && strings.HasPrefix(name, "fast_import_crash_") {
		os.Remove(filepath.Join(r.commits.Dir(), name))
		g.Stderr = said
	}
	return err
}

// feed writes the record in git fast-import's language.
func (r *undoLog) feed(w io.Writer, ref string, rec record, now time.Time) error {
	var tree bytes.Buffer
	mark := 0
	put := func(folder, path string, v worktree.Version) error {
		if !v.Exists() {
			return nil
		}
		name := v.Blob
		if name == "" || name == r.cmd.EmptyObject("blob") { // which need not be stored
			mark++
			name = ":" + strconv.Itoa(mark)
			if _, err := fmt.Fprintf(w, "blob\nmark %s\ndata %d\n", name, v.Size); err != nil {
				return err
			}
			if err := r.feedContent(w, path, v); err != nil {
				return err
			}
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		fmt.Fprintf(&tree, "M %s %s %s\n", v.Mode, name, quotePath(folder+path))
		return nil
	}
	for _, e := range rec.edits {
		if err := put("before/", e.path, e.old); err != nil {
			return err
		}
		if err := put("after/", e.path, e.new); err != nil {
			return err
		}
	}
	message := rec.text(r.name)
	_, err := fmt.Fprintf(w, "commit %s\ncommitter ahp-lsp <ahp-lsp@localhost> %d +0000\ndata %d\n%s\n%sdone\n",
		ref, now.Unix(), len(message), message, tree.Bytes())
	return err
}

func (r *undoLog) feedContent(w io.Writer, path string, v worktree.Version) error {
	if !v.Large() {
		_, err := w.Write(v.Data)
		return err
	}
	root, err := r.files.Open()
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.Open(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, fault.Classify(err))
	}
	defer f.Close()
	if n, err := io.CopyN(w, f, v.Size); err != nil {
		return fmt.Errorf("read %s: %w: it became shorter after %d bytes (%w)", path, ErrConflict, n, err)
	}
	return nil
}

// quotePath writes a path as fast-import reads it.
func quotePath(p string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		switch c := p[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// text is the commit message: the sentence, then what the tree cannot hold, and
// the paths, so that a list of records need not read trees.
func (rec record) text(worktree string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nAhp-Operation: %s\nAhp-Worktree: %s\n", strings.TrimSpace(rec.message), rec.operation, worktree)
	if rec.index {
		b.WriteString("Ahp-Scope: index\n")
	}
	for _, e := range rec.edits {
		fmt.Fprintf(&b, "Ahp-Path: %s\n", quotePath(e.path))
		// Usual permissions are left to the umask when a file is made again.
		if p := e.old.Perm; e.old.Regular() && p != 0 && p&^0o022 != 0o644 && p&^0o022 != 0o755 {
			fmt.Fprintf(&b, "Ahp-Permissions: %o %s\n", p, quotePath(e.path))
		}
		if e.new.Clean {
			fmt.Fprintf(&b, "Ahp-Filtered: %s\n", quotePath(e.path))
		}
		if rec.intents[e.path] {
			fmt.Fprintf(&b, "Ahp-Intent-To-Add: %s\n", quotePath(e.path))
		}
	}
	return b.String()
}

// load reads a record back. Contents over the text limit stay blobs.
func (r *undoLog) load(ctx context.Context, ref string) (record, error) {
	refs, err := r.commits.Refs(ctx, ref)
	if err != nil {
		return record{}, err
	}
	if len(refs) != 1 || refs[0].Name != ref {
		return record{}, fmt.Errorf("%s: %w: see the list of what can be undone", ref, ErrNotFound)
	}
	rec, perms, filtered := parseRecord(refs[0].Message)
	out, err := r.cmd.Output(ctx, "ls-tree", "-r", "-z", "-l", "--full-tree", refs[0].Commit)
	if err != nil {
		return record{}, fmt.Errorf("read %s: %w", ref, err)
	}
	byPath := map[string]*edit{}
	for line := range splitRecords(out) {
		meta, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		folder, path, ok := strings.Cut(path, "/")
		if len(f) != 4 || !ok {
			continue
		}
		e := byPath[path]
		if e == nil {
			e = &edit{path: path}
			byPath[path] = e
		}
		v := worktree.Version{Mode: f[0], Blob: f[2]}
		v.Size, _ = strconv.ParseInt(f[3], 10, 64)
		v.Clean = folder == "after" && filtered[path]
		if folder == "before" {
			v.Perm = perms[path]
		}
		if !rec.index && !v.Clean && v.Size <= r.files.MaxText && v.Mode != ModeSubmodule {
			if v.Data, err = r.cmd.Blob(ctx, v.Blob); err != nil {
				return record{}, fmt.Errorf("read %s: %w", ref, err)
			}
			v.Blob = ""
		}
		if folder == "before" {
			e.old = v
		} else {
			e.new = v
		}
	}
	for _, e := range byPath {
		rec.edits = append(rec.edits, *e)
	}
	slices.SortFunc(rec.edits, func(a, b edit) int { return cmp.Compare(a.path, b.path) })
	return rec, nil
}

func parseRecord(message string) (rec record, perms map[string]fs.FileMode, filtered map[string]bool) {
	perms, filtered = map[string]fs.FileMode{}, map[string]bool{}
	head, tail, _ := strings.Cut(message, "\n\nAhp-Operation: ")
	rec.message = head
	for line := range strings.Lines("Ahp-Operation: " + tail) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "Ahp-Operation":
			rec.operation = value
		case "Ahp-Worktree":
			rec.worktree = value
		case "Ahp-Scope":
			rec.index = value == "index"
		case "Ahp-Path":
			if p, err := strconv.Unquote(value); err == nil {
				rec.paths = append(rec.paths, p)
			}
		case "Ahp-Permissions":
			bits, path, _ := strings.Cut(value, " ")
			if n, err := strconv.ParseUint(bits, 8, 9); err == nil {
				if p, err := strconv.Unquote(path); err == nil {
					perms[p] = fs.FileMode(n)
				}
			}
		case "Ahp-Intent-To-Add":
			if p, err := strconv.Unquote(value); err == nil {
				if rec.intents == nil {
					rec.intents = map[string]bool{}
				}
				rec.intents[p] = true
			}
		case "Ahp-Filtered":
			if p, err := strconv.Unquote(value); err == nil {
				filtered[p] = true
			}
		}
	}
	return rec, perms, filtered
}
