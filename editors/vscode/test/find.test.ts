import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findServer, type Surroundings } from '../src/server/find';

function on(files: string[], more: Partial<Surroundings> = {}): Surroundings {
  return {
    platform: 'linux', arch: 'x64', env: { PATH: '/usr/bin:relative:/home/me/go/bin' }, home: '/home/me', workspaceFolder: '/work',
    extensionFolder: '/ext', isExecutable: file => files.includes(file), ...more,
  };
}

test('the bundled server comes before the one on the PATH', () => {
  const files = ['/home/me/go/bin/ahp-lsp', '/ext/bin/linux-x64/ahp-lsp'];
  assert.deepEqual(findServer('', on(files)), { path: '/ext/bin/linux-x64/ahp-lsp', source: 'bundled' });
  assert.deepEqual(findServer('', on(files.slice(0, 1))), { path: '/home/me/go/bin/ahp-lsp', source: 'path' });
});

test('relative folders on the PATH do not count', () => {
  assert.equal(findServer('', on(['relative/ahp-lsp', '/work/relative/ahp-lsp'])).path, undefined);
});

test('the setting wins, and is not replaced when it is wrong', () => {
  const all = ['/opt/ahp-lsp', '/ext/bin/linux-x64/ahp-lsp', '/usr/bin/other'];
  assert.deepEqual(findServer('/opt/ahp-lsp', on(all)), { path: '/opt/ahp-lsp', source: 'setting' });
  assert.deepEqual(findServer(' other ', on(all)), { path: '/usr/bin/other', source: 'setting' });
  const wrong = findServer('/opt/nothing', on(all));
  assert.ok(wrong.path === undefined && wrong.why.includes('/opt/nothing'));
});

test('variables in the setting', () => {
  for (const [setting, file] of [
    ['~/bin/ahp-lsp', '/home/me/bin/ahp-lsp'], ['${userHome}/bin/ahp-lsp', '/home/me/bin/ahp-lsp'], ['${workspaceFolder}/x', '/work/x'],
    ['./x', '/work/x'], ['${env:TOOLS}/x', '/tools/x'],
  ] as const) {
    assert.equal(findServer(setting, on([file], { env: { TOOLS: '/tools' } })).path, file, setting);
  }
  const unknown = findServer('${what}/x', on([]));
  assert.ok(unknown.path === undefined && unknown.why.includes('${what}/x'));
});

test('Windows', () => {
  const windows = { platform: 'win32', env: { Path: 'C:\\Windows;C:\\go\\bin' }, extensionFolder: 'C:\\ext' };
  assert.equal(findServer('', on(['C:\\go\\bin\\ahp-lsp.exe'], windows)).path, 'C:\\go\\bin\\ahp-lsp.exe');
  assert.equal(findServer('', on(['C:\\ext\\bin\\win32-x64\\ahp-lsp.exe'], windows)).path, 'C:\\ext\\bin\\win32-x64\\ahp-lsp.exe');
  assert.equal(findServer('C:\\tools\\ahp-lsp', on(['C:\\tools\\ahp-lsp.exe'], windows)).path, 'C:\\tools\\ahp-lsp.exe');
});
