import { describe, expect, it, vi } from 'vitest';
import { HTTP, TICK, TRIGGERS, WORK } from '../../schema/edges.ts';
import { relations } from '../../schema/limit-relations.ts';
import { LIMITS } from '../../schema/limits.ts';
import { SETTING_RANGES } from '../../schema/settings.ts';

type Limits = typeof LIMITS;
const broken = (change: Partial<Record<keyof Limits, number>>): string[] =>
  relations({ ...LIMITS, ...change } as unknown as Limits)
    .filter(([, holds]) => !holds)
    .map(([words]) => words);

/** One number changed, for every relation that hangs on a limit. */
const BREAKING: readonly (readonly [string, Partial<Record<keyof Limits, number>>])[] = [
  ['two heartbeats fit in the silence', { heartbeatEveryMs: LIMITS.heartbeatSilenceMs / 2 }],
  ['a dead worker is found within 90 s: silence + one tick', { heartbeatSilenceMs: 30_001 }],
  [
    'the worker outlives the longest pass and its reserve',
    { passEndReserveMs: WORK.functionTimeoutS * 1000 - SETTING_RANGES.passTimeoutMs.max + 1 },
  ],
  ['one step costs at most one model call and two retries', { modelRetriesPerStepMax: 3 }],
  ['a PROPOSAL row fits an item', { proposalRowBytesMax: 300_000 }],
  ['an unstarted pass outlives its event', { passStartGiveUpMs: 2 * WORK.maxEventAgeS * 1000 - 1 }],
  ['waiting reads end before their function', { readerWaitMaxMs: HTTP.timeoutS * 1000 }],
  ['a trigger answers before its function ends', { triggerWaitMs: HTTP.timeoutS * 1000 }],
  ['a change of many claim slots ends before its function', { curatedForMs: HTTP.timeoutS * 500 + 1 }],
  ['one commit fits an update expression', { admittedPerCommitMax: 128 }],
  ['counted passes cover the passes of a scope', { countedPassesMax: 2 * SETTING_RANGES.maxPassesPerScope.max - 1 }],
  ['a closed reservation outlives its scheduler', { usageClosedKeepMs: 6_000 * TRIGGERS.functionTimeoutS - 1 }],
  [
    'a refused pass is known until its trigger is delivered for the last time',
    { usageRefusedKeepMs: 1_000 * TRIGGERS.visibilityS * TRIGGERS.maxReceiveCount },
  ],
  [
    'a reservation outlives the start and the run of its pass',
    { reservationKeepMs: LIMITS.passStartGiveUpMs + 600_000 },
  ],
  ['the largest upload fits its parts', { uploadPartsMax: 15 }],
  ['the longest source fits one upload', { sourceCharactersMax: LIMITS.uploadBytesMax + 1 }],
  ['an upload row fits an item', { turnIdsMax: 17_000 }],
  ['one read of upload rows fits an answer', { uploadSlicesPerReadMax: 61 }],
  ['what a query reads comes in whole batches', { lookUpPartsMax: LIMITS.lookUpPartsMax + 1 }],
  ['a page of leases fits one LEASE row', { sourcesPerPassMax: LIMITS.pagesPerPassMax + 1 }],
  ['the finalizer reads every row a pass can put', { passReadsMax: LIMITS.passReadsMax - 1 }],
  ['writers read more than may be forgotten', { forgottenReadMax: LIMITS.forgottenPerScopeMax }],
  ['the last look of an erasure comes after the longest life of a pass', { erasureLookLastMs: 30 * 60_000 }],
  ['the looks of an erasure come later each time', { erasureLookFirstMs: LIMITS.erasureLookNextMs }],
  ['a listed text is written before it is no longer young', { textListGraceMs: 2 * HTTP.timeoutS * 1000 }],
  ['the eraser ends before its function', { erasedByScheduleMs: 50_000 }],
  ['acknowledging all a pass holds takes a tenth of its REVIEW rows at most', { reviewsPerRowMax: 4 }],
];

type Edges = typeof import('../../schema/edges.ts');
type EdgeChange = { readonly [edge in keyof Edges]?: object };

/** One number of an edge changed, for every relation that hangs on edges alone. */
const BREAKING_EDGES: readonly (readonly [string, EdgeChange])[] = [
  ['Lambda allows 15 minutes', { WORK: { functionTimeoutS: 901 } }],
  ['trigger visibility is six scheduler timeouts', { TRIGGERS: { visibilityS: 6 * TRIGGERS.functionTimeoutS - 1 } }],
  [
    'failed-pass visibility is six scheduler timeouts',
    { FAILED_PASSES: { visibilityS: 6 * TRIGGERS.functionTimeoutS - 1 } },
  ],
];

describe('relations between bounds', () => {
  it('hold', () => {
    expect(broken({})).toEqual([]);
  });

  it.each(BREAKING)('fail when one number is changed: %s', (words, change) => {
    expect(broken(change)).toEqual([words]);
  });

  it.each(BREAKING_EDGES)(
    'stop the module from loading when one number of an edge is changed: %s',
    async (words, change) => {
      vi.resetModules();
      vi.doMock('../../schema/edges.ts', async (original) => {
        const edges = await original<Edges>();
        const changed = Object.entries(change).map(([name, values]) => [name, { ...edges[name as 'WORK'], ...values }]);
        return { ...edges, ...Object.fromEntries(changed) };
      });
      await expect(import('../../schema/limits.ts')).rejects.toThrow(`the bounds contradict each other: ${words}`);
      vi.doUnmock('../../schema/edges.ts');
    },
  );

  it('are all shown failing', () => {
    const shown = [...BREAKING, ...BREAKING_EDGES].map(([words]) => words);
    expect(
      relations(LIMITS)
        .map(([words]) => words)
        .sort(),
    ).toEqual(shown.sort());
  });

  it('name the numbers of the settings they are about', () => {
    expect(SETTING_RANGES.passTimeoutMs.max).toBe(600_000);
    expect(SETTING_RANGES.maxPassesPerScope.max).toBe(LIMITS.passesPerScopeMax);
    expect(SETTING_RANGES.maxConcurrentPasses.max).toBeLessThanOrEqual(LIMITS.ledgerEntriesMax);
    expect(TICK.maxEventAgeS).toBe(TICK.rateMinutes * 60);
  });

  it('every limit is a positive whole number', () => {
    expect(Object.entries(LIMITS).filter(([, value]) => !Number.isInteger(value) || value <= 0)).toEqual([]);
  });
});
