import * as path from 'node:path';
import * as vscode from 'vscode';
import { background } from '../background';
import type { HunksView, HunkView } from '../protocol';
import type { Server } from '../server/client';
import { toRange } from '../convert';
import type { Before } from './before';
import type { Hunks } from './hunks';
import { discard, hunkAt, nextHunk, sameHunk, type Node } from './model';
import { offersToRun, type Offer } from './tree';
import type { ChangesView } from './view';

/** The commands on changes: from the palette for the active editor, from the tree for a node of it. */
export class Actions implements vscode.Disposable {
  private readonly disposables: vscode.Disposable;

  constructor(
    private readonly server: Server, private readonly hunks: Hunks, private readonly before: Before, private readonly view: ChangesView,
  ) {
    const register = (id: string, run: (node?: unknown, selected?: unknown) => unknown) => vscode.commands.registerCommand(id, (...args: unknown[]) => {
      if (args.length > 0 && args[0] === undefined) {
        // Of the tree, which has replaced the node since it was clicked: what is at the cursor is not meant.
        void vscode.window.setStatusBarMessage('The view has just changed. Try again.', 4000);
        return;
      }
      return run(args[0], args[1]);
    });
    this.disposables = vscode.Disposable.from(
      register('ahp.hunk.next', () => this.go(true)),
      register('ahp.hunk.previous', () => this.go(false)),
      register('ahp.hunk.revertHere', node => this.onHunk(node, 'ahp.hunk.revert', {})),
      register('ahp.hunk.keepHere', node => this.onHunk(node, 'ahp.hunk.keep', { keep: true })),
      register('ahp.hunk.unkeepHere', node => this.onHunk(node, 'ahp.hunk.keep', { keep: false })),
      register('ahp.diff.open', node => this.openDiff(node)),
      register('ahp.file.open', node => this.openFile(node)),
      register('ahp.file.toggleReviewed', () => this.toggleReviewed()),
      register('ahp.file.markReviewed', (node, selected) => this.setReviewed(node, selected, true)),
      register('ahp.file.unmarkReviewed', (node, selected) => this.setReviewed(node, selected, false)),
      register('ahp.file.discard', node => this.discard(node)),
      register('ahp.operation.run', node => this.runOperation(node)),
      register('ahp.changes.refresh', () => this.view.refresh()),
      register('ahp.changeset.show', node => this.showHunksFrom(node)),
      vscode.window.onDidChangeActiveTextEditor(() => this.setContext()),
      hunks.onDidChange(() => this.setContext()),
    );
    this.setContext();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** What the palette and the editor's menu offer depends on the active file. */
  private setContext(): void {
    const editor = vscode.window.activeTextEditor;
    const view = editor === undefined ? null : this.hunks.get(editor.document.uri);
    background(vscode.commands.executeCommand('setContext', 'ahp.fileHasHunks', (view?.hunks.length ?? 0) > 0));
    background(vscode.commands.executeCommand('setContext', 'ahp.fileReviewable', view?.reviewed !== undefined));
  }

  private go(forward: boolean): void {
    const editor = vscode.window.activeTextEditor;
    const view = editor === undefined ? null : this.hunks.get(editor.document.uri);
    const to = editor === undefined || view === null ? undefined : nextHunk(view.hunks, editor.selection.active.line, forward);
    if (editor === undefined || to === undefined) {
      void vscode.window.setStatusBarMessage('The agent changed nothing in this file.', 4000);
      return;
    }
    const position = new vscode.Position(to.line, to.character);
    editor.selection = new vscode.Selection(position, position);
    editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Runs a command on a hunk of the tree's, or on the one under the cursor. */
  private async onHunk(node: unknown, command: string, more: object): Promise<void> {
    let uri: vscode.Uri, hunk: HunkView | undefined, view: HunksView | null;
    if (isNode(node, 'hunk')) {
      uri = vscode.Uri.parse(node.uri, true);
      // It is shown, so that it is seen what happens, and undo is at hand.
      const { start } = toRange(node.view.range);
      await vscode.window.showTextDocument(uri, { selection: new vscode.Range(start, start), preview: true });
      view = this.hunks.get(uri) ?? await this.hunks.load(uri);
      hunk = sameHunk(view?.hunks ?? [], node.view);
    } else {
      const editor = vscode.window.activeTextEditor;
      if (editor === undefined) {
        return;
      }
      uri = editor.document.uri;
      view = this.hunks.get(uri);
      hunk = hunkAt(view?.hunks ?? [], editor.selection.active.line);
    }
    if (hunk === undefined) {
      void vscode.window.setStatusBarMessage(isNode(node, 'hunk') ? 'That change is gone.' : 'The agent changed nothing at the cursor.', 4000);
      return;
    }
    await this.server.execute(command, { uri: uri.toString(), range: hunk.range, seen: view?.seen, ...more });
  }

  private async openDiff(node: unknown): Promise<void> {
    const file = this.fileOf(node) ?? vscode.window.activeTextEditor?.document.uri;
    if (file !== undefined) {
      await this.before.openDiff(file, isNode(node, 'hunk') ? node.view.range : undefined);
    }
  }

  private async openFile(node: unknown): Promise<void> {
    const file = this.fileOf(node);
    if (file !== undefined) {
      await vscode.window.showTextDocument(file, { preview: false });
    }
  }

  private async toggleReviewed(): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const flag = uri === undefined ? undefined : this.hunks.get(uri)?.reviewed;
    if (flag !== undefined) {
      await this.server.execute('ahp.file.setReviewed', { channel: flag.channel, files: [flag.id], reviewed: !flag.reviewed });
    }
  }

  private async showHunksFrom(node: unknown): Promise<void> {
    if (isNode(node, 'changeset')) {
      await this.server.execute('ahp.session.select', { baseline: node.id });
    }
  }

  /** Tells the host of files of the tree that they are reviewed, or not. */
  private async setReviewed(node: unknown, selected: unknown, reviewed: boolean): Promise<void> {
    const nodes: unknown[] = Array.isArray(selected) && selected.length > 0 ? selected : [node];
    await this.view.setReviewed(nodes.filter(node => isNode(node, 'file')).map(node => [node, reviewed] as const));
  }

  private async discard(node: unknown): Promise<void> {
    const item = isNode(node, 'file') ? this.view.tree.file(node) : undefined;
    const offer = discard(item?.offers ?? []);
    if (item !== undefined && offer !== undefined) {
      await this.invoke(offer, item.view.uri);
    }
  }

  private async invoke({ channel, operation }: Offer, uri?: string): Promise<void> {
    await this.server.execute('ahp.operation.invoke', { channel, operation: operation.id, ...(uri === undefined ? {} : { target: { uri } }) });
  }

  /** Lets the user choose among what the host offers for a node of the tree, or for the active file. */
  private async runOperation(node: unknown): Promise<void> {
    interface Choice extends vscode.QuickPickItem { run(): Promise<void> }
    const choice = (offer: Offer, uri?: string): Choice => ({
      label: offer.operation.label || offer.operation.id,
      description: uri === undefined ? offer.label : `${path.posix.basename(vscode.Uri.parse(uri, true).path)} · ${offer.label}`,
      ...(offer.operation.confirmation ? { detail: 'Asks before it does anything.' } : {}),
      run: () => this.invoke(offer, uri),
    });
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    const { all, tree } = this.view, choices: Choice[] = [];
    if (isNode(node, 'file')) {
      const item = tree.file(node);
      choices.push(...(item?.offers ?? []).map(offer => choice(offer, item?.view.uri)));
    } else if (isNode(node, 'changeset')) {
      choices.push(...offersToRun(all.filter(({ channel }) => channel === node.id), 'changeset').map(offer => choice(offer)));
    } else {
      const here = uri === undefined ? [] : all.filter(({ files }) => files.some(file => file.uri === uri));
      choices.push(...offersToRun(here, 'resource').map(offer => choice(offer, uri)), ...offersToRun(all, 'changeset').map(offer => choice(offer)));
    }
    if (choices.length === 0) {
      background(vscode.window.showInformationMessage('Agent Review: the host offers no operation now. Try again when the agent has finished.'));
      return;
    }
    const chosen = await vscode.window.showQuickPick(choices, { title: 'Run an operation of the agent host', matchOnDescription: true });
    await chosen?.run();
  }

  private fileOf(node: unknown): vscode.Uri | undefined {
    const uri = isNode(node, 'file') ? this.view.tree.file(node)?.view.uri : isNode(node, 'hunk') ? node.uri : undefined;
    return uri === undefined ? undefined : vscode.Uri.parse(uri, true);
  }
}

function isNode<T extends Node['type']>(node: unknown, type: T): node is Extract<Node, { type: T }> {
  return typeof node === 'object' && node !== null && (node as Partial<Node>).type === type;
}
