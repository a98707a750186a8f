// Package e2e tests ahp-lsp where it is used: in real editors, on a real agent host.
//
// Nothing is played but the model. A test makes a git repository ([NewWorkspace]), lets the real
// agent of VS Code's own agent host work in it ([Host.NewSession], [Session.RunTurn]: the turn's
// script says which tools the agent calls), starts the server in an editor ([StartNeovim],
// [StartHelix]) and then looks from three sides: at the editor's screen, at the files on disk,
// and at the session through a [Client], a second client of the host which shares no code with
// the server. What the server itself says to the host is seen by a [Tap] in between.
//
// The tools are not part of the repository. `editors/test.sh` fetches them and runs every test.
// They are looked for in $AHP_E2E_DIR, by default the folder .e2e of the repository:
//
//	get-editors.sh → editors/bin/nvim, editors/bin/hx
//	get-others.sh  → others/bin/emacs, others/bin/vim, others/ale
//	get-host.sh    → host/vscode, host/bin/node
//	artefacts/<test>/      ← what each test leaves: screens, logs, wire
//
// Where a tool is missing its tests are skipped, with the command that fetches it; with
// AHP_E2E=required they fail instead.
//
// Tests wait for messages and conditions, never for time. Every wait ends after [Patience] with
// the picture of what was there instead.
package e2e
