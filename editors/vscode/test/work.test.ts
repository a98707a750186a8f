import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Delayed, Work } from '../src/work';

/** Work whose runs end when the test ends them. */
function controlled(limit?: number) {
  const started: string[] = [], ends = new Map<string, () => void>(), failed: unknown[] = [];
  const work = new Work(key => {
    started.push(key);
    return new Promise<void>(resolve => ends.set(key, resolve));
  }, error => failed.push(error), limit);
  const end = async (key: string) => {
    ends.get(key)?.();
    await new Promise(resolve => setImmediate(resolve));
  };
  return { work, started, end, failed };
}

test('a key runs once at a time, and once more if it was asked for meanwhile', async () => {
  const { work, started, end } = controlled();
  work.request('a');
  work.request('a');
  work.request('a');
  assert.deepEqual(started, ['a']);
  await end('a');
  assert.deepEqual(started, ['a', 'a']);
  await end('a');
  assert.deepEqual(started, ['a', 'a']);
});

test('other keys run beside it, as many as may', async () => {
  const { work, started, end } = controlled(2);
  for (const key of ['a', 'b', 'c', 'a']) {
    work.request(key);
  }
  assert.deepEqual(started, ['a', 'b']);
  await end('b');
  assert.deepEqual(started, ['a', 'b', 'c']);
  await end('a');
  assert.deepEqual(started, ['a', 'b', 'c', 'a']);
});

test('a failure is reported, and the next one runs', async () => {
  const failed: string[] = [];
  const work = new Work(key => Promise.reject(new Error(key)), (_, key) => failed.push(key), 1);
  work.request('a');
  work.request('b');
  await new Promise(resolve => setImmediate(resolve));
  assert.deepEqual(failed, ['a', 'b']);
});

test('nothing starts after the end', async () => {
  const { work, started, end } = controlled(1);
  work.request('a');
  work.request('b');
  work.dispose();
  work.request('c');
  await end('a');
  assert.deepEqual(started, ['a']);
});

test('a burst of events is one event', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  const delayed = new Delayed(() => runs++, 100);
  delayed.request();
  mock.timers.tick(99);
  delayed.request();
  mock.timers.tick(99);
  assert.equal(runs, 0);
  mock.timers.tick(1);
  assert.equal(runs, 1);
  delayed.request();
  delayed.dispose();
  mock.timers.tick(1000);
  assert.equal(runs, 1);
  mock.timers.reset();
});
