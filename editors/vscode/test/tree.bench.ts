// How long the tree takes to take in what the server says, for changesets of several sizes. Every
// session has what VS Code's host offers: the session's changes, the uncommitted ones and the branch,
// all with the same files.
import { counts, folderOf, nodeContext } from '../src/changes/model';
import { ChangesTree } from '../src/changes/tree';
import type { ChangesetView, FileView, OperationView, SessionView } from '../src/protocol';

const operations: OperationView[] = [
  { id: 'discard-changes', label: 'Discard Changes', scopes: ['resource'], status: 'idle', confirmation: true },
  { id: 'commit', label: 'Commit', scopes: ['changeset'], status: 'idle', confirmation: false },
];

/** What the server says, as it comes: nothing in it is the same object as before. */
function told(count: number, turn: number): ChangesetView[] {
  return ['session', 'uncommitted', 'branch'].map(kind => ({
    channel: `s/changeset/${kind}`, session: 's', sessionTitle: 'S', label: kind, kind, status: 'ready', shown: kind === 'session',
    operations: kind === 'uncommitted' ? operations : [],
    files: Array.from({ length: count }, (_, index): FileView => ({
      uri: `file:///home/me/project/packages/package-${index % 97}/src/module-${index}.ts`, id: `${index}`,
      added: index === 0 ? turn : index % 50, removed: index % 7, reviewed: false, canReview: kind === 'branch', created: false, deleted: false,
    })).slice(turn % 2), // a file comes and goes
  }));
}

const session: SessionView = { uri: 's', title: 'S', status: 1, directories: ['file:///home/me/project'], followed: true };

function milliseconds(run: () => void): number {
  const begin = performance.now();
  run();
  return performance.now() - begin;
}

function median(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}

console.log('files    first  nothing new  one file  a file comes or goes  drawing all');
for (const count of [100, 1000, 10_000]) {
  const tree = new ChangesTree();
  const update = (turn: number) => {
    const views = told(count, turn);
    return milliseconds(() => tree.update(views, [session]));
  };
  const first = update(0);
  const several = (turns: (step: number) => number) => median(Array.from({ length: 9 }, (_, step) => update(turns(step))));
  const nothing = several(() => 0), one = several(step => 2 * step), goes = several(step => step);
  const files = tree.changeset(tree.session(tree.roots[0]!)!.changesets[0]!)!.files;
  const drawing = milliseconds(() => files.forEach(file => {
    const { view } = tree.file(file)!;
    return [nodeContext(file, tree), counts(view), folderOf(view.uri, ['file:///home/me/project'])];
  }));
  const show = (time: number, width: number) => `${time.toFixed(1)} ms`.padStart(width);
  console.log(`${String(count).padStart(5)} ${show(first, 8)} ${show(nothing, 12)} ${show(one, 9)} ${show(goes, 21)} ${show(drawing, 12)}`);
}
