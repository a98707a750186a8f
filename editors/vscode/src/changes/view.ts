import * as vscode from 'vscode';
import { background } from '../background';
import { openDocument } from '../convert';
import type { ChangesetView, SessionView } from '../protocol';
import type { Server } from '../server/client';
import { Work } from '../work';
import type { Hunks } from './hunks';
import { changesetItem, fileItem, hunkItem, sessionItem } from './items';
import { hunkNodes, nodeContext, type Node } from './model';
import { reviewRequests } from './review';
import { ChangesTree, type FileNode } from './tree';

/** The tree view: sessions, their changesets, the files in them, and the hunks in those. */
export class ChangesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly tree = new ChangesTree();
  private readonly emitter = new vscode.EventEmitter<Node[] | undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly reading: Work;
  private readonly disposables: vscode.Disposable;
  private changesets: readonly ChangesetView[] = [];
  private sessions: readonly SessionView[] = [];
  /** Files whose hunks are shown, by URI, with these hunks. */
  private readonly expanded = new Map<string, Map<FileNode, string>>();

  constructor(private readonly server: Server, private readonly hunks: Hunks, private readonly log: vscode.LogOutputChannel) {
    this.view = vscode.window.createTreeView('ahp.changes', { treeDataProvider: this, showCollapseAll: true, manageCheckboxStateManually: true });
    this.reading = new Work(() => this.read(), error => log.warn(`The changes could not be shown: ${String(error)}`));
    this.disposables = vscode.Disposable.from(
      this.emitter, this.view, this.reading,
      server.onDidChangeChangesets(() => this.refresh()),
      server.onDidChangeState(() => this.refresh()),
      hunks.onDidChange(uri => this.hunksChanged(uri)),
      this.view.onDidChangeCheckboxState(({ items }) => background(this.setReviewed(items.map(([node, state]) => [node, state === vscode.TreeItemCheckboxState.Checked])))),
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

  /** Asks the server again. */
  refresh(): void {
    this.reading.request('');
  }

  private async read(): Promise<void> {
    this.changesets = this.server.state === 'running' ? await this.server.changesets() : [];
    this.rebuild();
  }

  /** Draws as little as it can: a changeset may have thousands of files. */
  private rebuild(): void {
    const redraw = this.tree.update(this.changesets, this.sessions);
    this.hunks.forgetClosed();
    if (redraw === 'all') {
      this.expanded.clear();
      background(vscode.commands.executeCommand('setContext', 'ahp.hasChangesets', this.tree.roots.length > 0));
      this.emitter.fire(undefined);
      return;
    }
    const nodes = new Set<Node>(redraw);
    for (const [uri, files] of this.expanded) {
      for (const file of files.keys()) {
        if (this.tree.file(file) === undefined) {
          files.delete(file);
        } else if (openDocument(uri) === undefined) {
          nodes.add(file); // nobody tells what is on disk in a file that no editor shows
        }
      }
    }
    if (nodes.size > 0) {
      this.emitter.fire([...nodes]);
    }
  }

  private hunksChanged(uri: vscode.Uri): void {
    const nodes: Node[] = [];
    for (const [file, shown] of this.expanded.get(uri.toString()) ?? []) {
      const item = this.tree.file(file);
      if (item !== undefined && shown !== JSON.stringify(hunkNodes(file, item, this.hunks.get(uri)))) {
        nodes.push(file);
      }
    }
    if (nodes.length > 0) {
      this.emitter.fire(nodes);
    }
  }

  async getChildren(node?: Node): Promise<Node[]> {
    switch (node?.type) {
      case undefined: return [...this.tree.roots];
      case 'session': return [...this.tree.session(node)?.changesets ?? []];
      case 'changeset': return [...this.tree.changeset(node)?.files ?? []];
      case 'file': return await this.hunksOf(node);
      case 'hunk': return [];
    }
  }

  private async hunksOf(file: FileNode): Promise<Node[]> {
    const item = this.tree.file(file);
    if (item === undefined) {
      return [];
    }
    const uri = vscode.Uri.parse(item.view.uri, true);
    let hunks = this.hunks.get(uri);
    try {
      hunks ??= await this.hunks.load(uri);
    } catch (error) {
      this.log.warn(`The hunks of ${item.view.uri} could not be read: ${String(error)}`);
    }
    const nodes = hunkNodes(file, item, hunks);
    const files = this.expanded.get(uri.toString()) ?? new Map<FileNode, string>();
    this.expanded.set(uri.toString(), files.set(file, JSON.stringify(nodes)));
    return nodes;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { item, id = node.id, spoken } = this.item(node);
    item.id = id;
    item.contextValue = nodeContext(node, this.tree);
    // Otherwise a screen reader reads the tooltip.
    const label = [typeof item.label === 'string' ? item.label : '', typeof item.description === 'string' ? item.description : '', spoken ?? ''];
    item.accessibilityInformation = { label: label.filter(part => part !== '').join(', ') };
    return item;
  }

  private item(node: Node): { item: vscode.TreeItem; id?: string; spoken?: string } {
    switch (node.type) {
      case 'session': {
        const session = this.tree.session(node);
        return { item: session === undefined ? new vscode.TreeItem('') : sessionItem(node.id, session) };
      }
      case 'changeset': {
        const changeset = this.tree.changeset(node);
        if (changeset === undefined) {
          return { item: new vscode.TreeItem('') };
        }
        // What is newly shown is another item: VS Code keeps the old one as it was, expanded or not.
        return { item: changesetItem(changeset), ...(changeset.shown ? { id: `${node.id}\nshown` } : {}) };
      }
      case 'file': {
        const file = this.tree.file(node);
        return file === undefined ? { item: new vscode.TreeItem('') } : fileItem(file);
      }
      case 'hunk': return { item: hunkItem(node) };
    }
  }

  /** Tells the host which files are reviewed. */
  async setReviewed(files: readonly (readonly [Node, boolean])[]): Promise<void> {
    const flags = files.flatMap(([node, reviewed]) => {
      const review = node.type === 'file' ? this.tree.file(node)?.review : undefined;
      return review === undefined ? [] : [{ ...review, reviewed }];
    });
    for (const request of reviewRequests(flags)) {
      const { ok } = await this.server.execute('ahp.file.setReviewed', request);
      if (!ok) {
        this.emitter.fire(files.map(([node]) => node)); // the boxes show the host's state again
      }
    }
  }
}
