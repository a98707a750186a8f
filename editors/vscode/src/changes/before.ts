import * as path from 'node:path';
import * as vscode from 'vscode';
import { background } from '../background';
import { openDocument, toRange } from '../convert';
import type { CommandResult, HunksView, Range, ThreadView } from '../protocol';
import type { Server } from '../server/client';
import type { Hunks } from './hunks';

const scheme = 'ahp-before';

/** The texts that agents found, next to those that are there now. */
export class Before implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.emitter.event;
  private readonly texts = new Map<string, string>();
  /** What the texts were made of, so that they are not read again for each key that is typed. */
  private readonly sources = new Map<string, string>();
  private readonly disposables: vscode.Disposable;

  constructor(private readonly server: Server, hunks: Hunks) {
    this.disposables = vscode.Disposable.from(
      this.emitter,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      // While a diff is open, its left side follows the changeset.
      hunks.onDidChange(uri => {
        const view = hunks.get(uri);
        const key = beforeUri(uri).toString();
        if (view !== null && openDocument(key) !== undefined && this.sources.get(key) !== sourceOf(view)) {
          this.sources.set(key, sourceOf(view));
          background(this.read(uri));
        }
      }),
      vscode.workspace.onDidCloseTextDocument(document => {
        this.texts.delete(document.uri.toString());
        this.sources.delete(document.uri.toString());
      }),
    );
  }

  dispose(): void {
    this.disposables.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  /** Shows what was before beside what is now, at a place in the latter. */
  async openDiff(file: vscode.Uri, at?: Range): Promise<boolean> {
    await vscode.workspace.openTextDocument(file);
    if (!await this.read(file)) {
      return false;
    }
    const options: vscode.TextDocumentShowOptions = { preview: true };
    if (at !== undefined) {
      const { start } = toRange(at);
      options.selection = new vscode.Range(start, start);
    }
    await vscode.commands.executeCommand('vscode.diff', beforeUri(file), file, `${path.posix.basename(file.path)} (before the agent ↔ now)`, options);
    return true;
  }

  /** Shows the code that a comment was made for beside what stands at its place now. */
  async openOriginal(file: vscode.Uri, thread: ThreadView): Promise<void> {
    const side = (name: string, text: string) => {
      const uri = file.with({ scheme, authority: '', query: `${name}=${thread.annotation}` });
      this.set(uri, text);
      return uri;
    };
    const document = await vscode.workspace.openTextDocument(file);
    const now = document.getText(toRange(thread.range));
    await vscode.commands.executeCommand('vscode.diff', side('then', thread.original ?? now), side('now', now),
      `${path.posix.basename(file.path)} (commented on ↔ now)`, { preview: true });
  }

  private async read(file: vscode.Uri): Promise<boolean> {
    const result = await this.server.executeQuietly<CommandResult & { text?: string }>('ahp.before.show', { uri: file.toString() });
    if (!result.ok || !('text' in result) || result.text === undefined) {
      return false;
    }
    this.set(beforeUri(file), result.text);
    return true;
  }

  private set(uri: vscode.Uri, text: string): void {
    const key = uri.toString();
    if (this.texts.get(key) !== text) {
      this.texts.set(key, text);
      this.emitter.fire(uri);
    }
  }
}

/** The same path, so that the text is coloured in its language. */
function beforeUri(file: vscode.Uri): vscode.Uri {
  return file.with({ scheme, authority: '', query: '' });
}

function sourceOf(view: HunksView): string {
  return JSON.stringify([view.channel, view.hunks.map(hunk => [hunk.before, hunk.after])]);
}
