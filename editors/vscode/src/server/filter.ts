// What the server offers everywhere, since other editors have nothing else, is left out where VS
// Code shows the same thing in a better place.

interface Commanded {
  readonly command?: { readonly command: string; readonly arguments?: readonly unknown[] } | string | undefined;
  readonly arguments?: readonly unknown[];
}

function called(item: Commanded): { command: string; argument: Record<string, unknown> } | undefined {
  const { command } = item;
  if (command === undefined) {
    return undefined;
  }
  const [name, args] = typeof command === 'string' ? [command, item.arguments] : [command.command, command.arguments];
  return { command: name, argument: (args?.[0] ?? {}) as Record<string, unknown> };
}

/** Comments that are comment threads need no code lenses. */
export function filterLenses<T extends object>(lenses: readonly T[], threads: boolean): T[] {
  return lenses.filter(lens => {
    const command = called(lens)?.command;
    return !(threads && command !== undefined && (command === 'ahp.thread.show' || command.startsWith('ahp.annotation.')));
  });
}

/**
 * What can be done on any line of a file is no reason for a light bulb on each of them: it is left
 * out where VS Code only wants to know whether to show one, and there when the user asks.
 */
export function filterActions<T extends object>(actions: readonly T[], automatic: boolean): T[] {
  return !automatic ? [...actions] : actions.filter(action => {
    const call = called(action);
    switch (call?.command) {
      case 'ahp.annotation.create': return call.argument['text'] !== undefined; // an "ahp: …" line
      case 'ahp.operation.invoke': return (call.argument['target'] as { range?: unknown } | undefined)?.range !== undefined;
      case 'ahp.file.setReviewed':
      case 'ahp.file.keep': return false;
      default: return true;
    }
  });
}
