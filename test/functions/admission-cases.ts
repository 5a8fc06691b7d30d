/**
 * What admission has to stand, case by case, as two systems before this one learned it: by which test it is held, and by
 * which negative twin that test is shown to be worth something. Data only; `admission-cases.test.ts` holds it to the files.
 *
 * A reference is `<file below test/> › <name>`: a test, a guard (its `refuses`), a mutant of the simulation or a row of a
 * table, as it stands in that file.
 */
export interface HeldCase {
  readonly id: string;
  readonly about: string;
  readonly held: readonly string[];
  readonly twin: readonly string[];
}
export interface LeftCase {
  readonly id: string;
  readonly about: string;
  /** Where it belongs, or why it has no meaning here. */
  readonly left: string;
}
export type AdmissionCase = HeldCase | LeftCase;

const SCHEDULE = 'functions/schedule.test.ts';
const TRIGGERS = 'functions/triggers.test.ts';
const TWINS = 'functions/admission-twins.test.ts';
const SWEEPS = 'functions/schedule-twins.test.ts';
const PROVIDER = 'functions/provider.test.ts';
const SWITCHES = 'functions/switches.test.ts';
const FAILURES = 'functions/failures.test.ts';
const CONTENTION = 'functions/contention.test.ts';
const BUDGETS = 'functions/budgets.test.ts';
const DRAIN = 'functions/drain.test.ts';
const STATUS = 'functions/reader/status.test.ts';
const ADMISSION = 'core/admission.test.ts';
const MUTANTS = 'simulation/mutants/admission-mutants.ts';

const ONE_PROCESS = 'a single database process that owns its files: here every write is one conditional request';

/** Lines of the scheduler's and the worker's tests. */
export const WORKER_CASES: readonly AdmissionCase[] = [
  {
    id: 'W1',
    about: 'whatever has data is found by the schedule',
    held: [`${DRAIN} › is found by the schedule when every message was lost`],
    twin: ['functions/ingest/crash.test.ts › would leave evidence in an idle scope without it'],
  },
  { id: 'W2', about: 'who may ask which scopes there are', left: ONE_PROCESS },
  { id: 'W3', about: 'waiting for that process after a deadline', left: ONE_PROCESS },
  {
    id: 'W4',
    about: 'an idle look costs the same however many scopes there are',
    held: [`${SCHEDULE} › reads the ledger and the passes in it, however many scopes are due, and moves none of them`],
    twin: [`${SWEEPS} › twin: a tick with capacity left reads each scope that is due`],
  },
  { id: 'W5', about: 'no warm-up at the start', left: 'no process that starts: functions read when they are called' },
  { id: 'W6', about: 'a full job queue defers the schedule', left: 'no job queue is shared with anything else' },
  { id: 'W7', about: 'which pressure is reported', left: 'no job queue is shared with anything else' },
  { id: 'W8', about: 'which pressure is reported first', left: 'no job queue is shared with anything else' },
  {
    id: 'W9',
    about: 'a probe reads at most fifty sources',
    held: ['core/backlog.test.ts › counts at most fifty sources and says when there are more'],
    twin: [`${TWINS} › twin: by its tokens alone it would have one`],
  },
  {
    id: 'W10',
    about: 'a count that was cut off says so',
    held: [`${STATUS} › more than a probe reads: at least fifty`],
    twin: [`${STATUS} › fifty are not more`],
  },
  {
    id: 'W11',
    about: 'nothing is looked at while all is paused',
    held: [`${SWITCHES} › of everything: triggers say so, ticks look at no scope, and resume loses no turn`],
    twin: [`${MUTANTS} › pause leaves plans standing`],
  },
  {
    id: 'W12',
    about: 'a change of what may run counts at once',
    held: [
      `${SWITCHES} › a plan made before the pause was answered is not committed after it`,
      `${SWITCHES} › count from the next admission on: more passes at once, then fewer again`,
    ],
    twin: [`${SWITCHES} › twin: it would be, if a pause did not outdate the plans`],
  },
  {
    id: 'W13',
    about: 'an absent provider is waited for, told of, and taken up again',
    held: [
      `${PROVIDER} › until a time it says: 503 with Retry-After, no call by anybody until then, no failure of any scope`,
      `${PROVIDER} › without saying until when: one canary each time the wait is over`,
    ],
    twin: [`${SWEEPS} › twin: a plan that does not ask for the provider calls it again and again`],
  },
  {
    id: 'W14',
    about: 'an explicit trigger runs where the schedule rests, in the scope it names',
    held: [
      `${FAILURES} › runs for an explicit trigger, and a success of it ends the halt`,
      `${ADMISSION} › lets explicit triggers and drains pass halt and back-off, never the continuation`,
    ],
    twin: [`${FAILURES} › rests until a resume, which the schedule takes up with a fresh count`],
  },
  {
    id: 'W15',
    about: 'a start that fails frees what it took; the next trigger works',
    held: [
      `${BUDGETS} › between an entry and a budget that is spent meanwhile: the sweep takes the entry off`,
      `${CONTENTION} › of a pass whose finalizer died at its last write are taken off by the next tick`,
    ],
    twin: [`${SWEEPS} › twin: an entry that no sweep takes off keeps its place for ever`],
  },
  {
    id: 'W16',
    about: 'how long a scope has waited is told of it alone',
    held: [`${STATUS} › what waits`],
    twin: [`${STATUS} › only what waits until a time: nothing now, and when`],
  },
  {
    id: 'W17',
    about: 'a second trigger is refused while the first one runs to its end',
    held: [`${DRAIN} › admits one of five at once at default settings`],
    twin: [`${CONTENTION} › twin: without the version in the condition they admit far more`],
  },
  {
    id: 'W18',
    about: 'a pass that fails does not end the schedule, and each failure counts',
    held: [`${FAILURES} › back off by 10, 20, 40 and 80 minutes, then halt at the fifth`],
    twin: ['simulation/mutants/limit-mutants.ts › neither back-off nor halt'],
  },
  {
    id: 'W19',
    about: 'what cannot be repaired or recorded stops nothing else',
    held: [
      `${SWEEPS} › that cannot be read keeps nobody from being repaired or served, and the tick counts as failed`,
      'functions/turn-taking.test.ts › of a scope is passed over: the other scope is served, and the tick goes on',
    ],
    twin: [`${SWEEPS} › twin: a ledger that cannot be read stops the tick before anything`],
  },
  {
    id: 'W20',
    about: 'capacity goes round by need, and scopes without any are left out',
    held: [`${ADMISSION} › gives every scope one pass before any gets a second, oldest due first`],
    twin: [`${SWEEPS} › twin: a plan that deepens the first before it turns to the others leaves them waiting`],
  },
  {
    id: 'W21',
    about: 'scopes where only attention waits take what is left, and none of a full house',
    held: [
      'core/admission-properties.test.ts › alone makes one pass, after every scope with evidence has one and before any gets a second, oldest first',
    ],
    twin: ['functions/attention.test.ts › makes no pass of an executor that decides none'],
  },
  {
    id: 'W22',
    about: 'attention alone is one pass each, the oldest first',
    held: [
      'core/admission-properties.test.ts › alone never makes a second pass of its scope, and none while a running one owns it',
    ],
    twin: [`${MUTANTS} › attention for everybody`],
  },
  {
    id: 'W23',
    about: 'extras only from what is left, in turns',
    held: [`${ADMISSION} › capacity among few`, `${ADMISSION} › gives extras only to deep scopes`],
    twin: [`${SWEEPS} › twin: a plan that deepens the first before it turns to the others leaves them waiting`],
  },
  {
    id: 'W24',
    about: 'three in one scope: each source delivered and settled once, no lease left',
    held: [`${DRAIN} › with three passes at once, each source read once, nothing left behind`],
    twin: ['schema/evidence-lease.test.ts › lets one of two passes that read the same row win'],
  },
  {
    id: 'W25',
    about: 'by default one pass at a time',
    held: [`${TRIGGERS} › every second for 500 s at default settings never has two passes`],
    twin: [`${MUTANTS} › count-then-act admission`],
  },
  {
    id: 'W26',
    about: 'a shallow scope has one pass, whatever it may have',
    held: [`${SCHEDULE} › twin: a shallow one has one pass, whatever it may have`],
    twin: [`${SCHEDULE} › of 120 sources has three passes while more than 50 are left, by one trigger`],
  },
  {
    id: 'W27',
    about: 'sixty small sources are deep by number',
    held: [`${TWINS} › of sixty small sources has three passes, though its tokens are few`],
    twin: [`${TWINS} › twin: by its tokens alone it would have one`],
  },
  {
    id: 'W28',
    about: 'the attention of a scope passes on when its owner has ended, not before',
    held: [
      'functions/attention.test.ts › is of one pass at a time; joiners see none, by list and by decision; the next to start takes it over',
    ],
    twin: [`${MUTANTS} › attention for everybody`],
  },
  {
    id: 'W29',
    about: 'the others follow once the first has used a tool',
    held: [`${PROVIDER} › goes alone while nothing is proven; after its first tool call the rest follow by themselves`],
    twin: ['simulation/mutants/limit-mutants.ts › everybody is the canary'],
  },
  {
    id: 'W30',
    about: 'never more passes than models may be asked at once',
    held: [`${PROVIDER} › once proven, models are bound by their own number`],
    twin: [`${SWEEPS} › twin: not bound by their own number, as many are asked at once as there may be passes`],
  },
  {
    id: 'W31',
    about: 'a first pass that fails before it used a tool brings no others',
    held: [`${PROVIDER} › that dies before it proves anything costs one call, not one for each`],
    twin: ['simulation/mutants/limit-mutants.ts › everybody is the canary'],
  },
  { id: 'W32', about: 'tidying and reading in turns', left: 'the kinds hygiene and content' },
  { id: 'W33', about: 'surprise calls for reading', left: 'the kind content' },
  { id: 'W34', about: 'a review that is due calls for reading', left: 'the kind content' },
  { id: 'W35', about: 'old rows call for tidying', left: 'the kind hygiene' },
  {
    id: 'W36',
    about: 'a failure, a trigger, a budget stay in their scope',
    held: [
      `${FAILURES} › are charged to the scope that failed, with the reason; another goes on`,
      `${TRIGGERS} › is another key in another scope`,
    ],
    twin: [`${TRIGGERS} › five identical calls with one key at once start one set of passes, and all are told of it`],
  },
  { id: 'W37', about: 'a read that timed out holds the process', left: ONE_PROCESS },
  {
    id: 'W38',
    about: 'a pass of many sources ends as one',
    held: [`${DRAIN} › goes on by itself beyond the thousand sources of one pass`],
    twin: ['core/settling.test.ts › counts only as many REVIEW rows as the terminal write named'],
  },
  {
    id: 'W39',
    about: 'a pass row that was written late is one pass',
    held: [`${BUDGETS} › %s: the sweep goes on, and one reservation is made`],
    twin: [`${MUTANTS} › reserved as often as asked`],
  },
  {
    id: 'W40',
    about: 'an acknowledged row is not read again',
    left: 'a cost of that process; a won write is final here',
  },
  {
    id: 'W41',
    about: 'the same pass by the same id, however often its start is asked for',
    held: [`${CONTENTION} › with one and the same message admit its passes once`],
    twin: [`${MUTANTS} › trigger planned again after a lost race`],
  },
  {
    id: 'W42',
    about: 'who starts a pass dies after its row: its id tells',
    held: ['functions/life.test.ts › a doubled invocation, at once or late, runs nothing'],
    twin: [
      'schema/pass-fences.test.ts › a doubled invocation is not taken for a lost reply: its op and attempt are its own',
    ],
  },
  {
    id: 'W43',
    about: 'who starts a pass dies before its row: nothing is lost, the next works',
    held: [`${DRAIN} › a pass whose invocation was dropped for ever is invoked again by the sweep`],
    twin: ['simulation/mutants/ending-mutants.ts › unstarted pass not swept'],
  },
];
