// Package editor finds the editors that are installed on this machine.
package editor

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Names of editors: of the programs, as most systems have them.
const (
	Neovim = "nvim"
	Helix  = "hx"
	VSCode = "code"
)

// Names are the editors that can be looked for, most wanted first.
var Names = []string{Neovim, Helix, VSCode}

var titles = map[string]string{Neovim: "Neovim", Helix: "Helix", VSCode: "VS Code"}

// Editor is an editor that was looked for.
type Editor struct {
	Name    string // one of Names
	Path    string // "" if it is not installed
	Version string // "" if it does not say
}

// Canonical is the name of an editor that is also known by another one: Helix's
// program is helix on Arch Linux and others.
func Canonical(name string) string {
	if name == "helix" {
		return Helix
	}
	return name
}

// versionTimeout bounds how long an editor may take to say its version.
const versionTimeout = 10 * time.Second

// Find looks for an editor on the PATH and asks for its version.
func Find(ctx context.Context, name string) Editor { return FindAt(ctx, name, "") }

// FindAt is Find for a program at this path; with "", on the PATH.
func FindAt(ctx context.Context, name, path string) Editor {
	e := Editor{Name: name}
	programs := []string{name}
	if name == Helix {
		programs = append(programs, "helix")
	}
	if path != "" {
		programs = []string{path}
	}
	for _, program := range programs {
		if found, err := exec.LookPath(program); err == nil {
			e.Path = found
			break
		}
	}
	if e.Path == "" {
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Path, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return e
	}
	first, _, _ := strings.Cut(string(out), "\n")
	e.Version = VersionIn(first)
	return e
}

// Title is the editor's name as people write it.
func (e Editor) Title() string { return titles[e.Name] }

// TooOld reports whether the editor lacks what ahp-lsp needs: the client of
// Neovim 0.11, and more than one server for a language, as Helix has since 23.10.
// A Helix that does not say its version is taken for a new one.
func (e Editor) TooOld() bool {
	switch e.Name {
	case Neovim:
		return !AtLeast(e.Version, 0, 11)
	case Helix:
		return e.Version != "" && !AtLeast(e.Version, 23, 10)
	}
	return false
}

func (e Editor) String() string {
	if e.Version == "" {
		return fmt.Sprintf("%s (%s)", e.Title(), e.Path)
	}
	return fmt.Sprintf("%s %s (%s)", e.Title(), e.Version, e.Path)
}

var versionPattern = regexp.MustCompile(`\d+(\.\d+)+`)

// VersionIn is the first version in a text, such as 0.11.2; "" if it has none.
func VersionIn(text string) string { return versionPattern.FindString(text) }

// AtLeast compares a version such as 0.11.2 with major.minor.
func AtLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version+".0", ".", 3)
	if len(parts) < 2 {
		return false
	}
	have := make([]int, 2)
	for i := range have {
		have[i], _ = strconv.Atoi(parts[i])
	}
	return slices.Compare(have, []int{major, minor}) >= 0
}
