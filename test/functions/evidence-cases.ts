/**
 * What leases and cursors have to stand when passes share a scope, case by case, as a system before this one learned it: by
 * which test it is held, and by which negative twin. Data only; `admission-cases.test.ts` holds it to the files.
 */
import type { AdmissionCase } from './admission-cases.ts';

const SHARING = 'functions/sharing.test.ts';
const CURSOR = 'functions/cursor.test.ts';
const REPLACED = 'functions/replaced.test.ts';
const RESUME = 'functions/resume.test.ts';
const DISPOSITIONS = 'functions/dispositions.test.ts';
const TOOL_ERRORS = 'functions/tool-errors.test.ts';
const LEASES = 'schema/evidence-lease.test.ts';
const READING_MUTANTS = 'simulation/mutants/reading-mutants.ts';
const ENDING_MUTANTS = 'simulation/mutants/ending-mutants.ts';

/** Leases. */
export const LEASE_CASES: readonly AdmissionCase[] = [
  {
    id: 'L1',
    about: 'two passes share six sources without one in common, and a third is told that there is none for it',
    held: [
      `${SHARING} › get them all, none of them both; each may look its own up again; a third gets none, and is told why`,
      `${SHARING} › get no source twice either while the index shows what it showed at first`,
    ],
    twin: [`${SHARING} › twin: with leases that ask for nobody some of the three go to both`],
  },
  {
    id: 'L2',
    about: 'two that reach for the same four at once get each in one of them; who has it may take it again',
    held: [`${SHARING} › get each in one of them`, `${LEASES} › takes a row that this pass holds already`],
    twin: [`${SHARING} › twin: with leases that ask for nobody all four go to both`],
  },
  {
    id: 'L3',
    about: 'a source lost between the look and the lease is made up for by the next',
    held: [`${SHARING} › one of them: gets the next in its place, so that its page is full`],
    twin: [`${SHARING} › twin: with leases that ask for nobody it reads what the rival reads`],
  },
  {
    id: 'L4',
    about: 'all lost: an empty page that says others hold the rest, never one that says there is more',
    held: [`${SHARING} › all of them: has an empty page that says others hold the rest, and so has the next`],
    twin: [`${SHARING} › twin: a reader that does not look at the leases says that nothing is left`],
  },
  {
    id: 'L5',
    about: 'what a pass held goes to another when it failed, and when its lease is over',
    held: [
      `${SHARING} › goes to the other pass, without a tick`,
      `${LEASES} › takes an expired lease over only when the margin is over as well`,
    ],
    twin: [
      `${SHARING} › twin: with leases that nobody gives back it waits for their expiry`,
      `${READING_MUTANTS} › expiry left out of the condition`,
    ],
  },
  {
    id: 'L6',
    about: 'a source that another holds is acknowledged in vain, and delivered when its holder fails',
    held: [
      `${TOOL_ERRORS} › is looked up and acknowledged in vain: only the rest is settled; delivered again when its holder fails`,
      `${TOOL_ERRORS} › is not settled by a forged acknowledgement either: the fence asks who holds it`,
    ],
    twin: [`${TOOL_ERRORS} › twin: without the check and without the fence it is settled unread`],
  },
  {
    id: 'L7',
    about: 'two real passes settle eight, each row by who read it; one of them has the attention of the scope',
    held: [
      `${SHARING} › settle all, each row by the pass that read it, and leave no lease`,
      'functions/attention.test.ts › is of one pass at a time; joiners see none, by list and by decision; the next to start takes it over',
    ],
    twin: [
      `${ENDING_MUTANTS} › settle without its fence`,
      'simulation/mutants/admission-mutants.ts › attention for everybody',
    ],
  },
];

/** Cursors and stalls. */
export const CURSOR_CASES: readonly AdmissionCase[] = [
  {
    id: 'C1',
    about: 'text that nobody acknowledged is delivered again',
    held: [`${CURSOR} › is delivered again, whole, to the next pass`],
    twin: [`${CURSOR} › twin: were it enough that it was delivered, it would be settled unread`],
  },
  {
    id: 'C2',
    about: 'an acknowledgement up to a quote ends where the quote ends',
    held: [
      `${CURSOR} › moves the cursor to the end of that quote, and is no end of the source, though nothing was found in it`,
      'core/review-plan.test.ts › ends where the first occurrence of a quote ends that is not acknowledged',
    ],
    twin: [`${CURSOR} › twin: taken for all that was delivered, the rest is never read`],
  },
  {
    id: 'C3',
    about: 'ranges in any order count up to the first gap',
    held: [
      `${RESUME} › stops at the gap when it is acknowledged out of order`,
      `${RESUME} › is refused by the row when it does not begin at the cursor`,
    ],
    twin: [`${RESUME} › twin: without that clause characters are left unread`],
  },
  { id: 'C4', about: 'a citation counts as read up to its end', left: 'only an acknowledgement moves a cursor here' },
  {
    id: 'C5',
    about: 'a failed citation keeps its source from progress, until the same is filed',
    left: 'a refused claim leaves the acknowledgement standing here; three passes of nothing else quarantine',
  },
  {
    id: 'C6',
    about: 'an edit while a pass reads gives the new text no progress, and the old one no place in the queue',
    held: [
      `${REPLACED} › is acknowledged as it was given, at no cost to the new text, which is read from its beginning and stands above`,
      `${REPLACED} › in part, is not read on: what it said beyond is history`,
    ],
    twin: [`${REPLACED} › twin: left in the queue because it is held, the old text would be read on`],
  },
  {
    id: 'C7',
    about: 'reading on shows the end of what was read before, and how much of it',
    held: [
      `${RESUME} › begins at the cursor, and shows the last 200 characters before it`,
      `${CURSOR} › is shown again, and can be quoted`,
    ],
    twin: [`${CURSOR} › twin: without an overlap what it says cannot be cited by anybody`],
  },
  {
    id: 'C8',
    about: 'three deliveries without progress: last in line, and an attention',
    held: [
      'functions/poison.test.ts › comes after all that is fresh from its third delivery on, until it gets on',
      `${DISPOSITIONS} › has an attention from its third delivery on, which goes when it gets on`,
    ],
    twin: [`${DISPOSITIONS} › is decided by the count of its row: twin, a row that forgets is delivered for ever`],
  },
  {
    id: 'C9',
    about: 'progress takes both back',
    held: [`${CURSOR} › sets its count back and closes its attention`],
    twin: [`${CURSOR} › twin: a finalizer that closes none asks a person about what is read on`],
  },
  {
    id: 'C10',
    about: 'a look-up is no delivery, and stalls nothing',
    held: ['functions/look-ups.test.ts › does not stall what it shows: twin, the same source delivered from the queue'],
    twin: [`${DISPOSITIONS} › is quarantined after three deliveries more, and then the scope rests`],
  },
  {
    id: 'C11',
    about: 'reviewed with nothing found is final, once all of it was acknowledged',
    held: [
      `${DISPOSITIONS} › is settled for good, as such; and one with a claim says how many`,
      `${CURSOR} › moves the cursor to the end of that quote, and is no end of the source, though nothing was found in it`,
    ],
    twin: [`${CURSOR} › twin: taken for all that was delivered, the rest is never read`],
  },
  {
    id: 'C12',
    about: 'a pass that failed has settled nothing',
    held: [
      'functions/drain.test.ts › a failed one without waiting for a tick',
      'core/settling.test.ts › settles nothing of a %s pass',
    ],
    twin: [`${ENDING_MUTANTS} › failed pass settles`],
  },
  {
    id: 'C13',
    about: 'passes that are finalized in another order than they ended set no time back',
    held: [`${CURSOR} › leave the time of the last pass at the later end`],
    twin: [`${CURSOR} › twin: set by whoever comes last, it goes back`],
  },
];

/** A source that breaks off pass after pass, in one revision or in many. */
export const RESTLESS_CASES: readonly AdmissionCase[] = [
  {
    id: 'R1',
    about: 'a source whose revisions broke off three passes within an hour waits, longer each time',
    held: [
      'functions/restless.test.ts › begins without blame in the next revision, and waits a minute after the last',
      'functions/restless.test.ts › is tried eight times or nine in an hour, and is not put off by its edits',
    ],
    twin: [
      'functions/restless.test.ts › twin: one that nobody remembers it of is read at once, and breaks off the next pass',
      'functions/restless.test.ts › twin: a pass a minute, were it not remembered',
    ],
  },
  {
    id: 'R2',
    about: 'fifty of them an hour in a deployment',
    held: [
      'functions/restless.test.ts › fifty are let through in an hour of the clock, the rest in the next; none is lost',
    ],
    twin: ['functions/restless.test.ts › twin: without that bound all are let through at once'],
  },
  {
    id: 'R3',
    about: 'what passes got nowhere with is history when a newer revision comes',
    held: [`${REPLACED} › %s is neither counted nor asked about when a newer one came`],
    twin: [`${REPLACED} › twin: a write that takes only what is pending leaves it counted for ever`],
  },
  {
    id: 'R4',
    about: 'ten thousand deliveries to sixteen passes at once: none twice, none lost',
    held: [
      'functions/ten-thousand.test.ts › give none to two live passes, lose none, settle none twice, and lose less than one race a lease',
    ],
    twin: [
      'functions/ten-thousand.test.ts › twin: were a lease taken whoever holds it, and however old its reading, sources are in two live passes',
    ],
  },
];
