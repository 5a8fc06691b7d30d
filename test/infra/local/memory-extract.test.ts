import { describe, expect, it } from 'vitest';
import type { ClaimBody } from '../../../functions/reader/claim-body.ts';
import { extractMemory, kindOf, KNOWN_WELL } from '../../../infra/local/memory-extract.ts';
import { readCases, states } from '../../functions/worker/executor/blind/score.ts';

const quote = (text: string, source = 'transcript:2024-06/denver.jsonl@0123456789abcdef') => ({
  text,
  source,
  at: '2024-06-02T10:00:00.000Z',
});
const claim = (more: Partial<ClaimBody>): ClaimBody => ({
  id: 'denver',
  entity: 'Maya',
  attribute: 'lives_in',
  value: 'Denver',
  state: 'active',
  since: '2024-05-01T06:00:00.000Z',
  precision: 'month',
  quotes: [quote('I moved to Denver in May.')],
  ...more,
});

const replacement = (id: string, value: string) =>
  ({ id, value, because: 'later_event' }) as NonNullable<ClaimBody['replacedBy']>;

describe('the extract of a memory', () => {
  it('says what is so now with time, quote and source, then what was before and what replaced it', () => {
    const { precision: _, ...undated } = claim({ id: 'austin', value: 'Austin', state: 'superseded' });
    const austin: ClaimBody = {
      ...undated,
      since: '2024-01-10T15:00:00.000Z',
      quotes: [quote('I live in Austin.', 'document:notes/old.md@fedcba9876543210')],
      replacedBy: replacement('denver', 'Denver'),
    };
    expect(extractMemory([claim({}), austin])).toEqual([
      'What is remembered now:',
      '  Maya lives in Denver (since May 2024)',
      '      “I moved to Denver in May.” — 2024-06/denver.jsonl',
      '',
      'What was true before, or said before:',
      '  Maya lived in Austin: replaced by Denver (since May 2024)',
      '      “I live in Austin.” — notes/old.md',
    ]);
  });

  it.each([
    ['a year', '2023-12-31T23:00:00.000Z', 'year', 'since 2024'],
    ['a month', '2024-05-01T06:00:00.000Z', 'month', 'since May 2024'],
    ['a day that began in the east', '2024-06-30T23:00:00.000Z', 'day', 'since 1 July 2024'],
    ['a day that began in the west', '2024-07-01T06:00:00.000Z', 'day', 'since 1 July 2024'],
    ['a minute', '2024-07-01T23:30:00.000Z', 'minute', 'since 1 July 2024'],
  ] as const)('says a time as exactly as it was said: %s', (_, since, precision, words) => {
    expect(extractMemory([claim({ since, precision })])[1]).toBe(`  Maya lives in Denver (${words})`);
  });

  it('says when it was said where no time is known', () => {
    const { precision: _, ...undated } = claim({ since: '2024-06-02T10:00:00.000Z' });
    expect(extractMemory([undated])[1]).toBe('  Maya lives in Denver (said on 2 June 2024)');
  });

  it('says that something ended', () => {
    const over = claim({ state: 'superseded', replacedBy: replacement('end', '') });
    expect(extractMemory([over])[1]).toBe('  Maya lived in Denver: no longer');
  });

  it('names an attribute it does not know, shortens a long quote, and counts the other places', () => {
    const long = `${'word '.repeat(60)}end`;
    const lines = extractMemory([
      claim({ attribute: 'shoe_size', value: '38', quotes: [quote(long), quote('two')], quotesLeftOut: 3 }),
    ]);
    expect(lines[1]).toMatch(/^ {2}Maya – shoe size: 38 /);
    expect(lines[2]).toMatch(/word…” — 2024-06\/denver\.jsonl, and 4 more places$/);
    expect(lines[2]?.length).toBeLessThan(220);
  });

  it('shows a screenful of everybody, the most telling first, and counts the rest', () => {
    const likes = Array.from({ length: 30 }, (_, k) => claim({ id: `l${k}`, attribute: 'likes', value: `thing ${k}` }));
    const lines = extractMemory([...likes, claim({}), claim({ id: 'j', entity: 'Jonas', value: 'Hamburg' })]);
    expect(lines[1]).toBe('  Maya lives in Denver (since May 2024)');
    expect(lines.filter((line) => line.includes('Jonas lives in Hamburg'))).toHaveLength(1);
    expect(lines.at(-1)).toBe('  … and 26 more.');
  });

  it('is empty for nothing', () => {
    expect(extractMemory([])).toEqual([]);
    expect(extractMemory([claim({ state: 'planned' })])).toEqual([]);
  });
});

describe('the kinds that are shown', () => {
  it('are those of which the hand check found 7 in 10 and more', async () => {
    const found = new Map<string, boolean[]>();
    for (const it of await readCases()) {
      for (const fact of it.expected) {
        const kind = kindOf([fact.attribute].flat()[0] ?? '');
        found.set(kind, [...(found.get(kind) ?? []), it.claims.some((claim) => states(it, fact, claim))]);
      }
    }
    const well = [...found].filter(([, facts]) => facts.filter(Boolean).length >= 0.7 * facts.length);
    expect([...KNOWN_WELL].toSorted()).toEqual(well.map(([kind]) => kind).toSorted());
    // Some did not do well: else the list would tell nothing.
    expect(well.length).toBeLessThan(found.size);
  }, 60_000);

  it('leave the others to a line that counts them in plain words, the most frequent first', () => {
    const others = [
      ...Array.from({ length: 3 }, (_, k) => claim({ id: `e${k}`, attribute: 'event', value: `went out ${k}` })),
      claim({ id: 'f', attribute: 'favorite:colour', value: 'green' }),
      claim({ id: 'v', attribute: 'volunteers_at', value: 'zoo' }),
      claim({ id: 'p', attribute: 'pets', value: 'dog', state: 'superseded' }),
    ];
    expect(extractMemory([claim({}), ...others], KNOWN_WELL)).toEqual([
      'What is remembered now:',
      '  Maya lives in Denver (since May 2024)',
      '      “I moved to Denver in May.” — 2024-06/denver.jsonl',
      '',
      'Also noticed, of kinds in which the rules are weaker: 3 happenings, 1 favourite, 1 volunteers at.',
    ]);
    expect(extractMemory(others, KNOWN_WELL)).toHaveLength(1);
  });
});
