package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tliron/commonlog"

	"ahp-lsp/bridge"
	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/review"
	"ahp-lsp/lsp"
)

// openFiles are the files the tour opens, in the order in which they are shown.
var openFiles = []string{"README.md", "label.go", "price.go"}

// tour is the demo without an editor: an editor of a few lines opens the files
// with a language server in this process, which is connected to the embedded
// host, and shows what they exchange.
func (d *demo) tour(ctx context.Context) error {
	embedded := d.hosts(ctx, false)
	defer embedded.Close()
	repo, err := gitrepo.Open(ctx, d.root)
	if err != nil {
		return err
	}
	defer repo.Close()
	c, end, err := startClient(ctx, lsp.Config{
		Version: d.Info.Version, Flags: lsp.Settings{Host: lsp.HostGit},
		Discover:   func(_ string, roots []string) []bridge.Host { return embedded.Find(false, roots) },
		ScratchDir: filepath.Join(d.dir, "scratch"), Log: commonlog.GetLogger("ahp"),
	}, d.root)
	if err != nil {
		return err
	}
	defer end()
	t := &tour{client: c, demo: d, repo: repo, out: d.Stdout}
	for _, step := range []func(context.Context) error{
		t.changes, t.comments, t.hunks, t.reply, t.revertHunk, t.revertLines, t.undo,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	t.say(`
That is all. In your own repository:
  - any editor with ahp-lsp shows what is not committed, with nothing to set up;
  - "ahp-lsp turn hook claude" makes an agent record its turns;
  - "ahp-lsp comments --markdown" prints your comments for an agent;
  - "ahp-lsp doctor" says what works and what does not.
`)
	return nil
}

type tour struct {
	*client
	demo *demo
	repo *gitrepo.Repo
	out  io.Writer
	step int
}

func (t *tour) say(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

func (t *tour) heading(s string) {
	t.step++
	t.say("\n%d. %s\n\n", t.step, s)
}

// changes says what the agent has done.
func (t *tour) changes(ctx context.Context) error {
	turns, err := githost.Turns(ctx, t.repo)
	if err != nil {
		return err
	}
	t.say("An agent has worked in a throw-away git repository; ahp-lsp serves it as an agent host,\nand its language server shows it to an editor. All of this really happens.\n\n")
	for i, turn := range turns {
		t.say("  turn %d: %s\n", i+1, turn.Title)
	}
	files, err := t.repo.Uncommitted(ctx)
	if err != nil {
		return err
	}
	for _, f := range files {
		t.say("  %s %s +%d −%d\n", f.Kind, f.Path(), f.Added, f.Removed)
	}
	return nil
}

// comments shows what is published.
func (t *tour) comments(ctx context.Context) error {
	t.heading("Comments are diagnostics (textDocument/publishDiagnostics)")
	for _, name := range openFiles {
		if err := t.open(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range openFiles {
		err := t.wait(ctx, "the comments on "+name, func(context.Context) (bool, error) { return len(t.published(name)) > 0, nil })
		if err != nil {
			return err
		}
		for _, diag := range t.published(name) {
			t.code(name, diag.Range.Start.Line, diag.Range.End.Line+1)
			t.indented(diag.Message)
		}
	}
	return nil
}

// code shows lines of a document, counted from zero.
func (t *tour) code(name string, start, end int) {
	text := t.text(name)
	for i := start; i < min(end, text.LineCount()); i++ {
		t.say("  %-12s | %s\n", fmt.Sprintf("%s:%d", name, i+1), strings.ReplaceAll(text.Slice(text.Line(i)), "\t", "    "))
	}
}

func (t *tour) indented(s string) {
	for line := range strings.Lines(strings.TrimSpace(s)) {
		t.say("        %s\n", strings.TrimRight(line, "\n"))
	}
}

// hunks shows the code lenses of a file, and the code actions at one hunk.
func (t *tour) hunks(ctx context.Context) error {
	t.heading("Hunks and comments have code lenses (textDocument/codeLens)")
	var lenses []lens
	err := t.wait(ctx, "the hunks of price.go", func(ctx context.Context) (there bool, err error) {
		lenses, err = t.lenses(ctx, "price.go")
		return lensOf(lenses, "Stage: lines") != nil && lensOf(lenses, "Mark as reviewed") != nil && lensOf(lenses, "Reply") != nil, err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(lenses, func(a, b lens) int { return a.Range.Start.Line - b.Range.Start.Line })
	line := -1
	for i, l := range lenses {
		if i == 0 || l.Range.Start.Line != line {
			t.say("        ")
		} else {
			t.say(" · ")
		}
		line = l.Range.Start.Line
		t.say("%s", l.Command.Title)
		if i == len(lenses)-1 || lenses[i+1].Range.Start.Line != line {
			t.say("\n")
			t.code("price.go", line, line+1)
		}
	}

	t.heading("Code actions offer that and more, in editors without lenses too (textDocument/codeAction)")
	line = t.find("price.go", "grams > heavy")
	actions, err := t.actionsWith(ctx, "price.go", line, "Commit: ", "Mark as reviewed", "Stash turn")
	if err != nil {
		return err
	}
	t.code("price.go", line, line+1)
	for _, a := range actions {
		t.say("        - %s\n", a.Title)
	}
	return nil
}

// reply answers a comment through the language server; then an agent, another
// client of the host, has the last word.
func (t *tour) reply(ctx context.Context) error {
	t.heading("You reply; the agent, another client of the host, answers (annotations/entrySet)")
	lenses, err := t.lenses(ctx, "price.go")
	if err != nil {
		return err
	}
	lens := lensOf(lenses, "Reply")
	if lens == nil {
		return errors.New("the comment has no reply lens")
	}
	var thread struct {
		Session    string `json:"session"`
		Annotation string `json:"annotation"`
		Text       string `json:"text"`
	}
	if err := json.Unmarshal(lens.Command.Arguments[0], &thread); err != nil {
		return err
	}
	thread.Text = "No, a heavy parcel is as heavy abroad. Keep it."
	if _, err := t.run(ctx, "ahp.annotation.reply", thread); err != nil {
		return err
	}
	if err := t.waitMessage(ctx, "price.go", thread.Text); err != nil {
		return err
	}
	const answer = "Thank you. It stays as it is."
	if err := t.agentReplies(ctx, thread.Annotation, answer); err != nil {
		return err
	}
	if err := t.waitMessage(ctx, "price.go", answer); err != nil {
		return err
	}
	for _, diag := range t.published("price.go") {
		t.code("price.go", diag.Range.Start.Line, diag.Range.Start.Line+1)
		t.indented(diag.Message)
	}
	return nil
}

// agentReplies is "ahp-lsp reply --agent".
func (t *tour) agentReplies(ctx context.Context, id, text string) error {
	repo, err := gitrepo.Open(ctx, t.root)
	if err != nil {
		return err
	}
	r, err := review.Open(ctx, repo, t.demo.hosts(ctx, true), t.demo.Info)
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Reply(ctx, id, text, true)
}

// revertHunk takes a hunk back in the editor's buffer.
func (t *tour) revertHunk(ctx context.Context) error {
	t.heading("You revert a hunk in the buffer, where the editor can undo it (ahp.hunk.revert, workspace/applyEdit)")
	line := t.find("price.go", "max(value")
	lenses, err := t.lenses(ctx, "price.go")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(lenses, func(l lens) bool {
		return l.Range.Start.Line == line && l.Command.Command == "ahp.hunk.revert"
	})
	if i < 0 {
		return errors.New("the hunk has no revert lens")
	}
	t.say("before:\n")
	t.code("price.go", line, line+1)
	if _, err := t.run(ctx, lenses[i].Command.Command, lenses[i].Command.Arguments[0]); err != nil {
		return err
	}
	t.say("after:\n")
	t.code("price.go", line, line+1)
	return t.save(ctx, "price.go")
}

// revertLines has the host revert a range on the disk.
func (t *tour) revertLines(ctx context.Context) error {
	t.heading("The host reverts lines on disk; it asks first (invokeChangesetOperation)")
	line := t.find("label.go", "width-1")
	actions, err := t.actionsWith(ctx, "label.go", line, "Revert: line")
	if err != nil {
		return err
	}
	a := actionOf(actions, "Revert: line")
	t.say("before:\n")
	t.code("label.go", line, line+1)
	message, err := t.run(ctx, a.Command.Command, a.Command.Arguments[0])
	if err != nil {
		return err
	}
	for _, q := range t.questions() {
		t.say("  asked:    %s\n", q.Message)
		t.say("  answered: %s\n", q.Actions[0].Title)
	}
	return t.outcome(ctx, message, "label.go", line)
}

// undo brings back what revertLines took.
func (t *tour) undo(ctx context.Context) error {
	t.heading("A copy of what an operation destroys is kept; undo restores it (so does \"ahp-lsp undo\")")
	line := t.find("label.go", "[:width]")
	const undo = "Undo: reverted line 11 of label.go: Uncommitted changes"
	actions, err := t.actionsWith(ctx, "label.go", line, undo)
	if err != nil {
		return err
	}
	a := actionOf(actions, undo)
	t.say("  chosen:   %s\n", t.plain(a.Title))
	message, err := t.run(ctx, a.Command.Command, a.Command.Arguments[0])
	if err != nil {
		return err
	}
	return t.outcome(ctx, message, "label.go", line)
}

// outcome prints what an operation of the host answered, and a line of a file that it wrote.
func (t *tour) outcome(ctx context.Context, message, name string, line int) error {
	t.say("  done:     %s\n", t.plain(message))
	if err := t.reload(ctx, name); err != nil {
		return err
	}
	t.say("after:\n")
	t.code(name, line, line+1)
	return nil
}

// undoRefs are the names of what is kept: they hold the time.
var undoRefs = regexp.MustCompile(`(refs/ahp/\w+/)[-\w]+`)

func (t *tour) plain(message string) string {
	return undoRefs.ReplaceAllString(message, "${1}…")
}

// waitMessage waits until a diagnostic of a file has a text.
func (t *tour) waitMessage(ctx context.Context, name, text string) error {
	return t.wait(ctx, "the reply", func(context.Context) (bool, error) {
		return slices.ContainsFunc(t.published(name), func(d diagnostic) bool { return strings.Contains(d.Message, text) }), nil
	})
}

// actionsWith waits until the actions at a line have one that begins so, for
// each of the beginnings.
func (t *tour) actionsWith(ctx context.Context, name string, line int, begins ...string) (list []action, err error) {
	err = t.wait(ctx, fmt.Sprintf("the code actions %q", begins), func(ctx context.Context) (there bool, err error) {
		list, err = t.actions(ctx, name, line)
		missing := slices.ContainsFunc(begins, func(b string) bool { return actionOf(list, b) == nil })
		return !missing, err
	})
	return list, err
}

func actionOf(list []action, begins string) *action {
	for i, a := range list {
		if strings.HasPrefix(a.Title, begins) && a.Command != nil && len(a.Command.Arguments) == 1 {
			return &list[i]
		}
	}
	return nil
}

func lensOf(list []lens, begins string) *lens {
	for i, l := range list {
		if strings.HasPrefix(l.Command.Title, begins) && len(l.Command.Arguments) == 1 {
			return &list[i]
		}
	}
	return nil
}

// find is the line, counted from zero, on which a document has a text.
func (t *tour) find(name, text string) int {
	before, _, _ := strings.Cut(t.text(name).String(), text)
	return strings.Count(before, "\n")
}
