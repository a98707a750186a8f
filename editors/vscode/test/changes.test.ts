import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discard, folderOf, hunkAt, hunkKind, hunkLines, hunkNodes, hunkSummary, nextHunk, nodeContext, sameHunk } from '../src/changes/model';
import { markedLines, markIcon, markOf, marks } from '../src/changes/marks';
import { reviewRequests } from '../src/changes/review';
import { ChangesTree, offersToRun, type ChangesetNode, type FileNode, type SessionNode } from '../src/changes/tree';
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

function sessionInfo(uri: string, more: Partial<SessionView> = {}): SessionView {
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

/** A tree of these, with everything in it at hand. */
function grown(changesets: ChangesetView[], sessions: SessionView[] = []) {
  const tree = new ChangesTree();
  tree.update(changesets, sessions);
  const session = (index: number) => tree.session(tree.roots[index]!)!;
  const nodes = (index = 0) => session(index).changesets;
  const changeset = (node: ChangesetNode) => tree.changeset(node)!;
  const files = (index: number) => changeset(nodes()[index]!).files;
  return { tree, session, nodes, changeset, files, file: (node: FileNode) => tree.file(node)!, context: (node: Parameters<typeof nodeContext>[0]) => nodeContext(node, tree) };
}

test('the tree: what is shown in the editor first, then by kind, files by name', () => {
  const { tree, session, nodes, changeset: at, files, file: view } = grown([
    changeset('turn', [file('a')]), changeset('branch', [file('b'), file('a')], { shown: true }), changeset('uncommitted', []), changeset('other', []),
  ], [sessionInfo('s', { title: 'Title', status: 8 })]);
  assert.equal(tree.roots.length, 1);
  assert.deepEqual(nodes().map(node => at(node).kind), ['branch', 'uncommitted', 'turn', 'other']);
  assert.deepEqual(files(0).map(node => view(node).view.id), ['a', 'b']);
  assert.deepEqual([session(0).title, session(0).working], ['Title', true]);
});

test('the tree: sessions in the order of the status, newest first', () => {
  const { tree, session } = grown(['z', 'a', 'unlisted'].map(uri => changeset('uncommitted', [], { session: uri, channel: uri, sessionTitle: `title of ${uri}` })), [sessionInfo('z'), sessionInfo('a')]);
  assert.deepEqual(tree.roots.map(({ id }) => id), ['z', 'a', 'unlisted']);
  assert.equal(session(2).title, 'title of unlisted');
});

test('ids are unique: the same file is in several changesets', () => {
  const { nodes, changeset: at } = grown([changeset('branch', [file('a')]), changeset('turn', [file('a')])]);
  const ids = nodes().flatMap(node => [node.id, ...at(node).files.map(({ id }) => id)]);
  assert.equal(new Set(ids).size, ids.length);
});

test('what can be done with a file: its own changeset first, each verb once', () => {
  const { nodes, changeset: at, files, file: view, context } = grown([
    changeset('session', [file('a'), file('b')], { shown: true, operations: [operation('revert')] }),
    changeset('uncommitted', [file('a')], { operations: [operation('revert'), operation('discard-changes', { confirmation: true }), operation('stage', { status: 'disabled' })] }),
    changeset('staged', [file('a')], { operations: [operation('stage'), operation('commit', { scopes: ['changeset'] })] }),
    changeset('patchset', [file('a')], { operations: [operation('apply')] }),
  ]);
  const [a, b] = files(0) as [FileNode, FileNode];
  const said = (node: FileNode) => view(node).offers.map(({ channel, operation }) => `${channel.split('/').at(-1)} ${operation.id}`);
  assert.deepEqual(said(a), ['session revert', 'uncommitted discard-changes'], 'a verb that is disabled where it is meant is not offered from elsewhere');
  assert.deepEqual(said(b), ['session revert'], 'the others do not have the file');
  assert.match(context(a), /\boperations\b.*\bdiscard\b/);
  const proposed = nodes().find(node => at(node).kind === 'patchset')!;
  assert.deepEqual(said(at(proposed).files[0]!), ['patchset apply'], 'a proposal is not on disk');
});

test('what throws changes away is what the host asks about, by whatever name', () => {
  const offer = (id: string, confirmation: boolean) => ({ channel: 'c', label: 'C', operation: operation(id, { confirmation }) });
  assert.equal(discard([offer('stage', false), offer('verwerfen', true)])?.operation.id, 'verwerfen');
  assert.equal(discard([offer('stage', false)]), undefined);
  assert.equal(discard([offer('one', true), offer('other', true)]), undefined, 'which one?');
});

test('what takes back the newest operation is offered once for a session', () => {
  const operations = [operation('undo', { group: 'undo', scopes: ['changeset'] }), operation('commit', { scopes: ['changeset'] }), operation('off', { scopes: ['changeset'], status: 'disabled' })];
  const offers = offersToRun([changeset('uncommitted', [], { operations }), changeset('staged', [], { operations }), changeset('session', [], { operations, session: 't', channel: 't/changeset' })], 'changeset');
  assert.deepEqual(offers.map(({ channel, operation }) => `${channel} ${operation.id}`), [
    's/changeset/uncommitted undo', 's/changeset/uncommitted commit', 's/changeset/staged commit', 't/changeset undo', 't/changeset commit',
  ]);
});

test('hunks can be shown from every changeset but the one that they are shown from, and proposals', () => {
  const { nodes, changeset: at, context } = grown([changeset('session', [], { shown: true }), changeset('uncommitted', []), changeset('patchset', [])]);
  assert.deepEqual(nodes().filter(node => /\bshowable\b/.test(context(node))).map(node => at(node).kind), ['uncommitted']);
});

test('the reviewed flag of whichever changeset of the session has one', () => {
  const { files, file: view, context } = grown([
    changeset('uncommitted', [file('a'), file('b')]), changeset('branch', [file('a', { id: 'A', canReview: true, reviewed: true })]),
  ]);
  assert.deepEqual(files(0).map(node => view(node).review), [{ channel: 's/changeset/branch', id: 'A', reviewed: true }, undefined]);
  assert.deepEqual(files(0).map(context), ['file exists reviewed', 'file exists']);
});

test('flags are set for many files at once', () => {
  assert.deepEqual(reviewRequests([
    { channel: 'c', id: '1', reviewed: true }, { channel: 'd', id: '2', reviewed: true }, { channel: 'c', id: '3', reviewed: true }, { channel: 'c', id: '4', reviewed: false },
  ]), [{ channel: 'c', files: ['1', '3'], reviewed: true }, { channel: 'd', files: ['2'], reviewed: true }, { channel: 'c', files: ['4'], reviewed: false }]);
});

test('hunks belong to the changeset that they are shown from', () => {
  const { nodes, changeset: at, file: view } = grown([changeset('uncommitted', [file('a')], { shown: true }), changeset('branch', [file('a')])]);
  const [shown, other] = nodes().map(node => at(node).files[0]!) as [FileNode, FileNode];
  const of = (node: FileNode, list: HunksView | null) => hunkNodes(node, view(node), list);
  assert.equal(of(shown, hunks([hunk(1, 2), hunk(5, 5)])).length, 2);
  assert.deepEqual(of(other, hunks([hunk(1, 2)])), []);
  assert.deepEqual(of(shown, null), []);
});

test('what menus look at', () => {
  const operations = [operation('discard-changes', { confirmation: true }), operation('commit', { scopes: ['changeset'] })];
  const { nodes, files, file: view, context } = grown([changeset('uncommitted', [file('a'), file('b', { deleted: true })], { shown: true, operations })]);
  const [here, deleted] = files(0) as [FileNode, FileNode];
  assert.equal(context(here), 'file exists diff operations discard');
  assert.equal(context(deleted), 'file operations discard');
  assert.equal(context(nodes()[0]!), 'changeset operations');
  const ofHunk = (shown: HunkView) => context(hunkNodes(here, view(here), hunks([shown]))[0]!);
  assert.equal(ofHunk(hunk(1, 1)), 'hunk diff revertable keepable');
  assert.equal(ofHunk(hunk(1, 1, { kept: true })), 'hunk diff revertable kept');
  assert.equal(ofHunk(hunk(1, 1, { state: 'undone', canRevert: false })), 'hunk diff');
});

test('operations that cannot run now are not offered', () => {
  for (const status of ['disabled', 'running']) {
    const { files, context } = grown([changeset('uncommitted', [file('a')], { operations: [operation('discard-changes', { status })] })]);
    assert.equal(context(files(0)[0]!), 'file exists');
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

test('a hunk of the tree among the current ones', () => {
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

test('what changed is drawn again, and nothing else', () => {
  const none: Record<string, number> = {};
  const names = Array.from({ length: 200 }, (_, index) => `f${String(index).padStart(3, '0')}`);
  const now = ({ of = names, more = {}, counts = none, title = 's', operations = [] as OperationView[] } = {}) => [
    [changeset('session', of.map(name => file(name, { added: counts[name] ?? 1 })), { shown: true, operations }), changeset('branch', [file('b')], more)] as ChangesetView[],
    [sessionInfo('s', { title })] as SessionView[],
  ] as const;
  const tree = new ChangesTree();
  assert.equal(tree.update(...now()), 'all');
  const redraw = (what?: Parameters<typeof now>[0]) => {
    const nodes = tree.update(...now(what));
    return nodes === 'all' ? nodes : nodes.map(({ id }) => id.replace('\n', ' '));
  };
  const first = (node: SessionNode | undefined) => tree.changeset(tree.session(node!)!.changesets[0]!)!.files[0];
  const root = tree.roots[0], kept = first(root);
  assert.deepEqual(redraw(), [], 'nothing');
  assert.deepEqual(redraw({ more: { status: 'computing' } }), ['s/changeset/branch']);
  assert.deepEqual(redraw(), ['s/changeset/branch']);
  assert.deepEqual(redraw({ counts: { f007: 3 } }), ['s/changeset/session f007'], 'one file');
  assert.deepEqual(redraw({ of: names.slice(1) }), ['s/changeset/session'], 'a file is gone');
  assert.deepEqual(redraw({ of: [...names].reverse() }), ['s/changeset/session'], 'a file is back');
  assert.deepEqual(redraw(), [], 'the host\'s order is not the one that is shown');
  assert.deepEqual(redraw({ counts: Object.fromEntries(names.map(name => [name, 2])) }), ['s/changeset/session'], 'very many files');
  assert.deepEqual(redraw({ operations: [operation('revert')] }), ['s/changeset/session'], 'what can be done');
  assert.deepEqual(redraw(), ['s/changeset/session']);
  assert.deepEqual(redraw({ title: 'another title' }), ['s']);
  assert.deepEqual(redraw({ title: 'another title', more: { shown: true } }), ['s', 's/changeset/branch'], 'another one is shown');
  assert.equal(tree.roots[0], root, 'nodes stay');
  assert.deepEqual(redraw({ title: 'another title' }), ['s', 's/changeset/branch']);
  assert.notEqual(first(tree.roots[0]), kept, 'but one that was gone meanwhile');
  assert.equal(tree.update([], []), 'all');
  assert.equal(tree.update(...now()), 'all');
});

test('a file that has another name, and the same id, is another file', () => {
  const tree = new ChangesTree(), at = (uri: string) => [changeset('session', [file('a', { uri }), file('b')], { shown: true })];
  tree.update(at('file:///w/a'), []);
  const [first, second] = tree.changeset(tree.session(tree.roots[0]!)!.changesets[0]!)!.files;
  assert.deepEqual(tree.update(at('file:///w/c'), []), [{ type: 'changeset', id: 's/changeset/session' }]);
  assert.deepEqual(tree.changeset(tree.session(tree.roots[0]!)!.changesets[0]!)!.files, [second, first]);
});
