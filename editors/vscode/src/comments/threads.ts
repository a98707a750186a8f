import * as vscode from 'vscode';
import type { ThreadId, ThreadView } from '../protocol';
import { difference, threadKey } from './model';
import { Thread, type Icons } from './thread';

/** The threads that are shown, by file. */
export class Threads {
  /** By file, then by the comment's identity. */
  private readonly files = new Map<string, Map<string, Thread>>();
  /** Also those that the user has just started, which are not a comment yet. */
  private readonly known = new WeakMap<vscode.CommentThread, Thread>();

  constructor(private readonly controller: vscode.CommentController, private readonly icons: Icons) {}

  get isEmpty(): boolean {
    return this.files.size === 0;
  }

  /** The files that have threads. */
  uris(): Iterable<string> {
    return this.files.keys();
  }

  /** The threads of a file, undefined if it has none. */
  in(uri: string): Iterable<Thread> | undefined {
    return this.files.get(uri)?.values();
  }

  find(id: ThreadId): Thread | undefined {
    const key = threadKey(id);
    for (const threads of this.files.values()) {
      const thread = threads.get(key);
      if (thread !== undefined) {
        return thread;
      }
    }
    return undefined;
  }

  /** The thread that is shown so; undefined if it is none of ours, or none yet. */
  of(shown: vscode.CommentThread): Thread | undefined {
    return this.known.get(shown);
  }

  /** The thread that is shown so, also one that the user has just started. */
  take(shown: vscode.CommentThread): Thread {
    const thread = this.known.get(shown) ?? Thread.of(shown, this.icons);
    this.known.set(shown, thread);
    return thread;
  }

  /** The thread that the user started has become a comment. */
  adopt(shown: vscode.CommentThread, uri: string, id: ThreadId): void {
    let threads = this.files.get(uri);
    if (threads === undefined) {
      this.files.set(uri, threads = new Map<string, Thread>());
    }
    threads.set(threadKey(id), this.take(shown));
  }

  /**
   * Shows what the server says of a file; true if threads were made for it.
   * displaced: the editor may show threads on lines that the server never named.
   * keep: what it does not tell of stays.
   */
  show(uri: string, views: readonly ThreadView[], { resolved, displaced, keep }: { resolved: boolean; displaced: boolean; keep: boolean }): boolean {
    const threads = this.files.get(uri) ?? new Map<string, Thread>();
    const { gone, added, changed } = difference(new Map([...threads].map(([key, thread]) => [key, thread.view])), views, resolved);
    for (const key of keep ? [] : gone) {
      threads.get(key)?.shown.dispose();
      threads.delete(key);
    }
    for (const view of added) {
      const thread = Thread.create(this.controller, vscode.Uri.parse(uri, true), view, this.icons);
      this.known.set(thread.shown, thread);
      threads.set(threadKey(view), thread);
    }
    for (const view of displaced ? views : changed) {
      threads.get(threadKey(view))?.update(view, displaced);
    }
    if (threads.size > 0) {
      this.files.set(uri, threads);
    } else {
      this.files.delete(uri);
    }
    return added.length > 0;
  }

  clear(except: (thread: Thread) => boolean = () => false): void {
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
}
