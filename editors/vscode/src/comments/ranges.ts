import * as vscode from 'vscode';
import { isInside } from './model';
import { Turns } from './turns';

/** Where comments can be made: in the folders that the followed sessions work in. */
export class CommentingRanges {
  private readonly turns = new Turns(roundTrip, () => this.provide());
  private folders: readonly string[] = [];

  constructor(private readonly controller: vscode.CommentController) {
    this.provide();
  }

  setFolders(folders: readonly string[]): void {
    if (folders.join('\n') !== this.folders.join('\n')) {
      this.folders = folders;
      this.provide();
    }
  }

  /** Makes threads of a file when VS Code can show them; run says whether it made any. */
  async make(uri: string, run: () => boolean): Promise<void> {
    await this.turns.make(uri, run);
  }

  /**
   * Makes VS Code ask for the ranges of all files that are shown. With them it shows every thread
   * again, which takes the keyboard from who is writing in one.
   */
  private provide(): void {
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: document => this.turns.answer(document.uri.toString(), () => this.isCommentable(document)
        ? { enableFileComments: true, ranges: [new vscode.Range(0, 0, Math.max(document.lineCount - 1, 0), 0)] }
        : undefined),
    };
  }

  private isCommentable({ uri }: vscode.TextDocument): boolean {
    return uri.scheme === 'file' && isInside(uri.toString(), this.folders);
  }
}

/**
 * Waits until VS Code's window has done what it was sent. Messages keep their order, but an answer is
 * sent a moment after it is given: behind the first of two calls, and before the second.
 */
async function roundTrip(): Promise<void> {
  for (let call = 0; call < 2; call++) {
    await vscode.commands.executeCommand('setContext', 'ahp.roundTrip', true);
  }
}
