// VS Code itself, as code-server, in a headless Chromium.
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';

/** How long something is waited for that should take well under a second: a loaded machine is slow. */
export const patience = 90_000;

export interface Options {
  /** The folder that get-host.sh made. */
  tools: string;
  /** A fresh folder for everything that VS Code writes. */
  data: string;
  vsix: string;
  workspace: string;
  /** Of the extension: the settings of the machine that code-server runs on. */
  settings: object;
  artefacts: string;
  chromium: string;
}

export class Editor {
  readonly page: Page;
  private readonly userData: string;
  private readonly server: ChildProcess;
  private readonly browser: Browser;
  private readonly artefacts: string;
  private shots = 0;

  private constructor(server: ChildProcess, browser: Browser, page: Page, { artefacts, data }: Options) {
    this.server = server;
    this.browser = browser;
    this.page = page;
    this.artefacts = artefacts;
    this.userData = path.join(data, 'user');
  }

  static async start(options: Options): Promise<Editor> {
    const { data, tools } = options;
    const settings = {
      'files.hotExit': 'off', 'files.autoSave': 'off', 'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off',
      'security.workspace.trust.enabled': false, 'chat.disableAIFeatures': true, 'workbench.secondarySideBar.defaultVisibility': 'hidden',
      'extensions.autoCheckUpdates': false, 'extensions.ignoreRecommendations': true, 'git.autoRepositoryDetection': false, 'git.openRepositoryInParentFolders': 'never',
      'editor.minimap.enabled': false, 'editor.fontFamily': 'DejaVu Sans Mono', 'editor.inlineSuggest.enabled': false, 'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
      'editor.autoClosingBrackets': 'never', 'workbench.tips.enabled': false, 'workbench.reduceMotion': 'on', 'window.dialogStyle': 'custom', 'window.confirmBeforeClose': 'never',
      'workbench.colorTheme': 'Default Dark Modern', 'breadcrumbs.enabled': false, 'scm.diffDecorations': 'none',
    };
    for (const [of, values] of Object.entries({ User: settings, Machine: options.settings })) {
      fs.mkdirSync(path.join(data, 'user', of), { recursive: true });
      fs.writeFileSync(path.join(data, 'user', of, 'settings.json'), JSON.stringify(values, undefined, 2));
    }
    fs.writeFileSync(path.join(data, 'config.yaml'), '');

    const home = path.join(data, 'home');
    fs.mkdirSync(home, { recursive: true });
    const env = {
      ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, '.config'), XDG_DATA_HOME: path.join(home, '.local/share'), XDG_CACHE_HOME: path.join(home, '.cache'),
      // Nothing is looked up anywhere: a port on which nobody listens.
      EXTENSIONS_GALLERY: '{"serviceUrl":"http://127.0.0.1:9/"}', VSCODE_NLS_CONFIG: undefined, AHP_HOST: undefined, AHP_TOKEN: undefined,
    };
    const program = path.join(tools, 'bin/node'), entry = path.join(tools, 'node_modules/code-server/out/node/entry.js');
    const places = ['--user-data-dir', path.join(data, 'user'), '--extensions-dir', path.join(data, 'extensions'), '--config', path.join(data, 'config.yaml')];
    const output = fs.createWriteStream(path.join(options.artefacts, 'code-server.log'));

    const install = spawn(program, [entry, ...places, '--install-extension', options.vsix], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    install.stdout.pipe(output, { end: false });
    install.stderr.pipe(output, { end: false });
    const code = await new Promise(resolve => install.once('exit', resolve));
    if (code !== 0) {
      throw new Error(`the extension cannot be installed; see ${options.artefacts}/code-server.log`);
    }

    // A process group of its own: the extension host and the language server can be ended with it.
    const server = spawn(program, [entry, ...places, '--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check',
      '--disable-workspace-trust', '--disable-getting-started-override', options.workspace], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    server.stderr.pipe(output, { end: false });
    const url = await new Promise<string>((resolve, reject) => {
      readline.createInterface({ input: server.stdout }).on('line', line => {
        output.write(`${line}\n`);
        const listening = /listening on (http:\S+?)\/?$/.exec(line);
        if (listening?.[1] !== undefined) {
          resolve(listening[1]);
        }
      });
      server.once('exit', code => reject(new Error(`code-server ended with ${code}`)));
    });
    let browser: Browser | undefined;
    try {
      browser = await chromium.launch({ executablePath: options.chromium, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
      const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, reducedMotion: 'reduce' });
      page.setDefaultTimeout(patience);
      page.on('console', message => output.write(`browser: ${message.type()}: ${message.text()}\n`));
      await page.goto(`${url}/?folder=${encodeURIComponent(options.workspace)}`);
      await page.locator('.monaco-workbench .statusbar').waitFor();
      return new Editor(server, browser, page, options);
    } catch (error) {
      // Nobody else knows of them, and they would keep the test from ending.
      await browser?.close();
      await end(server);
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await end(this.server);
  }

  /** The language server's process. */
  serverPid(): number | undefined {
    for (const pid of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      try {
        const [, name, group] = /\((.*)\) \S \d+ (\d+)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        if (name === 'ahp-lsp' && Number(group) === this.server.pid) {
          return Number(pid);
        }
      } catch {
        // It has ended.
      }
    }
    return undefined;
  }

  /** What the extension has written to its log. */
  log(): string {
    const folder = path.join(this.userData, 'logs');
    const files = (fs.readdirSync(folder, { recursive: true }) as string[]).filter(name => path.basename(name) === 'Agent Review.log');
    return files.map(name => fs.readFileSync(path.join(folder, name), 'utf8')).join('');
  }

  /** Changes settings as a user would, in the file. */
  set(settings: object): void {
    const file = path.join(this.userData, 'Machine/settings.json');
    const old = JSON.parse(fs.readFileSync(file, 'utf8')) as object;
    fs.writeFileSync(file, JSON.stringify({ ...old, ...settings }, undefined, 2));
  }

  async shot(name: string): Promise<void> {
    await this.pointAway();
    const number = String(++this.shots).padStart(2, '0');
    await this.page.screenshot({ path: path.join(this.artefacts, `${number}-${name}.png`) });
  }

  /** Nothing is hovered, and no tooltip is in the way unless it belongs there. */
  private async pointAway(): Promise<void> {
    await this.page.mouse.move(200, 17); // of the title bar
    await this.page.locator('.workbench-hover').waitFor({ state: 'hidden', timeout: 2000 }).catch(() => undefined);
  }

  /** A picture for the documents, of a part of the window; made only where a folder for it is named. */
  async picture(name: string, clip: { x: number; y: number; width: number; height: number }): Promise<void> {
    const folder = process.env['AHP_E2E_PICTURES'];
    if (folder) {
      await this.pointAway();
      await this.page.screenshot({ path: path.join(folder, `${name}.png`), clip });
    }
  }

  /** Presses a key until what it opens is there: a key is dropped now and then. */
  async pressFor(key: string, widget: Locator): Promise<void> {
    const deadline = Date.now() + patience;
    for (;;) {
      await this.page.keyboard.press(key);
      try {
        await widget.waitFor({ timeout: 1500 });
        return;
      } catch (error) {
        if (Date.now() > deadline) {
          throw error;
        }
      }
    }
  }

  /** Chooses a row of what a key opens. It closes when something else takes the keyboard: then once more. */
  private async quickInput(key: string, text: string, row: RegExp): Promise<void> {
    const input = this.page.locator('.quick-input-widget:visible input');
    const entry = this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: row }).first();
    const deadline = Date.now() + patience;
    for (;;) {
      await this.pressFor(key, input);
      try {
        await input.fill(text, { timeout: 2000 });
        await entry.click({ timeout: 4000 });
        return;
      } catch (error) {
        if (Date.now() > deadline) {
          throw error;
        }
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Runs a command of the palette. */
  async command(title: string): Promise<void> {
    await this.quickInput('F1', `>${title}`, new RegExp(title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  }

  /** Opens a file out of the Explorer. */
  async open(file: string): Promise<void> {
    await this.view('Explorer');
    const row = this.page.locator('.explorer-folders-view .monaco-list-row').filter({ hasText: file }).first();
    await row.dblclick();
    await this.page.locator('.tab.active').filter({ hasText: file }).waitFor();
    await this.editor.waitFor();
  }

  /** The editor of a file, not one of a comment's. */
  get editor(): Locator {
    return this.page.locator('.editor-group-container.active .editor-instance > .monaco-editor').first();
  }

  /** Goes to a line and gives the editor the keyboard. */
  async goTo(line: number): Promise<void> {
    const input = this.page.locator('.quick-input-widget:visible input');
    await this.pressFor('Control+G', input);
    await input.fill(`:${line}`);
    await this.page.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden' });
    await this.until(`line ${line} to be active`, async () => (await this.editor.locator('.margin .line-numbers.active-line-number').allInnerTexts()).includes(String(line)));
  }

  /** Gives the editor the keyboard. */
  async focus(): Promise<void> {
    await this.page.locator('.editor-group-container.active .tab.active').click();
  }

  async closeTab(title: string): Promise<void> {
    const tab = this.page.locator('.tab', { hasText: title }).first();
    await tab.hover();
    await tab.locator('.tab-actions .action-label').click();
    await tab.waitFor({ state: 'hidden' });
  }

  /** The lines that are visible, by number. */
  async lines(): Promise<Map<number, string>> {
    const rows = await this.editor.evaluate(node => {
      const at = (element: Element) => element.getBoundingClientRect().top;
      const texts = [...node.querySelectorAll('.view-lines > .view-line')].map(line => ({ top: at(line), text: (line.textContent ?? '').replaceAll('\u00a0', ' ') }));
      return [...node.querySelectorAll('.margin-view-overlays .line-numbers')].map(number => {
        const top = at(number);
        return { line: Number(number.textContent), text: texts.find(text => Math.abs(text.top - top) < 3)?.text ?? '' };
      });
    });
    return new Map(rows.map(({ line, text }) => [line, text]));
  }

  /** The numbers of the visible lines that have something of this class in their margin. */
  async marked(selector: string): Promise<number[]> {
    return (await this.editor.evaluate((node, selector) => {
      const numbers = [...node.querySelectorAll('.margin-view-overlays .line-numbers')].map(number => ({ top: number.getBoundingClientRect().top, line: Number(number.textContent) }));
      return [...node.querySelectorAll(`.margin ${selector}`)].flatMap(mark => {
        const { top, height } = mark.getBoundingClientRect();
        return height === 0 ? [] : numbers.filter(number => Math.abs(number.top - top) < 5).map(({ line }) => line);
      });
    }, selector)).sort((a, b) => a - b);
  }

  /** The lines with comments, open ones unless said otherwise. */
  commented(): Promise<number[]> {
    return this.marked('.comment-thread-unresolved');
  }

  resolved(): Promise<number[]> {
    return this.marked('.comment-range-glyph.comment-thread:not(.comment-thread-unresolved)');
  }

  async waitCommented(...lines: number[]): Promise<void> {
    await this.equal('the lines with open comments', () => this.commented(), lines);
  }

  /** Waits until something is as it should be. */
  async equal<T>(what: string, get: () => Promise<T>, wanted: T): Promise<void> {
    let last: T | undefined;
    try {
      await this.until(what, async () => {
        last = await get();
        return JSON.stringify(last) === JSON.stringify(wanted);
      });
    } catch {
      throw new Error(`waited for ${what} to be ${JSON.stringify(wanted)}, which is ${JSON.stringify(last)}`);
    }
  }

  async until(what: string, is: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + patience;
    while (!await is()) {
      if (Date.now() > deadline) {
        throw new Error(`waited for ${what}`);
      }
      await this.page.waitForTimeout(50);
    }
  }

  /** Opens the thread on a line, or finds it open. */
  async thread(line: number): Promise<Locator> {
    const widget = this.page.locator('.review-widget:visible');
    if (await widget.count() === 0) {
      const box = await this.editor.evaluate((node, line) => {
        const number = [...node.querySelectorAll('.margin-view-overlays .line-numbers')].find(number => number.textContent === String(line))!;
        const top = number.getBoundingClientRect().top;
        const glyph = [...node.querySelectorAll('.margin .comment-range-glyph')].find(glyph => Math.abs(glyph.getBoundingClientRect().top - top) < 5)!;
        const { x, y, width, height } = glyph.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }, line);
      await this.page.mouse.click(box.x, box.y);
    }
    await widget.first().waitFor();
    return widget.first();
  }

  async collapseThreads(): Promise<void> {
    const collapse = this.page.locator('.review-widget:visible').getByRole('button', { name: 'Collapse' });
    while (await collapse.count() > 0) {
      await collapse.first().click();
    }
  }

  /** Shows a view of the activity bar, where it is not shown. */
  async view(name: string): Promise<void> {
    const item = this.page.locator('.activitybar .action-item').filter({ has: this.page.locator(`[aria-label^="${name}"]`) }).first();
    if (!/\bchecked\b/.test(await item.getAttribute('class') ?? '')) {
      await item.click();
    }
  }

  treeRow(text: string | RegExp): Locator {
    return this.page.locator('.pane-body .monaco-list-row').filter({ hasText: text }).first();
  }

  async expand(row: Locator): Promise<void> {
    await row.waitFor();
    if (await row.getAttribute('aria-expanded') !== 'true') {
      await row.locator('.monaco-tl-twistie').click();
    }
  }

  /**
   * Presses the inline action of a row of a tree until what it does is there: the row may be
   * replaced under the mouse, because the host told something new.
   */
  async treeAction(row: Locator, label: RegExp, effect: Locator): Promise<void> {
    const deadline = Date.now() + patience;
    for (;;) {
      try {
        await row.hover();
        await row.getByRole('button', { name: label }).first().click({ timeout: 5000 });
        await effect.first().waitFor({ timeout: 5000 });
        return;
      } catch (error) {
        if (await effect.count() > 0) {
          return;
        }
        if (Date.now() > deadline) {
          throw error;
        }
      }
    }
  }

  get dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }
}

/** Ends a process and those in its group. */
async function end(leader: ChildProcess): Promise<void> {
  const ended = new Promise(resolve => leader.once('exit', resolve));
  try {
    process.kill(-leader.pid!, 'SIGTERM');
  } catch {
    return; // gone already
  }
  const kill = setTimeout(() => process.kill(-leader.pid!, 'SIGKILL'), 3000);
  await ended;
  clearTimeout(kill);
}
