import * as path from 'node:path';
import * as vscode from 'vscode';
import { openDocument, toRange } from '../convert';
import type { ChangesetView, SessionView } from '../protocol';
import type { Server } from '../server/client';
import type { Hunks } from './hunks';
import { changedChangesets, counts, folderOf, hasHunks, hunkKind, hunkNodes, hunkSummary, nodeContext, tree, type FileNode, type Node, type SessionNode } from './model';

/** The tree view: sessions, their changesets, the files in them, and the hunks in those. */
export class ChangesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly disposables: vscode.Disposable;
  private changesets: readonly ChangesetView[] = [];
  private sessions: readonly SessionView[] = [];
  private roots: SessionNode[] = [];
  /** Files whose hunks are shown, by URI, with these hunks. */
  private readonly expanded = new Map<string, Map<FileNode, string>>();
  private reading: Promise<void> | undefined;
  private again = false;

  constructor(private readonly server: Server, private readonly hunks: Hunks, private readonly log: vscode.LogOutputChannel) {
    this.view = vscode.window.createTreeView('ahp.changes', { treeDataProvider: this, showCollapseAll: true, manageCheckboxStateManually: true });
    this.disposables = vscode.Disposable.from(
      this.emitter, this.view,
      server.onDidChangeChangesets(() => void this.refresh()),
      server.onDidChangeState(() => void this.refresh()),
      hunks.onDidChange(uri => {
        for (const [file, shown] of this.expanded.get(uri.toString()) ?? []) {
          if (shown !== JSON.stringify(hunkNodes(file, hunks.get(uri)))) {
            this.emitter.fire(file);
          }
        }
      }),
      this.view.onDidChangeCheckboxState(event => void this.setReviewed(event.items)),
    );
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Titles and states of sessions come with the status. */
  setSessions(sessions: readonly SessionView[]): void {
    if (JSON.stringify(sessions) !== JSON.stringify(this.sessions)) {
      this.sessions = sessions;
      this.rebuild();
    }
  }

  get all(): readonly ChangesetView[] {
    return this.changesets;
  }

  /** Asks the server again; what changes meanwhile is asked for once more. */
  async refresh(): Promise<void> {
    if (this.reading !== undefined) {
      this.again = true;
      return;
    }
    this.reading = this.read();
    await this.reading;
    this.reading = undefined;
    if (this.again) {
      this.again = false;
      await this.refresh();
    }
  }

  private async read(): Promise<void> {
    let changesets: readonly ChangesetView[] = [];
    if (this.server.state === 'running') {
      try {
        changesets = await this.server.changesets();
      } catch (error) {
        this.log.warn(`The changesets could not be read: ${String(error)}`);
      }
    }
    if (JSON.stringify(changesets) !== JSON.stringify(this.changesets)) {
      this.changesets = changesets;
      this.rebuild();
    }
  }

  /** Replaces as little as it can: an action on a node that was replaced a moment ago comes to nothing. */
  private rebuild(): void {
    const roots = tree(this.changesets, this.sessions);
    this.hunks.forgetClosed();
    const changed = changedChangesets(this.roots, roots);
    if (changed === undefined) {
      this.roots = roots;
      this.expanded.clear();
      void vscode.commands.executeCommand('setContext', 'ahp.hasChangesets', this.roots.length > 0);
      this.emitter.fire(undefined);
      return;
    }
    for (const [was, is] of changed) {
      const gone = new Set(was.files);
      for (const files of this.expanded.values()) {
        [...files.keys()].filter(file => gone.has(file)).forEach(file => files.delete(file));
      }
      Object.assign(was, is);
      this.emitter.fire(was);
    }
    // Nobody tells what is on disk in a file that no editor shows.
    for (const [uri, files] of this.expanded) {
      if (openDocument(uri) === undefined) {
        [...files.keys()].forEach(file => this.emitter.fire(file));
      }
    }
  }

  async getChildren(node?: Node): Promise<Node[]> {
    switch (node?.type) {
      case undefined: return this.roots;
      case 'session': return [...node.changesets];
      case 'changeset': return [...node.files];
      case 'file': return await this.hunksOf(node);
      case 'hunk': return [];
    }
  }

  private async hunksOf(file: FileNode): Promise<Node[]> {
    const uri = vscode.Uri.parse(file.view.uri, true);
    let hunks = this.hunks.get(uri);
    try {
      hunks ??= await this.hunks.load(uri);
    } catch (error) {
      this.log.warn(`The hunks of ${file.view.uri} could not be read: ${String(error)}`);
    }
    const nodes = hunkNodes(file, hunks);
    const files = this.expanded.get(uri.toString()) ?? new Map<FileNode, string>();
    this.expanded.set(uri.toString(), files.set(file, JSON.stringify(nodes)));
    return nodes;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = this.item(node);
    // What is newly shown is another item: VS Code keeps the old one as it was, expanded or not.
    item.id = node.type === 'changeset' && node.view.shown ? `${node.id}\nshown` : node.id;
    item.contextValue = nodeContext(node);
    // Otherwise a screen reader reads the tooltip.
    const label = [typeof item.label === 'string' ? item.label : '', typeof item.description === 'string' ? item.description : ''];
    item.accessibilityInformation = { label: label.filter(part => part !== '').join(', ') };
    return item;
  }

  private item(node: Node): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    switch (node.type) {
      case 'session': {
        const item = new vscode.TreeItem(node.title, Expanded);
        item.iconPath = new vscode.ThemeIcon(node.working ? 'sync~spin' : 'comment-discussion');
        item.description = node.working ? 'working' : '';
        item.tooltip = node.id;
        return item;
      }
      case 'changeset': {
        const { view } = node;
        const item = new vscode.TreeItem(view.label, node.files.length === 0 ? None : view.shown ? Expanded : Collapsed);
        item.iconPath = new vscode.ThemeIcon(view.shown ? 'eye' : 'diff-multiple');
        item.description = view.status === 'computing' ? 'computing…' : view.status === 'error' ? 'error'
          : node.files.length === 0 ? 'no changes' : files(node.files.length);
        item.tooltip = view.shown ? `${view.label}: its hunks are shown in the editor` : view.label;
        return item;
      }
      case 'file': return this.fileItem(node);
      case 'hunk': {
        const { view } = node;
        const item = new vscode.TreeItem(capital(view.title), None);
        const state = view.state === 'undone' ? 'reverted' : view.kept === true ? 'kept' : view.state === 'edited' ? 'edited since' : '';
        item.description = [state, hunkSummary(view)].filter(part => part !== '').join(' · ');
        item.iconPath = new vscode.ThemeIcon(view.state === 'undone' ? 'discard' : view.kept === true ? 'check' : `diff-${hunkKind(view)}`);
        item.tooltip = hunkTooltip(view.before, view.after);
        const range = toRange(view.range);
        item.command = {
          command: 'vscode.open', title: 'Open',
          arguments: [vscode.Uri.parse(node.uri, true), { selection: new vscode.Range(range.start, range.start), preview: true } satisfies vscode.TextDocumentShowOptions],
        };
        return item;
      }
    }
  }

  private fileItem(node: FileNode): vscode.TreeItem {
    const { view } = node;
    const uri = vscode.Uri.parse(view.uri, true);
    const item = new vscode.TreeItem(path.posix.basename(uri.path), hasHunks(node) ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
    item.resourceUri = uri;
    item.iconPath = vscode.ThemeIcon.File;
    const folder = folderOf(view.uri, (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString()));
    const what = view.created ? 'new' : view.deleted ? 'deleted' : '';
    item.description = [counts(view), what, folder].filter(part => part !== '').join('  ');
    item.tooltip = uri.fsPath;
    if (node.review !== undefined) {
      item.checkboxState = {
        state: node.review.reviewed ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked,
        tooltip: node.review.reviewed ? 'Reviewed' : 'Mark as reviewed',
      };
    }
    if (!view.deleted) {
      item.command = { command: 'vscode.open', title: 'Open', arguments: [uri] };
    }
    return item;
  }

  private async setReviewed(items: ReadonlyArray<[Node, vscode.TreeItemCheckboxState]>): Promise<void> {
    for (const [node, state] of items) {
      if (node.type === 'file' && node.review !== undefined) {
        const { channel, id } = node.review;
        const reviewed = state === vscode.TreeItemCheckboxState.Checked;
        const { ok } = await this.server.execute('ahp.file.setReviewed', { channel, files: [id], reviewed });
        if (!ok) {
          this.emitter.fire(node); // the box shows the host's state again
        }
      }
    }
  }
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const longestTooltip = 4000;

function hunkTooltip(before: string, after: string): vscode.MarkdownString {
  const lines = (text: string, sign: string) => text === '' ? '' : text.replace(/\n$/, '').replace(/^/gm, sign) + '\n';
  const diff = (lines(before, '-') + lines(after, '+')).slice(0, longestTooltip);
  return new vscode.MarkdownString().appendCodeblock(diff, 'diff');
}
