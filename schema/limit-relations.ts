/** How the bounds of `limits.ts` depend on each other, and on the settings of the edges. */
import { ERASE, FAILED_PASSES, HTTP, TICK, TRIGGERS, WORK } from './edges.ts';
import type { LIMITS } from './limits.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Bytes of an update expression for one admitted pass: `#passes.#pass63 = :entry63, `. */
const ADMISSION_CLAUSE_BYTES = 32;
const EXPRESSION_BYTES_MAX = 4096;
const ITEM_BYTES_MAX = 400 * 1024;

type Relation = readonly [words: string, holds: boolean];

/** Each relation in words and as a fact. Exported so that a test can show each one failing. */
export function relations(limits: typeof LIMITS): readonly Relation[] {
  return [...relationsOfTimes(limits), ...relationsOfSizes(limits)];
}

function relationsOfTimes(limits: typeof LIMITS): Relation[] {
  return [
    ['two heartbeats fit in the silence', limits.heartbeatSilenceMs > 2 * limits.heartbeatEveryMs],
    [
      'a dead worker is found within 90 s: silence + one tick',
      limits.heartbeatSilenceMs + TICK.rateMinutes * MINUTE_MS <= 90_000,
    ],
    [
      'the worker outlives the longest pass and its reserve',
      WORK.functionTimeoutS * SECOND_MS >= 600_000 + limits.passEndReserveMs,
    ],
    ['Lambda allows 15 minutes', WORK.functionTimeoutS <= 900],
    ['a closed reservation outlives its scheduler', limits.usageClosedKeepMs >= 6_000 * TRIGGERS.functionTimeoutS],
    [
      'a refused pass is known until its trigger is delivered for the last time',
      limits.usageRefusedKeepMs >=
        1_000 * (TRIGGERS.visibilityS * TRIGGERS.maxReceiveCount + TRIGGERS.functionTimeoutS),
    ],
    ['trigger visibility is six scheduler timeouts', TRIGGERS.visibilityS >= 6 * TRIGGERS.functionTimeoutS],
    ['failed-pass visibility is six scheduler timeouts', FAILED_PASSES.visibilityS >= 6 * TRIGGERS.functionTimeoutS],
    [
      'one step costs at most one model call and two retries',
      (1 + limits.modelRetriesPerStepMax) * (1 + WORK.retries) <= 3,
    ],
    ['an unstarted pass outlives its event', limits.passStartGiveUpMs >= 2 * WORK.maxEventAgeS * SECOND_MS],
    ['waiting reads end before their function', limits.readerWaitMaxMs < HTTP.timeoutS * SECOND_MS],
    ['a trigger answers before its function ends', limits.triggerWaitMs < HTTP.timeoutS * SECOND_MS],
    ['a change of many claim slots ends before its function', 2 * limits.curatedForMs <= HTTP.timeoutS * SECOND_MS],
    ['writers read more than may be forgotten', limits.forgottenReadMax > limits.forgottenPerScopeMax],
    [
      'the last look of an erasure comes after the longest life of a pass',
      limits.erasureLookLastMs >=
        limits.passStartGiveUpMs + TICK.rateMinutes * MINUTE_MS + WORK.functionTimeoutS * SECOND_MS + HOUR_MS / 4,
    ],
    [
      'the looks of an erasure come later each time',
      limits.erasureLookFirstMs < limits.erasureLookNextMs && limits.erasureLookNextMs < limits.erasureLookLastMs,
    ],
    [
      'a listed text is written before it is no longer young',
      limits.textListGraceMs >= WORK.functionTimeoutS * SECOND_MS && limits.textListGraceMs < limits.erasureLookLastMs,
    ],
    [
      'the eraser ends before its function',
      limits.erasedByScheduleMs + HTTP.timeoutS * SECOND_MS < ERASE.functionTimeoutS * SECOND_MS &&
        limits.erasureRunOverMs > ERASE.functionTimeoutS * SECOND_MS,
    ],
    [
      'a reservation outlives the start and the run of its pass',
      limits.reservationKeepMs >= limits.passStartGiveUpMs + 600_000 + limits.passEndReserveMs,
    ],
  ];
}

function relationsOfSizes(limits: typeof LIMITS): Relation[] {
  return [
    [
      'one commit fits an update expression',
      limits.admittedPerCommitMax * ADMISSION_CLAUSE_BYTES < EXPRESSION_BYTES_MAX,
    ],
    ['counted passes cover the passes of a scope', limits.countedPassesMax >= 2 * limits.passesPerScopeMax],
    ['the largest upload fits its parts', limits.uploadPartsMax * HTTP.bodyMaxBytes >= limits.uploadBytesMax],
    ['the longest source fits one upload', limits.uploadBytesMax >= limits.sourceCharactersMax],
    ['an upload row fits an item', Math.max(limits.uploadSliceBytes, 24 * limits.turnIdsMax) + 2_000 < ITEM_BYTES_MAX],
    [
      'one read of upload rows fits an answer',
      limits.uploadSlicesPerReadMax * (limits.uploadSliceBytes + 1_000) < 16_000_000,
    ],
    [
      'what a query reads comes in whole batches',
      limits.lookUpPartsMax % limits.batchGetKeysMax === 0 && limits.lookUpSourcesMax <= limits.lookUpPartsMax,
    ],
    ['a PROPOSAL row fits an item', 2 * limits.proposalRowBytesMax < ITEM_BYTES_MAX],
    ['a page of leases fits one LEASE row', limits.sourcesPerPassMax <= limits.pagesPerPassMax],
    [
      'the finalizer reads every row a pass can put',
      (limits.passReadsMax - 1) * Math.floor(1_000_000 / limits.passRowBytesMax) >= limits.pagesPerPassMax,
    ],
    [
      'acknowledging all a pass holds takes a tenth of its REVIEW rows at most',
      10 * (limits.sourcesPerPassMax / limits.reviewsPerRowMax) <= limits.pagesPerPassMax,
    ],
  ];
}
