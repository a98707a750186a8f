import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedChangesets, folderOf, hunkAt, hunkKind, hunkLines, hunkNodes, hunkSummary, nextHunk, nodeContext, sameHunk, tree } from '../src/changes/model';
import { markedLines, markIcon, markOf, marks } from '../src/changes/marks';
import type { ChangesetView, FileView, HunksView, HunkView, OperationView, SessionView } from '../src/protocol';

function file(name: string, more: Partial<FileView> = {}): FileView {
  return { uri: `file:///w/${name}`, id: name, added: 1, removed: 0, reviewed: false, canReview: false, created: false, deleted: false, ...more };
}

function changeset(kind: string, files: FileView[], more: Partial<ChangesetView> = {}): ChangesetView {
  return { channel: `s/changeset/${kind}`, session: 's', sessionTitle: '', label: kind, kind, status: 'ready', shown: false, files, operations: [], ...more };
}

function operation(id: string, more: Partial<OperationView> = {}): OperationView {
  return { id, label: id, scopes: ['resource'], status: 'idle', confirmation: false, ...more };
}

function session(uri: string, more: Partial<SessionView> = {}): SessionView {
  return { uri, title: uri, status: 1, directories: [], followed: true, ...more };
}

function hunk(first: number, last: number, more: Partial<HunkView> = {}): HunkView {
  return {
    range: { start: { line: first, character: 0 }, end: { line: last + 1, character: 0 } }, title: `lines ${first}`, state: 'live',
    before: 'old\n', after: 'new\n', canRevert: true, ...more,
  };
}

function hunks(list: HunkView[], more: Partial<HunksView> = {}): HunksView {
  return { label: 'x', session: 's', channel: 's/changeset/uncommitted', proposed: false, stale: false, hunks: list, ...more };
}

test('the tree: what is shown in the editor first, then by kind, files by name', () => {
  const [node, ...rest] = tree([
    changeset('turn', [file('a')]), changeset('branch', [file('b'), file('a')], { shown: true }), changeset('uncommitted', []), changeset('other', []),
  ], [session('s', { title: 'Title', status: 8 })]);
  assert.deepEqual(rest, []);
  assert.deepEqual(node?.changesets.map(({ view }) => view.kind), ['branch', 'uncommitted', 'turn', 'other']);
  assert.deepEqual(node?.changesets[0]?.files.map(({ view }) => view.id), ['a', 'b']);
  assert.deepEqual([node?.title, node?.working], ['Title', true]);
});

test('the tree: sessions in the order of the status, newest first', () => {
  const sessions = ['z', 'a', 'unlisted'].map(uri => changeset('uncommitted', [], { session: uri, channel: uri, sessionTitle: `title of ${uri}` }));
  const nodes = tree(sessions, [session('z'), session('a')]);
  assert.deepEqual(nodes.map(({ id }) => id), ['z', 'a', 'unlisted']);
  assert.equal(nodes[2]?.title, 'title of unlisted');
});

test('ids are unique: the same file is in several changesets', () => {
  const [node] = tree([changeset('branch', [file('a')]), changeset('turn', [file('a')])], []);
  const ids = node!.changesets.flatMap(({ id, files }) => [id, ...files.map(({ id }) => id)]);
  assert.equal(new Set(ids).size, ids.length);
});

test('what can be done with a file: its own changeset first, each verb once', () => {
  const [node] = tree([
    changeset('session', [file('a'), file('b')], { shown: true, operations: [operation('revert')] }),
    changeset('uncommitted', [file('a')], { operations: [operation('revert'), operation('discard-changes'), operation('stage', { status: 'disabled' })] }),
    changeset('staged', [file('a')], { operations: [operation('stage'), operation('commit', { scopes: ['changeset'] })] }),
    changeset('patchset', [file('a')], { operations: [operation('apply')] }),
  ], []);
  const [a, b] = node!.changesets[0]!.files;
  const said = (file: typeof a) => file!.offers.map(({ changeset, operation }) => `${changeset.kind} ${operation.id}`);
  assert.deepEqual(said(a), ['session revert', 'uncommitted discard-changes'], 'a verb that is disabled where it is meant is not offered from elsewhere');
  assert.deepEqual(said(b), ['session revert'], 'the others do not have the file');
  assert.match(nodeContext(a!), /\boperations\b.*\bdiscard\b/);
  const proposed = node!.changesets.find(({ view }) => view.kind === 'patchset')!;
  assert.deepEqual(said(proposed.files[0]), ['patchset apply'], 'a proposal is not on disk');
});

test('hunks can be shown from every changeset but the one that they are shown from, and proposals', () => {
  const [node] = tree([changeset('session', [], { shown: true }), changeset('uncommitted', []), changeset('patchset', [])], []);
  assert.deepEqual(node!.changesets.filter(changeset => /\bshowable\b/.test(nodeContext(changeset))).map(({ view }) => view.kind), ['uncommitted']);
});

test('the reviewed flag of whichever changeset of the session has one', () => {
  const [node] = tree([
    changeset('uncommitted', [file('a'), file('b')]), changeset('branch', [file('a', { id: 'A', canReview: true, reviewed: true })]),
  ], []);
  assert.deepEqual(node?.changesets[0]?.files.map(({ review }) => review), [{ channel: 's/changeset/branch', id: 'A', reviewed: true }, undefined]);
});

test('hunks belong to the changeset that they are shown from', () => {
  const [node] = tree([changeset('uncommitted', [file('a')], { shown: true }), changeset('branch', [file('a')])], []);
  const [shown, other] = node!.changesets.map(({ files }) => files[0]!);
  assert.equal(hunkNodes(shown!, hunks([hunk(1, 2), hunk(5, 5)])).length, 2);
  assert.deepEqual(hunkNodes(other!, hunks([hunk(1, 2)])), []);
  assert.deepEqual(hunkNodes(shown!, null), []);
});

test('what menus look at', () => {
  const operations = [operation('discard-changes'), operation('commit', { scopes: ['changeset'] })];
  const [node] = tree([changeset('uncommitted', [file('a'), file('b', { deleted: true })], { shown: true, operations })], []);
  const [here, deleted] = node!.changesets[0]!.files;
  assert.equal(nodeContext(here!), 'file exists diff operations discard');
  assert.equal(nodeContext(deleted!), 'file operations discard');
  assert.equal(nodeContext(node!.changesets[0]!), 'changeset operations');
  const context = (view: HunkView) => nodeContext(hunkNodes(here!, hunks([view]))[0]!);
  assert.equal(context(hunk(1, 1)), 'hunk diff revertable keepable');
  assert.equal(context(hunk(1, 1, { kept: true })), 'hunk diff revertable kept');
  assert.equal(context(hunk(1, 1, { state: 'undone', canRevert: false })), 'hunk diff');
});

test('operations that cannot run now are not offered', () => {
  for (const status of ['disabled', 'running']) {
    const [node] = tree([changeset('uncommitted', [file('a')], { operations: [operation('discard-changes', { status })] })], []);
    assert.equal(nodeContext(node!.changesets[0]!.files[0]!), 'file exists');
  }
});

test('the folder behind a file\'s name', () => {
  assert.equal(folderOf('file:///w/a.go', ['file:///w']), '');
  assert.equal(folderOf('file:///w/cmd/x%20y/a.go', ['file:///other', 'file:///w']), 'cmd/x y');
  assert.equal(folderOf('file:///elsewhere/a.go', ['file:///w']), '/elsewhere');
  assert.equal(folderOf('file:///www/a.go', ['file:///w']), '/www');
});

test('hunks: lines, kinds, summaries', () => {
  assert.deepEqual(hunkLines(hunk(3, 5)), { first: 3, last: 5 });
  assert.deepEqual(hunkLines(hunk(3, 3, { range: { start: { line: 3, character: 0 }, end: { line: 3, character: 0 } } })), { first: 3, last: 3 });
  assert.deepEqual([hunk(0, 0, { before: '' }), hunk(0, 0, { after: '' }), hunk(0, 0)].map(hunkKind), ['added', 'removed', 'modified']);
  assert.equal(hunkSummary(hunk(0, 0, { after: '\n\n\tif x {\n' })), 'if x {');
  assert.equal(hunkSummary(hunk(0, 0, { after: '' })), 'old');
});

test('the hunk at a line, and the next one, around the end', () => {
  const list = [hunk(10, 12), hunk(20, 20), hunk(30, 30, { state: 'undone' })];
  assert.equal(hunkAt(list, 12), list[0]);
  assert.equal(hunkAt(list, 13), undefined);
  const go = (line: number, forward: boolean) => nextHunk(list, line, forward)?.line;
  assert.deepEqual([go(0, true), go(10, true), go(25, true)], [10, 20, 10]);
  assert.deepEqual([go(25, false), go(20, false), go(10, false)], [20, 10, 20]);
  assert.equal(nextHunk([], 3, true), undefined);
});

test('a hunk of the tree among those of now', () => {
  const list = [hunk(10, 12), hunk(20, 20), hunk(30, 30, { after: 'other\n' })];
  assert.equal(sameHunk(list, hunk(17, 17)), list[1]);
  assert.equal(sameHunk(list, hunk(30, 30)), list[1]);
  assert.equal(sameHunk(list, hunk(30, 30, { before: 'gone\n' })), undefined);
});

test('marks in the gutter', () => {
  const mark = (view: HunkView, of: Partial<HunksView> = {}) => markOf(view, hunks([view], of));
  assert.equal(mark(hunk(1, 1)), 'changed');
  assert.equal(mark(hunk(1, 1, { after: '' })), 'removed');
  assert.equal(mark(hunk(1, 1, { state: 'edited' })), 'edited');
  assert.equal(mark(hunk(1, 1, { kept: true })), 'kept');
  assert.equal(mark(hunk(1, 1), { proposed: true }), 'proposed');
  assert.equal(mark(hunk(1, 1, { state: 'undone' })), undefined);
  assert.equal(mark(hunk(1, 1), { stale: true }), undefined, 'not in this buffer');
  assert.deepEqual(markedLines(hunks([hunk(1, 2), hunk(7, 7)])).get('changed'), [{ first: 1, last: 2 }, { first: 7, last: 7 }]);
  assert.ok([...markedLines(null).values()].every(lines => lines.length === 0), 'every mark is taken away');
  for (const mark of marks) {
    assert.match(markIcon(mark, '#123456'), /^<svg .*#123456.*<\/svg>$/);
  }
});

test('what changed in the tree is replaced, and nothing else', () => {
  const now = (more: Partial<ChangesetView> = {}, title = 's') => tree([changeset('session', [file('a')], { shown: true }), changeset('branch', [file('b')], more)], [session('s', { title })]);
  const changed = (more: Partial<ChangesetView>, title?: string) => changedChangesets(now(), now(more, title))?.map(([was, is]) => [was.view.status, is.view.status]);
  assert.deepEqual(changed({}), []);
  assert.deepEqual(changed({ status: 'computing' }), [['ready', 'computing']]);
  assert.equal(changed({ shown: true }), undefined, 'another one is shown');
  assert.equal(changed({}, 'another title'), undefined);
  assert.equal(changedChangesets(now(), []), undefined);
  assert.equal(changedChangesets([], now()), undefined);
});
