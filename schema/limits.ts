/**
 * Every bound that is not a setting, with its reason; relations between bounds are asserted when the module loads, so
 * that a changed number that breaks another fails every test and every cold start (design rule 8).
 */
import { FAILED_PASSES, HTTP, TICK, TRIGGERS, WORK } from './edges.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const LIMITS = {
  /** Clock difference between two functions that an expiry must survive before another pass may take a lease. */
  leaseMarginMs: 10 * SECOND_MS,
  /** A pass beats at least this often inside its loop, and after each page. */
  heartbeatEveryMs: 10 * SECOND_MS,
  /** Two missed beats and half a third: the pass is dead. */
  heartbeatSilenceMs: 25 * SECOND_MS,
  /** Time a pass keeps back from its function's own limit to end by itself. */
  passEndReserveMs: 30 * SECOND_MS,
  /** An admitted pass nobody started is invoked again after this: one missed tick of the sweep. */
  passStartRetryMs: MINUTE_MS,
  /** … and given up after this: by then the event aged out twice (`WORK.maxEventAgeS`). */
  passStartGiveUpMs: 10 * MINUTE_MS,
  /** A ledger entry younger than this may still be on its way to a PASS row by the scheduler that wrote it. */
  passRowGraceMs: 10 * SECOND_MS,
  /** A terminal pass that is not finalized after this has lost its stream record: the sweep kicks it. */
  finalizeGraceMs: 20 * SECOND_MS,
  /** A finished pass can be read for this long. */
  passKeepMs: 30 * DAY_MS,
  /** A LEASE row nobody deleted goes after this; nothing waits for it. */
  leasePageKeepMs: DAY_MS,
  /** A trigger's outcome is remembered this long under its idempotency key. */
  triggerKeepMs: DAY_MS,
  /** First empty probe → looks again after this; index lag is milliseconds, a crashed ingest's call is over in 10 s. */
  emptyProbeAgainMs: 15 * MINUTE_MS,
  /** Ledger entries: 200 passes of about 300 bytes are 60 KB of a 400 KB item. */
  ledgerEntriesMax: 200,
  /** Scopes looked at in one tick, oldest due first; the rest keep their turn for the next. */
  dueScopesPerTickMax: 25,
  /** Evidence rows a probe reads; a full probe means "at least this much". */
  probeSourcesMax: 50,
  /** Times a pass re-reads the queue after losing part of a page. */
  refillMax: 4,
  /** Rows into the queue at which a pass may start: slot number × page, at most this. */
  startOffsetRowsMax: 100,
  /** A page with less room than this for text is closed. */
  pageCharactersMin: 2_000,
  /** A pass takes at most this many sources, then completes and the next follows. */
  sourcesPerPassMax: 1_000,
  /** LEASE and REVIEW rows of one pass: 1,000 sources one a page, plus refills. */
  pagesPerPassMax: 2_000,
  /** Plan-and-commit rounds on a contended ledger before the trigger is left to its redelivery. */
  commitRoundsMax: 8,
  /** Failed passes within `haltWindowMs` that halt a scope. */
  haltFailures: 5,
  haltWindowMs: DAY_MS,
  /** Back-off after n failures: base × 2^min(n, exponentMax): 10 min … 320 min. */
  backOffBaseMs: 5 * MINUTE_MS,
  backOffExponentMax: 6,
  /** Pass ids a scope row remembers as counted: twice the most passes one scope can run at once. */
  countedPassesMax: 32,
  /** Sources in one ingest call. */
  ingestSourcesMax: 50,
  /** Characters of one source taken in one call; the HTTP body limit of 1 MiB comes first for most. */
  sourceCharactersMax: 16_000_000,
  /** Code points in one TEXT row: 262,144 bytes at most before compression, under the 400 KB of an item. */
  textPartCharacters: 65_536,
  /** TEXT rows asked for in one BatchGetItem. */
  batchGetKeysMax: 100,
  /** Claims in one call of a tool, and one quote's and value's length in characters. */
  claimsPerCallMax: 100,
  quoteCharactersMax: 2_000,
  valueCharactersMax: 1_000,
  entityCharactersMax: 200,
  /** Passes listed on a citation row. */
  citationPassesMax: 20,
  /** Citation rows read for one page of claims, and for one claim slot. */
  claimRowsPerPageMax: 500,
  claimRowsPerSlotMax: 5_000,
  /** A value key longer than this stands as its hash. */
  valueKeyBytesMax: 200,
  /** The trigger waits this long for the scheduler's recorded outcome, asking this often. */
  triggerWaitMs: 3 * SECOND_MS,
  triggerPollMs: 100,
  /** A read may wait this long for a source to settle: under the 10 s of the function. */
  readerWaitMaxMs: 8 * SECOND_MS,
  readerPollMs: 250,
  /** Rows on one page of passes. */
  passesPerPageMax: 100,
} as const;

/** Each relation in words and as a fact. Exported so that a test can show each one failing. */
export function relations(limits: typeof LIMITS): readonly (readonly [string, boolean])[] {
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
    ['trigger visibility is six scheduler timeouts', TRIGGERS.visibilityS >= 6 * TRIGGERS.functionTimeoutS],
    ['failed-pass visibility is six scheduler timeouts', FAILED_PASSES.visibilityS >= 6 * TRIGGERS.functionTimeoutS],
    ['an unstarted pass outlives its event', limits.passStartGiveUpMs >= 2 * WORK.maxEventAgeS * SECOND_MS],
    ['waiting reads end before their function', limits.readerWaitMaxMs < HTTP.timeoutS * SECOND_MS],
    ['a trigger answers before its function ends', limits.triggerWaitMs < HTTP.timeoutS * SECOND_MS],
    ['counted passes cover the passes of a scope', limits.countedPassesMax >= 2 * 16],
    ['a page of leases fits one LEASE row', limits.sourcesPerPassMax <= limits.pagesPerPassMax],
  ];
}

for (const [words, holds] of relations(LIMITS)) {
  if (!holds) throw new Error(`limits.ts: the bounds contradict each other: ${words}`);
}
