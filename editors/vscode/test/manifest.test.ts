// package.json against the code, the documents, and the server's own tables.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { reloadAdvice } from '../src/notice';

const root = process.cwd();
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  capabilities: { untrustedWorkspaces: { supported: boolean | string } };
  contributes: {
    commands: { command: string; title: string; category?: string; icon?: string }[];
    menus: Record<string, { command: string; when?: string; group?: string }[]>;
    configuration: { properties: Record<string, { default: unknown; scope: string; description?: string; markdownDescription?: string }> };
    walkthroughs: { steps: { media: { markdown: string } }[] }[];
    viewsWelcome: { contents: string }[];
  };
};
const { contributes } = manifest;

const sources = (fs.readdirSync(path.join(root, 'src'), { recursive: true }) as string[]).filter(name => name.endsWith('.ts'))
  .map(name => fs.readFileSync(path.join(root, 'src', name), 'utf8')).join('\n');
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
const declared = contributes.commands.map(({ command }) => command);

/** The server's sources, where the extension lies in its repository. */
const server = serverSources();

function serverSources(): string | undefined {
  const folder = path.join(root, '../../lsp');
  if (!fs.existsSync(folder)) {
    return undefined;
  }
  return (fs.readdirSync(folder, { recursive: true }) as string[]).filter(name => name.endsWith('.go') && !name.endsWith('_test.go'))
    .map(name => fs.readFileSync(path.join(folder, name), 'utf8')).join('\n');
}

test('every command is declared once and registered', () => {
  assert.equal(new Set(declared).size, declared.length);
  for (const command of declared) {
    assert.ok(sources.includes(`'${command}'`), `${command} is not registered`);
  }
});

test('menus, welcome views and walkthroughs call commands that there are', () => {
  for (const [menu, items] of Object.entries(contributes.menus)) {
    for (const { command } of items) {
      assert.ok(declared.includes(command), `${menu}: ${command}`);
    }
  }
  const texts = JSON.stringify([contributes.viewsWelcome, contributes.walkthroughs]);
  for (const [, command = ''] of texts.matchAll(/command:(ahp\.[\w.]+)/g)) {
    assert.ok(declared.includes(command) || command === 'ahp.changes.focus', command);
  }
  for (const { steps } of contributes.walkthroughs) {
    for (const { media } of steps) {
      assert.ok(fs.existsSync(path.join(root, media.markdown)), media.markdown);
    }
  }
});

test('commands without a category are not in the palette, and all the others are documented', () => {
  const hidden = new Set(contributes.menus['commandPalette']?.filter(({ when }) => when === 'false').map(({ command }) => command));
  for (const { command, category, title } of contributes.commands) {
    assert.ok(hidden.has(command) || category === 'Agent Review', command);
    assert.ok(hidden.has(command) || readme.includes(title), `the README does not tell of ${title}`);
  }
  // What an icon is for, only its title says; what is inline must have one.
  for (const [menu, items] of Object.entries(contributes.menus)) {
    for (const { command, group } of items) {
      const inline = group?.startsWith('inline') === true && /title|item/.test(menu);
      assert.ok(!inline || contributes.commands.find(other => other.command === command)?.icon !== undefined, `${menu}: ${command} has no icon`);
    }
  }
});

test('settings have descriptions, scopes, and a row in the README', () => {
  for (const [name, setting] of Object.entries(contributes.configuration.properties)) {
    assert.ok(setting.description ?? setting.markdownDescription, name);
    assert.ok(setting.scope, name);
    assert.ok(readme.includes(`\`${name}\``), `the README does not tell of ${name}`);
  }
});

test('no command has the name of one of the server\'s, which the client registers', context => {
  if (server === undefined) {
    context.skip('the server is not here');
    return;
  }
  const servers = [...server.matchAll(/"(ahp\.[\w.]+)": +\w+\(/g)].map(([, name]) => name);
  assert.ok(servers.length > 10);
  assert.deepEqual(declared.filter(command => servers.includes(command)), []);
  for (const [, called = ''] of sources.matchAll(/(?:execute|executeQuietly|executeAnswering|act)(?:<[^(]*>)?\('(ahp\.[\w.]+)'/g)) {
    assert.ok(servers.includes(called), `the server has no ${called}`);
  }
});

test('the server has the answer that is given it to be asked for other changes', context => {
  if (server === undefined) {
    context.skip('the server is not here');
    return;
  }
  const given = /otherChanges = '([^']+)'/.exec(sources)?.[1];
  assert.equal(/answerBaselines\s*=\s*"([^"]+)"/.exec(server)?.[1], given);
});

test('the server has the advice that is left out of its messages', context => {
  if (server === undefined) {
    context.skip('the server is not here');
    return;
  }
  assert.ok(server.includes(`"${reloadAdvice}"`));
});

test('nothing runs in a folder that is not trusted', () => {
  // The server runs git, which runs what the repository's own configuration names.
  assert.equal(manifest.capabilities.untrustedWorkspaces.supported, false);
});

test('every setting of the server\'s is a setting here', context => {
  if (server === undefined) {
    context.skip('the server is not here');
    return;
  }
  const body = [...server.matchAll(/type Settings struct \{([^]*?)\n\}/g)].map(([, members]) => members).join('\n');
  const names = [...body.matchAll(/`json:"(\w+)/g)].map(([, name]) => name).filter(name => name !== 'notifications');
  assert.ok(names.length > 10);
  for (const name of names) {
    assert.ok(`ahp.${name}` in contributes.configuration.properties, `ahp.${name}`);
  }
});
