package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// basis is what a look at the work tree rests on besides the work tree itself:
// the index, and the files outside of the work tree that settings, rules for
// ignoring and attributes come from.
type basis struct {
	index fs.FileInfo
	links []string // the index's nested repositories
	files []statted
}

type statted struct {
	name string
	info fs.FileInfo // nil: there is none
}

// holds reports that all is as it was.
func (b *basis) holds(r *Repo) bool {
	if !sameStat(r.index.indexPath(), b.index) {
		return false
	}
	for _, f := range b.files {
		if !sameStat(f.name, f.info) {
			return false
		}
	}
	return true
}

// readBasis is taken before the look that rests on it: a change in between makes
// the next look one at everything.
func readBasis(ctx context.Context, r *Repo, old basis) (b basis, err error) {
	if b.files, err = settingsFiles(ctx, r); err != nil {
		return basis{}, err
	}
	if b.index, err = os.Stat(r.index.indexPath()); err != nil {
		return b, nil // there is none, so nothing is in it
	}
	if old.index != nil && worktree.SameFile(old.index, b.index) {
		b.links = old.links
		return b, nil
	}
	b.links, err = gitlinks(ctx, r)
	return b, err
}

// gitlinks are the index's nested repositories.
func gitlinks(ctx context.Context, r *Repo) (links []string, err error) {
	out, err := r.cmd.Output(ctx, "ls-files", "-s", "-z")
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	// Most indexes have none: they are not taken apart.
	for at := 0; ; {
		i := bytes.Index(out[at:], []byte(ModeSubmodule+" "))
		if i < 0 {
			return links, nil
		}
		at += i
		if at == 0 || out[at-1] == 0 {
			rec, _, _ := bytes.Cut(out[at:], []byte{0})
			if _, path, ok := strings.Cut(string(rec), "\t"); ok {
				links = append(links, path)
			}
		}
		at++
	}
}

// settingsFiles are the files outside of the work tree that git reads settings
// and rules from, or would if they were there.
func settingsFiles(ctx context.Context, r *Repo) ([]statted, error) {
	names := map[string]bool{}
	add := func(elem ...string) {
		if elem[0] != "" {
			names[filepath.Join(elem...)] = true
		}
	}
	add(r.cmd.CommonDir, "info", "exclude")
	add(r.cmd.CommonDir, "info", "attributes")
	add(os.Getenv("GIT_CONFIG_GLOBAL"))
	add(os.Getenv("GIT_CONFIG_SYSTEM"))
	home, _ := os.UserHomeDir()
	user := os.Getenv("XDG_CONFIG_HOME")
	if user == "" && home != "" {
		user = filepath.Join(home, ".config")
	}
	add(home, ".gitconfig")
	for _, name := range []string{"config", "ignore", "attributes"} {
		add(user, "git", name)
	}
	out, err := r.cmd.Output(ctx, "config", "--list", "--show-origin", "-z")
	if err != nil {
		return nil, fmt.Errorf("read git's settings: %w", err)
	}
	origin := ""
	for rec := range splitRecords(out) {
		if origin == "" {
			origin = rec
			continue
		}
		if name, ok := strings.CutPrefix(origin, "file:"); ok {
			if !filepath.IsAbs(name) {
				name = filepath.Join(r.cmd.Root, name)
			}
			add(name)
		}
		origin = ""
		key, value, _ := strings.Cut(rec, "\n")
		if key != "core.excludesfile" && key != "core.attributesfile" {
			continue
		}
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			value = filepath.Join(home, rest)
		} else if !filepath.IsAbs(value) {
			value = filepath.Join(r.cmd.Root, value)
		}
		add(value)
	}
	var files []statted
	for name := range names {
		info, err := os.Stat(name)
		if err != nil {
			info = nil
		}
		files = append(files, statted{name, info})
	}
	return files, nil
}
