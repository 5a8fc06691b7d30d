/** "at Acme" and "as a nurse": the two claim slots of work, read from the words after a verb. */
import { lowerAt } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { type Phrase, readEmployer } from './phrases.ts';
import { readOpenRole } from './role-phrases.ts';
import { isTimeOpener } from './time-words.ts';

export type JobSlot = 'works_at' | 'works_as';

const JOB_WORDS = new Set('job role position gig work'.split(' '));
const REACH = 14;

/** "my job", "a new role as", "the night job": a job word within the first words of the object. */
export function hasJobWord(clause: Clause, from: number): boolean {
  for (let index = from; index < Math.min(clause.end, from + 6); index += 1) {
    const lower = lowerAt(clause, index);
    // A "job interview" is no job.
    if (JOB_WORDS.has(lower)) {
      const next = clause.sentence.tokens[index + 1];
      return next?.pos !== 'NOUN' || index + 1 >= clause.end || isTimeOpener(next.lower);
    }
    if (/^(?:at|as|with|for|in|to|and|,)$/.test(lower)) return false;
  }
  return false;
}

/** "at Acme" and "as a nurse", in either order, within the clause. Employers are noted. */
export function readSlots(clause: Clause, from: number): { slot: JobSlot; value: string }[] {
  const { tokens } = clause.sentence;
  const slots: { slot: JobSlot; value: string }[] = [];
  let index = from;
  while (index < Math.min(clause.end, from + REACH)) {
    const lower = lowerAt(clause, index);
    let phrase: Phrase | undefined;
    if (lower === 'at' || lower === 'for' || lower === 'with') {
      const isLoose = lower === 'with' && slots.length === 0 && !hasJobWord(clause, from);
      phrase = isLoose ? undefined : readEmployer(tokens, index + 1, clause.end);
      if (phrase !== undefined && !hasSlot(slots, 'works_at') && !clause.speech.people.has(phrase.value)) {
        slots.push({ slot: 'works_at', value: phrase.value });
        clause.speech.employers.add(phrase.value.toLowerCase());
      }
    } else if (lower === 'as' && !hasSlot(slots, 'works_as')) {
      phrase = readOpenRole(tokens, index + 1, clause.end);
      if (phrase !== undefined) slots.push({ slot: 'works_as', value: phrase.value });
    }
    index = phrase?.next ?? index + 1;
  }
  return slots;
}

function hasSlot(slots: readonly { slot: JobSlot }[], slot: JobSlot): boolean {
  return slots.some((found) => found.slot === slot);
}
