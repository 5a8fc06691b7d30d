/**
 * Every bound that is not a setting, with its reason; relations between bounds are asserted when the module loads, so
 * that a changed number that breaks another fails every test and every cold start (design rule 8).
 */
import { relations } from './limit-relations.ts';

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
  /** An admitted pass nobody started is invoked again after this: at the next tick, and long after a cold start. */
  passStartRetryMs: 45 * SECOND_MS,
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
  /** Times one step of an executor asks its model again. Nobody else retries: a failed pass is a new pass, after a back-off. */
  modelRetriesPerStepMax: 2,
  /** Passes of one scope at once: the most that `maxPassesPerScope` can be. */
  passesPerScopeMax: 16,
  /** What is set aside of a day's tokens for a pass that starts: three full pages read, and what is written about them. */
  reservedTokensIn: 24_000,
  reservedTokensOut: 6_000,
  /** A reservation whose pass is in no ledger is given back after this: by then no scheduler can still be about to start it. */
  reservationKeepMs: 30 * MINUTE_MS,
  /**
   * A closed entry of a day stays so long: a scheduler lives 30 s, and what it sent is long decided by then. At two passes a
   * second in one scope 1,200 entries of 100 bytes stand in the row, of the 400 KB of an item.
   */
  usageClosedKeepMs: 10 * MINUTE_MS,
  /** A refused one stays longer: until its trigger is delivered for the last time, five times 180 s after the first. */
  usageRefusedKeepMs: 20 * MINUTE_MS,
  /** Closed entries one settlement drops: more than a pass adds, and 25 names of 40 bytes in an expression of 4 KB. */
  usageDropMax: 25,
  /** A day's usage can be read for this long. */
  usageKeepMs: 90 * DAY_MS,
  /** A provider that does not say when it is back is asked again after this, by one pass. */
  providerAwayMs: 5 * MINUTE_MS,
  /** Ledger entries: 200 passes of about 300 bytes are 60 KB of a 400 KB item. */
  ledgerEntriesMax: 200,
  /** Pools of a deployment: a tick looks at each, with three reads where nothing waits. */
  poolsMax: 16,
  /** Scopes looked at in one tick, oldest due first; the rest keep their turn for the next. */
  dueScopesPerTickMax: 25,
  /** Evidence rows a probe reads; a full probe means "at least this much". */
  probeSourcesMax: 50,
  /** Times a pass re-reads the queue after losing part of a page. */
  refillMax: 4,
  /** Pages that a pass asks for after it lost every source of one, before it leaves the queue to those who are faster. */
  lostPagesMax: 4,
  /** Rows into the queue at which a pass may start: slot number × page, at most this, then from the head. */
  startOffsetRowsMax: 100,
  /** Deliveries without progress from which on a source is stalled: it comes after all that is fresh. */
  stalledAt: 3,
  /** Passes that cite a source with nothing but what it does not say, after which it is quarantined; one never does. */
  rejectedPassesMax: 3,
  /** Deliveries without progress after which it is quarantined: three more than make it stalled. */
  stallsMax: 6,
  /** Stalled evidence alone brings the schedule to its scope so long after the last pass. */
  maxIntervalMs: 6 * HOUR_MS,
  /** Quarantined sources counted for a status; more are "at least". */
  quarantinedCountMax: 100,
  /** Quarantined sources that one call requeues: at 5 requests each they are through within the 10 s of the function. */
  requeuedPerCallMax: 100,
  /** Passes that a source held when they broke off: from so many on it waits longer each time, and is read alone. */
  aloneFromAttempts: 2,
  /** Passes that a source alone broke off, after which it is quarantined. */
  crashesAloneMax: 3,
  /** Passes that broke off at revisions of one source within `retryWindowMs`, after which the next revision waits. */
  retryCrashes: 3,
  retryWindowMs: HOUR_MS,
  /** It waits base × 2^n after the last of them, n for those beyond three: 1 min … 32 min, which is half of the window. */
  retryBaseMs: MINUTE_MS,
  retryExponentMax: 5,
  /** Broken-off passes that a source remembers: what makes it wait, and one for each doubling. */
  sourceCrashesMax: 8,
  /** Revisions of such sources let through in one hour of the clock, in a deployment; the next goes to the hour after. */
  retriesPerHourMax: 50,
  /** … and the hours that are asked for room: 1,200 waiting sources. What comes then waits for all of them, uncounted. */
  retryHoursMax: 24,
  /** Every so many pages of a pass, its first included, what has waited longest comes before the newest. */
  oldestFirstEvery: 4,
  /** A page with less room than this for text is closed. */
  pageCharactersMin: 2_000,
  /** What a source that another pass began is shown again of, before its cursor: a tenth of the least page would be 1,600. */
  overlapCharacters: 200,
  /** Items in one call that acknowledges: a page. */
  reviewItemsMax: 50,
  /** Calls in one CALL row, and references in it: 300 at most with those of the last call, 400 bytes each, are under 200 KB. */
  callsPerRowMax: 16,
  callReferencesPerRowMax: 150,
  /** CALL rows of one pass: 8,000 calls, far beyond what its time allows. */
  callRowsPerPassMax: 500,
  /** CALL rows in one answer. */
  callRowsPerPageMax: 25,
  /** Words of one query; more would match nothing that eight do not. */
  lookUpWordsMax: 8,
  /** Sources that one query looks at, newest first: one Query of the index. */
  lookUpSourcesMax: 200,
  /** TEXT rows that it reads: two batches, at most 13 million characters in a function's 1,024 MB. */
  lookUpPartsMax: 200,
  /** Sources that it answers with, two reads each. */
  lookUpItemsMax: 20,
  /** Characters of one excerpt, and of all that one look-up answers. */
  lookUpExcerptCharacters: 2_000,
  lookUpResultCharacters: 16_000,
  /** A pass takes at most this many sources, then completes and the next follows. */
  sourcesPerPassMax: 1_000,
  /** LEASE rows of one pass, and REVIEW rows: 1,000 sources one a page, plus refills. Near that its queue is closed to it. */
  pagesPerPassMax: 2_000,
  /** What a dry run reads, and what it takes down: enough to judge an executor by, and a fraction of what a pass costs. */
  dryRunSourcesMax: 50,
  dryRunPagesMax: 20,
  /** Citations in one PROPOSAL row: 10 of 2,000 characters of quote, twice 1,000 of value and 400 of names, 4 bytes each. */
  citationsPerProposalMax: 10,
  proposalRowBytesMax: 200_000,
  /** PROPOSAL rows of one dry run: 1,000 citations. */
  proposalRowsMax: 100,
  proposalKeepMs: DAY_MS,
  /** Claim slots told of in one answer about a dry run, one Query each within the 10 s of the function. */
  proposedSlotsPerPageMax: 100,
  /** Acknowledgements in one REVIEW row: a page of them. */
  reviewsPerRowMax: 50,
  /** One LEASE or REVIEW row: 50 sources whose keys have 316 bytes, with three numbers each, are under 19 KB. */
  passRowBytesMax: 20_000,
  /** Answers of at most 1 MB that read all LEASE or all REVIEW rows of a pass: 50 rows each, and one that ends it. */
  passReadsMax: 41,
  /** Passes admitted by one write: an update expression is at most 4 KB, and an entry takes some 30 bytes of it. */
  admittedPerCommitMax: 64,
  /** An index shows a write after this at the latest, as a rule; how long a person's request waits to look again. */
  indexLagMs: 5 * SECOND_MS,
  indexLagRetryMs: SECOND_MS,
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
  /** Reasons told of what was refused, and characters of each: 50 refused sources are told of in under 100 KB. */
  refusalReasonsMax: 5,
  refusalCharactersMax: 200,
  /** Sources in one ingest call. */
  ingestSourcesMax: 50,
  /** Characters of one source taken in one call; the HTTP body limit of 1 MiB comes first for most. */
  sourceCharactersMax: 16_000_000,
  /** Bytes of one upload: what the longest source may take, if most of its characters take one byte. */
  uploadBytesMax: 16 * 1024 * 1024,
  /** Its parts: 1 MiB each is what a call takes; a client may cut smaller ones. */
  uploadPartsMax: 64,
  /** Bytes in one row of a part: 1 MiB is four rows, each under the 400 KB of an item. */
  uploadSliceBytes: 262_144,
  /** Rows of parts asked for in one BatchGetItem: 48 of 256 KB are 12.6 MB of the 16 MB that one answer may have. */
  uploadSlicesPerReadMax: 48,
  /** Parts that are not completed go after this. */
  uploadKeepMs: DAY_MS,
  /** Turns appended in one call; the body's 1 MiB comes first for long ones. */
  appendedTurnsMax: 1_000,
  /** Turn ids that one transcript remembers: 24 bytes each are 240 KB of a 400 KB item. */
  turnIdsMax: 10_000,
  turnIdCharactersMax: 200,
  /** Lines that are no turns, passed over whatever else there is; more than these only while they are the smaller part. */
  badLinesMax: 1_000,
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
  /** A rebuild must see a claim slot whole: 50,000 rows of 1 KB are 50 MB of a function's memory. */
  claimRowsPerRebuildMax: 50_000,
  /** Times a rebuild starts again because a pass raised the head meanwhile; sending it again is safe. */
  rebuildRoundsMax: 8,
  /** Claims of one claim slot that its head remembers as retracted, newest first: 100 of 60 bytes are 6 KB. */
  retractedClaimsMax: 100,
  /** Alias rows of a scope, read before its claims: 2,000 of about 250 bytes are one page of a Query. */
  aliasRowsPerScopeMax: 2_000,
  /** Rows on one page of entities, attentions or an export. */
  memoryRowsPerPageMax: 500,
  /** Lines taken by one import: at 8 at once and 3 requests each they are through within the 10 s of the function. */
  importLinesMax: 500,
  importAtOnceMax: 8,
  /** Rows of sources read at once to tell which attentions still hold: 500 of a page are 20 rounds, well within 10 s. */
  attentionReadsAtOnce: 25,
  /** Claim slots that one call of the curator changes; its answer says where to go on. */
  curatedSlotsPerCallMax: 250,
  /** … and the time after which it takes no further one: half of the function's. */
  curatedForMs: 5 * SECOND_MS,
  /** Citation rows that one such call looks at, and one answer about a pass. */
  curatedRowsPerCallMax: 5_000,
  /** What a person may be called, and give as a reason. */
  authorCharactersMax: 200,
  reasonCharactersMax: 1_000,
  /** A clock of a person's machine may be ahead by this much. */
  clockAheadMaxMs: 5 * MINUTE_MS,
  /** Entities that a recall chooses among, and those whose claims it reads. */
  recallCandidatesMax: 2_000,
  recallEntitiesMax: 8,
  recallTokensMax: 4_000,
  /** A value key longer than this stands as its hash. */
  valueKeyBytesMax: 200,
  /** After a look of an erasure it looks again so long after the last that found something: a late beat is over by then, */
  erasureLookFirstMs: 2 * MINUTE_MS,
  /** … so is a pass that was not cancelled in time, */
  erasureLookNextMs: 12 * MINUTE_MS,
  /** … and one that was admitted just before, started late and ran to its end. The erasure ends with this look. */
  erasureLookLastMs: 45 * MINUTE_MS,
  /** What a run of the eraser does before it tells where it goes on: for a caller, and by schedule. */
  erasedForCallerMs: 5 * SECOND_MS,
  erasedByScheduleMs: 45 * SECOND_MS,
  /** A run that has not told by then died. */
  erasureRunOverMs: 2 * MINUTE_MS,
  /** Erasures that one scheduled run takes up, longest due first. */
  erasuresPerRunMax: 25,
  /** Rows of one page of a look, deleted so many at once. */
  erasedRowsPerPageMax: 200,
  erasedAtOnceMax: 16,
  /** Rows of texts read before they are deleted; an answer of 1 MB ends before that where they are slices of 256 KB. */
  erasedTextRowsPerPageMax: 25,
  /** … and pages of one text in a run: 400 slices are more than an upload. What is left keeps its name for the next look. */
  erasedTextPagesMax: 100,
  /**
   * A text that was listed so lately may still be on its way, and would be left for ever under a name that is gone. Ingest's
   * function is over in 10 s, but a process that stood still, or a write on its way, comes as late as any: 15 min.
   */
  textListGraceMs: 15 * MINUTE_MS,
  /** Claims of a scope that are forgotten: writers read them all, 500 of some 400 bytes are one page of 200 KB. */
  forgottenPerScopeMax: 500,
  /** … and calls that make room at once may each find some, and together forget a few more than that: read all the same. */
  forgottenReadMax: 550,
  /** The trigger waits this long for the scheduler's recorded outcome, asking this often. */
  triggerWaitMs: 3 * SECOND_MS,
  triggerPollMs: 100,
  /** A read may wait this long for a source to settle: under the 10 s of the function. */
  readerWaitMaxMs: 8 * SECOND_MS,
  readerPollMs: 250,
  /** Rows on one page of passes. */
  passesPerPageMax: 100,
} as const;

for (const [words, holds] of relations(LIMITS)) {
  if (!holds) throw new Error(`limits.ts: the bounds contradict each other: ${words}`);
}
