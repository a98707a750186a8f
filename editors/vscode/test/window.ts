/**
 * VS Code's window as far as it shows comment threads, for tests: what its editors do when they show
 * all threads, and when one is made or goes, with the waits in between (VS Code 1.139). One editor,
 * one file.
 */
export class Window {
  /** What the editor shows: the names of threads. */
  widgets: string[] = [];
  private readonly threads = new Set<string>();
  private shown: string[] = [];
  private computing: Promise<string[]> | undefined;

  constructor(private readonly askRanges: () => Promise<unknown>) {}

  /** The editor is opened, or told that the ranges are others. */
  begin(): void {
    const compute = async () => {
      const threads = [...this.threads];
      await this.askRanges();
      return threads;
    };
    this.computing = compute();
    void this.computing.then(async threads => {
      await this.showAll(threads);
      this.computing = undefined;
    });
  }

  async made(thread: string): Promise<void> {
    this.threads.add(thread);
    await this.computing;
    if (!this.widgets.includes(thread)) {
      await this.display(thread);
      this.shown.push(thread);
    }
  }

  async gone(thread: string): Promise<void> {
    this.threads.delete(thread);
    await this.computing;
    const at = this.widgets.indexOf(thread);
    if (at >= 0) {
      this.widgets.splice(at, 1);
    }
    for (let i = this.shown.length; i-- > 0;) {
      if (this.shown[i] === thread) {
        this.shown.splice(i, 1);
      }
    }
  }

  private async showAll(threads: string[]): Promise<void> {
    const shown = this.shown = threads.filter(thread => this.threads.has(thread));
    this.widgets = [];
    for (const thread of shown) { // others may be added meanwhile
      await this.display(thread);
    }
  }

  private async display(thread: string): Promise<void> {
    for (let i = 0; i < 4; i++) {
      await Promise.resolve();
    }
    this.widgets.push(thread);
  }
}

/** Messages between window and extension: they keep their order, and several may come at once. */
export class Messages {
  private readonly waiting: { toWindow: (() => void)[]; toExtension: (() => void)[] } = { toWindow: [], toExtension: [] };

  constructor(private readonly random: () => number) {}

  /** To the window, or to the extension. */
  send(to: 'toWindow' | 'toExtension', message: () => void): void {
    this.waiting[to].push(message);
  }

  /** Lets some of what waits come; false: nothing waits. */
  async deliver(): Promise<boolean> {
    const { toWindow, toExtension } = this.waiting;
    const line = toWindow.length === 0 || toExtension.length > 0 && this.random() < 0.5 ? toExtension : toWindow;
    const together = line.splice(0, 1 + Math.floor(this.random() * 4));
    for (const message of together) {
      message();
    }
    await new Promise(setImmediate); // everything that follows from them happens
    return together.length > 0;
  }
}

/** A sequence of numbers in [0, 1) that looks random. */
export function numbers(seed: number): () => number {
  let state = seed * 2654435761 >>> 0;
  return () => {
    state = state + 0x6D2B79F5 >>> 0;
    let t = Math.imul(state ^ state >>> 15, state | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}
