/** Which names of a text are people's: its speakers, and those introduced as "my sister Ana" or "my friend Priya". */
import type { Block } from './rendered-text.ts';
import { ACQUAINTANCES, KIN, NEVER_NAMES } from './vocabulary.ts';

const INTRODUCTION = new RegExp(
  `\\b(?:my|our) (?:\\p{Ll}{2,12} ){0,2}(?:${[...KIN, ...ACQUAINTANCES].join('|')}),? (\\p{Lu}[\\p{L}'’-]{1,24})`,
  'giu',
);

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
