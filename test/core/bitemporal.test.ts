/**
 * Goal: what was true at one time by what was known at another is answered rightly for any history.
 * Method: random logs of what was written, said and taken back, when; rows as the table would hold them; and a model that
 * replays the log up to the time and compares all pairs, asked one second before, at and after each change.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCitation } from '../../functions/core/claims.ts';
import type { SlotCitation } from '../../functions/core/counting.ts';
import { makeStatement } from '../../functions/core/person-claims.ts';
import { viewSlot } from '../../functions/core/slot-view.ts';
import type { Citation } from '../../schema/citation.ts';
import { hash22, sourceKeyOf } from '../../schema/ids.ts';
import { DAY_MS, draftOf, sourceOf } from './citation-samples.ts';

const SECOND_MS = 1_000;
const BASE_MS = Date.UTC(2024, 0, 1);
/** Everything is recorded after all of it was captured. */
const FIRST_RECORDED_MS = BASE_MS + 100 * DAY_MS;

interface Entry {
  readonly atMs: number;
  readonly kind: 'write' | 'undo' | 'withdraw' | 'lift';
  readonly passId?: string;
  readonly citation?: Citation;
}

const saidArbitrary = fc.record({
  value: fc.constantFrom('Austin', 'Denver', 'Boston', ''),
  captured: fc.integer({ min: 0, max: 4 }),
  source: fc.constantFrom('a', 'b'),
  event: fc.option(fc.integer({ min: -2, max: 8 }), { nil: undefined }),
  mode: fc.constantFrom('source', 'source', 'source', 'states', 'protects', 'retracts'),
  pass: fc.constantFrom('p', 'q'),
  minute: fc.integer({ min: 0, max: 5 }),
  takenBack: fc.constantFrom(undefined, undefined, 'withdraw', 'lift'),
});

type Spoken = typeof saidArbitrary extends fc.Arbitrary<infer T> ? T : never;

function citationOf({ value, captured, source, event, mode }: Spoken, recordedAtMs: number): Citation {
  const capturedAtMs = BASE_MS + captured * DAY_MS;
  const startMs = BASE_MS + (event ?? 0) * DAY_MS;
  const time = event === undefined ? {} : { event: { startMs, endMs: startMs + DAY_MS, precision: 'day' as const } };
  if (mode === 'source') {
    const draft = draftOf({ value, ...time });
    const from = sourceOf(`${source}-${captured}`);
    return makeCitation({ draft, source: from, capturedAtMs, executor: 'stub', recordedAtMs });
  }
  const slot = { entity: 'Maya', attribute: 'lives_in', cardinality: 'one' } as const;
  const said = { author: source, saidAtMs: capturedAtMs, mode: mode as 'states' };
  return makeStatement({ ...slot, value, ...(mode !== 'retracts' && time), ...said }, recordedAtMs);
}

const minuteMs = (minute: number): number => FIRST_RECORDED_MS + minute * 60_000;

/** A log in time. Undoing comes after all that its pass wrote, taking back after it was said. */
const logArbitrary: fc.Arbitrary<readonly Entry[]> = fc
  .tuple(fc.array(saidArbitrary, { minLength: 1, maxLength: 8 }), fc.subarray(['p', 'q']))
  .map(([said, undone]) => {
    const entries: Entry[] = said.flatMap((one): Entry[] => {
      const citation = citationOf(one, minuteMs(one.minute));
      const passId = one.mode === 'source' ? { passId: one.pass } : {};
      const written: Entry = { kind: 'write', atMs: minuteMs(one.minute), citation, ...passId };
      const { takenBack } = one;
      const mayLift = takenBack === 'lift' && citation.protects;
      if (takenBack !== 'withdraw' && !mayLift) return [written];
      return [written, { kind: takenBack as 'lift', atMs: minuteMs(6 + one.minute), citation }];
    });
    const undos = undone.map((passId, k): Entry => ({ kind: 'undo', atMs: minuteMs(8 + k), passId }));
    return [...entries, ...undos].sort((a, b) => a.atMs - b.atMs);
  });

/** Rows as the table holds them when the whole log has happened: the first to write stays, the first to take back too. */
function rowsOf(log: readonly Entry[]): SlotCitation[] {
  const rows = new Map<string, SlotCitation>();
  for (const { kind, atMs, passId, citation } of log) {
    if (kind === 'undo') {
      for (const [id, row] of rows) {
        if (row.passes?.[passId as string] === undefined) continue;
        rows.set(id, { ...row, undone: { ...row.undone, [passId as string]: atMs } });
      }
      continue;
    }
    const { citationId } = citation as Citation;
    const row: SlotCitation = rows.get(citationId) ?? { ...(citation as Citation), passes: {}, undone: {} };
    if (kind === 'write' && passId !== undefined) {
      rows.set(citationId, { ...row, passes: { ...row.passes, [passId]: row.passes?.[passId] ?? atMs } });
    }
    if (kind === 'write' && passId === undefined) rows.set(citationId, row);
    if (kind === 'withdraw') rows.set(citationId, { ...row, withdrawnAtMs: row.withdrawnAtMs ?? atMs });
    if (kind === 'lift') rows.set(citationId, { ...row, protectionLiftedAtMs: row.protectionLiftedAtMs ?? atMs });
  }
  return [...rows.values()];
}

interface Fact {
  readonly citation: Citation;
  readonly protects: boolean;
}

/** What the log says up to a time, nothing of it taken back by then. */
function factsAt(log: readonly Entry[], knownAtMs: number): Fact[] {
  const past = log.filter(({ atMs }) => atMs <= knownAtMs);
  const has = (kind: Entry['kind'], citationId: string) =>
    past.some((entry) => entry.kind === kind && entry.citation?.citationId === citationId);
  const isUndone = (passId: string | undefined) =>
    passId !== undefined && past.some((entry) => entry.kind === 'undo' && entry.passId === passId);
  const alive = past.filter(
    ({ kind, citation, passId }) =>
      kind === 'write' && citation && !has('withdraw', citation.citationId) && !isUndone(passId),
  );
  const unique = [...new Map(alive.map(({ citation }) => [citation?.citationId, citation as Citation])).values()];
  return unique
    .filter(
      (citation) =>
        !citation.retracts &&
        !unique.some(
          (other) =>
            other.retracts && other.claimId === citation.claimId && other.capturedAtMs >= citation.capturedAtMs,
        ),
    )
    .map((citation) => ({ citation, protects: citation.protects === true && !has('lift', citation.citationId) }));
}

type Tuple = readonly (number | string)[];
function isLess(a: Tuple, b: Tuple): boolean {
  const k = a.findIndex((part, position) => part !== b[position]);
  return k >= 0 && (a[k] as number) < (b[k] as number);
}

/** Whoever beats every other. */
function winner(facts: readonly Fact[], tupleOf: (citation: Citation) => Tuple): Citation | undefined {
  return facts.find(({ citation }) => facts.every((other) => !isLess(tupleOf(citation), tupleOf(other.citation))))
    ?.citation;
}

function modelCurrent(log: readonly Entry[], asOfMs: number, knownAtMs: number): Citation | undefined {
  const facts = factsAt(log, knownAtMs).filter(
    ({ citation: { event, capturedAtMs, planned } }) => !planned && (event?.startMs ?? capturedAtMs) <= asOfMs,
  );
  const rest = ({ source, claimId, citationId }: Citation): Tuple => [hash22(sourceKeyOf(source)), claimId, citationId];
  const protecting = facts.filter((fact) => fact.protects);
  if (protecting.length > 0) return winner(protecting, ({ capturedAtMs, citationId }) => [capturedAtMs, citationId]);
  const dated = winner(
    facts.filter(({ citation }) => citation.event),
    (one) => [one.event?.startMs ?? 0, one.capturedAtMs, ...rest(one)],
  );
  const undated = winner(
    facts.filter(({ citation }) => !citation.event),
    (one) => [one.capturedAtMs, ...rest(one)],
  );
  if (!dated || !undated) return dated ?? undated;
  return undated.capturedAtMs > dated.capturedAtMs ? undated : dated;
}

/** Claims told of for later by then, and of which nothing else is true by then. */
function modelPlanned(log: readonly Entry[], asOfMs: number, knownAtMs: number): string[] {
  const citations = factsAt(log, knownAtMs).map(({ citation }) => citation);
  const plans = citations.filter(({ planned, capturedAtMs }) => planned && capturedAtMs <= asOfMs);
  const isSo = (claimId: string) =>
    citations.some(
      (one) => !one.planned && one.claimId === claimId && (one.event?.startMs ?? one.capturedAtMs) <= asOfMs,
    );
  return [...new Set(plans.map(({ claimId }) => claimId))].filter((claimId) => !isSo(claimId)).sort();
}

/** One second before, at and after each of them. */
const around = (times: readonly number[]): number[] => [
  ...new Set(times.flatMap((atMs) => [atMs - SECOND_MS, atMs, atMs + SECOND_MS])),
];

describe('asOf and knownAt', () => {
  it('say what the replayed log says, around every change', () => {
    let asked = 0;
    let changes = 0;
    let plans = 0;
    fc.assert(
      fc.property(logArbitrary, (log) => {
        const rows = rowsOf(log);
        const truths = rows.flatMap(({ event, capturedAtMs }) =>
          event ? [event.startMs, capturedAtMs] : [capturedAtMs],
        );
        const answers = new Set<string | undefined>();
        for (const knownAtMs of around(log.map(({ atMs }) => atMs))) {
          for (const asOfMs of [...around(truths), Number.POSITIVE_INFINITY]) {
            const expected = modelCurrent(log, asOfMs, knownAtMs);
            const { current, claims } = viewSlot(rows, { asOfMs, knownAtMs });
            expect(current?.citationId).toBe(expected?.citationId);
            const active = claims.filter(({ state }) => state === 'active').map(({ claimId }) => claimId);
            expect(active).toEqual(expected && expected.value !== '' ? [expected.claimId] : []);
            const planned = claims.filter(({ state }) => state === 'planned').map(({ claimId }) => claimId);
            expect(planned.sort()).toEqual(modelPlanned(log, asOfMs, knownAtMs));
            plans += planned.length;
            answers.add(current?.citationId);
            asked++;
          }
        }
        changes += answers.size - 1;
      }),
      { numRuns: 250 },
    );
    // The histories do change with time, so that a view that never does would be found.
    expect(asked).toBeGreaterThan(10_000);
    expect(changes).toBeGreaterThan(250);
    expect(plans).toBeGreaterThan(1_000);
  });

  it.each<[string, (row: SlotCitation) => SlotCitation]>([
    ['forgets when it was withdrawn', (row) => ({ ...row, withdrawnAtMs: undefined })],
    ['forgets which passes were undone', (row) => ({ ...row, undone: {} })],
    ['forgets that protection was lifted', (row) => ({ ...row, protectionLiftedAtMs: undefined })],
    ['takes a retraction for a statement', (row) => ({ ...row, retracts: false })],
    ['takes a plan for what is so', (row) => ({ ...row, planned: false })],
    ['forgets that a person protects it', (row) => ({ ...row, protects: false })],
  ])('twin: not so of a table that %s', (_, spoil) => {
    const { failed } = fc.check(
      fc.property(logArbitrary, (log) => {
        const now = Number.POSITIVE_INFINITY;
        expect(viewSlot(rowsOf(log).map(spoil)).current?.citationId).toBe(modelCurrent(log, now, now)?.citationId);
      }),
      { numRuns: 2_000, endOnFailure: true },
    );
    expect(failed).toBe(true);
  });
});
