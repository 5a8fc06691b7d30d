/** Which names of a text are people's: its speakers, and those introduced as "my sister Ana" or "my friend Priya". */
import type { Block } from './rendered-text.ts';
import { ACQUAINTANCES, KIN, KIN_FORMAL, NEVER_NAMES } from './vocabulary.ts';

const INTRODUCTION = new RegExp(
  `\\b(?:my|our|his|her) (?:\\p{Ll}{2,12} ){0,2}(?:${[...KIN, ...ACQUAINTANCES].join('|')}),? (\\p{Lu}[\\p{L}'’-]{1,24})`,
  'giu',
);

// Of these one has one, so a name given once is theirs in the whole text.
const ONLY_KIN = 'wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|mother|mom|mum|father|dad';
const NAMED_KIN = new RegExp(
  `\\b(?:my|our) (?:\\p{Ll}{2,12} )?(${ONLY_KIN})(?:,? |['’]s name is | is (?:called|named) )(\\p{Lu}[\\p{L}-]{1,24})`,
  'giu',
);

/** The names of kin that one has one of, by speaker and kin: a text with two names for one kin gives none. */
export function findKinNames(text: string, blocks: readonly Block[]): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>();
  for (const { start, end, speaker } of blocks) {
    for (const [, kin = '', name = ''] of text.slice(start, end).matchAll(NAMED_KIN)) {
      if (!/^\p{Lu}/u.test(name) || NEVER_NAMES.has(name.toLowerCase())) continue;
      const key = kinKey(speaker, KIN_FORMAL.get(kin.toLowerCase()) ?? kin.toLowerCase());
      found.set(key, (found.get(key) ?? new Set()).add(name));
    }
  }
  return new Map([...found].filter(([, names]) => names.size === 1).map(([key, names]) => [key, [...names][0] ?? '']));
}

export function kinKey(speaker: string, kin: string): string {
  return JSON.stringify([speaker, kin]);
}

/** First names and full names of the people of a text. Speakers that are machines are not among them. */
export function findPeople(text: string, blocks: readonly Block[], speakers: readonly string[]): ReadonlySet<string> {
  const people = new Set<string>(speakers.filter((speaker) => /^\p{Lu}/u.test(speaker)));
  for (const block of blocks) {
    for (const match of text.slice(block.start, block.end).matchAll(INTRODUCTION)) {
      const name = match[1] ?? '';
      // The pattern ignores case for "My"; the name itself must be written with a capital.
      if (/^\p{Lu}/u.test(name) && !NEVER_NAMES.has(name.toLowerCase())) people.add(name.replace(/['’]s$/, ''));
    }
  }
  return people;
}
