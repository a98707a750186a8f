package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"ahp-lsp/internal/editor"
	"ahp-lsp/internal/helixconfig"
)

// helix reports whether Helix starts ahp-lsp for the files that are here.
func (c *checkup) helix(ctx context.Context, e editor.Editor) {
	const write = "ahp-lsp helix-config --write"
	if e.TooOld() {
		c.add(LevelWarn, "editor", "install Helix 23.10 or newer", "%s is too old: it has one server for each language", e)
		return
	}
	file := helixconfig.UserFile(c.Home)
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.add(LevelWarn, "editor", "make it readable", "%s; %v", e, err)
		return
	}
	found, err := helixconfig.Inspect(e, text, filesIn(ctx, c.Dir))
	if err != nil {
		c.add(LevelWarn, "editor", "fix it: Helix ignores the whole file; \"hx --health\" says more", "%s; %s, %v", e, file, err)
		return
	}
	if !found.Defined {
		c.add(LevelWarn, "editor", write, "%s; %s does not mention ahp-lsp", e, file)
		return
	}
	if found.Command != "" {
		if _, err := exec.LookPath(found.Command); err != nil {
			c.add(LevelWarn, "editor", "name the full path of ahp-lsp there, or put it on the PATH", "%s; %s starts %q, which cannot be found", e, file, found.Command)
			return
		}
	}
	switch {
	case len(found.Missing) > 0:
		c.add(LevelWarn, "editor", write, "%s; %s has no ahp-lsp for %s, of which there are files here", e, file, strings.Join(found.Missing, ", "))
	case len(found.Have) > 0:
		c.add(LevelOK, "editor", "", "%s; configured in %s for what is here: %s", e, file, strings.Join(found.Have, ", "))
	default:
		c.add(LevelOK, "editor", "", "%s; configured in %s", e, file)
	}
	c.helixFolder(e)
}

// helixFolder warns about a languages.toml of the folder: its lists win.
func (c *checkup) helixFolder(e editor.Editor) {
	file, text := helixconfig.FolderFile(c.Dir)
	if missing := helixconfig.Unlisted(text); len(missing) > 0 {
		c.add(LevelWarn, "editor", "ahp-lsp helix-config --write --file "+file, "%s; in this folder %s wins, and has no ahp-lsp for %s", e, file, strings.Join(missing, ", "))
	}
}

// maxFiles bounds how many files of a folder are looked at.
const maxFiles = 20_000

// filesIn are the files of a folder that git knows or, without git, those
// directly in it.
func filesIn(ctx context.Context, dir string) (files []string) {
	// Nothing that the repository names may run.
	cmd := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = dir
	if out, err := cmd.Output(); err == nil {
		files = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		return files[:min(len(files), maxFiles)]
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() {
			files = append(files, e.Name())
		}
	}
	return files
}
