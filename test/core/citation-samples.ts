/** Short ways to say citations of one claim slot, for the tests of claims, views and heads. */
import * as fc from 'fast-check';
import { countCharacters } from '../../functions/core/characters.ts';
import { claimDraftSchema, type ClaimDraft } from '../../functions/core/claim-draft.ts';
import { makeCitation } from '../../functions/core/claims.ts';
import type { Citation, EventTime } from '../../schema/citation.ts';
import type { SourceRef } from '../../schema/ids.ts';

export const DAY_MS = 86_400_000;

/** Midnight UTC of a date such as `2024-05-03`. */
export const dayMs = (date: string): number => Date.parse(`${date}T00:00:00Z`);

/** An event that is known to the day. */
export const onDay = (date: string): EventTime => ({
  startMs: dayMs(date),
  endMs: dayMs(date) + DAY_MS,
  precision: 'day',
});

/** An event that is known to the month: `2024-05`. */
export const inMonth = (month: string): EventTime => {
  const start = new Date(`${month}-01T00:00:00Z`);
  const endMs = new Date(start).setUTCMonth(start.getUTCMonth() + 1);
  return { startMs: start.getTime(), endMs, precision: 'month' };
};

export const sourceOf = (id: string): SourceRef => ({ kind: 'transcript', id, revision: '0123456789abcdef' });

export interface Said {
  readonly value: string;
  /** A date: when the source was captured. */
  readonly captured: string;
  readonly event?: EventTime;
  /** Source id. */
  readonly in?: string;
  /** Offset of the quote. */
  readonly start?: number;
  /** A date; default: 2025-01-01. */
  readonly recorded?: string;
  /** A date. */
  readonly withdrawn?: string;
}

export type SampleCitation = Citation & { readonly withdrawnAtMs?: number };

export function draftOf({ value, event, start = 0 }: Pick<Said, 'value' | 'event' | 'start'>): ClaimDraft {
  const text = value === '' ? 'no longer' : value;
  return claimDraftSchema.parse({
    entity: 'Maya',
    attribute: 'lives_in',
    cardinality: 'one',
    value,
    quote: { text, start, end: start + countCharacters(text) },
    ...(event && { event }),
  });
}

/** A citation of where Maya lives. */
export function cite(said: Said): SampleCitation {
  const citation = makeCitation({
    draft: draftOf(said),
    source: sourceOf(said.in ?? `session-${said.captured}`),
    capturedAtMs: dayMs(said.captured),
    executor: 'rules',
    recordedAtMs: dayMs(said.recorded ?? '2025-01-01'),
  });
  return { ...citation, ...(said.withdrawn !== undefined && { withdrawnAtMs: dayMs(said.withdrawn) }) };
}

const BASE_MS = dayMs('2024-01-01');

/**
 * Citations of one claim slot out of small ranges, so that equal times, equal sources and equal values in two spellings
 * are common.
 */
export const citationArbitrary: fc.Arbitrary<Citation> = fc
  .record({
    value: fc.constantFrom('Austin', 'AUSTIN', 'Denver', 'Boston', ''),
    source: fc.constantFrom('a', 'b', 'c'),
    captured: fc.integer({ min: 0, max: 5 }),
    start: fc.integer({ min: 0, max: 1 }),
    event: fc.option(fc.record({ start: fc.integer({ min: -3, max: 7 }), days: fc.constantFrom(1, 3) }), {
      nil: undefined,
      freq: 2,
    }),
  })
  .map(({ value, source, captured, start, event }) =>
    makeCitation({
      draft: draftOf({
        value,
        start,
        ...(event && {
          event: {
            startMs: BASE_MS + event.start * DAY_MS,
            endMs: BASE_MS + (event.start + event.days) * DAY_MS,
            precision: 'day',
          },
        }),
      }),
      source: sourceOf(source),
      capturedAtMs: BASE_MS + captured * DAY_MS,
      executor: 'stub',
      recordedAtMs: BASE_MS,
    }),
  );

/** The order of writing must not matter: every test of that says its orders by this. */
export function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, k) => permutationsOf(items.toSpliced(k, 1)).map((rest) => [item, ...rest]));
}
