import * as vscode from 'vscode';
import { background } from './background';
import { Context } from './context';
import { fromRange } from './convert';

let context: Context | undefined;

export function activate(extension: vscode.ExtensionContext): void {
  const parts = context = new Context(extension);
  const comment = async (range: (editor: vscode.TextEditor) => object) => {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined) {
      await vscode.commands.executeCommand('ahp.annotation.create', { uri: editor.document.uri.toString(), ...range(editor) });
    }
  };
  extension.subscriptions.push(
    parts,
    vscode.commands.registerCommand('ahp.server.restart', () => parts.server.restart()),
    vscode.commands.registerCommand('ahp.output.show', () => parts.log.show()),
    vscode.commands.registerCommand('ahp.walkthrough.open', async () => {
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extension.extension.id}#review`, false);
      parts.status.watched();
    }),
    vscode.commands.registerCommand('ahp.comment.add', () => comment(({ selection }) => ({ range: fromRange(selection) }))),
    vscode.commands.registerCommand('ahp.comment.addToFile', () => comment(() => ({}))),
  );
  background(parts.start());
}

/** Waits for the server, which takes its leave of the host. */
export async function deactivate(): Promise<void> {
  await context?.server.stop();
}
