/**
 * The mutants: one named clause, builder or decision each, replaced through deps. The simulation is worth what it catches
 * of these, so every protection has one here (`functions/README.md` says how to add one).
 */
import { ADMISSION_MUTANTS } from './admission-mutants.ts';
import { BUDGET_MUTANTS } from './budget-mutants.ts';
import { CARRY_MUTANTS } from './carry-mutants.ts';
import { CONTINUATION_MUTANTS } from './continuation-mutants.ts';
import { DRY_RUN_MUTANTS } from './dry-run-mutants.ts';
import { CLAIM_MUTANTS } from '../claims/claim-mutants.ts';
import { ORDER_MUTANTS } from '../claims/claim-order-mutants.ts';
import { WAKE_MUTANTS } from '../claims/claim-wake-mutants.ts';
import { DEPLOYMENT_MUTANTS } from './deployment-mutants.ts';
import { ENDING_MUTANTS, SWEEPING_MUTANTS } from './ending-mutants.ts';
import { ERASE_MUTANTS } from './erase-mutants.ts';
import { ERASE_REST_MUTANTS } from './erase-rest-mutants.ts';
import { FRAGMENT_MUTANTS } from './fragment-mutants.ts';
import { GIVING_BACK_MUTANTS } from './giving-back-mutants.ts';
import { HOSTILE_MUTANTS } from './hostile-mutants.ts';
import { INTAKE_ANSWER_MUTANTS } from './intake-answer-mutants.ts';
import { INTAKE_LOOK_MUTANTS } from './intake-look-mutants.ts';
import { LATE_WRITE_MUTANTS } from './late-write-mutants.ts';
import { LIMIT_MUTANTS } from './limit-mutants.ts';
import type { Mutant } from './mutant.ts';
import { PAGING_MUTANTS } from './paging-mutants.ts';
import { PERSON_MUTANTS } from './person-mutants.ts';
import { POISON_MUTANTS } from './poison-mutants.ts';
import { READING_MUTANTS } from './reading-mutants.ts';
import { REQUEUE_MUTANTS } from './requeue-mutants.ts';
import { ROW_MUTANTS } from './row-mutants.ts';
import { SESSION_MUTANTS } from './session-mutants.ts';
import { SLOPPY_MUTANTS } from './sloppy-mutants.ts';
import { PLAN_MUTANTS } from './plan-mutants.ts';
import { SCOPE_MOVE_MUTANTS } from './scope-move-mutants.ts';
import { START_MUTANTS } from './start-mutants.ts';
import { SWITCH_MUTANTS } from './switch-mutants.ts';
import { TICK_MUTANTS } from './tick-mutants.ts';
import { TRIGGER_MUTANTS } from './trigger-mutants.ts';
import { UNDO_MUTANTS } from './undo-mutants.ts';
import { UPLOAD_MUTANTS } from './upload-mutants.ts';
import { WORKING_MUTANTS } from './working-mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  ...ADMISSION_MUTANTS,
  ...LIMIT_MUTANTS,
  ...BUDGET_MUTANTS,
  ...TICK_MUTANTS,
  ...SWITCH_MUTANTS,
  ...TRIGGER_MUTANTS,
  ...SCOPE_MOVE_MUTANTS,
  ...PLAN_MUTANTS,
  ...CONTINUATION_MUTANTS,
  ...PERSON_MUTANTS,
  ...READING_MUTANTS,
  ...PAGING_MUTANTS,
  ...ENDING_MUTANTS,
  ...GIVING_BACK_MUTANTS,
  ...SWEEPING_MUTANTS,
  ...START_MUTANTS,
  ...CARRY_MUTANTS,
  ...DEPLOYMENT_MUTANTS,
  ...HOSTILE_MUTANTS,
  ...SESSION_MUTANTS,
  ...UPLOAD_MUTANTS,
  ...FRAGMENT_MUTANTS,
  ...SLOPPY_MUTANTS,
  ...POISON_MUTANTS,
  ...REQUEUE_MUTANTS,
  ...DRY_RUN_MUTANTS,
  ...ERASE_MUTANTS,
  ...ERASE_REST_MUTANTS,
  ...INTAKE_ANSWER_MUTANTS,
  ...INTAKE_LOOK_MUTANTS,
  ...UNDO_MUTANTS,
  ...WAKE_MUTANTS,
  ...ORDER_MUTANTS,
  ...WORKING_MUTANTS,
  ...ROW_MUTANTS,
  ...LATE_WRITE_MUTANTS,
];

/** With those of claims, which schedules of their own hunt. */
export const ALL_MUTANTS: readonly Mutant[] = [...MUTANTS, ...CLAIM_MUTANTS];

export function findMutant(name: string): Mutant {
  const mutant = ALL_MUTANTS.find((it) => it.name === name);
  if (mutant) return mutant;
  throw new Error(`there is no mutant "${name}"; there are: ${ALL_MUTANTS.map((it) => it.name).join(', ')}`);
}
