package e2e

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

//go:embed neovim.lua
var neovimHarness string

// A Neovim is a running Neovim without a terminal, which obeys the test over a socket. Its user
// configuration is the one that editors/neovim offers, and nothing else.
//
// All methods are for the test's own goroutine. One that fails ends the test, with the screen,
// the messages and the open prompt as they are.
type Neovim struct {
	t      testing.TB
	dir    string
	socket net.Conn
	from   *bufio.Reader
	ids    int
	screen int
}

// StartNeovim starts Neovim in dir. The folder serverDir, see [Server], is searched first for
// programs; it may be empty for a Neovim without the server.
func StartNeovim(t testing.TB, dir, serverDir string) *Neovim {
	t.Helper()
	program := tool(t, "Neovim", "editors/bin/nvim", "get-editors.sh")
	artefacts := Artefacts(t)
	private, err := os.MkdirTemp("", "nvim-") // short: a socket's path has 107 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(private) })
	listener, err := net.Listen("unix", filepath.Join(private, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	output, err := os.Create(filepath.Join(artefacts, "neovim.out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { output.Close() })

	cmd := exec.Command(program, "--headless", "--clean",
		"-u", writeFile(t, filepath.Join(private, "init.lua"), neovimHarness, 0o644),
		"--cmd", "set runtimepath^="+filepath.Join(Root(), "editors/neovim"))
	if serverDir == "" {
		cmd.Args = cmd.Args[:len(cmd.Args)-2]
	}
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = output, output
	cmd.Env = append(os.Environ(),
		"AHP_E2E_SOCKET="+filepath.Join(private, "socket"),
		"PATH="+serverDir+":/usr/bin:/bin", // only the server under test, whatever else is installed
		"HOME="+private, "XDG_CONFIG_HOME="+private, "XDG_DATA_HOME="+private, "XDG_CACHE_HOME="+private,
		"XDG_STATE_HOME="+artefacts) // there is Neovim's own log of the LSP, nvim/lsp.log
	if err := cmd.Start(); err != nil {
		t.Fatal("start Neovim: ", err)
	}
	listener.(*net.UnixListener).SetDeadline(time.Now().Add(Patience))
	socket, err := listener.Accept()
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("Neovim did not start: %v\n%s", err, ReadFile(t, output.Name()))
	}
	n := &Neovim{t: t, dir: dir, socket: socket, from: bufio.NewReader(socket)}
	t.Cleanup(func() {
		if t.Failed() {
			n.SaveScreen("at the end")
		}
		socket.Close() // Neovim leaves when its socket does
		kill := time.AfterFunc(Patience, func() { cmd.Process.Kill() })
		defer kill.Stop()
		cmd.Wait()
	})
	return n
}

// Lua runs a chunk of Lua and decodes what it returns, unless into is nil.
func (n *Neovim) Lua(code string, into any) {
	n.t.Helper()
	if err := n.call(code, 0, into); err != nil {
		n.t.Fatalf("in Neovim: %v\n%s\n%s", err, code, n.picture())
	}
}

// WaitLua runs a chunk of Lua again and again, inside Neovim, until it returns something that is
// neither nil nor false, and decodes that.
func (n *Neovim) WaitLua(what, code string, into any) {
	n.t.Helper()
	if err := n.call(code, Patience, into); err != nil {
		n.t.Fatalf("waited in Neovim in vain for %s: %v\n%s\n%s", what, err, code, n.picture())
	}
}

func (n *Neovim) call(code string, wait time.Duration, into any) error {
	n.ids++
	request := map[string]any{"id": n.ids, "code": code}
	if wait > 0 {
		request["wait"] = wait.Milliseconds()
	}
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	n.socket.SetDeadline(time.Now().Add(wait + Patience))
	if _, err := n.socket.Write(append(line, '\n')); err != nil {
		return err
	}
	line, err = n.from.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
		Error string          `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return fmt.Errorf("answered %s: %w", line, err)
	}
	if answer.Error != "" {
		return fmt.Errorf("%s", answer.Error)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Value, into); err != nil {
		return fmt.Errorf("answered %s: %w", answer.Value, err)
	}
	return nil
}

// picture is what a failure shows.
func (n *Neovim) picture() string {
	var screen, state string
	n.call("return harness.screen()", 0, &screen)
	n.call("return vim.inspect({prompt = harness.open_prompt(), messages = harness.messages, diagnostics = vim.tbl_map(function(d) return {d.lnum + 1, d.message} end, vim.diagnostic.get(0))})", 0, &state)
	return "--- screen\n" + strings.TrimRight(screen, "\n") + "\n---\n" + state
}

// SaveScreen keeps the screen among the artefacts.
func (n *Neovim) SaveScreen(name string) string {
	n.t.Helper()
	var screen string
	n.Lua("return harness.screen()", &screen)
	n.screen++
	writeFile(n.t, filepath.Join(Artefacts(n.t), fmt.Sprintf("neovim-%02d-%s.txt", n.screen, unsafeInNames.ReplaceAllString(name, "-"))), screen+"\n", 0o644)
	return screen
}

// Open opens a file of the workspace and waits until the server is attached to it, if there is one.
func (n *Neovim) Open(path string) {
	n.t.Helper()
	n.Lua(fmt.Sprintf("vim.cmd.edit(vim.fn.fnameescape(%s))", lua(filepath.Join(n.dir, path))), nil)
	var configured bool
	n.Lua("return vim.lsp.config.ahp ~= nil", &configured)
	if configured {
		n.WaitLua("the server to be attached", "local c = vim.lsp.get_clients({bufnr = 0, name = 'ahp'})[1]; return c and c.initialized", nil)
	}
}

// Text returns the current buffer.
func (n *Neovim) Text() string {
	n.t.Helper()
	var lines []string
	n.Lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", &lines)
	return strings.Join(lines, "\n") + "\n"
}

// Cursor moves the cursor to the start of a line, counted from 1.
func (n *Neovim) Cursor(line int) {
	n.t.Helper()
	n.Lua(fmt.Sprintf("vim.api.nvim_win_set_cursor(0, {%d, 0})", line), nil)
}

// Type presses keys, in Vim's notation, and returns when they have had their effect.
func (n *Neovim) Type(keys string) {
	n.t.Helper()
	n.Lua(fmt.Sprintf("vim.api.nvim_feedkeys(vim.keycode(%s), 'tx', false)", lua(keys)), nil)
}

// A Diagnostic is one that Neovim shows.
type Diagnostic struct {
	Line    int // from 1
	EndLine int
	Message string
	Source  string
}

// WaitDiagnostics waits until the current buffer has this many diagnostics and returns them in
// the order of their lines.
func (n *Neovim) WaitDiagnostics(count int) []Diagnostic {
	n.t.Helper()
	var found []Diagnostic
	n.WaitLua(fmt.Sprintf("%d diagnostics", count), fmt.Sprintf(`
		local found = {}
		for _, d in ipairs(vim.diagnostic.get(0)) do
			found[#found + 1] = {Line = d.lnum + 1, EndLine = d.end_lnum + 1, Message = d.message, Source = d.source}
		end
		table.sort(found, function(a, b) return a.Line < b.Line end)
		return #found == %d and (#found > 0 and found or vim.empty_dict())`, count), skipEmptyDict(&found, count))
	return found
}

// skipEmptyDict leaves the slice alone where Lua, which has one empty table, returned {}.
func skipEmptyDict(found *[]Diagnostic, count int) any {
	if count == 0 {
		return nil
	}
	return found
}

// Hover asks for the hover at the cursor and returns the text of the window that opens.
func (n *Neovim) Hover() string {
	n.t.Helper()
	n.Lua("vim.lsp.buf.hover()", nil)
	var text string
	n.WaitLua("the hover", "return harness.float()", &text)
	return text
}

// A Prompt is something that Neovim asked the user.
type Prompt struct {
	Kind   string   `json:"kind"` // select, input, open
	Prompt string   `json:"prompt"`
	Items  []string `json:"items"`
}

// WaitPrompt waits until Neovim asks the user something. It stays open until it is answered.
func (n *Neovim) WaitPrompt() Prompt {
	n.t.Helper()
	var prompt Prompt
	n.WaitLua("a prompt", "return harness.open_prompt()", &prompt)
	return prompt
}

// Choose waits for a list to choose from, and chooses its first item that matches. A pattern
// that starts with '!' chooses the first that does not match.
func (n *Neovim) Choose(pattern string) Prompt {
	n.t.Helper()
	prompt := n.WaitPrompt()
	index := match(prompt.Items, pattern)
	if prompt.Kind != "select" || index < 0 {
		n.t.Fatalf("nothing matches %q in %+v\n%s", pattern, prompt, n.picture())
	}
	n.Lua(fmt.Sprintf("harness.answer(%d)", index+1), nil)
	return prompt
}

func match(items []string, pattern string) int {
	pattern, not := strings.CutPrefix(pattern, "!")
	re := regexp.MustCompile(pattern)
	for i, item := range items {
		if re.MatchString(item) != not {
			return i
		}
	}
	return -1
}

// Answer waits for a question and answers it with a text.
func (n *Neovim) Answer(text string) Prompt {
	n.t.Helper()
	prompt := n.WaitPrompt()
	n.Lua(fmt.Sprintf("harness.answer(%s)", lua(text)), nil)
	return prompt
}

// Dismiss waits for a prompt and closes it without an answer.
func (n *Neovim) Dismiss() Prompt {
	n.t.Helper()
	prompt := n.WaitPrompt()
	n.Lua("harness.answer(nil)", nil)
	return prompt
}

// CodeActions asks for the code actions at the cursor and returns their titles, with nothing chosen.
func (n *Neovim) CodeActions() []string {
	n.t.Helper()
	n.Lua("vim.lsp.buf.code_action()", nil)
	return n.Dismiss().Items
}

// CodeAction chooses the first code action at the cursor whose title matches.
func (n *Neovim) CodeAction(pattern string) {
	n.t.Helper()
	n.Lua("vim.lsp.buf.code_action()", nil)
	n.Choose(pattern)
}

// Execute sends workspace/executeCommand, waits for the answer and decodes it; into may be nil.
func (n *Neovim) Execute(command string, argument any, into any) {
	n.t.Helper()
	encoded, err := json.Marshal(argument)
	if err != nil {
		n.t.Fatal(err)
	}
	n.Lua(fmt.Sprintf(`
		harness.executed = nil
		local client = assert(vim.lsp.get_clients({name = 'ahp'})[1], 'no server')
		client:request('workspace/executeCommand', {command = %s, arguments = {vim.json.decode(%s)}}, function(err, result)
			harness.executed = {error = err and err.message or '', result = vim.json.encode(result)}
		end)`, lua(command), lua(string(encoded))), nil)
	var answer struct{ Error, Result string }
	n.WaitLua("the answer to "+command, "return harness.executed", &answer)
	if answer.Error != "" {
		n.t.Fatalf("%s: %s\n%s", command, answer.Error, n.picture())
	}
	if into != nil {
		if err := json.Unmarshal([]byte(answer.Result), into); err != nil {
			n.t.Fatalf("%s answered %s: %v", command, answer.Result, err)
		}
	}
}

// lua quotes a text as a Lua string. Lua has no \u escapes like Go's, so every odd byte is numbered.
func lua(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	for _, b := range []byte(text) {
		if b < ' ' || b == '"' || b == '\\' || b >= 0x7f {
			fmt.Fprintf(&quoted, `\%03d`, b)
		} else {
			quoted.WriteByte(b)
		}
	}
	quoted.WriteByte('"')
	return quoted.String()
}
