import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChangesetView, FileView, HunksView, HunkView, OperationView, Position, SessionView } from '../protocol';
import { sessionInProgress } from '../protocol';

export interface SessionNode {
  readonly type: 'session';
  readonly id: string;
  readonly title: string;
  readonly working: boolean;
  readonly changesets: readonly ChangesetNode[];
}

export interface ChangesetNode {
  readonly type: 'changeset';
  readonly id: string;
  readonly view: ChangesetView;
  readonly files: readonly FileNode[];
}

export interface FileNode {
  readonly type: 'file';
  readonly id: string;
  readonly view: FileView;
  readonly changeset: ChangesetView;
  /** The flag that the checkbox is; undefined: no changeset of the session has one. */
  readonly review: Review | undefined;
  /** What the host can do with the file now. */
  readonly offers: readonly Offer[];
}

/** An operation of the host's, and the changeset that it is invoked on. */
export interface Offer {
  readonly changeset: ChangesetView;
  readonly operation: OperationView;
}

export interface Review {
  readonly channel: string;
  readonly id: string;
  readonly reviewed: boolean;
}

export interface HunkNode {
  readonly type: 'hunk';
  readonly id: string;
  readonly uri: string;
  readonly view: HunkView;
  readonly file: FileNode;
}

export type Node = SessionNode | ChangesetNode | FileNode | HunkNode;

/** The sessions with their changesets and files, in the order in which they are shown. */
export function tree(changesets: readonly ChangesetView[], sessions: readonly SessionView[]): SessionNode[] {
  const bySession = new Map<string, ChangesetView[]>();
  for (const changeset of changesets) {
    const list = bySession.get(changeset.session);
    if (list === undefined) {
      bySession.set(changeset.session, [changeset]);
    } else {
      list.push(changeset);
    }
  }
  const place = new Map(sessions.map((session, index) => [session.uri, index]));
  return [...bySession]
    .sort(([a], [b]) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity) || a.localeCompare(b))
    .map(([uri, views]) => {
      const info = sessions.find(session => session.uri === uri);
      return {
        type: 'session', id: uri,
        title: views.find(view => view.sessionTitle !== '')?.sessionTitle ?? (info?.title || 'Session without a title'),
        working: ((info?.status ?? 0) & sessionInProgress) !== 0,
        changesets: views.sort(byKind).map(view => changesetNode(view, views)),
      } satisfies SessionNode;
    });
}

/**
 * The changesets that are not what they were, each with what it is now; undefined: there are other
 * ones, or other sessions.
 */
export function changedChangesets(old: readonly SessionNode[], now: readonly SessionNode[]): (readonly [ChangesetNode, ChangesetNode])[] | undefined {
  const shape = (nodes: readonly SessionNode[]) => JSON.stringify(nodes.map(({ changesets, ...session }) => [session, changesets.map(({ id, view }) => [id, view.shown])]));
  if (shape(old) !== shape(now)) {
    return undefined;
  }
  const is = now.flatMap(({ changesets }) => changesets);
  return old.flatMap(({ changesets }) => changesets).map((was, index) => [was, is[index]!] as const).filter(([was, is]) => JSON.stringify(was) !== JSON.stringify(is));
}

const kinds = ['session', 'uncommitted', 'branch', 'turn'];

function byKind(a: ChangesetView, b: ChangesetView): number {
  const rank = (view: ChangesetView) => view.shown ? -1 : (kinds.indexOf(view.kind) + 1 || kinds.length + 1);
  return rank(a) - rank(b) || a.channel.localeCompare(b.channel);
}

function changesetNode(view: ChangesetView, all: readonly ChangesetView[]): ChangesetNode {
  const files = [...view.files].sort((a, b) => a.uri.localeCompare(b.uri));
  return {
    type: 'changeset', id: view.channel, view,
    files: files.map(file => ({ type: 'file', id: `${view.channel}\n${file.id}`, view: file, changeset: view, review: review(file, view, all), offers: offers(file, view, all) })),
  };
}

/** A file is reviewed or not, whichever of the session's changesets it is looked at in. */
function review(file: FileView, changeset: ChangesetView, all: readonly ChangesetView[]): Review | undefined {
  for (const other of [changeset, ...all]) {
    const flag = other.files.find(candidate => candidate.canReview && candidate.uri === file.uri);
    if (flag !== undefined) {
      return { channel: other.channel, id: flag.id, reviewed: flag.reviewed };
    }
  }
  return undefined;
}

/** The kind of changesets that are not on disk yet: what can be done with them concerns them alone. */
const proposal = 'patchset';

/**
 * What its own changeset offers for a file, and behind it what the session's others do: the hunks
 * shown are the agent's own, and what throws changes away is an operation of the uncommitted ones.
 * A verb that several offer is the first one's.
 */
function offers(file: FileView, changeset: ChangesetView, all: readonly ChangesetView[]): Offer[] {
  const others = changeset.kind === proposal ? []
    : all.filter(other => other !== changeset && other.kind !== proposal && other.files.some(({ uri }) => uri === file.uri));
  const seen = new Set<string>(), out: Offer[] = [];
  for (const candidate of [changeset, ...others]) {
    for (const operation of candidate.operations) {
      if (operation.scopes.includes('resource') && !seen.has(operation.id)) {
        seen.add(operation.id);
        if (isUsable(operation)) {
          out.push({ changeset: candidate, operation });
        }
      }
    }
  }
  return out;
}

/** The hunks of a file in the changeset that they are shown from; none elsewhere. */
export function hunkNodes(file: FileNode, hunks: HunksView | null): HunkNode[] {
  if (hunks === null || hunks.channel !== file.changeset.channel) {
    return [];
  }
  return hunks.hunks.map((view, index) => ({ type: 'hunk', id: `${file.id}\n${index}`, uri: file.view.uri, view, file }));
}

/** Whether a file can be opened to look at its hunks. */
export function hasHunks(file: FileNode): boolean {
  return file.changeset.shown && !file.view.deleted;
}

/** A host's operations that can be run now, on whole changesets or on single files. */
export function operations(changeset: ChangesetView, scope: 'changeset' | 'resource'): OperationView[] {
  return changeset.operations.filter(operation => operation.scopes.includes(scope) && isUsable(operation));
}

function isUsable({ status }: OperationView): boolean {
  return status === 'idle' || status === 'error';
}

/** The operation that throws a file's changes away, as VS Code's host calls it. */
export const discard = 'discard-changes';

/** What menus look at, in words: `viewItem =~ /\bdiff\b/`. */
export function nodeContext(node: Node): string {
  const words: string[] = [node.type];
  switch (node.type) {
    case 'changeset':
      if (operations(node.view, 'changeset').length > 0) {
        words.push('operations');
      }
      if (!node.view.shown && node.view.kind !== proposal) {
        words.push('showable');
      }
      break;
    case 'file': {
      if (!node.view.deleted) {
        words.push('exists');
      }
      if (hasHunks(node)) {
        words.push('diff');
      }
      if (node.offers.length > 0) {
        words.push('operations');
      }
      if (node.offers.some(({ operation }) => operation.id === discard)) {
        words.push('discard');
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

/** A hunk that was seen earlier, among those of now: of several equal ones, the nearest. */
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
