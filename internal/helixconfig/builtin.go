package helixconfig

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ahp-lsp/internal/editor"
)

// shipped are the languages of one version of Helix, for a machine that
// has none. "ahp-lsp helix-config --builtin" prints such a file.
//
//go:embed languages.toml
var shipped []byte

// Language is a language of Helix's own.
type Language struct {
	name    string
	servers []string // elements of language-servers, as TOML
	types   []string // as in languageEntry
}

// languagesOf reads the languages of a languages.toml, as far as it is one.
func languagesOf(text []byte) (languages []Language) {
	entries, _, _ := scan(text)
	for _, e := range entries {
		if e.name == "" {
			continue
		}
		l := Language{name: e.name, types: e.types}
		if e.servers != nil {
			for _, element := range e.servers.elements {
				l.servers = append(l.servers, canonical(element.of(text)))
			}
		}
		languages = append(languages, l)
	}
	return languages
}

// shippedVersion is the version of Helix that shipped is of.
func shippedVersion() string {
	first, _, _ := strings.Cut(string(shipped), "\n")
	return editor.VersionIn(first)
}

// errNotInstalled is the absence of Helix.
//
//lint:ignore ST1005 the program's name
var errNotInstalled = errors.New("Helix (hx) is not on the PATH")

// installed returns what the installed Helix gives each language. Its
// languages.toml is compiled into the program, as text: it is read from there,
// since hx has no command that prints it. Where that does not work (a wrapper
// that cannot be followed, say) hx is asked about each language that we know.
func installed(ctx context.Context, e editor.Editor) ([]Language, error) {
	if e.Path == "" {
		return nil, errNotInstalled
	}
	if e.TooOld() {
		return nil, fmt.Errorf("%s is too old: 23.10 is the first with more than one server for a language", e)
	}
	if languages := readProgram(e.Path); languages != nil {
		return languages, nil
	}
	languages := askEach(ctx, e.Path, languagesOf(shipped))
	if len(languages) == 0 {
		return nil, fmt.Errorf("%s does not say which languages it knows: \"%s --health\" is not understood", e, e.Path)
	}
	return languages, nil
}

// readProgram reads the languages out of a program, or out of the one that it
// starts; nil if they are not there.
func readProgram(path string) []Language {
	for _, program := range programsAt(path) {
		if data, err := os.ReadFile(program); err == nil {
			if languages := compiledIn(data); languages != nil {
				return languages
			}
		}
	}
	return nil
}

// fewLanguages is less than any Helix has: a smaller find is something else.
const fewLanguages = 50

// compiledIn finds the languages.toml in a program; nil if there is none.
func compiledIn(program []byte) []Language {
	header := []byte("[[language]]\n")
	for at := 0; ; {
		i := bytes.Index(program[at:], header)
		if i < 0 {
			return nil
		}
		text := program[at+i:]
		if zero := bytes.IndexByte(text, 0); zero >= 0 {
			text = text[:zero]
		}
		if languages := languagesOf(text); len(languages) >= fewLanguages {
			return languages
		}
		at += i + len(text)
	}
}

// maxWrapper is the size of the largest wrapper. Helix itself is 20 times as large.
const maxWrapper = 1 << 20

// wrapped matches the program that a wrapper script or program starts.
var wrapped = regexp.MustCompile(`/[^\s"'\x00]*/\.?(hx|helix)(-wrapped)?_?\b`)

// programsAt are the files that may be Helix itself: many packages make hx
// a small wrapper which sets HELIX_RUNTIME.
func programsAt(path string) []string {
	var programs []string
	var look func(path string, depth int)
	look = func(path string, depth int) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || slices.Contains(programs, path) {
			return
		}
		programs = append(programs, path)
		if info.Size() > maxWrapper || depth == 0 {
			return
		}
		data, _ := os.ReadFile(path)
		for _, inner := range wrapped.FindAll(data, -1) {
			look(string(inner), depth-1)
		}
	}
	look(path, 3)
	return programs
}

var (
	healthServer = regexp.MustCompile(`(?m)^\s+\S+ ([^\s:]+):`)
	colours      = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// askEach asks "hx --health LANGUAGE" about each of these languages, with no
// configuration of the user's, and returns those that it knows. Health does not
// say which features a server is used for: that is taken from what we know.
func askEach(ctx context.Context, hx string, known []Language) []Language {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	nowhere, err := os.MkdirTemp("", "ahp-helix-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(nowhere)
	answers := make([]*Language, len(known))
	var asking sync.WaitGroup
	free := make(chan struct{}, runtime.NumCPU())
	for i, l := range known {
		asking.Add(1)
		free <- struct{}{}
		go func() {
			defer func() { <-free; asking.Done() }()
			cmd := exec.CommandContext(ctx, hx, "--health", l.name)
			cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+nowhere, "APPDATA="+nowhere)
			cmd.Dir = nowhere // no .helix of a folder
			out, _ := cmd.Output()
			answers[i] = healthOf(string(out), l)
		}()
	}
	asking.Wait()
	var found []Language
	for _, a := range answers {
		if a != nil {
			found = append(found, *a)
		}
	}
	return found
}

// healthOf reads what "hx --health LANGUAGE" says; nil if that is nothing.
func healthOf(out string, known Language) *Language {
	out = colours.ReplaceAllString(out, "")
	_, section, found := strings.Cut(out, "Configured language servers:")
	if !found {
		return nil
	}
	section, _, _ = strings.Cut(section, "\nConfigured debug adapter")
	l := Language{name: known.name, types: known.types}
	for _, match := range healthServer.FindAllStringSubmatch(section, -1) {
		element := quoted(match[1])
		for _, have := range known.servers {
			if v, ok := decodeElement(have).(map[string]any); ok && v["name"] == match[1] {
				element = have
			}
		}
		l.servers = append(l.servers, element)
	}
	return &l
}

// printBuiltin writes languages in the form of shipped.
func printBuiltin(origin string, languages []Language) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The languages of %s, their servers and file types.\n# Made by \"ahp-lsp helix-config --builtin\".\n", origin)
	for _, l := range languages {
		fmt.Fprintf(&b, "\n[[language]]\nname = %s\n", quoted(l.name))
		if len(l.servers) > 0 {
			fmt.Fprintf(&b, "language-servers = [%s]\n", strings.Join(l.servers, ", "))
		}
		var types []string
		for _, t := range l.types {
			if glob, ok := strings.CutPrefix(t, globMark); ok {
				types = append(types, "{ glob = "+quoted(glob)+" }")
			} else {
				types = append(types, quoted(t))
			}
		}
		if len(types) > 0 {
			fmt.Fprintf(&b, "file-types = [%s]\n", strings.Join(types, ", "))
		}
	}
	return b.String()
}
