import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentedFolders, Handover } from '../src/comments/handover';
import { Turns } from '../src/comments/turns';
import type { StatusView } from '../src/protocol';
import { Messages, numbers, Window } from './window';

const status = (more: Partial<StatusView> = {}): StatusView => ({
  state: 'connected', comments: 0, working: false,
  sessions: [{ uri: 's', title: 'S', status: 1, directories: ['file:///w'], followed: true }], ...more,
});

test('what an earlier server said stays until the next one knows everything', () => {
  const handover = new Handover();
  assert.ok(!handover.isWaiting && !handover.take(status()), 'nothing to hand over');
  handover.begin(true, true);
  for (const early of [undefined, status({ state: 'searching' }), status({ state: 'disconnected' }), status({ loading: true, sessions: [] }), status({ loading: true })]) {
    assert.ok(!handover.take(early) && handover.isWaiting, JSON.stringify(early));
  }
  assert.ok(handover.take(status()) && !handover.isWaiting);
  assert.ok(!handover.take(status()), 'once');
});

test('a server that ends before it knew everything hands over what it had', () => {
  const handover = new Handover();
  handover.begin(true, true);
  handover.take(status({ loading: true }));
  handover.begin(true, true);
  assert.ok(handover.isWaiting && handover.take(status()));
});

test('what is done to a comment waits for the server that is about to know it, and for no other', async () => {
  const done: string[] = [], handover = new Handover();
  const act = (name: string) => handover.ready().then(() => done.push(name));
  const are = async (wanted: string[], what: string) => {
    await new Promise(setImmediate);
    assert.deepEqual(done.splice(0).sort(), wanted, what);
  };
  void act('now');
  await are(['now'], 'nothing is handed over');
  handover.begin(true, true);
  handover.take(status({ state: 'searching', loading: true }));
  handover.take(status({ loading: true }));
  void act('later');
  await are([], 'the server is loading');
  handover.take(status());
  await are(['later'], 'the server knows all');
  handover.begin(true, true);
  void act('no host');
  handover.take(status({ state: 'searching' }));
  await are(['no host'], 'nobody is about to know it');
  handover.begin(true, true);
  void act('no server');
  handover.begin(true, false);
  void act('still none');
  await are(['no server', 'still none'], 'the server does not start');
});

test('where comments can be made stays while that is not known', () => {
  assert.deepEqual(commentedFolders([], status()), ['file:///w']);
  assert.deepEqual(commentedFolders(['file:///w'], undefined), ['file:///w'], 'no server');
  assert.deepEqual(commentedFolders(['file:///w'], status({ state: 'disconnected', sessions: [] })), ['file:///w'], 'no connection');
  assert.deepEqual(commentedFolders(['file:///w'], status({ loading: true, sessions: [] })), ['file:///w'], 'a server that starts');
  assert.deepEqual(commentedFolders(['file:///w'], status({ sessions: [] })), [], 'the session is gone');
  assert.deepEqual(commentedFolders([], status({ loading: true })), ['file:///w'], 'as soon as there is one');
});

/** Lets an extension and VS Code do many things at once, and says what is shown of which threads at the end. */
async function play(seed: number, careful: boolean): Promise<{ shown: string[]; threads: string[] }> {
  const random = numbers(seed), messages = new Messages(random), threads = new Set<string>();
  let steps = 12, made = 0;
  const call = (to: 'toWindow' | 'toExtension', run: () => unknown) =>
    new Promise<void>(resolve => messages.send(to, () => void Promise.resolve(run()).then(() => messages.send(to === 'toWindow' ? 'toExtension' : 'toWindow', resolve))));
  const provide = () => messages.send('toWindow', () => window.begin());
  const turns = new Turns(async () => {
    await call('toWindow', () => undefined);
    await call('toWindow', () => undefined);
  }, provide);
  const window: Window = new Window(() => call('toExtension', () => careful ? turns.answer('file', () => undefined) : undefined));
  const make = () => {
    for (let i = 0; i < 2; i++) {
      const thread = `thread ${made++}`;
      threads.add(thread);
      messages.send('toWindow', () => void window.made(thread));
    }
    return true;
  };
  const remove = () => {
    const [thread] = threads;
    if (thread !== undefined) {
      threads.delete(thread);
      messages.send('toWindow', () => void window.gone(thread));
    }
    return false;
  };
  const change = (run: () => boolean) => () => void (careful ? turns.make('file', run) : run());
  const step = [provide, () => window.begin(), change(remove), change(make), change(make)];
  window.begin();
  for (let busy = true; busy || steps > 0;) {
    if (steps > 0 && random() < 0.6) {
      steps--;
      step[Math.floor(random() * step.length)]!();
    }
    busy = await messages.deliver();
  }
  return { shown: window.widgets.sort(), threads: [...threads].sort() };
}

test('every thread is shown once, whenever VS Code asks where comments can be made', async () => {
  for (let seed = 0; seed < 300; seed++) {
    const { shown, threads } = await play(seed, true);
    assert.deepEqual(shown, threads, `seed ${seed}`);
  }
});

test('without taking turns some are shown twice, or not at all', async () => {
  let wrong = 0;
  for (let seed = 0; seed < 50; seed++) {
    const { shown, threads } = await play(seed, false);
    wrong += JSON.stringify(shown) === JSON.stringify(threads) ? 0 : 1;
  }
  assert.ok(wrong > 0, 'the window is not like VS Code\'s any more');
});
