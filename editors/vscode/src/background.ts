/** Where failures of work that nobody waits for are written; the extension names its log. */
let log: { error(text: string): void } = console;

export function logFailures(to: { error(text: string): void }): void {
  log = to;
}

/** Lets something end by itself. That it failed is in the log. */
export function background(work: PromiseLike<unknown>): void {
  work.then(undefined, (error: unknown) => log.error(error instanceof Error ? error.stack ?? error.message : String(error)));
}
