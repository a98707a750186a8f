package gitcmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Program is a command line that the configuration of a repository itself names, not
// that of its user, and that would run if the repository were trusted.
type Program struct {
	Scope   string // "local" or "worktree", as in git config --show-scope
	Key     string // such as filter.x.clean; of hooks, core.hookspath
	Command string
}

// ForCommit: it runs in a commit only. The others run whenever files are looked at.
func (p Program) ForCommit() bool { return !strings.HasPrefix(p.Key, "filter.") }

// Programs is all of a repository's programs. The zero value is none.
type Programs struct {
	List []Program // sorted
	// Hash is the same as long as the list is. "" if it is empty.
	Hash string
	// Held: they do not run, since the user has not allowed them.
	Held bool
}

// Filters are the names of the filters that are held back.
func (p Programs) Filters() map[string]bool {
	names := map[string]bool{}
	for _, prog := range p.List {
		if name, _, ok := filterKey(prog.Key); ok && p.Held {
			names[name] = true
		}
	}
	return names
}

// Lines names the programs, one in each line. What could not be seen is escaped.
func (p Programs) Lines() []string {
	lines := make([]string, 0, len(p.List))
	for _, prog := range p.List {
		lines = append(lines, fmt.Sprintf("%s (%s)", visible(prog.Command), visible(prog.Key)))
	}
	return lines
}

// String names the programs, for people.
func (p Programs) String() string { return strings.Join(p.Lines(), ", ") }

func visible(s string) string {
	if quoted := strconv.Quote(s); quoted != `"`+s+`"` {
		return quoted
	}
	return s
}

// value is one line of git config --list.
type value struct{ scope, origin, key, text string }

// filterKey takes filter.NAME.clean and the like apart.
func filterKey(key string) (name, what string, ok bool) {
	rest, ok := strings.CutPrefix(key, "filter.")
	i := strings.LastIndexByte(rest, '.')
	if !ok || i < 0 {
		return "", "", false
	}
	return rest[:i], rest[i+1:], true
}

// runs reports whether the value of a key is a program that this package would let
// git run. All others are turned off for good.
func runs(key string) bool {
	if _, what, ok := filterKey(key); ok {
		return what == "clean" || what == "smudge" || what == "process"
	}
	switch key {
	case "core.hookspath", "gpg.program", "gpg.ssh.defaultkeycommand":
		return true
	}
	return strings.HasPrefix(key, "gpg.") && strings.HasSuffix(key, ".program") ||
		strings.HasPrefix(key, "hook.") && strings.HasSuffix(key, ".command")
}

// theRepository reports whether a scope belongs to the repository and not to the user.
func theRepository(scope string) bool { return scope == "local" || scope == "worktree" }

func theUser(scope string) bool { return scope == "global" || scope == "system" }

// programsOf finds the programs of a configuration. What the user's own has just so
// is the user's.
func programsOf(values []value) Programs {
	users := map[string]string{}
	theirs := map[string]Program{}
	for _, v := range values {
		switch {
		case !runs(v.key):
		case theRepository(v.scope):
			theirs[v.key] = Program{Scope: v.scope, Key: v.key, Command: v.text}
		case theUser(v.scope):
			users[v.key] = v.text
		}
	}
	var p Programs
	for key, prog := range theirs {
		none := prog.Command == "" || key == "core.hookspath" && prog.Command == os.DevNull
		if !none && prog.Command != users[key] {
			p.List = append(p.List, prog)
		}
	}
	slices.SortFunc(p.List, func(a, b Program) int { return cmp.Compare(a.Key, b.Key) })
	if len(p.List) > 0 {
		sum := sha256.New()
		for _, prog := range p.List {
			fmt.Fprintf(sum, "%s\x00%s\x00", prog.Key, prog.Command)
		}
		p.Hash = hex.EncodeToString(sum.Sum(nil))
	}
	return p
}

// without are the settings that hold a repository's filters back: the user's own
// take their place, if there are any of that name.
func without(p Programs, values []value) []setting {
	users := map[string]string{}
	for _, v := range values {
		if theUser(v.scope) {
			users[v.key] = v.text
		}
	}
	var out []setting
	for _, prog := range p.List {
		if _, _, ok := filterKey(prog.Key); ok {
			out = append(out, setting{prog.Key, users[prog.Key]})
		}
	}
	for name := range p.Filters() {
		prefix := "filter." + name + "."
		if users[prefix+"clean"] == "" && users[prefix+"smudge"] == "" && users[prefix+"process"] == "" {
			out = append(out, setting{prefix + "required", "false"})
		}
	}
	return out
}

// Programs says which programs the repository names, and whether they run.
func (r *Runner) Programs(ctx context.Context) (Programs, error) {
	_, err := r.settings(ctx)
	if err != nil {
		return Programs{}, err
	}
	r.guard.mu.Lock()
	defer r.guard.mu.Unlock()
	return r.guard.programs, nil
}
