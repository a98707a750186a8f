import type { ChangesetView, FileView, OperationView, SessionView } from '../protocol';
import { sessionInProgress } from '../protocol';

/** What the tree view has: a node stays the same object as long as there is what it stands for. */
export interface SessionNode { readonly type: 'session'; readonly id: string }
export interface ChangesetNode { readonly type: 'changeset'; readonly id: string }
export interface FileNode { readonly type: 'file'; readonly id: string }

export interface SessionItem {
  readonly title: string;
  readonly working: boolean;
  readonly changesets: readonly ChangesetNode[];
}

export interface ChangesetItem {
  readonly channel: string;
  readonly label: string;
  readonly kind: string;
  readonly status: string;
  /** Hunks are shown from it. */
  readonly shown: boolean;
  readonly operations: readonly OperationView[];
  readonly files: readonly FileNode[];
}

export interface FileItem {
  readonly view: FileView;
  /** The changeset that it is looked at in, and whether hunks are shown from that. */
  readonly channel: string;
  readonly shown: boolean;
  /** The flag that the checkbox is; undefined: no changeset of the session has one. */
  readonly review: Review | undefined;
  /** What the host can do with the file now. */
  readonly offers: readonly Offer[];
}

/** An operation of the host's, and the changeset that it is invoked on. */
export interface Offer {
  readonly channel: string;
  /** Of the changeset. */
  readonly label: string;
  readonly operation: OperationView;
}

export interface Review {
  readonly channel: string;
  readonly id: string;
  readonly reviewed: boolean;
}

/** What a view has to draw again: everything, or these nodes with what is below them. */
export type Redraw = 'all' | readonly (SessionNode | ChangesetNode | FileNode)[];

/** More files than this are drawn again with their changeset. */
const mostFiles = 50;

/** A changeset, and its files by the ids that the host gave them. */
interface Known {
  readonly node: ChangesetNode;
  readonly item: ChangesetItem;
  readonly files: Map<string, FileNode>;
}

/** The sessions with their changesets and files, as they were told last. */
export class ChangesTree {
  roots: readonly SessionNode[] = [];
  private sessions = new Map<string, { readonly node: SessionNode; readonly item: SessionItem }>();
  private changesets = new Map<string, Known>();
  private readonly files = new Map<FileNode, FileItem>();
  private readonly offers = new Map<string, readonly Offer[]>();

  session(node: SessionNode): SessionItem | undefined {
    return this.sessions.get(node.id)?.item;
  }

  changeset(node: ChangesetNode): ChangesetItem | undefined {
    return this.changesets.get(node.id)?.item;
  }

  file(node: FileNode): FileItem | undefined {
    return this.files.get(node);
  }

  /** Takes what there is now. */
  update(views: readonly ChangesetView[], sessions: readonly SessionView[]): Redraw {
    const { sessions: oldSessions, changesets: oldChangesets, roots } = this;
    this.sessions = new Map();
    this.changesets = new Map();
    const redraw: (SessionNode | ChangesetNode | FileNode)[] = [];
    this.roots = same(roots, bySession(views, sessions).map(({ uri, views, info }) => {
      const old = oldSessions.get(uri), node = old?.node ?? { type: 'session', id: uri };
      const index = new Index(views, this.offers);
      // A changeset that is newly shown is another item of the view's.
      const shown = views.some(view => oldChangesets.get(view.channel)?.item.shown !== view.shown);
      const below: (ChangesetNode | FileNode)[] = [];
      const item: SessionItem = {
        title: views.find(view => view.sessionTitle !== '')?.sessionTitle ?? (info?.title || 'Session without a title'),
        working: ((info?.status ?? 0) & sessionInProgress) !== 0,
        changesets: same(old?.item.changesets ?? [], views.map(view => this.addChangeset(view, index, oldChangesets.get(view.channel), below))),
      };
      this.sessions.set(uri, { node, item });
      if (old === undefined || old.item.title !== item.title || old.item.working !== item.working || old.item.changesets !== item.changesets || shown) {
        redraw.push(node);
      }
      redraw.push(...below);
      return node;
    }));
    for (const [channel, { files }] of oldChangesets) {
      if (!this.changesets.has(channel)) {
        files.forEach(node => this.files.delete(node));
      }
    }
    return this.roots === roots ? redraw : 'all';
  }

  private addChangeset(view: ChangesetView, index: Index, old: Known | undefined, redraw: (ChangesetNode | FileNode)[]): ChangesetNode {
    const files = old?.files ?? new Map<string, FileNode>();
    const changed: FileNode[] = [];
    let others = false; // other files, or other names
    for (const file of view.files) {
      let node = files.get(file.id);
      const before = node === undefined ? undefined : this.files.get(node);
      const review = index.review(file, view), offers = index.offersOf(file, view);
      if (before !== undefined && before.shown === view.shown && before.offers === offers && sameReview(before.review, review) && sameFile(before.view, file)) {
        continue;
      }
      if (node === undefined) {
        files.set(file.id, node = { type: 'file', id: `${view.channel}\n${file.id}` });
      }
      others ||= before?.view.uri !== file.uri;
      this.files.set(node, { view: file, channel: view.channel, shown: view.shown, review, offers });
      changed.push(node);
    }
    if (files.size !== view.files.length) {
      const now = new Set(view.files.map(({ id }) => id));
      for (const [id, node] of files) {
        if (!now.has(id)) {
          files.delete(id);
          this.files.delete(node);
          others = true;
        }
      }
    }
    const item: ChangesetItem = {
      channel: view.channel, label: view.label, kind: view.kind, status: view.status, shown: view.shown, operations: view.operations,
      files: old === undefined || others ? this.sorted(files, old?.item.files ?? []) : old.item.files,
    };
    const node = old?.node ?? { type: 'changeset', id: view.channel };
    this.changesets.set(view.channel, { node, item, files });
    if (old === undefined || changed.length > mostFiles || !sameChangeset(old.item, item)) {
      redraw.push(node);
    } else {
      redraw.push(...changed);
    }
    return node;
  }

  /** Files by name. before: how they were sorted; most are in their places, which makes it quick. */
  private sorted(files: ReadonlyMap<string, FileNode>, before: readonly FileNode[]): FileNode[] {
    const left = new Set(files.values());
    const nodes = before.filter(node => left.delete(node));
    return [...nodes, ...left].map(node => ({ node, uri: this.files.get(node)?.view.uri ?? '' })).sort((a, b) => byName(a.uri, b.uri)).map(({ node }) => node);
  }
}

const byName = new Intl.Collator().compare;

/** The old list, if the new one has the same elements. */
function same<T>(old: readonly T[], now: readonly T[]): readonly T[] {
  return old.length === now.length && old.every((element, index) => element === now[index]) ? old : now;
}

function sameFile(a: FileView, b: FileView): boolean {
  return a.uri === b.uri && a.added === b.added && a.removed === b.removed && a.reviewed === b.reviewed && a.canReview === b.canReview
    && a.created === b.created && a.deleted === b.deleted;
}

function sameReview(a: Review | undefined, b: Review | undefined): boolean {
  return a?.channel === b?.channel && a?.id === b?.id && a?.reviewed === b?.reviewed;
}

function sameChangeset(a: ChangesetItem, b: ChangesetItem): boolean {
  return a.files === b.files && a.label === b.label && a.kind === b.kind && a.status === b.status && a.shown === b.shown
    && JSON.stringify(a.operations) === JSON.stringify(b.operations);
}

/** The changesets of each session, in the order in which they are shown. */
function bySession(changesets: readonly ChangesetView[], sessions: readonly SessionView[]): { uri: string; views: ChangesetView[]; info: SessionView | undefined }[] {
  const views = new Map<string, ChangesetView[]>();
  for (const changeset of changesets) {
    const list = views.get(changeset.session);
    if (list === undefined) {
      views.set(changeset.session, [changeset]);
    } else {
      list.push(changeset);
    }
  }
  const place = new Map(sessions.map((session, index) => [session.uri, index]));
  return [...views]
    .sort(([a], [b]) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity) || a.localeCompare(b))
    .map(([uri, views]) => ({ uri, views: views.sort(byKind), info: sessions[place.get(uri) ?? -1] }));
}

const kinds = ['session', 'uncommitted', 'branch', 'turn'];

function byKind(a: ChangesetView, b: ChangesetView): number {
  const rank = (view: ChangesetView) => view.shown ? -1 : (kinds.indexOf(view.kind) + 1 || kinds.length + 1);
  return rank(a) - rank(b) || a.channel.localeCompare(b.channel);
}

/** The kind of changesets that are not on disk yet: what can be done with them concerns them alone. */
export const proposal = 'patchset';

/** A session's changesets by the files that are in them. */
class Index {
  private readonly flags = new Map<string, Review>();
  /** By file, the changesets that have it: a bit for each, or as many as there are bits for. */
  private readonly places = new Map<string, number>();
  private readonly combined = new Map<ChangesetView, Map<number, readonly Offer[]>>();

  /** known: equal lists of offers are the same list, also in later indexes. */
  constructor(private readonly changesets: readonly ChangesetView[], private readonly known: Map<string, readonly Offer[]>) {
    changesets.forEach(({ channel, kind, files }, place) => {
      for (const file of files) {
        if (file.canReview && !this.flags.has(file.uri)) {
          this.flags.set(file.uri, { channel, id: file.id, reviewed: file.reviewed });
        }
        if (kind !== proposal && place < 31) {
          this.places.set(file.uri, (this.places.get(file.uri) ?? 0) | 1 << place);
        }
      }
    });
  }

  /** A file is reviewed or not, whichever of the session's changesets it is looked at in. */
  review(file: FileView, { channel }: ChangesetView): Review | undefined {
    return file.canReview ? { channel, id: file.id, reviewed: file.reviewed } : this.flags.get(file.uri);
  }

  /**
   * What its own changeset offers for a file, and behind it what the session's others do: the hunks
   * shown are the agent's own, and what throws changes away is an operation of the uncommitted ones.
   * A verb that several offer is the first one's.
   */
  offersOf(file: FileView, changeset: ChangesetView): readonly Offer[] {
    const places = changeset.kind === proposal ? 0 : this.places.get(file.uri) ?? 0;
    let byPlaces = this.combined.get(changeset);
    if (byPlaces === undefined) {
      this.combined.set(changeset, byPlaces = new Map<number, readonly Offer[]>());
    }
    let offers = byPlaces.get(places);
    if (offers === undefined) {
      byPlaces.set(places, offers = this.combine([changeset, ...this.changesets.filter((other, place) => other !== changeset && (places & 1 << place) !== 0)]));
    }
    return offers;
  }

  private combine(changesets: readonly ChangesetView[]): readonly Offer[] {
    const seen = new Set<string>(), out: Offer[] = [];
    for (const { channel, label, operations } of changesets) {
      for (const operation of operations) {
        if (operation.scopes.includes('resource') && !seen.has(operation.id)) {
          seen.add(operation.id);
          if (isUsable(operation)) {
            out.push({ channel, label, operation });
          }
        }
      }
    }
    const text = JSON.stringify(out), known = this.known.get(text);
    if (known === undefined) {
      this.known.set(text, out);
    }
    return known ?? out;
  }
}

/** A host's operations that can be run now, on whole changesets or on single files. */
export function operations({ operations }: { readonly operations: readonly OperationView[] }, scope: 'changeset' | 'resource'): OperationView[] {
  return operations.filter(operation => operation.scopes.includes(scope) && isUsable(operation));
}

/** What changesets offer to be run; once for a session what takes back its newest operation. */
export function offersToRun(changesets: readonly ChangesetView[], scope: 'changeset' | 'resource'): Offer[] {
  const seen = new Set<string>(), out: Offer[] = [];
  for (const changeset of changesets) {
    for (const operation of operations(changeset, scope)) {
      const key = JSON.stringify([operation.group === 'undo' ? changeset.session : changeset.channel, operation.id]);
      if (!seen.has(key)) {
        seen.add(key);
        out.push({ channel: changeset.channel, label: changeset.label, operation });
      }
    }
  }
  return out;
}

function isUsable({ status }: OperationView): boolean {
  return status === 'idle' || status === 'error';
}
