/** Holds the lists of cases to the tests: each case once, held and twinned by names that exist, or left for a reason. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AdmissionCase, WORKER_CASES } from './admission-cases.ts';
import { DEFECT_CASES } from './defect-cases.ts';
import { CURSOR_CASES, LEASE_CASES, RESTLESS_CASES } from './evidence-cases.ts';
import { SLOT_CASES } from './slot-cases.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, k) => `${letter}${k + 1}`);
const LISTS: readonly (readonly [string, readonly AdmissionCase[], readonly string[]])[] = [
  ['scheduler and worker', WORKER_CASES, numbered('W', 43)],
  ['names, wiring and slots', SLOT_CASES, numbered('T', 26)],
  ['defects', DEFECT_CASES, LETTERS.split('')],
  ['leases', LEASE_CASES, numbered('L', 7)],
  ['cursors and stalls', CURSOR_CASES, numbered('C', 13)],
  ['sources that break passes, and many passes', RESTLESS_CASES, numbered('R', 4)],
];

/** What is wrong with a reference, or nothing. */
function findFault(reference: string): string | undefined {
  const [file = '', name = ''] = reference.split(' › ');
  let text: string;
  try {
    text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  } catch {
    return `there is no file test/${file}`;
  }
  return ["'", '`', '"'].some((quote) => text.includes(`${quote}${name}${quote}`))
    ? undefined
    : `test/${file} has nothing of the name "${name}"`;
}

const referencesOf = (it: AdmissionCase): readonly string[] => ('left' in it ? [] : [...it.held, ...it.twin]);

describe.each(LISTS)('%s', (_, cases, ids) => {
  it('is whole: every case once, in order', () => {
    expect(cases.map(({ id }) => id)).toEqual(ids);
  });

  it.each(cases.map((it) => [it.id, it.about, it] as const))('%s: %s', (_id, _about, it) => {
    if ('left' in it) return expect(it.left).not.toBe('');
    expect([it.held.length > 0, it.twin.length > 0]).toEqual([true, true]);
    expect(referencesOf(it).flatMap((reference) => findFault(reference) ?? [])).toEqual([]);
    expect(it.held.filter((reference) => it.twin.includes(reference))).toEqual([]);
  });
});

describe('the check itself', () => {
  it.each([
    ['functions/none.test.ts › x', 'there is no file test/functions/none.test.ts'],
    ['functions/drain.test.ts › no such test', 'test/functions/drain.test.ts has nothing of the name "no such test"'],
    ['functions/drain.test.ts › is found by the schedule when every message was lost', undefined],
  ])('%s', (reference, fault) => {
    expect(findFault(reference)).toBe(fault);
  });
});
