// Package agenthook records the turns of agents in a terminal: they call ahp-lsp when a
// turn begins and ends.
package agenthook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/printable"
)

// hooks says how a command-line agent runs commands when a turn begins
// and ends: the file, and the JSON to merge into it.
type hooks struct {
	file    string
	snippet string
	answer  string // what the begin hook has to print for the agent to go on
}

// known are the agents that can call ahp-lsp, by their names. Each passes an object with the
// prompt on standard input.
var known = map[string]hooks{
	// Claude Code: whatever the begin hook prints becomes part of the prompt.
	"claude": {file: ".claude/settings.json", snippet: `{
  "hooks": {
    "UserPromptSubmit": [
      { "hooks": [{ "type": "command", "command": "ahp-lsp turn start --hook claude" }] }
    ],
    "Stop": [
      { "hooks": [{ "type": "command", "command": "ahp-lsp turn end --hook claude" }] }
    ]
  }
}`},
	// Gemini CLI: nothing but JSON may be printed; nothing is fine.
	"gemini": {file: ".gemini/settings.json", snippet: `{
  "hooks": {
    "BeforeAgent": [
      { "hooks": [{ "type": "command", "name": "ahp-turn-start", "command": "ahp-lsp turn start --hook gemini" }] }
    ],
    "AfterAgent": [
      { "hooks": [{ "type": "command", "name": "ahp-turn-end", "command": "ahp-lsp turn end --hook gemini" }] }
    ]
  }
}`},
	// Cursor (editor and command line): the begin hook says whether to go on.
	"cursor": {file: ".cursor/hooks.json", answer: `{"continue":true}`, snippet: `{
  "version": 1,
  "hooks": {
    "beforeSubmitPrompt": [{ "command": "ahp-lsp turn start --hook cursor" }],
    "stop": [{ "command": "ahp-lsp turn end --hook cursor" }]
  }
}`},
}

// Setup says how to make an agent call ahp-lsp: snippet is JSON to merge into file, of
// the project or of the home folder. ok is false for an agent that is not known.
func Setup(agent string) (file, snippet string, ok bool) {
	h, ok := known[agent]
	return h.file, h.snippet, ok
}

// input is what the agents pass to a hook.
type input struct {
	Prompt string   `json:"prompt"`
	Dir    string   `json:"cwd"`
	Roots  []string `json:"workspace_roots"`
}

// maxInput bounds, in bytes, what is read of a prompt.
const maxInput = 1 << 20

// Begin records the start of a turn whose input the agent passes, and answers it on out.
// Recording must never be in the agent's way: what goes wrong goes to problems.
func Begin(ctx context.Context, agent string, in io.Reader, out, problems io.Writer) {
	if h := known[agent]; h.answer != "" {
		defer fmt.Fprintln(out, h.answer)
	}
	record(ctx, in, problems, func(repo *gitrepo.Repo, prompt string) error {
		title, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
		_, err := githost.StartTurn(ctx, repo, title, agent)
		return err
	})
}

// End records the end of a turn, as Begin does its start.
func End(ctx context.Context, in io.Reader, problems io.Writer) {
	record(ctx, in, problems, func(repo *gitrepo.Repo, _ string) error {
		_, err := githost.EndTurn(ctx, repo)
		return err
	})
}

func record(ctx context.Context, in io.Reader, problems io.Writer, do func(repo *gitrepo.Repo, prompt string) error) {
	report := func(what string, err error) {
		fmt.Fprintf(problems, "ahp-lsp: %s: %s\n", what, printable.Text(err.Error()))
	}
	var i input
	data, err := io.ReadAll(io.LimitReader(in, maxInput))
	if err == nil {
		err = json.Unmarshal(data, &i)
	}
	if err != nil {
		report("the hook's input cannot be read", err)
	}
	dir := "."
	if i.Dir != "" {
		dir = i.Dir
	} else if len(i.Roots) > 0 {
		dir = i.Roots[0]
	}
	repo, err := gitrepo.Open(ctx, dir)
	if err == nil {
		err = errors.Join(do(repo, i.Prompt), repo.Close())
	}
	if err != nil {
		report("the turn is not recorded", err)
	}
}
