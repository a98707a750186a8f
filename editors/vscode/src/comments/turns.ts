import { background } from '../background';

/**
 * VS Code shows the threads of a file by asking every extension where comments can be made. Once it
 * has the answers it shows thread after thread, and takes messages in between: a thread that is made
 * meanwhile is shown twice or not at all, and two answers that come together show everything twice.
 * So for each file one thing is done at a time: an answer is given, or threads are made.
 */
export class Turns {
  private readonly lines = new Map<string, Line>();
  private readonly settled: Shared;

  /**
   * settled: waits until VS Code has done what it was sent, and what it sent itself has come.
   * crossed: VS Code asked for a file just as threads were made: it may show them wrong, and has to
   * begin again.
   */
  constructor(settled: () => Promise<unknown>, private readonly crossed: (file: string) => void) {
    this.settled = new Shared(settled);
  }

  /** Gives an answer that VS Code asked for. */
  answer<T>(file: string, value: () => T): Promise<T> {
    const line = this.line(file);
    line.crossed ||= line.making;
    return this.enter(file, line, line.answers, value);
  }

  /** Makes threads, if there are any to be made: run says so. */
  make(file: string, run: () => boolean): Promise<boolean> {
    const line = this.line(file);
    return this.enter(file, line, line.makes, () => line.making = run());
  }

  private line(file: string): Line {
    let line = this.lines.get(file);
    if (line === undefined) {
      this.lines.set(file, line = { answers: [], makes: [], busy: false, making: false, crossed: false });
    }
    return line;
  }

  private enter<T>(file: string, line: Line, queue: (() => void)[], run: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      queue.push(() => {
        try {
          resolve(run());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      if (!line.busy) {
        background(this.work(file, line));
      }
    });
  }

  private async work(file: string, line: Line): Promise<void> {
    line.busy = true;
    // Answers first: what is made while VS Code waits for one is made at the wrong time.
    for (let next; (next = line.answers.shift() ?? line.makes.shift()) !== undefined;) {
      next();
      await this.settled.wait();
      line.making = false;
    }
    this.lines.delete(file);
    if (line.crossed) {
      this.crossed(file);
    }
  }
}

/** What is to be done for one file. */
interface Line {
  readonly answers: (() => void)[];
  readonly makes: (() => void)[];
  busy: boolean;
  /** Threads have just been made. */
  making: boolean;
  crossed: boolean;
}

/** Something to wait for that begins after it was asked for; those who ask meanwhile wait together. */
class Shared {
  private running: Promise<unknown> | undefined;
  private next: Promise<unknown> | undefined;

  constructor(private readonly begin: () => Promise<unknown>) {}

  wait(): Promise<unknown> {
    if (this.running === undefined) {
      return this.start();
    }
    this.next ??= this.running.then(() => {
      this.next = undefined;
      return this.start();
    });
    return this.next;
  }

  private start(): Promise<unknown> {
    const running = this.running = this.begin().catch(() => undefined).then(() => {
      if (this.running === running) {
        this.running = undefined;
      }
    });
    return running;
  }
}
