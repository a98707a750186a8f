import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentedRange, contextValue, difference, displaces, isInside, threadKey, threadLabel } from '../src/comments/model';
import type { Range, ThreadView } from '../src/protocol';

function range(startLine: number, startCharacter: number, endLine: number, endCharacter: number): Range {
  return { start: { line: startLine, character: startCharacter }, end: { line: endLine, character: endCharacter } };
}

function thread(annotation: string, more: Partial<ThreadView> = {}): ThreadView {
  return {
    session: 'ahp-session:/1', annotation, range: range(3, 0, 3, 5), state: 'live', resolved: false, awaiting: false, canAccept: false,
    entries: [{ id: `${annotation}:0`, author: 'agent', text: 'Hello', markdown: true, own: false }], ...more,
  };
}

test('the difference between what is shown and what there is', () => {
  const same = thread('same'), old = thread('moves'), moved = thread('moves', { range: range(9, 0, 9, 5) });
  const shown = new Map([same, old, thread('gone')].map(view => [threadKey(view), view]));
  const { gone, added, changed } = difference(shown, [thread('same'), moved, thread('new')], true);
  assert.deepEqual(gone.map(key => key.split('\n')[1]), ['gone']);
  assert.deepEqual(added.map(({ annotation }) => annotation), ['new']);
  assert.deepEqual(changed, [moved]);
});

test('a thread that was just made here is brought up to date', () => {
  const mine = thread('mine');
  assert.deepEqual(difference(new Map([[threadKey(mine), undefined]]), [mine], true), { gone: [], added: [], changed: [mine] });
});

test('the same comment of two sessions is two threads', () => {
  const one = thread('a'), other = thread('a', { session: 'ahp-session:/2' });
  assert.deepEqual(difference(new Map([[threadKey(one), one]]), [one, other], true).added, [other]);
});

test('resolved threads, where they are not wanted, go and come', () => {
  const open = thread('a'), resolved = thread('a', { resolved: true });
  assert.deepEqual(difference(new Map([[threadKey(open), open]]), [resolved], false).gone, [threadKey(open)]);
  assert.deepEqual(difference(new Map(), [resolved], false), { gone: [], added: [], changed: [] });
  assert.deepEqual(difference(new Map(), [resolved], true).added, [resolved]);
});

test('what menus look at', () => {
  assert.equal(contextValue(thread('a')), 'open');
  assert.equal(contextValue(thread('a', { canAccept: true, suggestion: true, state: 'outdated' })), 'open acceptable suggestion changed');
  assert.equal(contextValue(thread('a', { canAccept: true, suggestion: true, resolved: true, state: 'detached' })), 'resolved changed');
});

test('the title of a thread', () => {
  assert.equal(threadLabel(thread('a')), 'Comment');
  assert.equal(threadLabel(thread('a', { awaiting: true, state: 'detached', turn: 'turn 2: x' })), 'Not accepted yet · Code removed · turn 2: x');
  assert.equal(threadLabel(thread('a', { resolved: true, awaiting: true })), 'Resolved');
  assert.equal(threadLabel(thread('a', { turn: 'turn 1: one\ntwo' })), 'Turn 1: one two');
  assert.ok(threadLabel(thread('a', { turn: 'long '.repeat(100) })).length <= 60);
});

test('what a comment that was started in the gutter is about', () => {
  const lines = ['func main() {', '\tgreet()  ', '', '}'];
  const about = (of: Range) => commentedRange(of, number => lines[number] ?? '');
  assert.deepEqual(about(range(1, 0, 1, 0)), range(1, 1, 1, 8), 'one line');
  assert.deepEqual(about(range(0, 0, 3, 0)), range(0, 0, 3, 1), 'whole lines, the last included');
  assert.deepEqual(about(range(1, 4, 1, 4)), range(1, 1, 1, 8), 'a cursor');
  assert.deepEqual(about(range(1, 2, 1, 4)), range(1, 2, 1, 4), 'a selection');
  assert.deepEqual(about(range(2, 0, 2, 0)), range(2, 0, 2, 0), 'an empty line');
});

test('which edits may carry a thread away', () => {
  const at = range(10, 0, 12, 4);
  assert.ok(displaces(range(0, 0, 100, 0), at), 'the whole file');
  assert.ok(displaces(range(12, 0, 13, 0), at), 'the last line');
  assert.ok(!displaces(range(0, 0, 9, 9), at), 'above');
  assert.ok(!displaces(range(13, 0, 20, 0), at), 'below');
  assert.ok(!displaces(range(11, 3, 11, 9), at), 'within a line, with which it moves');
});

test('files of a folder', () => {
  assert.ok(isInside('file:///w/a.go', ['file:///x', 'file:///w']) && isInside('file:///w/a.go', ['file:///w/']));
  assert.ok(!isInside('file:///www/a.go', ['file:///w']) && !isInside('file:///w/a.go', []));
});
