package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The selected line of a menu is recognised by this colour, which nothing else has.
const (
	helixTheme    = "inherits = \"default\"\n\"ui.menu.selected\" = { fg = \"#ffffff\", bg = \"#010203\" }\n"
	selectedStart = "48;2;1;2;3m"
)

const helixConfig = `theme = "e2e"
[editor]
true-color = true      # tmux can, whatever TERM says
popup-border = "all"   # so that a popup can be told from the text around it
gutters = ["diagnostics", "spacer", "line-numbers", "spacer"] # no marks of git's, ours are tested
[keys.normal]
F12 = ":run-shell-command true" # see settle
`

// A Helix is a running Helix.
type Helix struct{ *Terminal }

// StartHelix starts Helix in dir on one of its files. Its languages are those of the example in
// editors/helix, and nothing else. The folder serverDir, see [Server], is searched first for
// programs; it may be empty for a Helix without the server.
func StartHelix(t testing.TB, dir, serverDir, file string) *Helix {
	t.Helper()
	home := t.TempDir()
	writeFile(t, filepath.Join(home, "helix/languages.toml"), ReadFile(t, Root(), "editors/helix/languages.toml"), 0o644)
	return StartHelixAt(t, home, dir, serverDir, file)
}

// StartHelixAt does that for a user whose languages.toml is already in home/helix.
func StartHelixAt(t testing.TB, home, dir, serverDir, file string) *Helix {
	t.Helper()
	binary := tool(t, "Helix", "editors/bin/hx", "get-editors.sh")
	writeFile(t, filepath.Join(home, "helix/config.toml"), helixConfig, 0o644)
	writeFile(t, filepath.Join(home, "helix/themes/e2e.toml"), helixTheme, 0o644)
	h := &Helix{StartTerminal(t, dir, []string{
		"PATH=" + serverDir + ":/usr/bin:/bin", // only the server under test, whatever else is installed
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home, "XDG_DATA_HOME=" + home,
	}, binary, "-vv", "--log", filepath.Join(Artefacts(t), "helix.log"), file)}
	h.WaitScreen(`(?m)^ NOR .*` + regexp.QuoteMeta(filepath.Base(file)))
	return h
}

// settle waits until Helix has done what it put off. When another file gets the focus it puts off
// closing whatever prompt is open, and takes keys first: a prompt that a test opens at once, faster
// than people type, would be closed in place of the one that was meant. Shell commands report only
// after all that.
func (h *Helix) settle() {
	h.t.Helper()
	h.Keys("F12")
	h.WaitScreen(`(?m)^Command run\s*$`)
}

// Command runs a typable command: "reload", "goto 7".
func (h *Helix) Command(command string) {
	h.t.Helper()
	h.settle()
	h.Keys(":")
	h.WaitScreen(`(?m)^:`)
	h.Type(command)
	h.WaitScreen(`(?m)^:` + regexp.QuoteMeta(command))
	h.Keys("Enter")
	h.WaitNoScreen(`(?m)^:`)
}

// Cursor moves the cursor to the start of a line, counted from 1.
func (h *Helix) Cursor(line int) {
	h.t.Helper()
	h.Command(fmt.Sprintf("goto %d", line))
	h.Keys("g", "h")
	h.WaitScreen(fmt.Sprintf(`(?m)^ NOR .* %d:1\s*$`, line))
}

var (
	selectedEnd = regexp.MustCompile("\x1b\\[(0?m|(49|[0-9;]*48;)[0-9;]*m)")
	escape      = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// selected returns the selected item of the menu that is open, and its row, or "" and -1.
func (h *Helix) selected() (string, int) {
	h.t.Helper()
	for row, line := range strings.Split(h.capture("-e"), "\n") {
		_, item, found := strings.Cut(line, selectedStart)
		if !found {
			continue
		}
		if end := selectedEnd.FindStringIndex(item); end != nil {
			item = item[:end[0]]
		}
		return strings.TrimSpace(escape.ReplaceAllString(item, "")), row
	}
	return "", -1
}

// Choose waits for a menu, moves down to the first item that matches and chooses it. A pattern
// that starts with '!' chooses the first that does not match. It returns the item.
func (h *Helix) Choose(pattern string) string {
	h.t.Helper()
	var item string
	var row int
	h.wait("a menu with /"+pattern+"/", func() bool {
		item, row = h.selected()
		return row >= 0
	})
	seen := []string{item}
	for match([]string{item}, pattern) < 0 {
		h.Keys("Down")
		previous, previousRow := item, row
		h.wait("the next line of the menu", func() bool {
			item, row = h.selected()
			return item != previous || row != previousRow
		})
		if item == seen[0] {
			h.t.Fatalf("no item of the menu matches /%s/: %q\n%s", pattern, seen, h.Screen())
		}
		seen = append(seen, item)
	}
	h.SaveScreen("choose " + item)
	h.Keys("Enter")
	h.wait("the menu to close", func() bool {
		now, nowRow := h.selected()
		return now != item || nowRow != row
	})
	return item
}

// CodeAction opens the menu of code actions at the cursor and chooses one.
func (h *Helix) CodeAction(pattern string) string {
	h.t.Helper()
	h.Keys("Space", "a")
	return h.Choose(pattern)
}

// Hover asks for the hover at the cursor and waits until the screen matches.
func (h *Helix) Hover(pattern string) {
	h.t.Helper()
	h.Keys("Space", "k")
	h.WaitScreen(pattern)
	h.SaveScreen("hover")
	h.Keys("Escape")
	h.WaitNoScreen(pattern)
}

// Insert opens a line above the cursor and types a text into it.
func (h *Helix) Insert(text string) {
	h.t.Helper()
	h.Keys("O")
	h.WaitScreen(`(?m)^ INS `)
	h.Type(text)
	h.Keys("Escape")
	h.WaitScreen(`(?m)^ NOR `)
}
