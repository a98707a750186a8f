/** A question of the server's as VS Code asks it. */
export interface Question {
  readonly message: string;
  /** What is written smaller below; modal dialogs only. */
  readonly detail: string | undefined;
  readonly modal: boolean;
  readonly actions: readonly { readonly title: string; readonly isCloseAffordance: boolean }[];
}

const warning = 2; // MessageType.Warning

/**
 * Something that is asked as a warning destroys something if it is answered with yes: it is asked
 * in a dialog that cannot be overlooked, and that Escape declines.
 */
export function asQuestion(type: number, text: string, actions: readonly { title: string }[]): Question {
  const modal = type === warning && actions.length > 0;
  const [first = '', ...rest] = text.replace(/^ahp: /, '').split('\n');
  const detail = rest.join('\n').trim();
  return {
    message: modal ? first : text,
    detail: modal && detail !== '' ? detail : undefined,
    modal,
    // A dialog adds "Cancel" by itself unless one of the answers means that.
    actions: actions.map(({ title }) => ({ title, isCloseAffordance: modal && title === 'Cancel' })),
  };
}
