/**
 * The mutants: one named clause, builder or decision each, replaced through deps. The simulation is worth what it catches
 * of these, so every protection has one here (`functions/README.md` says how to add one).
 */
import { ADMISSION_MUTANTS } from './admission-mutants.ts';
import { ENDING_MUTANTS, SWEEPING_MUTANTS } from './ending-mutants.ts';
import { LIMIT_MUTANTS } from './limit-mutants.ts';
import type { Mutant } from './mutant.ts';
import { READING_MUTANTS } from './reading-mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  ...ADMISSION_MUTANTS,
  ...LIMIT_MUTANTS,
  ...READING_MUTANTS,
  ...ENDING_MUTANTS,
  ...SWEEPING_MUTANTS,
];

export function findMutant(name: string): Mutant {
  const mutant = MUTANTS.find((it) => it.name === name);
  if (mutant) return mutant;
  throw new Error(`there is no mutant "${name}"; there are: ${MUTANTS.map((it) => it.name).join(', ')}`);
}
