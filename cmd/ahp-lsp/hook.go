package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/printable"
)

// agentHooks says how a command-line agent runs commands when a turn begins
// and ends: the file, and the JSON to merge into it.
type agentHooks struct {
	file    string
	snippet string
	answer  string // what the begin hook has to print for the agent to go on
}

// hooksOf are the agents whose hooks are known. Each passes an object with the
// prompt on standard input.
var hooksOf = map[string]agentHooks{
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

type turnHookCommand struct {
	Agent string `arg:"" enum:"claude,gemini,cursor" help:"claude, gemini or cursor."`
}

// Run prints the snippet.
func (c *turnHookCommand) Run() error {
	h := hooksOf[c.Agent]
	fmt.Fprintf(os.Stderr, "Merge this into %s of the project, or of your home folder:\n\n", h.file)
	fmt.Println(h.snippet)
	return nil
}

// hookInput is what the agents pass to a hook.
type hookInput struct {
	Prompt string   `json:"prompt"`
	Dir    string   `json:"cwd"`
	Roots  []string `json:"workspace_roots"`
}

// maxHookInput bounds what is read of a prompt.
const maxHookInput = 1 << 20

// runHook is "turn start" and "turn end" called by an agent. Recording a turn
// must never be in the agent's way: what goes wrong is said on standard error,
// and the agent goes on.
func runHook(ctx context.Context, agent string, in io.Reader, out io.Writer, begin bool) {
	if h := hooksOf[agent]; begin && h.answer != "" {
		defer fmt.Fprintln(out, h.answer)
	}
	data, err := io.ReadAll(io.LimitReader(in, maxHookInput))
	var input hookInput
	if err == nil {
		err = json.Unmarshal(data, &input)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "ahp-lsp: the hook's input cannot be read: %s\n", printable.Text(err.Error()))
	}
	dir := input.Dir
	if dir == "" && len(input.Roots) > 0 {
		dir = input.Roots[0]
	}
	if dir == "" {
		dir = "."
	}
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		fmt.Fprintf(os.Stderr, "ahp-lsp: the turn is not recorded: %s\n", printable.Text(err.Error()))
		return
	}
	defer repo.Close()
	if begin {
		title, _, _ := strings.Cut(strings.TrimSpace(input.Prompt), "\n")
		_, err = githost.StartTurn(ctx, repo, title, agent)
	} else {
		_, err = githost.EndTurn(ctx, repo)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "ahp-lsp: the turn is not recorded: %s\n", printable.Text(err.Error()))
	}
}
