import * as vscode from 'vscode';
import { askText } from './ask';
import { background } from './background';
import type { Before } from './changes/before';
import type { Comments } from './comments/controller';
import { openDocument, toRange } from './convert';
import type { Range, ThreadId } from './protocol';
import type { Status } from './status';

interface CreateArgument { readonly uri: string; readonly range?: Range; readonly text?: string; readonly session?: string }
interface TextArgument extends ThreadId { readonly text?: string; readonly entry?: string }

/**
 * Takes over those commands of the server's, called by lenses, actions and keys, for which VS Code
 * has something better: texts are asked for here, threads and texts from before are shown here.
 */
export class Interceptor {
  /**
   * comments is undefined while they are not shown as comment threads; isCommentable says whether a
   * followed session works where a file is.
   */
  constructor(
    private readonly comments: () => Comments | undefined, private readonly isCommentable: (uri: string) => boolean,
    private readonly before: Before, private readonly status: Status,
  ) {}

  async run(command: string, argument: unknown, next: (argument: unknown) => Promise<unknown>): Promise<unknown> {
    const done = { ok: true }, declined = { ok: false, reason: 'declined' };
    switch (command) {
      case 'ahp.annotation.create': {
        const create = argument as CreateArgument;
        if (create.text !== undefined) {
          break;
        }
        if (!this.isCommentable(create.uri)) {
          // Said before the user has written something.
          background(vscode.window.showWarningMessage('Agent Review: no agent session that is followed works on this file.', 'Choose Session…')
            .then(answer => answer === undefined ? undefined : this.status.chooseSession()));
          return declined;
        }
        if (await this.startThread(create)) {
          return done;
        }
        const text = await askText('Comment', `What do you want to tell the agent about ${describe(create)}?`);
        return text === undefined ? declined : await next({ ...create, text });
      }
      case 'ahp.annotation.reply': {
        const reply = argument as TextArgument;
        if (reply.text !== undefined) {
          break;
        }
        const text = await askText('Reply', 'What do you want to answer?');
        return text === undefined ? declined : await next({ ...reply, text });
      }
      case 'ahp.annotation.edit': {
        const edit = argument as TextArgument;
        if (edit.text === undefined && await this.comments()?.edit(edit, edit.entry ?? '') === true) {
          return done;
        }
        break; // the server opens a file: an input box has but one line, and does not know the old text
      }
      case 'ahp.thread.show':
        if (await this.comments()?.reveal(argument as ThreadId) === true) {
          return done;
        }
        break;
      case 'ahp.original.show': {
        const found = this.comments()?.view(argument as ThreadId);
        if (found?.view.original !== undefined) {
          await this.before.openOriginal(found.uri, found.view);
          return done;
        }
        break;
      }
      case 'ahp.before.show': {
        const { uri, range } = argument as { uri: string; range?: Range };
        return await this.before.openDiff(vscode.Uri.parse(uri, true), range) ? done : declined;
      }
      case 'ahp.session.select': {
        const { session, baseline } = (argument ?? {}) as { session?: string; baseline?: string };
        if (session === undefined && baseline === undefined) {
          await this.status.chooseSession();
          return done;
        }
        break;
      }
      default:
    }
    return await next(argument);
  }

  /** Opens an empty thread in the editor, as the gutter does. */
  private async startThread({ uri, range }: CreateArgument): Promise<boolean> {
    const document = openDocument(uri);
    if (document === undefined || this.comments() === undefined) {
      return false;
    }
    const active = vscode.window.activeTextEditor;
    const editor = active?.document === document ? active : await vscode.window.showTextDocument(document);
    if (range === undefined) {
      await vscode.commands.executeCommand('workbench.action.addComment', { fileComment: true });
      return true;
    }
    const { start, end } = toRange(range);
    editor.selection = new vscode.Selection(start, end);
    await vscode.commands.executeCommand('workbench.action.addComment');
    return true;
  }
}

function describe({ uri, range }: CreateArgument): string {
  const name = vscode.Uri.parse(uri, true).path.split('/').at(-1) ?? '';
  if (range === undefined) {
    return name;
  }
  const { start, end } = range;
  return end.line > start.line ? `lines ${start.line + 1}–${end.line + 1} of ${name}` : `line ${start.line + 1} of ${name}`;
}
