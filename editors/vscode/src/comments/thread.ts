import * as vscode from 'vscode';
import { toRange } from '../convert';
import type { EntryView, ThreadView } from '../protocol';
import { authorName, contextValue, threadLabel } from './model';

/** One entry of a thread; entry is undefined while it is the user's text that could not be sent. */
export class EntryComment implements vscode.Comment {
  body!: string | vscode.MarkdownString;
  mode = vscode.CommentMode.Preview;
  author!: vscode.CommentAuthorInformation;
  contextValue!: string;
  label?: string;

  constructor(readonly of: Thread, private current: EntryView | undefined) {
    this.show(current);
  }

  get entry(): EntryView | undefined {
    return this.current;
  }

  /** Takes a new value; true if it looks different now. What is being edited is left alone. */
  update(entry: EntryView): boolean {
    const changed = JSON.stringify(entry) !== JSON.stringify(this.current);
    this.current = entry;
    if (changed && this.mode === vscode.CommentMode.Preview) {
      this.show(entry);
    }
    return changed;
  }

  /** Shows the value of the server's again, after editing. */
  restore(): void {
    this.mode = vscode.CommentMode.Preview;
    this.show(this.current);
  }

  /** Shows what was saved; the server tells the same in a moment. */
  accept(text: string): void {
    if (this.current !== undefined) {
      this.current = { ...this.current, text };
    }
    this.restore();
  }

  get text(): string {
    return typeof this.body === 'string' ? this.body : this.body.value;
  }

  private show(entry: EntryView | undefined): void {
    const text = entry?.text ?? '';
    // A plain text is a plain text: nothing in it is read as Markdown.
    this.body = entry?.markdown === true ? new vscode.MarkdownString(text) : text;
    this.author = this.of.author(entry);
    this.contextValue = entry?.own === true ? 'own' : '';
  }
}

/** A comment thread of the editor, and what it shows. */
export class Thread {
  /** Undefined until the server has told of it: it was just written here. */
  view: ThreadView | undefined;
  shown!: vscode.CommentThread;
  private entries: EntryComment[] = [];
  private unsent: EntryComment[] = [];

  private constructor(private readonly icons: Icons) {}

  /** A thread that the user started in the editor. */
  static of(shown: vscode.CommentThread, icons: Icons): Thread {
    const thread = new Thread(icons);
    thread.shown = shown;
    return thread;
  }

  static create(controller: vscode.CommentController, uri: vscode.Uri, view: ThreadView, icons: Icons): Thread {
    const thread = new Thread(icons);
    thread.entries = view.entries.map(entry => new EntryComment(thread, entry));
    // The types do not say so everywhere, but a thread without a range is about its whole file.
    const range = view.wholeFile === true ? undefined : toRange(view.range);
    thread.shown = controller.createCommentThread(uri, range as vscode.Range, thread.entries);
    thread.update(view, false);
    return thread;
  }

  author(entry: EntryView | undefined): vscode.CommentAuthorInformation {
    if (entry === undefined) {
      return { name: 'You', iconPath: this.icons.person };
    }
    const name = authorName(entry);
    return { name, iconPath: entry.own ? this.icons.person : this.icons.agent };
  }

  /** Brings the thread up to date. displaced: the editor may show it on a line that the server never named. */
  update(view: ThreadView, displaced: boolean): void {
    const { shown } = this;
    this.view = view;
    this.place(view.wholeFile === true ? undefined : toRange(view.range), displaced);
    set(shown, 'label', threadLabel(view));
    set(shown, 'contextValue', contextValue(view));
    set(shown, 'state', view.resolved ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved);
    set(shown, 'canReply', true);

    const old = new Map(this.entries.map(comment => [comment.entry?.id, comment]));
    let changed = old.size !== view.entries.length;
    this.entries = view.entries.map(entry => {
      const comment = old.get(entry.id);
      changed = (comment === undefined || comment.update(entry)) || changed;
      return comment ?? new EntryComment(this, entry);
    });
    if (changed) {
      this.showEntries();
    }
  }

  /** Keeps a text that could not be sent, where it can be changed and sent again. */
  keepUnsent(text: string): void {
    const comment = new EntryComment(this, undefined);
    comment.body = text;
    comment.mode = vscode.CommentMode.Editing;
    comment.label = 'Not sent';
    this.unsent.push(comment);
    this.showEntries();
    this.shown.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  }

  drop(comment: EntryComment): void {
    this.unsent = this.unsent.filter(other => other !== comment);
    this.showEntries();
  }

  edit(comment: EntryComment): void {
    comment.mode = vscode.CommentMode.Editing;
    this.shown.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.showEntries();
  }

  find(entry: string): EntryComment | undefined {
    return this.entries.find(comment => comment.entry?.id === entry);
  }

  get isEmpty(): boolean {
    return this.entries.length === 0 && this.unsent.length === 0;
  }

  /** A text of the user's is in it that is nowhere else. */
  get holdsText(): boolean {
    return this.unsent.length > 0 || this.entries.some(({ mode }) => mode === vscode.CommentMode.Editing);
  }

  showEntries(): void {
    this.shown.comments = [...this.entries, ...this.unsent];
  }

  private place(range: vscode.Range | undefined, displaced: boolean): void {
    const { shown } = this;
    if (range === undefined || shown.range === undefined) {
      if (range !== shown.range) {
        place(shown, range);
      }
    } else if (!shown.range.isEqual(range)) {
      shown.range = range;
    } else if (displaced) {
      // VS Code moves threads with the text by itself, and hears nothing where the old value is
      // the new one: only another value in between takes it back.
      shown.range = new vscode.Range(range.end.translate(1), range.end.translate(1));
      shown.range = range;
    }
  }
}

export interface Icons {
  readonly agent: vscode.Uri;
  readonly person: vscode.Uri;
}

/** A thread without a range is about its whole file. */
function place(thread: vscode.CommentThread, range: vscode.Range | undefined): void {
  (thread as { range: vscode.Range | undefined }).range = range;
}

function set<T, K extends keyof T>(object: T, key: K, value: T[K]): void {
  if (object[key] !== value) {
    object[key] = value;
  }
}
