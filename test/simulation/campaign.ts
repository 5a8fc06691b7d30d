/** Many schedules one after the other: their sum, and the hunt for a mutant. */
import { CLAIM_MUTANTS } from './claims/claim-mutants.ts';
import { runClaimSchedule } from './claims/claim-schedule.ts';
import type { FaultName } from './engine/faults.ts';
import type { Violation } from './engine/kernel.ts';
import type { Mutant } from './mutants/mutant.ts';
import { drawPlan } from './plans/plan.ts';
import { runSchedule, type ScheduleResult } from './schedule.ts';
import { sceneOf } from './engine/slow-writes.ts';

export interface Found {
  readonly seed: number;
  readonly invariant: string;
  readonly message: string;
}

/** Begins the message of a violation that a schedule of claims found: it is not shrunk. */
export const CLAIMS_MARK = 'claims: ';

/** What a number of schedules came to. Plain data: it crosses from a thread. */
export interface Tally {
  schedules: number;
  claimSchedules: number;
  steps: number;
  crashes: number;
  deliveries: number;
  leasesWon: number;
  leasesLost: number;
  lateLeasePages: number;
  drainedAfterMaxMs: number;
  readonly violations: Found[];
  readonly faults: Partial<Record<FaultName, number>>;
  readonly coverage: Record<string, number>;
}

export function emptyTally(): Tally {
  return {
    schedules: 0,
    claimSchedules: 0,
    steps: 0,
    crashes: 0,
    deliveries: 0,
    leasesWon: 0,
    leasesLost: 0,
    lateLeasePages: 0,
    drainedAfterMaxMs: 0,
    violations: [],
    faults: {},
    coverage: {},
  };
}

function addCounts(sum: Record<string, number>, counts: Iterable<readonly [string, number]>): void {
  for (const [name, count] of counts) sum[name] = (sum[name] ?? 0) + count;
}

export function addResult(tally: Tally, result: ScheduleResult): void {
  tally.schedules++;
  tally.steps += result.steps;
  tally.crashes += result.crashes;
  tally.deliveries += result.deliveries;
  tally.leasesWon += result.leasesWon;
  tally.leasesLost += result.coverage.get('evidence:lease held') ?? 0;
  tally.lateLeasePages += result.lateLeasePages;
  tally.drainedAfterMaxMs = Math.max(tally.drainedAfterMaxMs, result.drainedAfterMs ?? 0);
  addCounts(tally.faults, Object.entries(result.faults));
  addCounts(tally.coverage, result.coverage);
  const { violation, seed } = result;
  if (violation) tally.violations.push({ seed, invariant: violation.invariant, message: violation.message });
}

/** A schedule of claims counts as one only where it breaks. */
function addClaims(tally: Tally, seed: number, violation: Violation | undefined): void {
  tally.claimSchedules++;
  if (!violation) return;
  const { invariant, message } = violation;
  tally.violations.push({ seed, invariant, message: `${CLAIMS_MARK}${message}` });
}

export function addTally(sum: Tally, part: Tally): void {
  for (const name of [
    'schedules',
    'claimSchedules',
    'steps',
    'crashes',
    'deliveries',
    'leasesWon',
    'leasesLost',
    'lateLeasePages',
  ] as const) {
    sum[name] += part[name];
  }
  sum.drainedAfterMaxMs = Math.max(sum.drainedAfterMaxMs, part.drainedAfterMaxMs);
  addCounts(sum.faults, Object.entries(part.faults));
  addCounts(sum.coverage, Object.entries(part.coverage));
  sum.violations.push(...part.violations);
}

export interface Share {
  /** Seed of the first schedule of the whole campaign. */
  readonly seed: number;
  readonly schedules: number;
  /** This share runs every `of`-th schedule, from the `part`-th on. */
  readonly part: number;
  readonly of: number;
  /** Begins no schedule after this time of the machine. */
  readonly untilMs?: number;
}

/** Every so many schedules, one of claims runs with the same seed. */
const CLAIMS_EVERY = 3;

/** Runs a share; `onProgress` gets what came since the last call, at least every `every` schedules. */
export async function runShare(share: Share, every: number, onProgress: (since: Tally) => void): Promise<void> {
  let since = emptyTally();
  for (let k = share.part; k < share.schedules; k += share.of) {
    if (share.untilMs !== undefined && Date.now() >= share.untilMs) break;
    const seed = share.seed + k;
    addResult(since, await runSchedule(seed));
    if (k % CLAIMS_EVERY === 0) addClaims(since, seed, (await runClaimSchedule(seed)).violation);
    if (since.schedules < every) continue;
    onProgress(since);
    since = emptyTally();
  }
  onProgress(since);
}

export interface MutantVerdict {
  readonly name: string;
  readonly caught: boolean;
  /** What caught it; null while nothing stated did. */
  readonly invariant: string | null;
  /** The how-manieth schedule it was; null when none. */
  readonly first: number | null;
  readonly within: number;
}

/** A mutant of claims is hunted in schedules of claims. */
async function runMutated(mutant: Mutant, seed: number): Promise<Violation | undefined> {
  const ofClaims = CLAIM_MUTANTS.find((one) => one === mutant);
  if (ofClaims) return (await runClaimSchedule(seed, { mutant: ofClaims })).violation;
  const plan = drawPlan(seed);
  return (await runSchedule(sceneOf(mutant, plan), { mutant })).violation;
}

/** Runs a mutant until a stated invariant catches it, at most `most` schedules. */
export async function huntMutant(mutant: Mutant, seed: number, most = mutant.within): Promise<MutantVerdict> {
  const { name, within, caughtBy } = mutant;
  for (let k = 0; k < most; k++) {
    const violation = await runMutated(mutant, seed + k);
    if (violation && caughtBy.includes(violation.invariant)) {
      return { name, caught: true, invariant: violation.invariant, first: k + 1, within };
    }
  }
  return { name, caught: false, invariant: null, first: null, within };
}
