import * as vscode from 'vscode';
import type { Before } from '../changes/before';
import { fromRange } from '../convert';
import type { CommandResult, ThreadId } from '../protocol';
import type { Server } from '../server/client';
import { commentedRange } from './model';
import { EntryComment, type Thread } from './thread';
import type { Threads } from './threads';

/** What else is needed to do something in a thread. */
interface About {
  /** Brings the threads of a file up to date. */
  refresh(uri: string): void;
  /** Waits until the server knows the comments that are shown, if it is about to. */
  ready(): Promise<void>;
}

/** What the user does in comment threads. */
export class ThreadCommands implements vscode.Disposable {
  /** Files in which a comment is being made: a thread for it is there already. */
  private readonly creating = new Map<string, Promise<unknown>>();
  private readonly registered: vscode.Disposable;

  constructor(
    private readonly threads: Threads,
    private readonly server: Server,
    private readonly before: Before,
    private readonly about: About,
  ) {
    this.registered = vscode.Disposable.from(...this.register());
  }

  dispose(): void {
    this.registered.dispose();
  }

  isCreating(uri: string): boolean {
    return this.creating.has(uri);
  }

  /** Waits for the comments that are being made in a file. */
  async created(uri: string): Promise<void> {
    await this.creating.get(uri);
  }

  /** Runs a command of the server's, once it knows the comments that are shown. */
  private async execute<T extends CommandResult>(command: string, argument: unknown): Promise<T | (CommandResult & { ok: false })> {
    await this.about.ready();
    return await this.server.execute<T>(command, argument);
  }

  private register(): vscode.Disposable[] {
    const onThread = (id: string, run: (id: ThreadId, thread: Thread) => unknown) =>
      vscode.commands.registerCommand(id, async (shown: vscode.CommentThread | undefined) => {
        const thread = shown === undefined ? undefined : this.threads.of(shown);
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
    const act = (command: string) => (id: ThreadId) => this.execute(command, id);
    return [
      vscode.commands.registerCommand('ahp.thread.create', (reply: vscode.CommentReply) => this.create(reply.thread, reply.text)),
      vscode.commands.registerCommand('ahp.thread.reply', (reply: vscode.CommentReply) => this.reply(this.threads.of(reply.thread), reply.text)),
      vscode.commands.registerCommand('ahp.thread.replyResolve', (reply: vscode.CommentReply) => this.replyAndResolve(reply)),
      onThread('ahp.thread.resolve', (id, thread) => this.resolve(id, thread)),
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
    const thread = this.threads.take(shown);
    const document = await vscode.workspace.openTextDocument(shown.uri);
    const range = shown.range === undefined ? undefined
      : commentedRange(fromRange(shown.range), line => line < document.lineCount ? document.lineAt(line).text : '');
    const made = this.execute<CommandResult & ThreadId>('ahp.annotation.create', { uri, text, ...(range === undefined ? {} : { range }) });
    const all = Promise.all([this.creating.get(uri), made]);
    this.creating.set(uri, all);
    try {
      const result = await made;
      if ('annotation' in result && result.ok) {
        this.threads.adopt(shown, uri, result);
      } else {
        thread.keepUnsent(text);
      }
    } finally {
      if (this.creating.get(uri) === all) {
        this.creating.delete(uri);
      }
      this.about.refresh(uri);
    }
  }

  private async reply(thread: Thread | undefined, text: string): Promise<boolean> {
    if (thread?.view === undefined) {
      return false;
    }
    const { session, annotation } = thread.view;
    const { ok } = await this.execute('ahp.annotation.reply', { session, annotation, text });
    if (!ok) {
      thread.keepUnsent(text);
    }
    return ok;
  }

  private async replyAndResolve({ thread: shown, text }: vscode.CommentReply): Promise<void> {
    const thread = this.threads.of(shown);
    if (thread?.view !== undefined && await this.reply(thread, text)) {
      const { session, annotation } = thread.view;
      await this.resolve({ session, annotation }, thread);
    }
  }

  private async resolve(id: ThreadId, { shown }: Thread): Promise<void> {
    const { ok } = await this.execute('ahp.annotation.resolve', id);
    if (ok) {
      shown.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
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
    const { ok } = await this.execute('ahp.annotation.edit', { session, annotation, entry: entry.id, text });
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
    await this.execute('ahp.annotation.reanchor', { ...id, ...(range === undefined ? {} : { range }) });
  }
}
