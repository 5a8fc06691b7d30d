/** Reads the text of leased sources: one batch read a page, parts as needed, cut to the page's budget. */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { formatSourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Key } from '../../schema/request.ts';
import { partsOf, textPartKey } from '../../schema/text.ts';
import { countCharacters, sliceCharacters } from '../core/characters.ts';
import { fragmentLength, GRAPHEME_WINDOW, overlapStart } from '../core/fragment.ts';
import { openTurnHeader } from '../core/turn-context.ts';
import type { Store } from '../io/ports.ts';
import type { EvidenceFragment } from './executor/executor.ts';
import { readTextParts } from './read-text.ts';

export interface Want {
  readonly item: EvidenceItem;
  /** First character to deliver. */
  readonly start: number;
}

export interface Delivered {
  readonly item: EvidenceItem;
  readonly fragment: EvidenceFragment;
}

interface Page {
  readonly scope: string;
  readonly generation: number;
  /** Characters of the whole page; what is shown again before a cursor is not counted. */
  readonly budget: number;
}

/**
 * Fragments in the order asked for, as far as the budget reaches; a source whose text is missing is left out and
 * stays leased until the pass ends.
 */
export async function readFragments(
  store: Pick<Store, 'batchGet'>,
  page: Page,
  wants: readonly Want[],
): Promise<Delivered[]> {
  const planned = planReads(page, wants);
  const parts = await readTextParts(
    store,
    planned.flatMap(({ keys }) => keys),
  );
  return planned.flatMap((plan) => {
    const read = parts.join(plan.keys);
    return read === undefined ? [] : [{ item: plan.item, fragment: cutFragment(plan, read) }];
  });
}

interface PlannedRead extends Want {
  readonly keys: readonly Key[];
  /** Where the first of these parts begins. */
  readonly base: number;
  readonly budget: number;
}

function planReads({ scope, generation, budget }: Page, wants: readonly Want[]): PlannedRead[] {
  let left = budget;
  const planned: PlannedRead[] = [];
  for (const { item, start } of wants) {
    const end = Math.min(item.length, start + left);
    // As in `choosePage`: a rest that is a crumb takes a whole source or none.
    const isCrumb = end < item.length && left < LIMITS.pageCharactersMin;
    if (left <= 0 || (isCrumb && planned.length > 0)) break;
    const from = start === item.cursor ? Math.max(0, start - LIMITS.overlapCharacters) : start;
    // A little beyond the end: whether a grapheme ends there is told by what follows.
    const parts = partsOf(from, Math.min(item.length, end + GRAPHEME_WINDOW));
    planned.push({
      item,
      start,
      keys: parts.map((part) => textPartKey({ scope, generation, ref: item }, part)),
      base: (parts[0] ?? 0) * LIMITS.textPartCharacters,
      budget: end - start,
    });
    left -= end - start;
  }
  return planned;
}

function cutFragment({ item, start, base, budget }: PlannedRead, read: string): EvidenceFragment {
  const before = sliceCharacters(read, 0, start - base);
  const unread = read.slice(before.length);
  const header = item.kind === 'transcript' ? openTurnHeader(before) : undefined;
  const whole = start + budget >= item.length;
  const text = whole ? unread : sliceCharacters(unread, 0, fragmentLength(unread, budget));
  const overlap = start === item.cursor ? before.slice(overlapStart(before)) : '';
  return {
    source: formatSourceRef(item),
    start,
    end: start + countCharacters(text),
    length: item.length,
    text,
    ...(header !== undefined && { context: header }),
    ...(overlap !== '' && { overlap, reviewedChars: countCharacters(overlap) }),
    capturedAtMs: item.capturedAtMs,
  };
}
