import type { StatusView } from '../protocol';

/**
 * What a server said stays when it ends, for the next one: somebody may be writing there. The next
 * one takes over once it says that it knows every comment: what it does not tell of is gone then.
 */
export class Handover {
  private waits = false;

  /** What is shown is still an earlier server's. */
  get isWaiting(): boolean {
    return this.waits;
  }

  /** A server ended; shown: something that it said is shown. */
  begin(shown: boolean): void {
    this.waits = shown;
  }

  /** Takes what a running server says of itself; true if what is shown has to be compared with it now. */
  take(status: StatusView | undefined): boolean {
    if (!this.waits || status === undefined || !knowsAll(status)) {
      return false;
    }
    this.waits = false;
    return true;
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
