import * as vscode from 'vscode';
import { Delayed } from '../work';
import { isInside } from './model';

/** In milliseconds: no answer takes longer to get from one process to the other. */
const closeBy = 2000;

/** Where comments can be made: in the folders that the followed sessions work in. */
export class CommentingRanges implements vscode.Disposable {
  /** When threads were made in a document, and when VS Code asked for its ranges. */
  private readonly created = new Map<string, number>();
  private readonly asked = new Map<string, number>();
  private readonly again = new Delayed(() => this.provide(), 500);
  private readonly closing: vscode.Disposable;
  private folders: readonly string[] = [];

  constructor(private readonly controller: vscode.CommentController) {
    this.closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      this.asked.delete(uri.toString());
      this.created.delete(uri.toString());
    });
  }

  dispose(): void {
    this.again.dispose();
    this.closing.dispose();
  }

  setFolders(folders: readonly string[]): void {
    const now = [...new Set(folders)].sort();
    if (now.join('\n') !== this.folders.join('\n')) {
      this.folders = now;
      this.provide();
    }
  }

  /** Threads were made in an open document. */
  threadsMade(uri: string): void {
    this.race(this.created, this.asked, uri);
  }

  /** The threads that were made are of no interest any more. */
  forgetThreads(): void {
    this.created.clear();
  }

  /** Makes VS Code ask for the ranges, and with them show the threads of the open documents anew. */
  private provide(): void {
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
}
