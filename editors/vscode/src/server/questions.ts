import * as vscode from 'vscode';
import { MessageType, type MessageActionItem, type ShowMessageRequestParams } from 'vscode-languageclient/node';
import { asQuestion } from '../question';

/** What the server asks the user, and what has been answered before it asks. */
export class Questions {
  private readonly answered: string[] = [];

  /** Runs something during which a question that has this answer is not asked, but given it. */
  async answering<T>(title: string, run: () => Promise<T>): Promise<T> {
    this.answered.push(title);
    try {
      return await run();
    } finally {
      const left = this.answered.indexOf(title);
      if (left >= 0) {
        this.answered.splice(left, 1);
      }
    }
  }

  async ask(params: ShowMessageRequestParams): Promise<MessageActionItem | null> {
    const { message, detail, as, actions } = asQuestion(params.type, params.message, params.actions ?? []);
    const known = as === 'dialog' ? -1 : this.answered.findIndex(title => actions.some(action => action.title === title));
    if (known >= 0) {
      return { title: this.answered.splice(known, 1)[0]! };
    }
    if (as === 'list') {
      const chosen = await vscode.window.showQuickPick(actions.map(({ title }) => title), { title: message, ignoreFocusOut: true });
      return chosen === undefined ? null : { title: chosen };
    }
    const modal = as === 'dialog';
    const options: vscode.MessageOptions = detail === undefined ? { modal } : { modal, detail };
    const show = params.type === MessageType.Error ? vscode.window.showErrorMessage
      : params.type === MessageType.Warning ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    const chosen = await show<vscode.MessageItem>(message, options, ...actions);
    return chosen === undefined ? null : { title: chosen.title };
  }
}
