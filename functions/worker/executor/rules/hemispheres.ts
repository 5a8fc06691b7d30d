/** Whether a speaker is known to live south of the equator, which turns the seasons. Unknown is north. */
import type { Anchor } from './calendar.ts';
import type { Block } from './rendered-text.ts';
import { SOUTHERN_PLACES } from './vocabulary-things.ts';

// Offsets kept by land in the south alone: central Australia, and New Zealand in its summer with the Chathams.
const SOUTHERN_OFFSETS: ReadonlySet<number> = new Set([570, 630, 765, 780, 825]);
const HOME = new RegExp(
  `\\b(?:live|living|based|home|moved|settled|here|born|back|am|'m|’m) (?:[\\p{L}]+ ){0,4}?(?:in|to|near|from) (?:the )?(${[...SOUTHERN_PLACES].join('|')})\\b`,
  'iu',
);

/** Speakers whose own words in this text say they live in the south. */
export function findSoutherners(text: string, blocks: readonly Block[]): ReadonlySet<string> {
  const southerners = new Set<string>();
  for (const { start, end, speaker } of blocks) {
    if (!southerners.has(speaker) && HOME.test(text.slice(start, end))) southerners.add(speaker);
  }
  return southerners;
}

/** The time of a block, with its hemisphere. */
export function findAnchor(block: Block, southerners: ReadonlySet<string>): Anchor | undefined {
  const { anchor, speaker } = block;
  if (anchor === undefined) return undefined;
  const isSouthern = southerners.has(speaker) || SOUTHERN_OFFSETS.has(anchor.offsetMinutes);
  return isSouthern ? { ...anchor, isSouthern: true } : anchor;
}
