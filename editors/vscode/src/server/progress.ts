/** Of a progress that the server reports, what matters here; `kind` as LSP has it. */
export interface Report {
  readonly kind: string;
  readonly title?: string;
}

/** In milliseconds: what is over sooner needs no notification, and would only flicker. */
export const patience = 1000;

/**
 * Notifies of what takes long. All work of the server's is in the status bar while it lasts, which
 * the language client sees to.
 */
export class LongWork {
  private readonly running = new Map<string | number, { timer: NodeJS.Timeout; end: () => void }>();

  /** show: shows a title until the promise is fulfilled. */
  constructor(private readonly show: (title: string, until: Promise<void>) => void) {}

  report(token: string | number, { kind, title }: Report): void {
    if (kind === 'begin') {
      this.end(token);
      let end = () => {};
      const until = new Promise<void>(resolve => { end = resolve; });
      this.running.set(token, { end, timer: setTimeout(() => this.show(title ?? '', until), patience) });
    } else if (kind === 'end') {
      this.end(token);
    }
  }

  /** The server is gone, and with it whatever it was doing. */
  clear(): void {
    for (const token of [...this.running.keys()]) {
      this.end(token);
    }
  }

  private end(token: string | number): void {
    const work = this.running.get(token);
    if (work !== undefined) {
      this.running.delete(token);
      clearTimeout(work.timer);
      work.end();
    }
  }
}
