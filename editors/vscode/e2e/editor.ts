// VS Code itself, as code-server, in a headless Chromium.
import path from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { CodeServer, type Options } from './codeServer.ts';

/** How long something is waited for that should take well under a second: a loaded machine is slow. */
export const patience = 90_000;

export class Editor {
  readonly page: Page;
  readonly server: CodeServer;
  private readonly browser: Browser;
  private readonly artefacts: string;
  private shots = 0;

  private constructor(server: CodeServer, browser: Browser, page: Page, artefacts: string) {
    this.server = server;
    this.browser = browser;
    this.page = page;
    this.artefacts = artefacts;
  }

  static async start(options: Options): Promise<Editor> {
    const server = await CodeServer.start(options);
    let browser: Browser | undefined;
    try {
      browser = await chromium.launch({ executablePath: options.chromium, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
      const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, reducedMotion: 'reduce' });
      page.setDefaultTimeout(patience);
      page.on('dialog', dialog => void dialog.accept()); // a window with unsaved text is left
      page.on('console', message => server.output.write(`browser: ${message.type()}: ${message.text()}\n`));
      const editor = new Editor(server, browser, page, options.artefacts);
      await editor.openFolder(options.workspace);
      return editor;
    } catch (error) {
      // Nobody else knows of them, and they would keep the test from ending.
      await browser?.close();
      await server.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }

  /** Opens a folder in a fresh window. */
  async openFolder(folder: string): Promise<void> {
    await this.page.goto(`${this.server.url}/?folder=${encodeURIComponent(folder)}`);
    await this.page.locator('.monaco-workbench .statusbar').waitFor();
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
      await this.until(`a comment on line ${line}`, async () => (await this.marked(':is(.comment-thread, .comment-thread-unresolved)')).includes(line));
      const box = await this.editor.evaluate((node, line) => {
        const number = [...node.querySelectorAll('.margin-view-overlays .line-numbers')].find(number => number.textContent === String(line))!;
        const top = number.getBoundingClientRect().top;
        const glyph = [...node.querySelectorAll('.margin :is(.comment-thread, .comment-thread-unresolved)')].find(glyph => Math.abs(glyph.getBoundingClientRect().top - top) < 5)!;
        const { x, y, width, height } = glyph.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }, line);
      await this.page.mouse.click(box.x, box.y);
    }
    await widget.first().waitFor();
    return widget.first();
  }

  /** Writes into the box of a thread, which has the keyboard first. */
  async write(thread: Locator, text: string): Promise<void> {
    await thread.locator('.review-thread-reply-button').click();
    await thread.locator('.comment-form .monaco-editor.focused').waitFor();
    await this.page.keyboard.type(text);
    await thread.locator('.comment-form .view-line', { hasText: text }).waitFor();
  }

  async collapseThreads(): Promise<void> {
    const open = this.page.locator('.review-widget:visible');
    await this.until('the threads to be closed', async () => {
      const left = await open.count();
      if (left > 0) {
        await open.first().getByRole('button', { name: 'Collapse' }).click({ timeout: 2000 }).catch(() => undefined); // closed meanwhile
      }
      return left === 0;
    });
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
        await this.pointAway(); // from a row whose tooltip would be in the way
        await row.hover({ timeout: 5000 });
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
