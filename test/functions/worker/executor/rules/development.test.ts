/**
 * The development set: how much of what people say is found, and that nothing is found where nothing was stated. Misses
 * are allowed and counted; the floor is what was reached when it was written, less a little.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ClaimDraft, loadRules } from '../../../../../functions/worker/executor/rules/extract.ts';
import { DIALOGUES } from './development-dialogues.ts';
import { FURTHER_STATEMENTS } from './development-further.ts';
import {
  FIRST_HELD_BACK,
  HELD_BACK_NO_STATEMENTS,
  SECOND_HELD_BACK,
  THIRD_HELD_BACK,
} from './development-held-back.ts';
import { NO_STATEMENTS } from './development-refusals.ts';
import { type DevelopmentRow, STATEMENTS } from './development-set.ts';
import { FURTHER_NO_STATEMENTS, THIRD_STATEMENTS } from './development-third.ts';

const { extractClaims } = await loadRules();
// A Wednesday.
const TURN = 'Maya (2024-06-12T18:20:00-06:00): ';
const ROWS: readonly DevelopmentRow[] = [
  ...STATEMENTS,
  ...FURTHER_STATEMENTS,
  ...THIRD_STATEMENTS,
  ...FIRST_HELD_BACK,
  ...SECOND_HELD_BACK,
  ...THIRD_HELD_BACK,
];
const REFUSALS = [...NO_STATEMENTS, ...FURTHER_NO_STATEMENTS, ...HELD_BACK_NO_STATEMENTS];
// Values in the speaker's own words: there it is enough that they hold what is expected.
const OPEN = new Set('plan event project routine hobby education owns uses drives learning'.split(' '));
const CLAIM = /^(?:((?!favorite:)[^=|]+)[:|])?(favorite:[a-z_]+|[a-z_]+)=(.*)$/;
const FOUND_MIN = 0.9;
const EXTRA_MAX = 0.04;

const extract = (said: string) => extractClaims({ text: TURN + said, baseOffset: 0 });

function says(claim: ClaimDraft, expected: string): boolean {
  const [, entity = 'Maya', attribute = '', value = ''] = CLAIM.exec(expected) ?? [];
  if (claim.entity !== entity || claim.attribute !== attribute) return false;
  const [found, wanted] = [claim.value.toLowerCase(), value.toLowerCase()];
  return found === wanted || (OPEN.has(attribute) && wanted !== '' && found.includes(wanted));
}

function compare(found: readonly ClaimDraft[], expected: readonly string[]): { missed: string[]; extra: ClaimDraft[] } {
  const extra = [...found];
  const missed = expected.filter((claim) => {
    const at = extra.findIndex((candidate) => says(candidate, claim));
    if (at >= 0) extra.splice(at, 1);
    return at < 0;
  });
  return { missed, extra };
}

describe('the development set', () => {
  const results = ROWS.map(([said, ...expected]) => ({ said, expected, ...compare(extract(said), expected) }));
  const expectedCount = results.reduce((sum, { expected }) => sum + expected.length, 0);

  it('has 200 sentences or more, none twice', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(200);
    expect(new Set([...ROWS.map(([said]) => said), ...REFUSALS]).size).toBe(ROWS.length + REFUSALS.length);
  });

  it('is found to at least nine tenths', () => {
    const missed = results.flatMap(({ missed: own }) => own);
    expect(missed.length / expectedCount, missed.join('\n')).toBeLessThanOrEqual(1 - FOUND_MIN);
  });

  it('gives hardly a claim that nobody expected', () => {
    const extra = results.flatMap(({ said, extra: own }) =>
      own.map(({ attribute, value }) => `${said} -> ${attribute}: ${value}`),
    );
    expect(extra.length / expectedCount, extra.join('\n')).toBeLessThanOrEqual(EXTRA_MAX);
  });

  it('gives a plan as a plan only', () => {
    const plans = results.filter(
      ({ expected }) => expected.length > 0 && expected.every((claim) => claim.includes('plan=')),
    );
    expect(plans.length).toBeGreaterThan(30);
    for (const { said } of plans) {
      for (const { attribute } of extract(said)) expect(['plan', 'family', 'pets'], said).toContain(attribute);
    }
  });

  it('is read at 1,000 turns or more per second of CPU, once warm', () => {
    const started = process.cpuUsage();
    for (const [said] of ROWS) extract(said);
    const { user, system } = process.cpuUsage(started);
    expect(ROWS.length / ((user + system) / 1_000_000)).toBeGreaterThanOrEqual(1_000);
  });

  it('quotes nothing but the words of its turn', () => {
    for (const [said] of ROWS) {
      const characters = Array.from(TURN + said);
      for (const { quote } of extract(said)) {
        const text = characters.slice(quote.start, quote.end).join('');
        expect(said).toContain(text);
        expect(text).toBe(text.trim());
      }
    }
  });
});

describe('the table of attributes in README.md', () => {
  const readme = readFileSync(
    join(import.meta.dirname, '../../../../../functions/worker/executor/rules/README.md'),
    'utf8',
  );
  const documented = new Map(
    [...readme.matchAll(/^\| `([a-z_:X]+)` +\| (one|many) /gm)].map(([, name, values]) => [name, values]),
  );

  it('names every attribute the set gives, with one cardinality each, and no other', () => {
    const found = new Map<string, Set<string>>();
    for (const [said] of ROWS) {
      for (const { attribute, cardinality } of extract(said)) {
        const name = attribute.replace(/^favorite:.*/, 'favorite:X');
        found.set(name, (found.get(name) ?? new Set()).add(cardinality));
      }
    }
    const given = [...found].map(([name, kinds]) => [name, [...kinds].join()] as const);
    expect(Object.fromEntries(given)).toEqual(Object.fromEntries(documented));
  });
});

describe('what states nothing', () => {
  it.each(REFUSALS)('%s', (said) => {
    expect(extract(said).map(({ attribute, value }) => `${attribute}: ${value}`)).toEqual([]);
  });
});

describe('dialogues', () => {
  it.each(DIALOGUES)('$name', ({ text, claims, never }) => {
    const found = extractClaims({ text, baseOffset: 0 });
    const offsetMs = (at: number) => {
      const header = Array.from(text).slice(0, at).join('').split('\n').at(-1) ?? '';
      const [, sign, hours] = /([+-])(\d\d):00\)/.exec(header) ?? [];
      return Number(hours) * 3_600_000 * (sign === '-' ? -1 : 1);
    };
    const dated = claims.map((claim) => claim.split(' @'));
    expect(
      compare(
        found,
        dated.map(([claim = '']) => claim),
      ).missed,
    ).toEqual([]);
    for (const [claim = '', day] of dated) {
      if (day === undefined) continue;
      const { event, quote } = found.find((candidate) => says(candidate, claim)) ?? {};
      const local = new Date((event?.startMs ?? 0) + offsetMs(quote?.start ?? 0)).toISOString().slice(0, 10);
      expect(local, claim).toBe(day);
    }
    for (const word of never) expect(found.map(({ value }) => value).join('\n')).not.toContain(word);
  });
});
