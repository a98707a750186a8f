package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// helix says whether Helix starts ahp-lsp for the files that are here.
func (c *checkup) helix(ctx context.Context, e foundEditor) {
	const write = "ahp-lsp helix-config --write"
	if e.version != "" && !atLeast(e.version, 23, 10) {
		c.add(levelWarn, "editor", "install Helix 23.10 or newer", "%s is too old: it has one server for each language", e)
		return
	}
	file := filepath.Join(helixFolder(c.home), "languages.toml")
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.add(levelWarn, "editor", "make it readable", "%s; %v", e, err)
		return
	}
	defined, err := checkHelix(text)
	if err != nil {
		c.add(levelWarn, "editor", "mend it: Helix ignores the whole file; \"hx --health\" tells more", "%s; %s, %v", e, file, err)
		return
	}
	if !defined {
		c.add(levelWarn, "editor", write, "%s; %s does not mention ahp-lsp", e, file)
		return
	}
	if command := helixStarts(text); command != "" {
		if _, err := exec.LookPath(command); err != nil {
			c.add(levelWarn, "editor", "name the full path of ahp-lsp there, or put it on the PATH", "%s; %s starts %q, which cannot be found", e, file, command)
			return
		}
	}
	have, missing := helixCover(knownHelix(e), text, filesHere(ctx, c.dir))
	switch {
	case len(missing) > 0:
		c.add(levelWarn, "editor", write, "%s; %s has no ahp-lsp for %s, of which there are files here", e, file, strings.Join(missing, ", "))
	case len(have) > 0:
		c.add(levelOK, "editor", "", "%s; configured in %s for what is here: %s", e, file, strings.Join(have, ", "))
	default:
		c.add(levelOK, "editor", "", "%s; configured in %s", e, file)
	}
	c.helixFolder(e)
}

// helixFolder speaks of a languages.toml of the folder's: its lists win.
func (c *checkup) helixFolder(e foundEditor) {
	file, text := folderLanguages(c.dir)
	if missing := withoutServer(text); len(missing) > 0 {
		c.add(levelWarn, "editor", "ahp-lsp helix-config --write --file "+file, "%s; in this folder %s wins, and has no ahp-lsp for %s", e, file, strings.Join(missing, ", "))
	}
}

// folderLanguages finds the languages.toml of the folder's that Helix reads.
func folderLanguages(dir string) (file string, text []byte) {
	for ; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, ".helix", "languages.toml")
		if text, err := os.ReadFile(file); err == nil {
			return file, text
		}
		if dir == filepath.Dir(dir) {
			return "", nil
		}
	}
}

// knownHelix are the languages of the installed Helix or, if that does not tell
// at once, those of the version we know.
func knownHelix(e foundEditor) []helixLanguage {
	if languages := readHelix(e.path); languages != nil {
		return languages
	}
	return helixLanguages(shippedHelix)
}

// helixCover tells for which languages of these files Helix starts ahp-lsp,
// and for which it does not.
func helixCover(known []helixLanguage, text []byte, files []string) (have, missing []string) {
	entries, _, _ := scanHelix(text)
	listed := map[string]bool{} // by language: whether its list has ahp-lsp
	types := slices.Clone(known)
	for _, e := range entries {
		if e.servers != nil {
			listed[e.name] = slices.Contains(e.servers.names(text), helixServer)
		}
		if e.types != nil {
			types = append(types, helixLanguage{name: e.name, types: e.types})
		}
	}
	for _, file := range files {
		name := helixLanguageOf(types, file)
		switch {
		case name == "" || slices.Contains(have, name) || slices.Contains(missing, name):
		case listed[name]:
			have = append(have, name)
		default:
			missing = append(missing, name)
		}
	}
	slices.Sort(have)
	slices.Sort(missing)
	return have, missing
}

// helixLanguageOf is the language that Helix takes a file for: the last one
// that claims it, by a glob or else by the extension. Helix may also go by a
// file's first line, which is not looked at here.
func helixLanguageOf(languages []helixLanguage, file string) (name string) {
	extension := strings.TrimPrefix(path.Ext(file), ".")
	byGlob := false
	for _, l := range languages {
		for _, t := range l.types {
			glob, isGlob := strings.CutPrefix(t, globMark)
			if isGlob && globFits(glob, file) {
				name, byGlob = l.name, true
			} else if !isGlob && !byGlob && extension != "" && t == extension {
				name = l.name
			}
		}
	}
	return name
}

// globFits matches a glob with the end of a path.
func globFits(glob, file string) bool {
	parts := strings.Split(file, "/")
	n := strings.Count(glob, "/") + 1
	if n > len(parts) {
		return false
	}
	fits, _ := path.Match(glob, strings.Join(parts[len(parts)-n:], "/"))
	return fits
}

// maxFilesHere bounds how many files of a folder are looked at.
const maxFilesHere = 20_000

// filesHere are the files of a folder that git knows or, without git, those
// directly in it.
func filesHere(ctx context.Context, dir string) (files []string) {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = dir
	if out, err := cmd.Output(); err == nil {
		files = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		return files[:min(len(files), maxFilesHere)]
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() {
			files = append(files, e.Name())
		}
	}
	return files
}
