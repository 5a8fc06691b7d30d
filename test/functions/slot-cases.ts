/**
 * What a drain on demand has to stand: names, wiring and slots; in the form of `admission-cases.ts`.
 */
import type { AdmissionCase } from './admission-cases.ts';

const TRIGGERS = 'functions/triggers.test.ts';
const TWINS = 'functions/admission-twins.test.ts';
const CONTENTION = 'functions/contention.test.ts';
const BUDGETS = 'functions/budgets.test.ts';
const LIFE = 'functions/life.test.ts';
const ADMISSION = 'core/admission.test.ts';
const ENDINGS = 'infra/endings.test.ts';
const EVIDENCE = 'evidence, not admission: what is settled is listed to nobody again';

export const SLOT_CASES: readonly AdmissionCase[] = [
  {
    id: 'T1',
    about: 'two calls of one millisecond are two runs',
    held: [`${TWINS} › of the same millisecond are two passes with ids of their own`],
    twin: [`${TWINS} › twin: named by their time alone they would be one`],
  },
  {
    id: 'T2',
    about: 'one call for eight is eight ids',
    held: [
      `${TRIGGERS} › of 8 in an idle scope is 8 passes with 8 ids and slot numbers 0 to 7, each source read by one`,
    ],
    twin: [`${TRIGGERS} › that asks for what there is says nothing of lowering`],
  },
  {
    id: 'T3',
    about: 'what is the same call keeps its name',
    held: [`${CONTENTION} › with one and the same message admit its passes once`],
    twin: ['simulation/mutants/admission-mutants.ts › finished pass not asked for'],
  },
  {
    id: 'T4',
    about: 'names stay apart however long they are',
    held: [`${TWINS} › of scopes whose names differ in their last character alone are two passes`],
    twin: [`${TWINS} › twin: cut to 63 characters their names would be one`],
  },
  {
    id: 'T5',
    about: 'again right after the end, while the last one can still be read',
    held: [`${TWINS} › right after the last has ended is a pass of its own`],
    twin: [`${TRIGGERS} › is made and returned when absent; the same call with it is answered with the same passes`],
  },
  { id: 'T6', about: 'what was read is not listed again', left: EVIDENCE },
  { id: 'T7', about: 'what stands behind another is not listed', left: EVIDENCE },
  { id: 'T8', about: 'a mere relation hides nothing', left: EVIDENCE },
  { id: 'T9', about: 'own output is no input', left: 'receipts and reflections: what passes write is never a source' },
  { id: 'T10', about: 'a list that ends after as many rounds as it has pages', left: EVIDENCE },
  {
    id: 'T11',
    about: 'only a prefix of an author counts',
    left: 'receipts and reflections: no author is told by a prefix',
  },
  { id: 'T12', about: 'another scope hides nothing', left: EVIDENCE },
  {
    id: 'T13',
    about: 'the deployed parts see a pass through to its end',
    held: [
      'infra/local/acceptance.test.ts › drains one scope with three passes at once: every source read by one of them',
    ],
    twin: [`${ENDINGS} › fails without %s`],
  },
  {
    id: 'T14',
    about: 'a missing way to end is found when the stack is made',
    held: [`${ENDINGS} › in %s`],
    twin: [`${ENDINGS} › fails without %s`],
  },
  {
    id: 'T15',
    about: 'nobody there to run: said so, nothing breaks',
    held: [`${TWINS} › whose executor nobody knows refuses with 503, and writes nothing`],
    twin: [`${TWINS} › twin: with one it admits`],
  },
  {
    id: 'T16',
    about: 'eight in an idle scope take slots 0 to 7',
    held: [
      `${TRIGGERS} › of 8 in an idle scope is 8 passes with 8 ids and slot numbers 0 to 7, each source read by one`,
    ],
    twin: [`${TWINS} › twin: counted on from those that run, two passes would have one`],
  },
  {
    id: 'T17',
    about: 'a slot is one pass; other slots and other scopes are free',
    held: [
      `${CONTENTION} › admit as many as one scope may have, each with a slot number of its own`,
      'core/admission-properties.test.ts › plans the same from the same snapshot in any order, with distinct slot numbers and pass ids',
    ],
    twin: [`${CONTENTION} › twin: without the version in the condition they admit far more`],
  },
  {
    id: 'T18',
    about: 'the end of one frees its slot alone',
    held: [`${TRIGGERS} › fills the free slot numbers, holes first, whatever runs, and tells new passes from old`],
    twin: [`${TWINS} › twin: counted on from those that run, two passes would have one`],
  },
  {
    id: 'T19',
    about: 'the lowest free slot first; none left is refused',
    held: [
      `${TRIGGERS} › fills the free slot numbers, holes first, whatever runs, and tells new passes from old`,
      `${TRIGGERS} › at 3 of a scope, 3 in all, 4 models starts three on a deep backlog; more are scope_full until one ends`,
    ],
    twin: [`${TWINS} › twin: counted on from those that run, two passes would have one`],
  },
  {
    id: 'T20',
    about: 'a call that makes no sense is told what does',
    held: [
      `${TRIGGERS} › of %s is refused with the range`,
      `${TRIGGERS} › that is refused is an error with the refusal, never a success`,
    ],
    twin: [`${TRIGGERS} › without a number asks for drainParallel, and says what was lowered`],
  },
  {
    id: 'T21',
    about: 'a kind that runs once is one, and the answer says so',
    held: [`${ADMISSION} › of a kind that may run once is one, whatever a drain asks for, and says so`],
    twin: [`${ADMISSION} › lowers a drain above a cap and says so`],
  },
  {
    id: 'T22',
    about: 'no number is the number of the settings; none of theirs is one',
    held: [`${TRIGGERS} › without a number asks for drainParallel, and says what was lowered`],
    twin: [`${TRIGGERS} › of %s is refused with the range`],
  },
  {
    id: 'T23',
    about: 'the answer names every new pass, every old one, and what was refused of the rest',
    held: [
      `${TRIGGERS} › fills the free slot numbers, holes first, whatever runs, and tells new passes from old`,
      `${TRIGGERS} › above maxConcurrentPasses starts what there is room for`,
    ],
    twin: [`${TRIGGERS} › that asks for what there is says nothing of lowering`],
  },
  {
    id: 'T24',
    about: 'a spent budget starts nothing and says so',
    held: [
      `${BUDGETS} › one drain of 8 with 3 left starts 3 and says so; the next is 429 until midnight, and rolls with the day`,
    ],
    twin: [`${TWINS} › twin: with neither they would start all 8`],
  },
  {
    id: 'T25',
    about: 'rows from before are read',
    held: [`${LIFE} › tables of release 1, half drained, run on under this code`],
    twin: [`${LIFE} › what it does not know, it keeps`],
  },
  {
    id: 'T26',
    about: 'more than may run at once: the rest follow, each with its whole time',
    held: [
      `${TRIGGERS} › above maxConcurrentPasses starts what there is room for`,
      `${TWINS} › that waited for its worker has its whole time all the same`,
    ],
    twin: [`${TWINS} › twin: counted from its admission it would have none left`],
  },
];
