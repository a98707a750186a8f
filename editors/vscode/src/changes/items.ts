import * as path from 'node:path';
import * as vscode from 'vscode';
import { toRange } from '../convert';
import { counts, folderOf, hasHunks, hunkKind, hunkSummary, type HunkNode } from './model';
import type { ChangesetItem, FileItem, SessionItem } from './tree';

// What the tree shows of each kind of node.

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export function sessionItem(uri: string, { title, working }: SessionItem): vscode.TreeItem {
  const item = new vscode.TreeItem(title, Expanded);
  item.iconPath = new vscode.ThemeIcon(working ? 'sync~spin' : 'comment-discussion');
  item.description = working ? 'working' : '';
  item.tooltip = uri;
  return item;
}

export function changesetItem({ label, shown, status, files }: ChangesetItem): vscode.TreeItem {
  const item = new vscode.TreeItem(label, files.length === 0 ? None : shown ? Expanded : Collapsed);
  item.iconPath = new vscode.ThemeIcon(shown ? 'eye' : 'diff-multiple');
  item.description = status === 'computing' ? 'computing…' : status === 'error' ? 'error'
    : files.length === 0 ? 'no changes' : files.length === 1 ? '1 file' : `${files.length} files`;
  item.tooltip = shown ? `${label}: its hunks are shown in the editor` : label;
  return item;
}

/** spoken: what is behind the label and the description for a screen reader. */
export function fileItem(file: FileItem): { item: vscode.TreeItem; spoken?: string } {
  const { view, review } = file;
  const uri = vscode.Uri.parse(view.uri, true);
  const item = new vscode.TreeItem(path.posix.basename(uri.path), hasHunks(file) ? Collapsed : None);
  item.resourceUri = uri;
  item.iconPath = vscode.ThemeIcon.File;
  const folder = folderOf(view.uri, (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString()));
  const what = view.created ? 'new' : view.deleted ? 'deleted' : '';
  item.description = [counts(view), what, folder].filter(part => part !== '').join('  ');
  item.tooltip = uri.fsPath;
  if (!view.deleted) {
    item.command = { command: 'vscode.open', title: 'Open', arguments: [uri] };
  }
  if (review === undefined) {
    return { item };
  }
  const spoken = review.reviewed ? 'reviewed' : 'not reviewed';
  item.checkboxState = {
    state: review.reviewed ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked,
    tooltip: review.reviewed ? 'Reviewed' : 'Mark as reviewed',
    accessibilityInformation: { label: review.reviewed ? 'Reviewed' : 'Not reviewed', role: 'checkbox' },
  };
  return { item, spoken };
}

export function hunkItem({ uri, view }: HunkNode): vscode.TreeItem {
  const item = new vscode.TreeItem(view.title.charAt(0).toUpperCase() + view.title.slice(1), None);
  const state = view.state === 'undone' ? 'reverted' : view.kept === true ? 'kept' : view.state === 'edited' ? 'edited since' : '';
  item.description = [state, hunkSummary(view)].filter(part => part !== '').join(' · ');
  item.iconPath = new vscode.ThemeIcon(view.state === 'undone' ? 'discard' : view.kept === true ? 'check' : `diff-${hunkKind(view)}`);
  item.tooltip = hunkTooltip(view.before, view.after);
  const { start } = toRange(view.range);
  item.command = {
    command: 'vscode.open', title: 'Open',
    arguments: [vscode.Uri.parse(uri, true), { selection: new vscode.Range(start, start), preview: true } satisfies vscode.TextDocumentShowOptions],
  };
  return item;
}

const longestTooltip = 4000;

function hunkTooltip(before: string, after: string): vscode.MarkdownString {
  const lines = (text: string, sign: string) => text === '' ? '' : text.replace(/\n$/, '').replace(/^/gm, sign) + '\n';
  const diff = (lines(before, '-') + lines(after, '+')).slice(0, longestTooltip);
  return new vscode.MarkdownString().appendCodeblock(diff, 'diff');
}
