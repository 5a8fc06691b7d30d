/** Reads the text of leased sources: one batch read a page, parts as needed, cut to the page's budget. */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { formatSourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { batchGetText, partsOf, type TextAddress, textItemSchema, textPartKey } from '../../schema/text.ts';
import { countCharacters, sliceCharacters } from '../core/characters.ts';
import { fragmentLength } from '../core/fragment.ts';
import { openTurnHeader } from '../core/turn-context.ts';
import type { Store } from '../io/ports.ts';
import { decompressText } from '../io/text.ts';
import type { EvidenceFragment } from './executor/executor.ts';

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
  /** Characters of the whole page. */
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
  const keys = planned.flatMap(({ address, parts }) => parts.map((part) => textPartKey(address, part)));
  const bodies = new Map<string, string>();
  for (let from = 0; from < keys.length; from += LIMITS.batchGetKeysMax) {
    for (const stored of await store.batchGet(batchGetText(keys.slice(from, from + LIMITS.batchGetKeysMax)))) {
      const { pk, sk, body } = textItemSchema.parse(stored);
      bodies.set(`${pk} ${sk}`, decompressText(body));
    }
  }
  return planned.flatMap((plan) => cutFragment(plan, bodies));
}

interface PlannedRead extends Want {
  readonly address: TextAddress;
  readonly parts: readonly number[];
  readonly budget: number;
}

function planReads({ scope, generation, budget }: Page, wants: readonly Want[]): PlannedRead[] {
  let left = budget;
  const planned: PlannedRead[] = [];
  for (const { item, start } of wants) {
    if (left <= 0) break;
    const end = Math.min(item.length, start + left);
    planned.push({
      item,
      start,
      address: { scope, generation, ref: item },
      parts: partsOf(start, end),
      budget: end - start,
    });
    left -= end - start;
  }
  return planned;
}

function cutFragment(plan: PlannedRead, bodies: ReadonlyMap<string, string>): Delivered[] {
  const { item, start, address, parts, budget } = plan;
  const texts = parts.map((part) => {
    const { pk, sk } = textPartKey(address, part);
    return bodies.get(`${pk} ${sk}`);
  });
  if (texts.some((text) => text === undefined)) return [];
  const base = (parts[0] ?? 0) * LIMITS.textPartCharacters;
  const read = texts.join('');
  const unread = sliceCharacters(read, start - base, Number.POSITIVE_INFINITY);
  const header = item.kind === 'transcript' ? openTurnHeader(sliceCharacters(read, 0, start - base)) : undefined;
  const whole = start + budget >= item.length;
  const text = whole ? unread : sliceCharacters(unread, 0, fragmentLength(unread, budget));
  const fragment = {
    source: formatSourceRef(item),
    start,
    end: start + countCharacters(text),
    length: item.length,
    text,
    ...(header !== undefined && { context: header }),
    capturedAtMs: item.capturedAtMs,
  };
  return [{ item, fragment }];
}
