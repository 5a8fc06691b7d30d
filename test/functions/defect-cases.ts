/**
 * What admission has to stand because a system before this one did not: defects that nobody had a test for; in the form of
 * `admission-cases.ts`.
 */
import type { AdmissionCase } from './admission-cases.ts';

const SCHEDULE = 'functions/schedule.test.ts';
const TRIGGERS = 'functions/triggers.test.ts';
const TWINS = 'functions/admission-twins.test.ts';
const SWEEPS = 'functions/schedule-twins.test.ts';
const PROVIDER = 'functions/provider.test.ts';
const BUDGETS = 'functions/budgets.test.ts';
const DRAIN = 'functions/drain.test.ts';
const LIFE = 'functions/life.test.ts';

export const DEFECT_CASES: readonly AdmissionCase[] = [
  { id: 'A', about: 'which of two facts is hidden', left: '[evidence] and [claims]: order of claims' },
  {
    id: 'B',
    about: 'a refused budget occupies nothing, and the next day starts',
    held: [
      `${BUDGETS} › one drain of 8 with 3 left starts 3 and says so; the next is 429 until midnight, and rolls with the day`,
    ],
    twin: [`${SWEEPS} › twin: an entry that no sweep takes off keeps its place for ever`],
  },
  {
    id: 'C',
    about: 'a first slot that is taken cancels no drain',
    held: [`${TRIGGERS} › fills the free slot numbers, holes first, whatever runs, and tells new passes from old`],
    twin: [`${TWINS} › twin: asking for slot 0 alone it would start none`],
  },
  {
    id: 'D',
    about: 'a worker that died: expired, its place and its sources free',
    held: [
      `${DRAIN} › a worker that vanished is expired within silence and one tick, its sources delivered again`,
      `${LIFE} › an invocation that failed expires its attempt within seconds, without a tick`,
    ],
    twin: [`${SWEEPS} › twin: an entry that no sweep takes off keeps its place for ever`],
  },
  {
    id: 'E',
    about: 'waiting for a start eats nothing of a pass’s time',
    held: [`${TWINS} › that waited for its worker has its whole time all the same`],
    twin: [`${TWINS} › twin: counted from its admission it would have none left`],
  },
  {
    id: 'F',
    about: 'eight at once read disjoint sources',
    held: [
      `${TRIGGERS} › of 8 in an idle scope is 8 passes with 8 ids and slot numbers 0 to 7, each source read by one`,
    ],
    twin: ['schema/evidence-lease.test.ts › lets one of two passes that read the same row win'],
  },
  { id: 'G', about: 'progress by kind', left: 'the kinds beside incremental' },
  {
    id: 'H',
    about: 'an end without progress is a failure',
    held: ['functions/failures.test.ts › of a pass that settles nothing are called no_progress'],
    twin: ['core/settling.test.ts › settles what a completed pass acknowledged and releases the rest it may hold'],
  },
  {
    id: 'I',
    about: 'a pass that was cut off is charged what it used',
    held: [`${BUDGETS} › when it was killed: by its last beat`],
    twin: [`${BUDGETS} › not at all when it never ran: it does not count as a pass either`],
  },
  {
    id: 'J',
    about: 'eight starts at once with three passes left start three',
    held: [
      `${BUDGETS} › 8 starts at once with 3 passes left start exactly 3; the others occupy nothing`,
      `${TWINS} › with 3 left start 3 by the plan alone, and by the reservation alone`,
    ],
    twin: [`${TWINS} › twin: with neither they would start all 8`],
  },
  { id: 'K', about: 'a change and its record are one', left: '[claims]: a citation is the record' },
  { id: 'L', about: 'a half-done change shows', left: '[claims]: heads follow their citations' },
  {
    id: 'M',
    about: 'the same call again does no more',
    held: [`${TRIGGERS} › five identical calls with one key at once start one set of passes, and all are told of it`],
    twin: [`${TRIGGERS} › is another key in another scope`],
  },
  {
    id: 'N',
    about: 'a pass that has ended writes nothing',
    held: [`${LIFE} › stops the worker before its next write of a claim`],
    twin: [`${LIFE} › twin: a worker that does not beat before it acts writes on`],
  },
  { id: 'O', about: 'which tool for which kind', left: 'the kinds beside incremental' },
  { id: 'P', about: 'where results are published', left: '[receipts]' },
  { id: 'Q', about: 'results can be found and replaced', left: '[claims]' },
  {
    id: 'R',
    about: 'a look that is made again does no more',
    held: [
      `${SCHEDULE} › doubled, at once and late, admit one pass`,
      `${SCHEDULE} › that come stale, all at once after an outage, do nothing`,
    ],
    twin: ['simulation/mutants/admission-mutants.ts › due by the index alone'],
  },
  {
    id: 'S',
    about: 'a backlog larger than one pass goes on until it is empty',
    held: [`${TWINS} › goes on by itself, without a tick, as long as each pass gets somewhere`],
    twin: [`${TWINS} › twin: without the trigger of its finalizer it stops after the first`],
  },
  {
    id: 'T',
    about: 'a scope or kind that nobody knows, a number without end: refused before any write',
    held: [
      `${DRAIN} › refuses one on an unknown scope, and one on an empty queue`,
      `${TRIGGERS} › that is refused is an error with the refusal, never a success`,
      `${TRIGGERS} › of %s is refused with the range`,
    ],
    twin: [`${TRIGGERS} › that asks for what there is says nothing of lowering`],
  },
  {
    id: 'U',
    about: 'the schedule makes use of more passes too',
    held: [`${SCHEDULE} › and again by the schedule alone`],
    twin: [`${SCHEDULE} › twin: a shallow one has one pass, whatever it may have`],
  },
  {
    id: 'V',
    about: 'a refusal is no success',
    held: [
      `${TRIGGERS} › that is refused is an error with the refusal, never a success`,
      `${PROVIDER} › until a time it says: 503 with Retry-After, no call by anybody until then, no failure of any scope`,
    ],
    twin: [`${TWINS} › twin: with one it admits`],
  },
  { id: 'W', about: 'bytes, not characters, at a bound', left: 'the kind core_rewrite' },
  {
    id: 'X',
    about: 'what is kept for a time is never memory',
    held: [`${SCHEDULE} › make no executor call, no admission, and leave no row or byte that TTL will not remove`],
    twin: ['schema/pass.test.ts › a finalized pass goes by TTL, in seconds, and not before'],
  },
  { id: 'Y', about: 'what is marked changes what is found', left: '[claims]: reading' },
  {
    id: 'Z',
    about: 'who ends late overwrites nothing',
    held: [
      'schema/pass-fences.test.ts › a pass that the sweep expired is not taken for this worker’s success, though it bears its attempt',
      'functions/pass-endings.test.ts › stops before its next write: the pass ends, and no source is in two live passes',
    ],
    twin: [`${LIFE} › twin: a worker that does not beat before it acts writes on`],
  },
];
