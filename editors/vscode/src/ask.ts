import * as vscode from 'vscode';

/** Asks for a text of one line; undefined: there is nothing to send. */
export async function askText(title: string, prompt: string, value = ''): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true });
  return text?.trim() || undefined;
}
