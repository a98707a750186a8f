import type { StatusView } from '../protocol';

/**
 * What a server said stays when it ends, for the next one: somebody may be writing there. The next
 * one takes over once it says that it knows every comment: what it does not tell of is gone then.
 */
export class Handover {
  private waits = false;
  /** A server is about to know what is shown. */
  private soon = false;
  private readonly release: (() => void)[] = [];

  /** What is shown is still an earlier server's. */
  get isWaiting(): boolean {
    return this.waits;
  }

  /** There is no server, or not yet. shown: something that one said is shown; starts: one is starting. */
  begin(shown: boolean, starts: boolean): void {
    this.waits = shown;
    this.expect(starts);
  }

  /** Takes what a running server says of itself; true if what is shown has to be compared with it now. */
  take(status: StatusView | undefined): boolean {
    if (status === undefined) {
      return false;
    }
    const over = this.waits && knowsAll(status);
    this.waits &&= !over;
    this.expect(status.loading === true);
    return over;
  }

  /** Waits while a server is about to know what is shown: before, it refuses to do anything with it. */
  async ready(): Promise<void> {
    if (this.waits && this.soon) {
      await new Promise<void>(resolve => this.release.push(resolve));
    }
  }

  private expect(soon: boolean): void {
    this.soon = soon;
    if (!soon) {
      for (const resolve of this.release.splice(0)) {
        resolve();
      }
    }
  }
}

function knowsAll({ state, loading }: StatusView): boolean {
  return state === 'connected' && loading !== true;
}

/**
 * The folders in which comments can be made: those of the followed sessions. They stay while that is
 * not known: without a server or a connection, and while it is not known yet which sessions there are.
 */
export function commentedFolders(before: readonly string[], status: StatusView | undefined): readonly string[] {
  if (status?.state !== 'connected' || before.length > 0 && !knowsAll(status)) {
    return before;
  }
  return [...new Set(status.sessions.filter(({ followed }) => followed).flatMap(({ directories }) => directories ?? []))].sort();
}
