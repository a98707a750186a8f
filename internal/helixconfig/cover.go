package helixconfig

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ahp-lsp/internal/editor"
)

// Inspection is what a valid languages.toml says about ahp-lsp.
type Inspection struct {
	Defined bool     // it defines the language server
	Command string   // what it starts as the server; "" if it does not say
	Have    []string // languages of the files here for which Helix starts ahp-lsp
	Missing []string // and those for which it does not
}

// Inspect reads a languages.toml for the files of a folder, slash-separated paths.
// The error says on which line Helix stumbles; Helix ignores the whole file then.
func Inspect(e editor.Editor, text []byte, files []string) (Inspection, error) {
	defined, err := check(text)
	if err != nil {
		return Inspection{}, err
	}
	i := Inspection{Defined: defined, Command: commandIn(text)}
	i.Have, i.Missing = cover(languagesFor(e), text, files)
	return i, nil
}

// Unlisted are the languages whose list of servers in a languages.toml lacks ahp-lsp.
func Unlisted(text []byte) (names []string) {
	entries, _, _ := scan(text)
	for _, e := range entries {
		if e.servers != nil && !slices.Contains(e.servers.names(text), serverName) {
			names = append(names, e.name)
		}
	}
	return names
}

// FolderFile finds the languages.toml that Helix reads for a folder, there or in one
// above it: its lists replace those of the user's file. file is "" if there is none.
func FolderFile(dir string) (file string, text []byte) {
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

// languagesFor are the languages of the installed Helix or, if that does not tell
// at once, those of the version we know.
func languagesFor(e editor.Editor) []Language {
	if languages := readProgram(e.Path); languages != nil {
		return languages
	}
	return languagesOf(shipped)
}

// cover says for which languages of these files Helix starts ahp-lsp,
// and for which it does not.
func cover(known []Language, text []byte, files []string) (have, missing []string) {
	entries, _, _ := scan(text)
	listed := map[string]bool{} // by language: whether its list has ahp-lsp
	types := slices.Clone(known)
	for _, e := range entries {
		if e.servers != nil {
			listed[e.name] = slices.Contains(e.servers.names(text), serverName)
		}
		if e.types != nil {
			types = append(types, Language{name: e.name, types: e.types})
		}
	}
	for _, file := range files {
		name := languageOf(types, file)
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

// languageOf is the language that Helix takes a file for: the last one
// that claims it, by a glob or else by the extension. Helix may also go by a
// file's first line, which is not looked at here.
func languageOf(languages []Language, file string) (name string) {
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
