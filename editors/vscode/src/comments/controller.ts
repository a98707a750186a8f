import * as vscode from 'vscode';
import { fromRange, openDocument } from '../convert';
import type { Before } from '../changes/before';
import type { StatusView, ThreadId, ThreadView } from '../protocol';
import type { Server, ServerState } from '../server/client';
import { showsResolvedThreads } from '../settings';
import { Work } from '../work';
import { ThreadCommands } from './commands';
import { Handover } from './handover';
import { displaces } from './model';
import { CommentingRanges } from './ranges';
import { Threads } from './threads';

/** The user's comments and the agent's as comment threads: a mirror of what the server says. */
export class Comments implements vscode.Disposable {
  private readonly threads: Threads;
  private readonly ranges: CommentingRanges;
  private readonly commands: ThreadCommands;
  private readonly disposables: vscode.Disposable[] = [];
  /** Files that have comments, shown or not. */
  private readonly known = new Set<string>();
  private readonly displaced = new Set<string>();
  private readonly work: Work;
  private readonly handover = new Handover();

  constructor(extension: vscode.Uri, private readonly server: Server, before: Before, log: vscode.LogOutputChannel) {
    const controller = vscode.comments.createCommentController('ahp', 'Agent Review');
    controller.options = { prompt: 'Reply…', placeHolder: 'Write to the agent' };
    this.threads = new Threads(controller, {
      agent: vscode.Uri.joinPath(extension, 'media', 'agent.svg'),
      person: vscode.Uri.joinPath(extension, 'media', 'person.svg'),
    });
    this.ranges = new CommentingRanges(controller);
    this.work = new Work(uri => this.refresh(uri), (error, uri) => log.warn(`The comments in ${uri} could not be read: ${String(error)}`));
    this.commands = new ThreadCommands(this.threads, server, before, { refresh: uri => this.work.request(uri), ready: () => this.handover.ready() });
    this.disposables.push(
      controller, this.work,
      server.onDidChangeThreads(uri => this.work.request(uri.toString())),
      server.onDidChangeState(state => {
        if (state !== 'running') {
          this.inherit(state);
        }
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refreshAll()),
      vscode.workspace.onDidChangeTextDocument(event => this.edited(event)),
      vscode.workspace.onDidOpenTextDocument(document => this.openedElsewhere(document)),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration('ahp.showResolved')) {
          this.refreshAll();
        }
      }),
      this.commands,
    );
  }

  dispose(): void {
    this.threads.clear();
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Says where comments can be made: in the folders that the followed sessions work in. */
  setFolders(folders: readonly string[]): void {
    this.ranges.setFolders(folders);
  }

  /** Opens a thread where it is; false if it is not shown here. */
  async reveal(id: ThreadId): Promise<boolean> {
    const found = this.threads.find(id);
    if (found === undefined) {
      return false;
    }
    const { shown } = found;
    const options = shown.range === undefined ? {} : { selection: new vscode.Range(shown.range.start, shown.range.start) };
    await vscode.window.showTextDocument(shown.uri, options);
    shown.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return true;
  }

  /** Lets the user edit an entry in its thread; false if it is not shown here. */
  async edit(id: ThreadId, entry: string): Promise<boolean> {
    const thread = this.threads.find(id);
    const comment = thread?.find(entry);
    if (thread === undefined || comment === undefined) {
      return false;
    }
    await this.reveal(id);
    thread.edit(comment);
    return true;
  }

  /** What is known of a thread that is shown. */
  view(id: ThreadId): { uri: vscode.Uri; view: ThreadView } | undefined {
    const thread = this.threads.find(id);
    return thread?.view === undefined ? undefined : { uri: thread.shown.uri, view: thread.view };
  }

  /** Takes what the server says of itself. */
  setStatus(status: StatusView | undefined): void {
    if (this.handover.take(status)) {
      for (const uri of this.threads.uris()) {
        this.work.request(uri);
      }
    }
  }

  /** The server ended. Its threads stay for the next one, if there can be one: texts may have been begun in them. */
  private inherit(state: ServerState): void {
    this.work.clear();
    this.displaced.clear();
    if (state === 'missing') {
      this.known.clear();
      this.threads.clear(thread => thread.holdsText);
    }
    this.handover.begin(!this.threads.isEmpty, state === 'starting');
  }

  private refreshAll(): void {
    for (const uri of this.known) {
      this.work.request(uri);
    }
  }

  private async refresh(uri: string): Promise<void> {
    await this.commands.created(uri);
    if (this.server.state !== 'running') {
      return;
    }
    const document = openDocument(uri), version = document?.version;
    const displaced = this.displaced.delete(uri);
    // What was asked for before the server knew everything says nothing of what is gone.
    const keep = this.handover.isWaiting;
    const views = await this.server.threads(vscode.Uri.parse(uri, true));
    await this.ranges.make(uri, () => {
      if (document !== undefined && !document.isClosed && document.version !== version || this.commands.isCreating(uri)) {
        // The places are those of a text that is not there any more.
        if (displaced) {
          this.displaced.add(uri);
        }
        this.work.request(uri);
        return false;
      }
      return this.server.state === 'running' && this.show(uri, views, { displaced, keep });
    });
  }

  /** A session may work in a larger folder than the one that is open here. */
  private isOurs(uri: string): boolean {
    return vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri, true)) !== undefined || openDocument(uri) !== undefined;
  }

  private openedElsewhere(document: vscode.TextDocument): void {
    if (document.uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(document.uri) === undefined) {
      this.work.request(document.uri.toString());
    }
  }

  /** Shows what the server says; true if threads were made. */
  private show(uri: string, views: readonly ThreadView[], how: { displaced: boolean; keep: boolean }): boolean {
    if (views.length > 0) {
      this.known.add(uri);
    } else {
      this.known.delete(uri);
    }
    const resolved = showsResolvedThreads(vscode.workspace.getConfiguration('ahp').get('showResolved'));
    return this.threads.show(uri, this.isOurs(uri) ? views : [], { resolved, ...how });
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    const threads = this.threads.in(uri);
    if (threads === undefined || contentChanges.length === 0) {
      return;
    }
    for (const { shown } of threads) {
      const range = shown.range === undefined ? undefined : fromRange(shown.range);
      if (range !== undefined && contentChanges.some(change => displaces(fromRange(change.range), range))) {
        this.displaced.add(uri);
        this.work.request(uri);
        return;
      }
    }
  }
}
