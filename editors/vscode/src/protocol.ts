// What the server tells a plugin, next to LSP; docs/plugin-protocol.md has it in prose. Ranges are in the
// coordinates of the buffer, or of the file on disk where it is not open.

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A comment's identity. It is also the data of a diagnostic, and the argument of thread commands. */
export interface ThreadId {
  readonly session: string;
  readonly annotation: string;
}

/** One comment with its replies: an element of the answer to `ahp/threads {uri}`. */
export interface ThreadView extends ThreadId {
  readonly range: Range;
  readonly wholeFile?: boolean;
  /** moved: the text is elsewhere; outdated: it changed; detached: it is gone. */
  readonly state: 'live' | 'moved' | 'outdated' | 'detached';
  readonly resolved: boolean;
  /** An agent's, which a person has not accepted yet. */
  readonly awaiting: boolean;
  readonly canAccept: boolean;
  /** The comment proposes a change that fits the text. */
  readonly suggestion?: boolean;
  /** The turn of the agent that it is about: "turn 3: add tests". */
  readonly turn?: string;
  /** The code it was made for, if that changed. */
  readonly original?: string;
  readonly entries: readonly EntryView[];
}

export interface EntryView {
  readonly id: string;
  readonly author: string;
  readonly text: string;
  readonly markdown: boolean;
  /** Written by a person, who may edit it. */
  readonly own: boolean;
}

/** What the agent did to an open file: the answer to `ahp/hunks {uri}`, or null. */
export interface HunksView {
  readonly label: string;
  readonly session: string;
  readonly channel: string;
  /** The change waits to be applied: it is not on disk. */
  readonly proposed: boolean;
  /** The change is on disk but not in the buffer. */
  readonly stale: boolean;
  readonly reviewed?: { readonly channel: string; readonly id: string; readonly reviewed: boolean };
  /** Which text the ranges are in: goes back beside one. */
  readonly seen?: number;
  readonly hunks: readonly HunkView[];
}

export interface HunkView {
  readonly range: Range;
  readonly title: string;
  /** edited: the user changed it since; undone: it was reverted in the buffer. */
  readonly state: 'live' | 'edited' | 'undone';
  /** The user has looked at it and wants it. */
  readonly kept?: boolean;
  readonly before: string;
  readonly after: string;
  readonly canRevert: boolean;
  /** Why it cannot be reverted. */
  readonly reason?: string;
}

/** A followed changeset: an element of the answer to `ahp/changesets {}`. */
export interface ChangesetView {
  readonly channel: string;
  readonly session: string;
  readonly sessionTitle: string;
  readonly label: string;
  readonly kind: string;
  /** computing, ready or error */
  readonly status: string;
  /** Hunks are shown from it. */
  readonly shown: boolean;
  readonly files: readonly FileView[];
  readonly operations: readonly OperationView[];
}

export interface FileView {
  readonly uri: string;
  readonly id: string;
  readonly added: number;
  readonly removed: number;
  readonly reviewed: boolean;
  readonly canReview: boolean;
  readonly created: boolean;
  readonly deleted: boolean;
}

export interface OperationView {
  readonly id: string;
  readonly label: string;
  readonly scopes: readonly string[];
  /** idle, running, error or disabled */
  readonly status: string;
  readonly confirmation: boolean;
  /** The host's. "undo": it takes back the newest operation of the session, whichever changeset it is offered in. */
  readonly group?: string;
}

/** The answer of the command `ahp.status`. */
export interface StatusView {
  readonly state: 'searching' | 'connecting' | 'connected' | 'disconnected';
  readonly host?: string;
  readonly protocol?: string;
  readonly server?: string;
  readonly error?: string;
  readonly sessions: readonly SessionView[];
  readonly comments: number;
  readonly working: boolean;
  /** Connected, but not every comment is known yet. */
  readonly loading?: boolean;
}

export interface SessionView {
  readonly uri: string;
  readonly title: string;
  readonly provider?: string;
  readonly status: number;
  readonly directories: readonly string[] | null;
  readonly followed: boolean;
  readonly reason?: string;
  /** It works on other files than this workspace's. */
  readonly elsewhere?: boolean;
}

/** The bit of SessionView.status that says that the agent works. */
export const sessionInProgress = 8;

/** Every command of the server answers with this and its own members. */
export interface CommandResult {
  readonly ok: boolean;
  /** Of a refusal, which the user has been told. */
  readonly reason?: string;
}

export const requests = {
  threads: 'ahp/threads',
  hunks: 'ahp/hunks',
  changesets: 'ahp/changesets',
} as const;

export const notifications = {
  threadsChanged: 'ahp/threadsChanged',
  changesetsChanged: 'ahp/changesetsChanged',
  statusChanged: 'ahp/statusChanged',
} as const;
