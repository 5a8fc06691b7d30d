/** Reads `@claim entity | attribute | value | time?` lines: the way a test or a person states a claim outright. */
import type { ClaimDraft } from '../../core/claim-draft.ts';
import { countCharacters } from '../../core/characters.ts';
import { parseEventTime } from '../../core/event-time.ts';

const CLAIM_LINE = /@claim ([^|\n]{1,200})\|([^|\n]{1,64})\|([^|\n]{0,1000})(?:\|([^|\n]{1,40}))?$/;

/** Claims stated in a text; offsets are characters from `start` on. A line that does not parse is no claim. */
export function findClaimLines(text: string, start: number): ClaimDraft[] {
  const drafts: ClaimDraft[] = [];
  let offset = start;
  for (const line of text.split('\n')) {
    const match = CLAIM_LINE.exec(line);
    if (match) drafts.push(...draftOf(match, offset + countCharacters(line.slice(0, match.index))));
    offset += countCharacters(line) + 1;
  }
  return drafts;
}

function draftOf(match: RegExpExecArray, start: number): ClaimDraft[] {
  const [quote, entity = '', attribute = '', value = '', time] = match;
  const event = time === undefined ? undefined : parseEventTime(time.trim());
  if (time !== undefined && !event) return [];
  if (!/^[a-z][a-z0-9_:-]{0,63}$/.test(attribute.trim()) || entity.trim() === '') return [];
  return [
    {
      entity: entity.trim(),
      attribute: attribute.trim(),
      cardinality: 'one',
      value: value.trim(),
      quote: { text: quote, start, end: start + countCharacters(quote) },
      ...(event && { event }),
      rule: 'claim-line@1',
    },
  ];
}
