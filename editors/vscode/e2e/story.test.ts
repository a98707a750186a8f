// One story in VS Code itself, against a real agent host: the agent changes two files and leaves
// three comments; the user looks, answers, takes back, and goes on working while the agent does.
//
// Its steps build on each other. Behind one that failed the next one begins in a window, a folder and
// a session of its own, in which everything before it was done (world.ts).
// Each step leaves a picture in the artefacts. run.sh says where everything is, in the environment.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Editor, patience } from './editor.ts';
import { Host, textOf, type Session } from './host.ts';
import {
  effects, firstTurn, loopLine, newLoop, newServerComment, newSession, oldLoop, readme, secondTurn, thirdTurn, userComment, userLine, wordComment, wordLine,
  type Effect,
} from './world.ts';

function env(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: start these tests with e2e/run.sh`);
  return value;
}

/** Empty: the server in the package. */
const serverPath = process.env['AHP_E2E_SERVER'] ?? '';

let host: Host, agent: Session, editor: Editor, data: string;
const agents: Session[] = [];

before(async () => {
  data = fs.mkdtempSync(path.join(os.tmpdir(), 'ahp-vscode-'));
  const tools = env('AHP_E2E_HOST'), artefacts = env('AHP_E2E_ARTEFACTS');
  host = await Host.start(env('AHP_E2E_HOST_SCRIPTS'), tools, path.join(data, 'host'));
  agents.push(agent = await newSession(host, path.join(data, 'greet')));
  const tokenFile = path.join(data, 'token');
  fs.writeFileSync(tokenFile, `${host.token}\n`, { mode: 0o600 });
  // The agent works while the editor starts.
  [editor] = await Promise.all([
    Editor.start({
      tools, data: path.join(data, 'editor'), vsix: env('AHP_E2E_VSIX'), workspace: agent.folder, artefacts, chromium: env('AHP_E2E_CHROMIUM'),
      settings: {
        'ahp.server.path': serverPath, 'ahp.server.args': ['--log-file', path.join(artefacts, 'server.log'), '--log-level', 'debug'],
        'ahp.host': host.url, 'ahp.tokenFile': tokenFile,
      },
    }),
    firstTurn(agent),
  ]);
}, { timeout: 4 * patience });

after(async () => {
  await editor?.stop();
  for (const session of agents) {
    session.close();
  }
  await host?.stop();
  fs.rmSync(data, { recursive: true, force: true });
});

/** Every step begins in a world of its own, not only the one behind one that failed. */
const apart = Boolean(process.env['AHP_E2E_APART']);
/** What the steps so far leave behind, and whether the world is another. */
const past: Effect[] = [];
let broken = apart;

/** A step of the story; leaves: what it does to the world that later steps build on. */
function step(name: string, run: () => Promise<void>, leaves?: Effect): void {
  const before = [...past];
  if (leaves !== undefined) {
    past.push(leaves);
  }
  test(name, { timeout: 4 * patience }, async () => {
    try {
      if (broken) {
        await beginAgain(before);
      }
      await run();
      broken = apart;
    } catch (error) {
      broken = true;
      await editor?.shot(`FAILED-${name.replaceAll(/\W+/g, '-')}`).catch(() => undefined);
      throw error;
    }
  });
}

async function beginAgain(past: readonly Effect[]): Promise<void> {
  editor.server.resetSettings();
  editor.server.set({ 'comments.openView': 'never' }); // threads need the room
  agents.push(agent = await newSession(host, path.join(data, `again-${agents.length}`, 'greet')));
  await firstTurn(agent);
  for (const effect of past) {
    await effect(agent);
  }
  await editor.openFolder(agent.folder);
  await editor.open('greet.go');
  await connected();
  // Once it is known where comments can be made, VS Code has shown those that there are.
  await editor.until('lines to comment on', async () => (await editor.marked('.comment-diff-added')).length > 0);
}

const onDisk = (name: string) => fs.readFileSync(path.join(agent.folder, name), 'utf8');
const line = async (number: number) => (await editor.lines()).get(number);
const commentRows = () => editor.page.locator('.comments-panel .monaco-list-row');
const connected = () => editor.page.locator('.statusbar-item').filter({ hasText: /Agent\s*\d/ }).waitFor();

/** The tree of changes, with the agent's in greet.go unfolded. */
async function tree(): Promise<void> {
  await editor.view('Agent Review');
  await editor.treeRow('Scripted session').waitFor();
  await editor.expand(editor.treeRow(/greet\.go/));
}

step('the comments are in the gutter and in the Comments panel', async () => {
  await editor.open('greet.go');
  await editor.waitCommented(wordLine, loopLine);
  await editor.equal('the marks of the agent\'s lines', () => editor.marked('.cgmr'), [10, 11, 12, 13, 18, 19]);
  await editor.page.locator('.statusbar-item').filter({ hasText: /Agent\s*3/ }).waitFor();
  await editor.command('Comments: Focus on Comments View');
  await commentRows().filter({ hasText: 'Which licence do you want?' }).waitFor();
  await commentRows().filter({ hasText: 'I used a range loop' }).waitFor();
  await editor.equal('the comments in the panel', () => commentRows().filter({ hasText: 'Ln ' }).count(), 3);
  await editor.shot('comments');
  assert.match(editor.server.log(), serverPath === '' ? /Starting .* \(bundled\)/ : /Starting .* \(setting\)/);
  await editor.command('View: Hide Panel'); // threads need the room
  await editor.page.locator('.comments-panel').waitFor({ state: 'hidden' });
});

step('a thread has the whole comment, and a reply reaches the host', async () => {
  const thread = await editor.thread(wordLine);
  await thread.locator('strong', { hasText: 'stranger' }).waitFor(); // Markdown
  await thread.getByText('Not accepted yet').waitFor();
  await editor.write(thread, 'An *error*, please.');
  await editor.shot('reply');
  await editor.picture('comments', { x: 352, y: 70, width: 928, height: 620 });
  await thread.getByRole('button', { name: /^Reply \(/ }).click();
  const { entries } = await agent.annotation('the reply', ({ entries }) => entries.length === 2);
  assert.equal(textOf(entries[1]), 'An *error*, please.');
  await thread.locator('.review-comment', { hasText: 'An *error*, please.' }).waitFor(); // plain text
  await editor.shot('replied');
}, effects.replied);

step('the user edits the reply and accepts the comment', async () => {
  const thread = await editor.thread(wordLine);
  const reply = thread.locator('.review-comment').nth(1);
  await reply.hover();
  await reply.getByRole('button', { name: 'Edit Comment' }).click();
  await reply.locator('.monaco-editor.focused').waitFor();
  await editor.page.keyboard.press('Control+A');
  await editor.page.keyboard.type('A panic would be too much.');
  await reply.getByRole('button', { name: /^Save/ }).click();
  await agent.annotation('the edited reply', ({ entries }) => textOf(entries[1]) === 'A panic would be too much.');
  await thread.getByRole('button', { name: /^Accept Comment/ }).click();
  await agent.annotation('the comment to be accepted', ({ entries, _meta }) => textOf(entries[0]) === wordComment && _meta?.['vscode.agentFeedback']?.state === 'accepted');
  await thread.getByText('Not accepted yet').waitFor({ state: 'hidden' });
  await thread.getByText('A panic would be too much.').waitFor();
  await editor.shot('edited-and-accepted');
}, effects.accepted);

step('resolving and reopening', async () => {
  const isResolved = (wanted: boolean) => agent.annotation(wanted ? 'the resolved comment' : 'the reopened comment',
    ({ entries, resolved }) => textOf(entries[0]) === wordComment && resolved === wanted);
  await (await editor.thread(wordLine)).getByRole('button', { name: 'Resolve Comment' }).click();
  await isResolved(true);
  await editor.waitCommented(loopLine);
  await editor.equal('the line with the resolved comment', () => editor.resolved(), [wordLine]);
  await editor.shot('resolved');
  const thread = await editor.thread(wordLine);
  await thread.getByRole('button', { name: 'Reopen Comment' }).click();
  await isResolved(false);
  await editor.waitCommented(wordLine, loopLine);
  await thread.getByRole('button', { name: 'Resolve Comment' }).click();
  await isResolved(true);
  await editor.page.locator('.review-widget:visible').waitFor({ state: 'hidden' });
}, effects.resolved);

step('a hunk is reverted by its lens, undone, and reverted again from the tree', async () => {
  const before = 'for i := 0; i < len(names); i++ {', agents = 'for _, name := range names {';
  const is = (text: string) => editor.until(`line 18 to be ${text}`, async () => (await line(18))?.trim() === text);
  const lens = editor.editor.locator('.codelens-decoration a', { hasText: /Revert hunk \(lines 18–19/ });
  await lens.click();
  await is(before);
  await editor.equal('the marks that are left', () => editor.marked('.cgmr'), [10, 11, 12, 13]);
  await lens.waitFor({ state: 'hidden' });
  await editor.shot('reverted');
  await editor.focus();
  await editor.page.keyboard.press('Control+Z');
  await is(agents);
  await editor.equal('the marks after undo', () => editor.marked('.cgmr'), [10, 11, 12, 13, 18, 19]);
  await lens.waitFor();
  await editor.shot('undone');

  await tree();
  const hunk = editor.treeRow(/Lines 18–19/);
  await hunk.waitFor();
  await editor.expand(editor.treeRow(/README\.md/)); // which no editor shows
  await editor.treeRow(/Line 7/).waitFor();
  await editor.shot('tree');
  await editor.picture('hunks', { x: 0, y: 36, width: 928, height: 500 });
  await editor.treeAction(hunk, /^Revert Hunk/, editor.treeRow(/reverted/));
  await is(before);
  await lens.waitFor({ state: 'hidden' });
  await editor.shot('reverted-again');
  assert.ok(onDisk('greet.go').includes(newLoop), 'nothing is saved that the user did not save');
  await editor.focus();
  await editor.page.keyboard.press('Control+S');
  await editor.page.locator('.tab.active.dirty').waitFor({ state: 'hidden' });
  assert.ok(onDisk('greet.go').includes(oldLoop), 'what the user saved is on disk');
  await editor.shot('saved');
}, effects.reverted);

step('a hunk is kept', async () => {
  await tree();
  const lens = editor.editor.locator('.codelens-decoration a', { hasText: /Revert hunk \(lines 10–13/ });
  await editor.treeAction(editor.treeRow(/Lines 10–13/), /^Keep Hunk/, editor.treeRow(/Lines 10–13.*kept/));
  await lens.waitFor({ state: 'hidden' });
  await editor.shot('kept');
  await editor.treeAction(editor.treeRow(/Lines 10–13/), /^Review Hunk Again/, lens);
  await editor.treeRow(/Lines 10–13.*kept/).waitFor({ state: 'hidden' });
});

step('the text from before is shown beside the current text', async () => {
  await tree();
  await editor.treeAction(editor.treeRow(/greet\.go/), /^Open Diff/, editor.page.locator('.tab.active', { hasText: 'before the agent' }));
  const diff = editor.page.locator('.monaco-diff-editor');
  await diff.locator('.original .view-line', { hasText: '"Hello " + name' }).waitFor();
  await diff.locator('.modified .view-line', { hasText: 'fmt.Sprintf' }).waitFor();
  await editor.shot('diff');
  await editor.closeTab('before the agent');
});

step('hunks of other changes are shown on request', async () => {
  await tree();
  const title = (text: RegExp) => editor.editor.locator('.codelens-decoration a', { hasText: text }).first();
  const choice = (text: RegExp) => editor.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  await title(/^Session Changes: /).waitFor();
  await editor.treeAction(editor.treeRow('Uncommitted Changes'), /^Show Hunks from This Changeset/, title(/^Uncommitted Changes: 1 hunk/));
  await editor.treeRow(/greet\.go/).waitFor(); // what is shown is unfolded
  await editor.shot('uncommitted');

  await editor.command('Agent Review: Choose Session to Review…');
  await choice(/Newest of This Folder/).waitFor();
  await editor.shot('sessions');
  await choice(/Choose Which Changes Are Shown as Hunks/).click();
  await choice(/Uncommitted Changes \(shown\)/).waitFor();
  await editor.shot('other-changes');
  await choice(/Turn 1: Make the greeting friendlier/).click();
  await title(/^Turn 1: Make the greeting friendlier/).waitFor();
  await editor.treeRow(/greet\.go/).waitFor();
  await editor.shot('turn');

  await editor.command('Agent Review: Show the Agent\'s Own Changes as Hunks');
  await title(/^Session Changes: /).waitFor();
  await editor.treeRow(/^Session Changes/).waitFor();
});

step('a file is marked as reviewed', async () => {
  await tree();
  const reviewed = (wanted: boolean) => agent.changeset('branch', 'the reviewed flag',
    ({ files }) => files.some(file => file.edit.after?.uri === agent.fileUri('greet.go') && (file.reviewed ?? false) === wanted));
  const box = editor.treeRow(/greet\.go/).getByRole('checkbox');
  await box.click();
  await reviewed(true);
  await editor.until('the box to be checked', async () => await box.getAttribute('aria-checked') === 'true');
  const row = editor.treeRow(/greet\.go/);
  assert.match(await row.getAttribute('aria-label') ?? '', /, reviewed\b/);
  await editor.shot('reviewed');
  await row.click({ button: 'right' });
  await editor.page.getByRole('menuitem', { name: 'Mark as Not Reviewed' }).click();
  await reviewed(false);
  await editor.until('it to be said', async () => /, not reviewed\b/.test(await row.getAttribute('aria-label') ?? ''));
});

step('changes are discarded only after a yes in a dialog', async () => {
  await tree();
  await agent.changeset('uncommitted', 'discarding to be possible', ({ operations }) => operations?.some(({ id, status }) => id === 'discard-changes' && status === 'idle') ?? false);
  const row = editor.treeRow(/README\.md/);
  await editor.expand(row);
  await editor.treeRow(/Line 7/).waitFor();
  await editor.treeAction(row, /^Discard Changes/, editor.dialog);
  assert.match(await editor.dialog.innerText(), /README\.md/);
  await editor.shot('discard-asked');
  await editor.dialog.getByRole('button', { name: 'Cancel' }).click();
  await editor.dialog.waitFor({ state: 'hidden' });
  assert.notEqual(onDisk('README.md'), readme);

  await editor.treeAction(row, /^Discard Changes/, editor.dialog);
  await editor.dialog.getByRole('button', { name: 'Discard Changes' }).click();
  await agent.changeset('uncommitted', 'README.md to leave it', ({ files }) => !files.some(file => file.edit.after?.uri === agent.fileUri('README.md')));
  assert.equal(onDisk('README.md'), readme);
  await editor.treeRow(/Uncommitted Changes.*1 file$/).waitFor();
  // It is still what the agent did, but not there any more.
  await editor.treeRow(/Line 7.*reverted/).waitFor();
  await editor.treeRow(/computing/).waitFor({ state: 'hidden' });
  await editor.shot('discarded');
}, effects.discarded);

step('a comment of the user\'s reaches the agent', async () => {
  await editor.open('greet.go');
  await editor.goTo(userLine);
  await editor.command('Agent Review: Comment on Selection…');
  const thread = editor.page.locator('.review-widget:visible').first();
  await thread.locator('.comment-form .monaco-editor.focused').waitFor();
  await editor.page.keyboard.type(userComment);
  await editor.shot('commenting');
  await thread.getByRole('button', { name: /^Comment/ }).first().click();
  await editor.waitCommented(loopLine, userLine);
  const comments = await agent.agentSees();
  const comment = comments.find(({ text }) => text === userComment);
  assert.ok(comment, JSON.stringify(comments));
  assert.equal(comment.resourceUri, agent.fileUri('greet.go'));
  assert.deepEqual(comment.range, { startLineNumber: userLine, startColumn: 2, endLineNumber: userLine, endColumn: 23 });
  await editor.equal('the threads on the line', () => editor.page.locator('.review-widget:visible').count(), 1);
  await editor.shot('commented');
  await editor.page.keyboard.press('Escape');
  await editor.collapseThreads();
}, effects.commented);

step('comments follow while the user types and the agent rewrites the file', async () => {
  await editor.goTo(1);
  await editor.page.keyboard.press('Home');
  await editor.page.keyboard.type('var unsaved = 1\nvar alsoUnsaved = 2\n');
  await editor.waitCommented(loopLine + 2, 26);
  await editor.equal('the marks', () => editor.marked('.cgmr'), [12, 13, 14, 15]);

  // The agent writes, while the buffer has unsaved text.
  await secondTurn(agent);
  await editor.waitCommented(loopLine + 2, 26);
  await editor.shot('dirty-while-the-agent-writes');

  // Taken back, the buffer is clean, and VS Code reads what the agent wrote.
  await editor.command('File: Revert File');
  await editor.until('the agent\'s text', async () => (await line(1)) === '// Command greet greets.');
  await editor.waitCommented(loopLine + 1, 25);
  assert.match(await line(loopLine + 1) ?? '', /func greetAll/);
  assert.match(await line(25) ?? '', /greetAll\(os/);
  const thread = await editor.thread(loopLine + 1);
  await thread.getByText('Code changed since').waitFor();
  await editor.shot('followed');
  await thread.getByRole('button', { name: /^Show the Code/ }).click();
  await editor.page.locator('.monaco-diff-editor .original .view-line', { hasText: 'names []string' }).waitFor();
  await editor.shot('original-code');
  await editor.closeTab('commented on');
  await editor.waitCommented(loopLine + 1, 25); // the file is back
  await editor.collapseThreads();

  // And while the file is open and clean, with a comment made meanwhile.
  await thirdTurn(agent);
  await editor.until('the agent\'s text', async () => (await line(1)) === '// Copyright: none.');
  await editor.waitCommented(1, loopLine + 3, 27);
  await editor.equal('the marks', () => editor.marked('.cgmr'), [1, 2, 3, 13, 14, 15, 16, 20, 27, 29, 30]);
  await editor.editor.locator('.codelens-decoration a', { hasText: 'Revert hunk (lines 1–3' }).waitFor();
  await editor.shot('followed-again');
}, effects.followed);

step('a comment is deleted only after a yes in a dialog', async () => {
  const thread = await editor.thread(27);
  await thread.getByRole('button', { name: 'Delete Comment' }).click();
  await editor.dialog.waitFor();
  await editor.shot('delete-asked');
  await editor.dialog.getByRole('button', { name: 'Delete' }).click();
  await editor.waitCommented(1, loopLine + 3);
  assert.ok(!(await agent.agentSees()).some(({ text }) => text === userComment));
}, effects.deleted);

step('the status has its menu, and the server restarts', async () => {
  const starts = () => editor.server.log().match(/Starting .*ahp-lsp/g)?.length ?? 0, before = starts();
  await editor.page.locator('.statusbar-item', { hasText: 'Agent' }).first().click();
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Restart Language Server' }).waitFor();
  await editor.shot('status');
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Restart Language Server' }).click();
  await editor.until('another server', async () => starts() === before + 1);
  await editor.waitCommented(1, loopLine + 3);
  await editor.equal('no message', () => editor.page.locator('.notification-toast', { hasText: /error|failed/i }).count(), 0);
  await editor.shot('restarted');
});

/** What is written in the boxes that are visible. */
const written = (text: string) => editor.page.locator('.review-widget:visible .monaco-editor .view-line', { hasText: text });

/** Ends the language server, and waits until the next one is connected. */
async function endServer(signal: NodeJS.Signals, during = async () => {}): Promise<void> {
  const old = editor.server.languageServer();
  assert.ok(old);
  process.kill(old, signal);
  await during();
  if (signal !== 'SIGKILL') {
    process.kill(old, 'SIGKILL');
  }
  await editor.until('another server', async () => ![undefined, old].includes(editor.server.languageServer()));
  await connected();
}

step('what is being written outlives the server', async () => {
  const thread = await editor.thread(1);
  await editor.write(thread, 'Half a thought');
  await endServer('SIGKILL');
  await effects.told(agent);
  await editor.waitCommented(1, 2, loopLine + 3);
  await editor.equal('the boxes with the draft', () => written('Half a thought').count(), 1);
  await editor.shot('draft');
  await thread.getByRole('button', { name: /^Reply \(/ }).click();
  await agent.annotation('the reply', ({ entries }) => textOf(entries[1]) === 'Half a thought');
  await editor.waitCommented(1, 2, loopLine + 3);
  await editor.collapseThreads();
}, effects.told);

step('what was sent to a server that ended is there to be sent again', async () => {
  const thread = await editor.thread(1);
  await editor.write(thread, 'A whole thought');
  // Nobody says that it arrived.
  await endServer('SIGSTOP', () => thread.getByRole('button', { name: /^Reply \(/ }).click());
  await thread.getByText('Not sent').waitFor();
  await editor.equal('the boxes with the text', () => written('A whole thought').count(), 1);
  await editor.shot('not-sent');
  await thread.getByRole('button', { name: /^Save/ }).click();
  await agent.annotation('the reply', ({ entries }) => textOf(entries.at(-1)) === 'A whole thought');
  await thread.getByText('Not sent').waitFor({ state: 'hidden' });
  await editor.command('Notifications: Clear All Notifications');
  await editor.collapseThreads();
});

step('a comment that went while there was no server is gone', async () => {
  await editor.waitCommented(1, 2, loopLine + 3);
  await editor.command('Comments: Focus on Comments View');
  await commentRows().filter({ hasText: newServerComment }).waitFor();
  const { id } = await agent.annotation('the new comment', ({ entries }) => textOf(entries[0]) === newServerComment);
  await endServer('SIGSTOP', () => agent.removeAnnotation(id));
  await editor.waitCommented(1, loopLine + 3);
  await editor.page.locator('.statusbar-item').filter({ hasText: /Agent\s*3/ }).waitFor();
  await commentRows().filter({ hasText: newServerComment }).waitFor({ state: 'hidden' });
  await editor.equal('the open comments in the panel', () => commentRows().filter({ hasText: 'Ln ' }).count(), 4); // and the resolved one
  await editor.shot('gone');
  await editor.command('View: Hide Panel');
  await editor.page.locator('.comments-panel').waitFor({ state: 'hidden' });
}, effects.removed);

step('without comment threads there are diagnostics and lenses, and texts are asked for', async () => {
  editor.server.set({ 'ahp.comments': false });
  await editor.editor.locator('.squiggly-warning').first().waitFor();
  await editor.equal('no threads', () => editor.commented(), []);
  await editor.editor.locator('.codelens-decoration a', { hasText: 'Revert hunk (lines 13–16' }).waitFor();
  await editor.editor.locator('.codelens-decoration a', { hasText: /^Reply$/ }).first().click();
  const input = editor.page.locator('.quick-input-widget:visible input');
  await input.fill('Yes: MIT.');
  await editor.shot('diagnostics-and-lenses');
  await editor.page.keyboard.press('Enter');
  await agent.annotation('the reply', ({ entries }) => textOf(entries.at(-1)) === 'Yes: MIT.');
  editor.server.set({ 'ahp.comments': true });
  await editor.waitCommented(1, loopLine + 3);
  await editor.editor.locator('.squiggly-warning').waitFor({ state: 'hidden' });
});

step('the token is in no log, a trace of everything included', async () => {
  const choose = (text: RegExp) => editor.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first().click();
  await editor.command('Developer: Set Log Level...');
  await choose(/Agent Review/);
  await choose(/^Trace/);
  const traced = () => editor.server.log().match(/didChangeConfiguration/g)?.length ?? 0;
  editor.server.set({ 'ahp.token': host.token, 'ahp.trace.server': 'verbose' }); // which restarts the server
  await editor.until('the settings that it is started with to be traced', async () => traced() > 0);
  await editor.waitCommented(1, loopLine + 3);
  const before = traced();
  editor.server.set({ 'ahp.maxSessions': 7 });
  await editor.until('changed settings to be traced', async () => traced() > before && editor.server.log().includes('"maxSessions": 7'));
  assert.ok(!editor.server.log().includes(host.token));
  await editor.command('Developer: Set Log Level...');
  await choose(/Agent Review/);
  await choose(/^Info/);
});

step('a server that is not there is said to be not there', async () => {
  await editor.view('Agent Review');
  editor.server.set({ 'ahp.server.path': '/nowhere/ahp-lsp' });
  const toast = editor.page.locator('.notification-toast', { hasText: '/nowhere/ahp-lsp' });
  await toast.getByRole('button', { name: 'Open Settings' }).waitFor();
  await editor.page.locator('.welcome-view-content', { hasText: 'was not found' }).waitFor();
  await editor.equal('no threads', () => editor.commented(), []);
  await editor.shot('no-server');
  editor.server.set({ 'ahp.server.path': serverPath });
  await editor.waitCommented(1, loopLine + 3);
  await editor.treeRow('Scripted session').waitFor();
});

step('the walkthrough', async () => {
  await editor.command('Notifications: Clear All Notifications');
  await editor.command('View: Toggle Primary Side Bar Visibility');
  await editor.command('Agent Review: Open Walkthrough');
  await editor.page.locator('.getting-started-step[aria-checked=true]', { hasText: 'Connect to an agent host' }).waitFor();
  await editor.page.getByText('Take the changes hunk by hunk').first().click();
  await editor.page.frameLocator('.getting-started-media iframe').frameLocator('#active-frame').getByText('Keep hunk').waitFor();
  await editor.shot('walkthrough');
});
