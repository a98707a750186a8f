import * as vscode from 'vscode';
import { fromRange, openDocument } from '../convert';
import { displaces } from '../comments/model';
import type { HunksView } from '../protocol';
import type { Server } from '../server/client';
import { Work } from '../work';

/** What the agent did to the open files: a mirror of what the server says. */
export class Hunks implements vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.emitter.event;
  private readonly files = new Map<string, HunksView>();
  /** Files that were loaded for somebody who shows no editor: what is known of them outlives their documents. */
  private readonly loaded = new Set<string>();
  private readonly work: Work;
  private readonly disposables: vscode.Disposable;

  constructor(private readonly server: Server, log: vscode.LogOutputChannel) {
    this.work = new Work(uri => this.refresh(uri), (error, uri) => log.warn(`The changes in ${uri} could not be read: ${String(error)}`));
    this.disposables = vscode.Disposable.from(
      this.emitter, this.work,
      server.onDidChangeThreads(uri => this.work.request(uri.toString())),
      server.onDidChangeState(state => {
        if (state !== 'running') {
          this.clear();
        }
      }),
      vscode.workspace.onDidCloseTextDocument(document => {
        if (!this.loaded.has(document.uri.toString())) {
          this.set(document.uri.toString(), null);
        }
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const hunks = this.files.get(document.uri.toString())?.hunks ?? [];
        if (contentChanges.some(change => hunks.some(hunk => displaces(fromRange(change.range), hunk.range)))) {
          this.work.request(document.uri.toString());
        }
      }),
    );
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** What is known of an open file. */
  get(uri: vscode.Uri): HunksView | null {
    return this.files.get(uri.toString()) ?? null;
  }

  /** Opens the file, without showing it, if that is what it takes. */
  async load(uri: vscode.Uri): Promise<HunksView | null> {
    await vscode.workspace.openTextDocument(uri);
    const hunks = await this.server.hunks(uri);
    this.loaded.add(uri.toString());
    this.set(uri.toString(), hunks);
    return hunks;
  }

  /** Forgets the files that are not open, without an event: the tree, which shows them, asks again. */
  forgetClosed(): void {
    for (const uri of this.loaded) {
      if (openDocument(uri) === undefined) {
        this.files.delete(uri);
        this.loaded.delete(uri);
      }
    }
  }

  private clear(): void {
    this.work.clear();
    this.loaded.clear();
    for (const uri of [...this.files.keys()]) {
      this.set(uri, null);
    }
  }

  private async refresh(uri: string): Promise<void> {
    const document = openDocument(uri);
    if (document === undefined || this.server.state !== 'running') {
      if (!this.loaded.has(uri)) {
        this.set(uri, null);
      }
      return;
    }
    const { version } = document;
    const hunks = await this.server.hunks(document.uri);
    if (document.isClosed) {
      return;
    }
    if (document.version !== version) {
      this.work.request(uri); // the places are those of a text that is not there any more
      return;
    }
    this.set(uri, hunks, true);
  }

  private set(uri: string, hunks: HunksView | null, again = false): void {
    const old = this.files.get(uri) ?? null;
    if (hunks === null) {
      this.files.delete(uri);
    } else {
      this.files.set(uri, hunks);
    }
    // Equal ones count as changed after a refresh: the editor may have moved its marks.
    if ((again && hunks !== null) || JSON.stringify(old) !== JSON.stringify(hunks)) {
      this.emitter.fire(vscode.Uri.parse(uri, true));
    }
  }
}
