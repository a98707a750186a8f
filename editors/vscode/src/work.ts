import { background } from './background';

/**
 * Brings things up to date, each under a key of its own: a key's work never runs twice at the same
 * time, what is asked for meanwhile runs once more behind it, and only so many run at once.
 */
export class Work {
  private readonly waiting = new Set<string>();
  private readonly running = new Set<string>();
  private stopped = false;

  constructor(
    private readonly run: (key: string) => Promise<void>,
    private readonly failed: (error: unknown, key: string) => void,
    private readonly limit = 4,
  ) {}

  request(key: string): void {
    if (!this.stopped) {
      this.waiting.add(key);
      this.next();
    }
  }

  /** Forgets what waits; what runs ends by itself. */
  clear(): void {
    this.waiting.clear();
  }

  dispose(): void {
    this.stopped = true;
    this.clear();
  }

  private next(): void {
    for (const key of this.waiting) {
      if (this.running.size >= this.limit) {
        return;
      }
      if (!this.running.has(key)) {
        this.waiting.delete(key);
        this.running.add(key);
        background(this.start(key));
      }
    }
  }

  private async start(key: string): Promise<void> {
    try {
      await this.run(key);
    } catch (error) {
      this.failed(error, key);
    } finally {
      this.running.delete(key);
      this.next();
    }
  }
}

/** Runs once, a moment after it was last asked for: a burst of events is one event. */
export class Delayed {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly run: () => void, private readonly milliseconds: number) {}

  request(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.run, this.milliseconds);
  }

  cancel(): void {
    clearTimeout(this.timer);
  }

  dispose(): void {
    this.cancel();
  }
}
