import * as vscode from 'vscode';
import { fromRange, openDocument } from '../convert';
import type { Before } from '../changes/before';
import type { CommandResult, ThreadId, ThreadView } from '../protocol';
import type { Server } from '../server/client';
import { showsResolvedThreads } from '../settings';
import { Delayed, Work } from '../work';
import { commentedRange, difference, displaces, isInside, threadKey } from './model';
import { EntryComment, Thread, type Icons } from './thread';

/** In milliseconds: no answer takes longer to get from one process to the other. */
const closeBy = 2000;
/** In milliseconds: a connected server has the comments of its sessions by then. */
const settledIn = 5000;

/** The user's comments and the agent's as comment threads: a mirror of what the server says. */
export class Comments implements vscode.Disposable {
  private readonly controller: vscode.CommentController;
  private readonly disposables: vscode.Disposable[] = [];
  /** By file, then by the comment's identity. */
  private readonly files = new Map<string, Map<string, Thread>>();
  private readonly threads = new WeakMap<vscode.CommentThread, Thread>();
  /** Files that have comments, shown or not. */
  private readonly known = new Set<string>();
  private readonly displaced = new Set<string>();
  /** Files in which a comment is being made: a thread for it is there already. */
  private readonly creating = new Map<string, Promise<unknown>>();
  private readonly work: Work;
  /** When threads were made in a document, and when VS Code asked for its ranges. */
  private readonly created = new Map<string, number>();
  private readonly asked = new Map<string, number>();
  private readonly again = new Delayed(() => this.provideRanges(), 500);
  private readonly icons: Icons;
  private folders: readonly string[] = [];
  /**
   * Threads of an earlier server are shown. What a new one does not tell of right away is not gone:
   * it may not have heard yet, and somebody may be writing there.
   */
  private inherited = false;
  private readonly settled = new Delayed(() => this.settle(), settledIn);

  constructor(extension: vscode.Uri, private readonly server: Server, private readonly before: Before, log: vscode.LogOutputChannel) {
    this.icons = {
      agent: vscode.Uri.joinPath(extension, 'media', 'agent.svg'),
      person: vscode.Uri.joinPath(extension, 'media', 'person.svg'),
    };
    this.controller = vscode.comments.createCommentController('ahp', 'Agent Review');
    this.controller.options = { prompt: 'Reply…', placeHolder: 'Write to the agent' };
    this.work = new Work(uri => this.refresh(uri), (error, uri) => log.warn(`The comments in ${uri} could not be read: ${String(error)}`));
    this.disposables.push(
      this.controller, this.work, this.again, this.settled,
      server.onDidChangeThreads(uri => this.work.request(uri.toString())),
      server.onDidChangeState(state => {
        if (state !== 'running') {
          this.inherit(state === 'missing');
        }
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refreshAll()),
      vscode.workspace.onDidChangeTextDocument(event => this.edited(event)),
      vscode.workspace.onDidOpenTextDocument(document => this.openedElsewhere(document)),
      vscode.workspace.onDidCloseTextDocument(document => {
        this.asked.delete(document.uri.toString());
        this.created.delete(document.uri.toString());
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration('ahp.showResolved')) {
          this.refreshAll();
        }
      }),
      ...this.commands(),
    );
  }

  dispose(): void {
    this.clear();
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Says where comments can be made: in the folders that the followed sessions work in. */
  setFolders(folders: readonly string[]): void {
    const now = [...new Set(folders)].sort();
    if (now.join('\n') !== this.folders.join('\n')) {
      this.folders = now;
      this.provideRanges();
    }
  }

  /** Makes VS Code ask for the ranges, and with them show the threads of the open documents anew. */
  private provideRanges(): void {
    this.created.clear();
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: document => {
        this.race(this.asked, this.created, document.uri.toString());
        return this.isCommentable(document)
          ? { enableFileComments: true, ranges: [new vscode.Range(0, 0, Math.max(document.lineCount - 1, 0), 0)] }
          : undefined;
      },
    };
  }

  /**
   * VS Code collects the threads of a document, asks for its ranges, and shows what it collected:
   * a thread that was made meanwhile is lost. Where the two came close, it is made to do it again.
   */
  private race(one: Map<string, number>, other: ReadonlyMap<string, number>, uri: string): void {
    const now = Date.now();
    one.set(uri, now);
    if (now - (other.get(uri) ?? 0) < closeBy) {
      this.again.request();
    }
  }

  private isCommentable({ uri }: vscode.TextDocument): boolean {
    return uri.scheme === 'file' && isInside(uri.toString(), this.folders);
  }

  /** Opens a thread where it is; false if it is not shown here. */
  async reveal(id: ThreadId): Promise<boolean> {
    const found = this.find(id);
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
    const thread = this.find(id);
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
    const thread = this.find(id);
    return thread?.view === undefined ? undefined : { uri: thread.shown.uri, view: thread.view };
  }

  private find(id: ThreadId): Thread | undefined {
    const key = threadKey(id);
    for (const threads of this.files.values()) {
      const thread = threads.get(key);
      if (thread !== undefined) {
        return thread;
      }
    }
    return undefined;
  }

  /** The host told its sessions: what it does not tell of in a while is gone. */
  connected(): void {
    if (this.inherited) {
      this.settled.request();
    }
  }

  private settle(): void {
    this.inherited = false;
    for (const uri of this.files.keys()) {
      this.work.request(uri);
    }
  }

  /** The server ended. Its threads stay for the next one, if there can be one: texts may have been begun in them. */
  private inherit(missing: boolean): void {
    this.settled.cancel();
    this.work.clear();
    this.displaced.clear();
    this.created.clear();
    if (missing) {
      this.clear(thread => thread.holdsText);
    }
    this.inherited = this.files.size > 0;
  }

  private clear(except: (thread: Thread) => boolean = () => false): void {
    this.known.clear();
    for (const [uri, threads] of this.files) {
      for (const [key, thread] of threads) {
        if (!except(thread)) {
          thread.shown.dispose();
          threads.delete(key);
        }
      }
      if (threads.size === 0) {
        this.files.delete(uri);
      }
    }
  }

  private refreshAll(): void {
    for (const uri of this.known) {
      this.work.request(uri);
    }
  }

  private async refresh(uri: string): Promise<void> {
    await this.creating.get(uri);
    if (this.server.state !== 'running') {
      return;
    }
    const document = openDocument(uri), version = document?.version;
    const displaced = this.displaced.delete(uri);
    const views = await this.server.threads(vscode.Uri.parse(uri, true));
    if (document !== undefined && !document.isClosed && document.version !== version || this.creating.has(uri)) {
      // The places are those of a text that is not there any more.
      if (displaced) {
        this.displaced.add(uri);
      }
      this.work.request(uri);
      return;
    }
    if (this.server.state !== 'running') {
      return;
    }
    if (views.length > 0) {
      this.known.add(uri);
    } else {
      this.known.delete(uri);
    }
    this.show(uri, this.isOurs(uri) ? views : [], displaced);
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

  private show(uri: string, views: readonly ThreadView[], displaced: boolean): void {
    const threads = this.files.get(uri) ?? new Map<string, Thread>();
    const resolved = showsResolvedThreads(vscode.workspace.getConfiguration('ahp').get('showResolved'));
    const { gone, added, changed } = difference(new Map([...threads].map(([key, thread]) => [key, thread.view])), views, resolved);
    for (const key of this.inherited ? [] : gone) {
      threads.get(key)?.shown.dispose();
      threads.delete(key);
    }
    for (const view of added) {
      const thread = Thread.create(this.controller, vscode.Uri.parse(uri, true), view, this.icons);
      this.threads.set(thread.shown, thread);
      threads.set(threadKey(view), thread);
    }
    if (added.length > 0 && openDocument(uri) !== undefined) {
      this.race(this.created, this.asked, uri);
    }
    for (const view of displaced ? views : changed) {
      threads.get(threadKey(view))?.update(view, displaced);
    }
    if (threads.size > 0) {
      this.files.set(uri, threads);
    } else {
      this.files.delete(uri);
    }
  }

  private adopt(shown: vscode.CommentThread, uri: string, id: ThreadId): Thread {
    const thread = this.threads.get(shown) ?? Thread.of(shown, this.icons);
    this.threads.set(shown, thread);
    let threads = this.files.get(uri);
    if (threads === undefined) {
      this.files.set(uri, threads = new Map());
    }
    threads.set(threadKey(id), thread);
    return thread;
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    const threads = this.files.get(uri);
    if (threads === undefined || contentChanges.length === 0) {
      return;
    }
    for (const { shown } of threads.values()) {
      const range = shown.range === undefined ? undefined : fromRange(shown.range);
      if (range !== undefined && contentChanges.some(change => displaces(fromRange(change.range), range))) {
        this.displaced.add(uri);
        this.work.request(uri);
        return;
      }
    }
  }

  private commands(): vscode.Disposable[] {
    const onThread = (id: string, run: (id: ThreadId, thread: Thread) => unknown) =>
      vscode.commands.registerCommand(id, async (shown: vscode.CommentThread | undefined) => {
        const thread = shown === undefined ? undefined : this.threads.get(shown);
        if (thread?.view !== undefined) {
          await run({ session: thread.view.session, annotation: thread.view.annotation }, thread);
        }
      });
    const onEntry = (id: string, run: (comment: EntryComment) => unknown) =>
      vscode.commands.registerCommand(id, async (comment: unknown) => {
        if (comment instanceof EntryComment) {
          await run(comment);
        }
      });
    const act = (command: string) => (id: ThreadId) => this.server.execute(command, id);
    return [
      vscode.commands.registerCommand('ahp.thread.create', (reply: vscode.CommentReply) => this.create(reply.thread, reply.text)),
      vscode.commands.registerCommand('ahp.thread.reply', (reply: vscode.CommentReply) => this.reply(this.threads.get(reply.thread), reply.text)),
      vscode.commands.registerCommand('ahp.thread.replyResolve', (reply: vscode.CommentReply) => this.replyAndResolve(reply)),
      onThread('ahp.thread.resolve', async (id, thread) => {
        const { ok } = await this.server.execute('ahp.annotation.resolve', id);
        if (ok) {
          thread.shown.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
        }
      }),
      onThread('ahp.thread.reopen', act('ahp.annotation.reopen')),
      onThread('ahp.thread.accept', act('ahp.annotation.accept')),
      onThread('ahp.thread.delete', act('ahp.annotation.delete')),
      onThread('ahp.thread.applySuggestion', act('ahp.suggestion.apply')),
      onThread('ahp.thread.original', (_, { shown, view }) => view === undefined ? undefined : this.before.openOriginal(shown.uri, view)),
      onThread('ahp.thread.reanchor', (id, thread) => this.reanchor(id, thread)),
      onEntry('ahp.entry.edit', comment => comment.of.edit(comment)),
      onEntry('ahp.entry.cancel', comment => this.cancel(comment)),
      onEntry('ahp.entry.save', comment => this.save(comment)),
    ];
  }

  /** Makes a comment of the thread that the user started in the gutter. */
  private async create(shown: vscode.CommentThread, text: string): Promise<void> {
    const uri = shown.uri.toString();
    const thread = this.threads.get(shown) ?? Thread.of(shown, this.icons);
    this.threads.set(shown, thread);
    const document = await vscode.workspace.openTextDocument(shown.uri);
    const range = shown.range === undefined ? undefined
      : commentedRange(fromRange(shown.range), line => line < document.lineCount ? document.lineAt(line).text : '');
    const made = this.server.execute<CommandResult & ThreadId>('ahp.annotation.create', { uri, text, ...(range === undefined ? {} : { range }) });
    const all = Promise.all([this.creating.get(uri), made]);
    this.creating.set(uri, all);
    try {
      const result = await made;
      if ('annotation' in result && result.ok) {
        this.adopt(shown, uri, result);
      } else {
        thread.keepUnsent(text);
      }
    } finally {
      if (this.creating.get(uri) === all) {
        this.creating.delete(uri);
      }
      this.work.request(uri);
    }
  }

  private async reply(thread: Thread | undefined, text: string): Promise<boolean> {
    if (thread?.view === undefined) {
      return false;
    }
    const { session, annotation } = thread.view;
    const { ok } = await this.server.execute('ahp.annotation.reply', { session, annotation, text });
    if (!ok) {
      thread.keepUnsent(text);
    }
    return ok;
  }

  private async replyAndResolve({ thread: shown, text }: vscode.CommentReply): Promise<void> {
    const thread = this.threads.get(shown);
    if (thread?.view !== undefined && await this.reply(thread, text)) {
      const { session, annotation } = thread.view;
      const { ok } = await this.server.execute('ahp.annotation.resolve', { session, annotation });
      if (ok) {
        shown.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
      }
    }
  }

  private async save(comment: EntryComment): Promise<void> {
    const thread = comment.of, { entry, text } = comment;
    if (entry === undefined) {
      thread.drop(comment);
      await (thread.view === undefined ? this.create(thread.shown, text) : this.reply(thread, text));
      return;
    }
    if (thread.view === undefined) {
      return;
    }
    const { session, annotation } = thread.view;
    const { ok } = await this.server.execute('ahp.annotation.edit', { session, annotation, entry: entry.id, text });
    if (ok) {
      comment.accept(text);
      thread.showEntries();
    } // else it stays in the editor, to be saved again
  }

  private cancel(comment: EntryComment): void {
    const thread = comment.of;
    if (comment.entry === undefined) {
      thread.drop(comment);
      if (thread.isEmpty && thread.view === undefined) {
        thread.shown.dispose();
      }
      return;
    }
    comment.restore();
    thread.showEntries();
  }

  /** A comment whose code changed or went belongs to what is selected, or to where it is shown. */
  private async reanchor(id: ThreadId, { shown }: Thread): Promise<void> {
    const editor = vscode.window.visibleTextEditors.find(editor => editor.document.uri.toString() === shown.uri.toString() && !editor.selection.isEmpty);
    const range = editor === undefined ? undefined : fromRange(editor.selection);
    await this.server.execute('ahp.annotation.reanchor', { ...id, ...(range === undefined ? {} : { range }) });
  }
}
