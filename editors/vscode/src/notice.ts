/** What the server advises where an editor may show an old text. */
export const reloadAdvice = ' The buffer shows another text than the disk: reload it.';

/**
 * A message of the server's as a notification shows it. Hosts write Markdown, which notifications
 * do not read, and VS Code reads a file again by itself unless it has unsaved text.
 */
export function notice(message: string, unsaved: boolean): string {
  const text = message.replace(/^ahp: /, 'Agent Review: ').replace(/`([^`\n]+)`/g, '$1');
  return unsaved ? text : text.replace(reloadAdvice, '');
}
