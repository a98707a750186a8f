import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileView, HunksView, HunkView, Position } from '../protocol';
import { operations, proposal, type ChangesetNode, type ChangesTree, type FileItem, type FileNode, type Offer, type SessionNode } from './tree';

export interface HunkNode {
  readonly type: 'hunk';
  readonly id: string;
  readonly uri: string;
  readonly view: HunkView;
  readonly file: FileNode;
}

export type Node = SessionNode | ChangesetNode | FileNode | HunkNode;

/** The hunks of a file in the changeset that they are shown from; none elsewhere. */
export function hunkNodes(file: FileNode, item: FileItem, hunks: HunksView | null): HunkNode[] {
  if (hunks === null || hunks.channel !== item.channel) {
    return [];
  }
  return hunks.hunks.map((view, index) => ({ type: 'hunk', id: `${file.id}\n${index}`, uri: item.view.uri, view, file }));
}

/** Whether a file can be opened to look at its hunks. */
export function hasHunks({ shown, view }: FileItem): boolean {
  return shown && !view.deleted;
}

/**
 * What throws a file's changes away: what the host asks about before it does it, whatever the host
 * calls it. Where there are several of these nobody can say which one is meant.
 */
export function discard(offers: readonly Offer[]): Offer | undefined {
  const asking = offers.filter(({ operation }) => operation.confirmation);
  return asking.length === 1 ? asking[0] : undefined;
}

/** What menus look at, in words: `viewItem =~ /\bdiff\b/`. */
export function nodeContext(node: Node, tree: ChangesTree): string {
  const words: string[] = [node.type];
  switch (node.type) {
    case 'changeset': {
      const item = tree.changeset(node);
      if (item !== undefined && operations(item, 'changeset').length > 0) {
        words.push('operations');
      }
      if (item !== undefined && !item.shown && item.kind !== proposal) {
        words.push('showable');
      }
      break;
    }
    case 'file': {
      const item = tree.file(node);
      if (item !== undefined) {
        words.push(...fileWords(item));
      }
      break;
    }
    case 'hunk':
      words.push('diff');
      if (node.view.canRevert) {
        words.push('revertable');
      }
      if (node.view.kept === true) {
        words.push('kept');
      } else if (node.view.state !== 'undone') {
        words.push('keepable');
      }
      break;
    case 'session':
  }
  return words.join(' ');
}

function fileWords(item: FileItem): string[] {
  const words: string[] = [];
  if (!item.view.deleted) {
    words.push('exists');
  }
  if (hasHunks(item)) {
    words.push('diff');
  }
  if (item.offers.length > 0) {
    words.push('operations');
  }
  if (discard(item.offers) !== undefined) {
    words.push('discard');
  }
  if (item.review !== undefined) {
    words.push(item.review.reviewed ? 'reviewed' : 'reviewable');
  }
  return words;
}

/** A file's folder as it is written behind its name, "" at the top of the workspace. */
export function folderOf(uri: string, roots: readonly string[]): string {
  const folder = path.posix.dirname(pathOf(uri));
  for (const root of roots.map(pathOf)) {
    if (folder === root || folder.startsWith(`${root}/`)) {
      return folder.slice(root.length + 1);
    }
  }
  return folder;
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri).replaceAll('\\', '/');
  } catch {
    return decodeURIComponent(uri.replace(/^[a-z][\w+.-]*:(\/\/[^/]*)?/i, ''));
  }
}

/** "+3 −1" */
export function counts(file: FileView): string {
  const parts: string[] = [];
  if (file.added > 0) {
    parts.push(`+${file.added}`);
  }
  if (file.removed > 0) {
    parts.push(`−${file.removed}`);
  }
  return parts.join(' ');
}

/** The first line of a hunk that says something. */
export function hunkSummary(hunk: HunkView): string {
  const text = hunk.after.trim() === '' ? hunk.before : hunk.after;
  return text.split('\n').find(line => line.trim() !== '')?.trim() ?? '';
}

export type HunkKind = 'added' | 'removed' | 'modified';

export function hunkKind(hunk: HunkView): HunkKind {
  return hunk.before === '' ? 'added' : hunk.after === '' ? 'removed' : 'modified';
}

/** The first and the last line a hunk is shown on, both included. */
export function hunkLines(hunk: HunkView): { first: number; last: number } {
  const { start, end } = hunk.range;
  // A range of whole lines ends where the next line begins.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { first: start.line, last };
}

/** The hunk on a line, or undefined. */
export function hunkAt(hunks: readonly HunkView[], line: number): HunkView | undefined {
  return hunks.find(hunk => {
    const { first, last } = hunkLines(hunk);
    return first <= line && line <= last;
  });
}

/** A hunk that was seen earlier, among the current ones: of several equal ones, the nearest. */
export function sameHunk(hunks: readonly HunkView[], seen: HunkView): HunkView | undefined {
  const away = (hunk: HunkView) => Math.abs(hunk.range.start.line - seen.range.start.line);
  return hunks.filter(hunk => hunk.before === seen.before && hunk.after === seen.after).sort((a, b) => away(a) - away(b))[0];
}

/** Where to go from a line, around the file's end if need be. */
export function nextHunk(hunks: readonly HunkView[], line: number, forward: boolean): Position | undefined {
  const starts = hunks.filter(hunk => hunk.state !== 'undone').map(hunk => hunk.range.start).sort((a, b) => a.line - b.line);
  return forward
    ? starts.find(start => start.line > line) ?? starts[0]
    : starts.findLast(start => start.line < line) ?? starts.at(-1);
}
