import type { EntryView, Position, Range, ThreadId, ThreadView } from '../protocol';

export function threadKey(id: ThreadId): string {
  return `${id.session}\n${id.annotation}`;
}

/** What menus look at, in words: `commentThread =~ /\bopen\b/`. */
export function contextValue(thread: ThreadView): string {
  const words = [thread.resolved ? 'resolved' : 'open'];
  if (thread.canAccept && !thread.resolved) {
    words.push('acceptable');
  }
  if (thread.suggestion === true && !thread.resolved) {
    words.push('suggestion');
  }
  if (thread.state === 'outdated' || thread.state === 'detached') {
    words.push('changed');
  }
  return words.join(' ');
}

const longestTurn = 60;

/** The title of a thread's widget. */
export function threadLabel(thread: ThreadView): string {
  const parts: string[] = [];
  if (thread.resolved) {
    parts.push('Resolved');
  } else if (thread.awaiting) {
    parts.push('Not accepted yet');
  }
  if (thread.state === 'outdated') {
    parts.push('Code changed since');
  } else if (thread.state === 'detached') {
    parts.push('Code removed');
  }
  if (thread.turn !== undefined && thread.turn !== '') {
    const turn = thread.turn.replace(/\s+/g, ' ');
    parts.push(turn.length > longestTurn ? `${turn.slice(0, longestTurn - 1).trimEnd()}…` : turn);
  }
  const label = parts.length > 0 ? parts.join(' · ') : 'Comment';
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** How an author is called: the server's words for itself and the user, or a name. */
export function authorName(entry: EntryView): string {
  switch (entry.author) {
    case 'you': case 'user': return 'You';
    case 'agent': return 'Agent';
    case 'comment': case '': return 'Somebody';
    default: return entry.author;
  }
}

/** What is to be done so that what is shown is what there is. */
export interface Difference {
  readonly gone: readonly string[];
  readonly added: readonly ThreadView[];
  readonly changed: readonly ThreadView[];
}

/** Compares what is shown in one file with what the server says now. */
export function difference(shown: ReadonlyMap<string, ThreadView | undefined>, now: readonly ThreadView[], resolved: boolean): Difference {
  const wanted = new Map(now.filter(thread => resolved || !thread.resolved).map(thread => [threadKey(thread), thread]));
  const added: ThreadView[] = [], changed: ThreadView[] = [];
  for (const [key, thread] of wanted) {
    const old = shown.get(key);
    if (!shown.has(key)) {
      added.push(thread);
    } else if (JSON.stringify(old) !== JSON.stringify(thread)) {
      changed.push(thread);
    }
  }
  return { gone: [...shown.keys()].filter(key => !wanted.has(key)), added, changed };
}

/**
 * What a new comment is about. A thread that was started in the gutter names whole lines by their
 * beginnings, from the first to the last: it is about their text, without the white space around
 * it. Anything else is a selection, which is meant exactly.
 */
export function commentedRange(range: Range, line: (number: number) => string): Range {
  const { start, end } = range;
  const wholeLines = start.character === 0 && end.character === 0;
  const point = start.line === end.line && start.character === end.character;
  if (!wholeLines && !point) {
    return range;
  }
  const first = line(start.line), last = line(end.line);
  const from: Position = { line: start.line, character: first.length - first.trimStart().length };
  const to: Position = { line: end.line, character: last.trimEnd().length };
  const empty = to.line === from.line && to.character <= from.character;
  return empty ? { start: { line: start.line, character: 0 }, end: { line: end.line, character: last.length } } : { start: from, end: to };
}

/** Whether an edit that replaces `edited` may carry away what is at `range`, wherever that really is now. */
export function displaces(edited: Range, range: Range): boolean {
  const replaces = edited.start.line !== edited.end.line;
  return replaces && edited.start.line <= range.end.line && edited.end.line >= range.start.line;
}

/** Whether a file is one of the folders' files; URIs as VS Code writes them. */
export function isInside(uri: string, folders: readonly string[]): boolean {
  return folders.some(folder => uri === folder || uri.startsWith(`${folder.replace(/\/$/, '')}/`));
}
