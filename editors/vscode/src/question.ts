/** A question of the server's as VS Code asks it. */
export interface Question {
  readonly message: string;
  /** What is written smaller below; modal dialogs only. */
  readonly detail: string | undefined;
  /** dialog: it must be answered; list: there is much to choose from; message: anything else. */
  readonly as: 'dialog' | 'list' | 'message';
  readonly actions: readonly { readonly title: string; readonly isCloseAffordance: boolean }[];
}

const warning = 2; // MessageType.Warning

/** More answers than this make a notification with a row of buttons hard to read. */
const mostButtons = 3;

/**
 * Something that is asked as a warning destroys something if it is answered with yes: it is asked
 * in a dialog that cannot be overlooked, and that Escape declines.
 */
export function asQuestion(type: number, text: string, actions: readonly { title: string }[]): Question {
  const modal = type === warning && actions.length > 0;
  const list = !modal && actions.length > mostButtons;
  const [first = '', ...rest] = text.replace(/^ahp: /, '').split('\n');
  const detail = rest.join('\n').trim();
  return {
    message: modal || list ? first : text,
    detail: modal && detail !== '' ? detail : undefined,
    as: modal ? 'dialog' : list ? 'list' : 'message',
    // A dialog adds "Cancel" by itself unless one of the answers means that.
    actions: actions.map(({ title }) => ({ title, isCloseAffordance: modal && title === 'Cancel' })),
  };
}
