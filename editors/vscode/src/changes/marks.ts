import type { HunksView, HunkView } from '../protocol';
import { hunkKind, hunkLines } from './model';

/** How a line is marked in the gutter. */
export type Mark = 'changed' | 'removed' | 'edited' | 'proposed' | 'kept';

export const marks: readonly Mark[] = ['changed', 'removed', 'edited', 'proposed', 'kept'];

/** The mark of a hunk; undefined: it is not in the text, or not any more. */
export function markOf(hunk: HunkView, view: HunksView): Mark | undefined {
  if (hunk.state === 'undone' || view.stale) {
    return undefined;
  }
  if (view.proposed) {
    return 'proposed';
  }
  if (hunk.kept === true) {
    return 'kept';
  }
  if (hunk.state === 'edited') {
    return 'edited';
  }
  return hunkKind(hunk) === 'removed' ? 'removed' : 'changed';
}

/** The lines of each mark, first and last included. */
export function markedLines(view: HunksView | null): Map<Mark, { first: number; last: number }[]> {
  const out = new Map<Mark, { first: number; last: number }[]>(marks.map(mark => [mark, []]));
  for (const hunk of view?.hunks ?? []) {
    const mark = view === null ? undefined : markOf(hunk, view);
    if (mark !== undefined) {
      out.get(mark)?.push(hunkLines(hunk));
    }
  }
  return out;
}

/**
 * The icon of a mark, as the text of an SVG. It has no size of its own, so that it fills the
 * gutter's cell and the bars of neighbouring lines meet.
 */
export function markIcon(mark: Mark, colour: string): string {
  const bar = (rest: string) => `<rect x="42%" y="0" width="18%" height="100%" ${rest}/>`;
  const shapes: Record<Mark, string> = {
    changed: bar(`fill="${colour}"`),
    kept: bar(`fill="${colour}" opacity="0.3"`),
    edited: ['4%', '38%', '72%'].map(y => `<rect x="42%" y="${y}" width="18%" height="22%" fill="${colour}"/>`).join(''),
    proposed: bar(`fill="none" stroke="${colour}" stroke-width="1.5" stroke-dasharray="3 2"`),
    // A wedge at the top of the line, below which lines were taken out.
    removed: `<svg x="34%" y="0" width="50%" height="50%" viewBox="0 0 10 10"><path d="M0 0H10L0 10Z" fill="${colour}"/></svg>`,
  };
  return `<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%">${shapes[mark]}</svg>`;
}
