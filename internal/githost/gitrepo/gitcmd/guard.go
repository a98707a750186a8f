package gitcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ahp-lsp/internal/githost/gitrepo/fault"
)

// guard is what the repository's configuration says, and the settings that keep its
// programs from running. The configuration is read once more when a file it comes
// from has been written. Between that look and the run that follows it is a moment in
// which another program could write; a program that can do that at the right time runs on
// this machine already.
type guard struct {
	mu       sync.Mutex
	files    []stamp // nil: not read yet
	settings []setting
	programs Programs
	partial  bool // objects may be missing
}

type stamp struct {
	name string
	info fs.FileInfo // nil: there is none
}

func stampOf(name string) stamp {
	info, err := os.Stat(name)
	if err != nil {
		info = nil
	}
	return stamp{name, info}
}

func (s stamp) holds() bool {
	now := stampOf(s.name).info
	if s.info == nil || now == nil {
		return s.info == nil && now == nil
	}
	return os.SameFile(s.info, now) && s.info.Size() == now.Size() && s.info.ModTime().Equal(now.ModTime())
}

// Reconsider asks Trust again before the next run.
func (r *Runner) Reconsider() {
	r.guard.mu.Lock()
	defer r.guard.mu.Unlock()
	r.guard.files = nil
}

// settings are what has to be set for a run in the repository.
func (r *Runner) settings(ctx context.Context) ([]setting, error) {
	g := &r.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.files != nil && !slices.ContainsFunc(g.files, func(s stamp) bool { return !s.holds() }) {
		return g.settings, nil
	}
	// The files are looked at first: what is written meanwhile counts the next time.
	// Of included files that are new to us the stamps come too late, so it is read
	// until they are known.
	g.files = nil
	files := r.stamps(nil)
	for range 4 {
		values, err := r.readConfig(ctx)
		if err != nil {
			return nil, err
		}
		again := r.stamps(values)
		known := slices.EqualFunc(files, again, func(a, b stamp) bool { return a.name == b.name })
		if !known {
			files = again
			continue
		}
		p := programsOf(values)
		p.Held = len(p.List) > 0 && (r.Trust == nil || !r.Trust(p.Hash))
		g.programs, g.settings, g.partial = p, userMonitor(values), partialClone(values)
		if p.Held {
			g.settings = append(g.settings, without(p, values)...)
		}
		g.files = files
		return g.settings, nil
	}
	return nil, fmt.Errorf("read git's configuration of %s: another program keeps changing it; try again", r.Root)
}

// readConfig lists all of git's configuration as it applies in the repository.
func (r *Runner) readConfig(ctx context.Context) ([]value, error) {
	out, err := r.run(ctx, Command{Args: []string{"config", "--list", "--show-scope", "--show-origin", "-z"}}, nil)
	if err != nil {
		return nil, fmt.Errorf("read git's configuration: %w", err)
	}
	var values []value
	recs := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(recs); i += 3 {
		key, text, _ := strings.Cut(recs[i+2], "\n")
		values = append(values, value{recs[i], recs[i+1], key, text})
	}
	return values, nil
}

// stamps are the files that the repository's configuration comes from, or may come
// from: HEAD decides about includeIf. The last is written when Trust has changed its
// mind.
func (r *Runner) stamps(values []value) []stamp {
	names := map[string]bool{}
	for _, dir := range []string{r.GitDir, r.CommonDir} {
		for _, name := range []string{"config", "config.worktree", "HEAD", "reftable/tables.list", "ahp/poke-trust"} {
			names[filepath.Join(dir, filepath.FromSlash(name))] = true
		}
	}
	for _, v := range values {
		if !theRepository(v.scope) {
			continue
		}
		origin, ok := strings.CutPrefix(v.origin, "file:")
		if !ok {
			continue
		}
		if !filepath.IsAbs(origin) {
			origin = filepath.Join(r.Root, origin)
		}
		names[origin] = true
		if v.key != "include.path" && (!strings.HasPrefix(v.key, "includeif.") || !strings.HasSuffix(v.key, ".path")) {
			continue
		}
		path := filepath.FromSlash(v.text)
		if rest, ok := strings.CutPrefix(v.text, "~/"); ok {
			home, _ := os.UserHomeDir()
			path = filepath.Join(home, rest)
		} else if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(origin), path)
		}
		names[path] = true
	}
	var files []stamp
	for name := range names {
		files = append(files, stampOf(name))
	}
	slices.SortFunc(files, func(a, b stamp) int { return strings.Compare(a.name, b.name) })
	return files
}

// partialClone reports that objects may be missing, to be fetched when they are needed.
func partialClone(values []value) bool {
	return slices.ContainsFunc(values, func(v value) bool {
		return v.key == "extensions.partialclone" || strings.HasPrefix(v.key, "remote.") && strings.HasSuffix(v.key, ".promisor")
	})
}

func (r *Runner) partial() bool {
	r.guard.mu.Lock()
	defer r.guard.mu.Unlock()
	return r.guard.partial
}

// userMonitor turns git's own file system monitor on, if the user's own
// configuration says so.
func userMonitor(values []value) []setting {
	on := false
	for _, v := range values {
		if v.key == "core.fsmonitor" && theUser(v.scope) {
			switch strings.ToLower(v.text) {
			case "true", "yes", "on", "1":
				on = true
			default:
				on = false
			}
		}
	}
	if on {
		return []setting{{"core.fsmonitor", "true"}}
	}
	return nil
}

// Locate finds the repository of a folder and its work tree, and fills in the Runner.
// A configuration can name any folder as the work tree; only one whose own .git leads
// back to the repository is taken (fault.ErrForeign).
func (r *Runner) Locate(ctx context.Context, dir string) error {
	ask := func(args ...string) (string, error) {
		out, err := r.run(ctx, Command{Args: append([]string{"rev-parse"}, args...), Dir: dir}, nil)
		return filepath.FromSlash(strings.TrimSuffix(string(out), "\n")), err
	}
	gitDir, err := ask("--absolute-git-dir")
	if err != nil {
		return err
	}
	root, err := ask("--path-format=absolute", "--show-toplevel")
	if err != nil {
		var g *Error
		if errors.As(err, &g) && strings.Contains(g.Stderr, "must be run in a work tree") {
			return fmt.Errorf("%w: it is bare, or the folder is inside %s; choose a folder with checked-out files", fault.ErrBare, gitDir)
		}
		return err
	}
	if strings.HasPrefix(root, "--path-format") { // older ones print what they do not know
		return fmt.Errorf("%w: git 2.31 or newer is needed; update it", fault.ErrNoGit)
	}
	common, err := ask("--path-format=absolute", "--git-common-dir")
	if err != nil {
		return err
	}
	if err := belongs(root, gitDir, dir); err != nil {
		return err
	}
	r.Root, r.GitDir, r.CommonDir = root, gitDir, common
	return nil
}

// belongs refuses a work tree that a repository merely claims.
func belongs(root, gitDir, dir string) error {
	if in, err := contains(root, dir); err != nil {
		return err
	} else if !in {
		return fmt.Errorf("%w: its repository %s says that its files are in %s, which the folder is not in", fault.ErrForeign, gitDir, root)
	}
	own, err := gitDirOf(root)
	if err == nil {
		var a, b fs.FileInfo
		if a, err = os.Stat(own); err == nil {
			if b, err = os.Stat(gitDir); err == nil && os.SameFile(a, b) {
				return nil
			}
		}
	}
	return fmt.Errorf("%w: its repository %s says that its files are in %s, but %s does not lead back to it; remove core.worktree from its configuration if that is wrong",
		fault.ErrForeign, gitDir, root, filepath.Join(root, ".git"))
}

// contains reports whether a folder is another one or lies in it, however the two are
// spelled.
func contains(root, dir string) (bool, error) {
	top, err := os.Stat(root)
	if err != nil {
		return false, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return false, err
	}
	for {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, top) {
			return true, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false, nil
		}
		dir = up
	}
}

// gitDirOf is where the .git of a folder leads.
func gitDirOf(root string) (string, error) {
	name := filepath.Join(root, ".git")
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return name, err
	}
	if !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return "", fs.ErrInvalid
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok {
		return "", fs.ErrInvalid
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	return path, nil
}
