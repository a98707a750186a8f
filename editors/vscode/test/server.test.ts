import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notice, reloadAdvice } from '../src/notice';
import { asQuestion } from '../src/question';
import { filterActions, filterLenses } from '../src/server/filter';
import { logLine } from '../src/server/log';
import { serverSettings } from '../src/settings';
import { spokenStatus, statusText, type State } from '../src/statusText';
import type { StatusView } from '../src/protocol';

test('settings: empty ones are left out, ours stay here', () => {
  assert.deepEqual(serverSettings({ host: '', session: 'all', maxSessions: 8, token: 'secret', server: { path: 'x' }, comments: true, hunkDecorations: true, trace: {}, diagnostics: null, showResolved: null }),
    { session: 'all', maxSessions: 8, diagnostics: false, showResolved: false });
});

test('settings: diagnostics are for those who do not want comment threads, unless they say so', () => {
  assert.equal(serverSettings({ comments: false, diagnostics: null })['diagnostics'], true);
  assert.equal(serverSettings({ comments: true, diagnostics: true })['diagnostics'], true);
  assert.equal(serverSettings({ comments: false, diagnostics: false })['diagnostics'], false);
});

test('a warning with answers is asked in a dialog, which Escape declines', () => {
  const question = asQuestion(2, 'Discard?\nThe buffer has unsaved changes.', [{ title: 'Discard' }, { title: 'Cancel' }]);
  assert.deepEqual(question, {
    message: 'Discard?', detail: 'The buffer has unsaved changes.', as: 'dialog',
    actions: [{ title: 'Discard', isCloseAffordance: false }, { title: 'Cancel', isCloseAffordance: true }],
  });
});

test('other questions are not', () => {
  const question = asQuestion(3, 'Which?\nSay.', [{ title: 'One' }, { title: 'Cancel' }]);
  assert.deepEqual([question.as, question.message, question.detail, question.actions[1]?.isCloseAffordance], ['message', 'Which?\nSay.', undefined, false]);
  assert.equal(asQuestion(2, 'Just so you know', []).as, 'message');
});

test('a message of the server\'s as a notification', () => {
  const discarded = `ahp: Discard Changes: Discarded \`a.go\`.${reloadAdvice}`;
  assert.equal(notice(discarded, false), 'Agent Review: Discard Changes: Discarded a.go.', 'VS Code reloads by itself');
  assert.equal(notice(discarded, true), `Agent Review: Discard Changes: Discarded a.go.${reloadAdvice}`, 'but not over unsaved text');
});

test('much to choose from is a list', () => {
  const question = asQuestion(3, 'ahp: Which?', ['One', 'Two', 'Three', 'Four'].map(title => ({ title })));
  assert.deepEqual([question.as, question.message, question.actions.length], ['list', 'Which?', 4]);
  assert.equal(asQuestion(2, 'Which?', ['One', 'Two', 'Three', 'Cancel'].map(title => ({ title }))).as, 'dialog', 'what destroys is never a list');
});

const command = (command: string, argument: object = {}) => ({ title: command, command: { command, arguments: [argument] } });

test('comments that are threads have no lenses', () => {
  const lenses = ['ahp.thread.show', 'ahp.annotation.reply', 'ahp.hunk.revert', 'ahp.before.show'].map(name => command(name));
  assert.deepEqual(filterLenses(lenses, true).map(({ title }) => title), ['ahp.hunk.revert', 'ahp.before.show']);
  assert.equal(filterLenses(lenses, false).length, 4);
});

test('no light bulb for what can be done on any line', () => {
  const actions = [
    command('ahp.annotation.create', {}), command('ahp.annotation.create', { text: 'from a line' }), command('ahp.operation.invoke', { target: { uri: 'x' } }),
    command('ahp.operation.invoke', { target: { uri: 'x', range: {} } }), command('ahp.file.setReviewed'), { title: 'an edit', edit: {} },
    { title: 'a bare command', command: 'ahp.annotation.create', arguments: [{}] },
  ];
  assert.deepEqual(filterActions(actions, true), [actions[1], actions[3], actions[5]]);
  assert.equal(filterActions(actions, false).length, actions.length);
});

test('the status bar', () => {
  const status: StatusView = {
    state: 'connected', host: 'ws://x*y*', protocol: '0.9.0', comments: 3, working: false,
    sessions: [{ uri: 's', title: 'One [two](http://x)', status: 8, directories: null, followed: true }, { uri: 't', title: 'Other', status: 1, directories: [], followed: false }],
  };
  const { text, tooltip, warning } = statusText('connected', status);
  assert.match(text, /Agent \$\(comment\) 3$/);
  assert.match(tooltip, /One \\\[two\\\]\\\(http:\/\/x\\\) \(working\)/, 'nothing of the host\'s is read as Markdown');
  assert.ok(!tooltip.includes('Other') && tooltip.includes('3 open comments') && !warning);
  assert.match(statusText('connected', { ...status, working: true, comments: 0 }).text, /^\$\(sync~spin\) Agent$/);
  assert.equal(spokenStatus('connected', { ...status, working: true, comments: 1 }), 'Agent Review: connected, 1 open comment, the agent is working');
  assert.equal(spokenStatus('connected', { ...status, working: false, comments: 0 }), 'Agent Review: connected, no open comments');
  assert.match(statusText('disconnected', { ...status, error: 'refused' }).tooltip, /refused/);
  for (const state of ['missing', 'stopped', 'starting', 'searching', 'connecting', 'connected', 'disconnected'] satisfies State[]) {
    assert.match(statusText(state, undefined).text, /Agent/);
    assert.match(spokenStatus(state, undefined), /^Agent Review: /);
    assert.equal(statusText(state, undefined).warning, state === 'missing' || state === 'disconnected');
  }
});

test('a line of the server\'s log has its level, and one time', () => {
  assert.deepEqual(logLine('2026/11/22 06:06:04.093   WARN [ahp] hosts: nobody'), { level: 'warn', text: '[ahp] hosts: nobody' });
  assert.deepEqual(logLine('2026/11/22 06:06:04.093  ERROR [ahp.bridge] list sessions: no'), { level: 'error', text: '[ahp.bridge] list sessions: no' });
  assert.deepEqual(logLine('\u001b[36m2026/11/22 06:06:04.093\u001b[0m  DEBUG [ahp] x'), { level: 'debug', text: '[ahp] x' });
  assert.deepEqual(logLine('panic: runtime error'), { level: 'error', text: 'panic: runtime error' });
  assert.deepEqual(logLine('goroutine 1 [running]:'), { level: 'error', text: 'goroutine 1 [running]:' });
});
