import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LongWork, patience } from '../src/server/progress';

/** What is shown now. */
function recorder(): { work: LongWork; shown: Set<string>; settle(): Promise<void> } {
  const shown = new Set<string>();
  const work = new LongWork((title, until) => {
    shown.add(title);
    void until.then(() => shown.delete(title));
  });
  return { work, shown, settle: async () => { await Promise.resolve(); await Promise.resolve(); } };
}

test('what takes long is shown until it ends', async context => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { work, shown, settle } = recorder();
  work.report('a', { kind: 'begin', title: 'Commit' });
  work.report(1, { kind: 'begin', title: 'Sync' });
  context.mock.timers.tick(patience - 1);
  assert.deepEqual([...shown], []);
  work.report(1, { kind: 'end' });
  context.mock.timers.tick(1);
  assert.deepEqual([...shown], ['Commit']);
  work.report('a', { kind: 'report' });
  work.report('a', { kind: 'end' });
  await settle();
  assert.deepEqual([...shown], []);
});

test('nothing is shown of a server that is gone', async context => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { work, shown, settle } = recorder();
  work.report('a', { kind: 'begin', title: 'Commit' });
  context.mock.timers.tick(patience);
  work.report('b', { kind: 'begin', title: 'Sync' });
  work.clear();
  context.mock.timers.tick(patience);
  await settle();
  assert.deepEqual([...shown], []);
});
