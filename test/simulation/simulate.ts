/**
 * `npm run simulate -- [--schedules N | --minutes M] [--seed S] [--branches] [--mutant NAME | --mutants] [--json]`: runs
 * schedules from seed S on (drawn when none is given, and told), a number of them or as many as a time takes, or hunts
 * mutants. Exits with 1 when an invariant broke or a mutant got away.
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Option } from 'commander';
import { OPTIONS, parseArguments, SEED_MAX, wholeNumber } from '../../infra/local/usage.ts';
import { addBranches, type BranchCounts, COUNTED, reportBranches } from './branches.ts';
import {
  addTally,
  CLAIMS_MARK,
  emptyTally,
  type Found,
  huntMutant,
  type MutantVerdict,
  type Share,
  type Tally,
} from './campaign.ts';
import { FAULT_NAMES } from './engine/faults.ts';
import { ALL_MUTANTS, findMutant } from './mutants/mutants.ts';
import { drawPlan } from './plans/plan.ts';
import { shrink } from './shrink.ts';

const SCHEDULES_DEFAULT = 5000;
/** More than a day runs. */
const SCHEDULES_MAX = 100_000_000;
/** A week. */
const MINUTES_MAX = 10_080;
/** Mutants are hunted from this seed on unless told otherwise, so that the budgets they state mean the same everywhere. */
const MUTANT_SEED = 1;
const THREADS_MAX = 2;
/** Failures that are shrunk and shown; the others are only counted. */
const SHOWN_MAX = 3;
const TRACE_LINES_MAX = 80;

interface Options {
  readonly schedules: number | undefined;
  readonly minutes: number | undefined;
  readonly seed: number | undefined;
  readonly branches: boolean;
  readonly mutants: readonly string[];
  readonly json: boolean;
}

function readOptions(args: readonly string[]): Options {
  const count = (name: string, max: number, what: string) =>
    new Option(`--${name} <N>`, what).argParser(wholeNumber({ min: 0, max, unit: `of ${name}` }));
  const command = parseArguments(args, 'npm run simulate --', (described) =>
    described
      .description('Runs the deployed code under drawn faults, or hunts mutants of it.')
      .addOption(count('schedules', SCHEDULES_MAX, `how many (default: ${SCHEDULES_DEFAULT})`))
      .addOption(count('minutes', MINUTES_MAX, 'as many schedules as these take'))
      .addOption(OPTIONS.seed().default(undefined, 'drawn, and told'))
      .addOption(new Option('--branches', 'tells what the schedules never went through').default(false))
      .addOption(
        new Option('--mutant <NAME>', 'hunts this mutant; may be given again').argParser<string[]>((name, before) => [
          ...(before ?? []),
          name,
        ]),
      )
      .addOption(new Option('--mutants', 'hunts every mutant').default(false))
      .addOption(OPTIONS.json()),
  );
  const given = command.opts<
    Partial<Omit<Options, 'mutants'>> & { readonly mutant?: string[]; readonly mutants: boolean }
  >();
  const { schedules, minutes, seed, branches = false, json = false } = given;
  const mutants = given.mutants ? ALL_MUTANTS.map(({ name }) => name) : (given.mutant ?? []);
  return { schedules, minutes, seed, branches, mutants, json };
}

interface Campaign {
  readonly seed: number;
  readonly schedules: number;
  readonly untilMs: number | undefined;
  readonly branches: boolean;
}

type Posted = { readonly tally: Tally } | { readonly branches: BranchCounts };

function runThread(share: Share & { branches: boolean }, onPosted: (posted: Posted) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./shard.ts', import.meta.url), { workerData: share });
    thread.on('message', onPosted);
    thread.on('error', reject);
    thread.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a thread ended with code ${code}`))));
  });
}

async function runCampaign(
  { seed, schedules, untilMs, branches }: Campaign,
  say: (line: string) => void,
): Promise<{ sum: Tally; counts: BranchCounts }> {
  const [sum, counts]: [Tally, BranchCounts] = [emptyTally(), {}];
  const threads = Math.min(THREADS_MAX, availableParallelism());
  let saidAt = performance.now();
  const onTally = (since: Tally): void => {
    addTally(sum, since);
    for (const { seed: broken, message } of since.violations) say(`seed ${broken} breaks ${message.slice(0, 200)}`);
    if (performance.now() - saidAt < 5000) return;
    saidAt = performance.now();
    const of = untilMs === undefined ? ` of ${schedules}` : '';
    say(`${sum.schedules}${of} schedules, ${sum.violations.length} violations`);
  };
  const onPosted = (posted: Posted): void => {
    if ('tally' in posted) onTally(posted.tally);
    else addBranches(counts, posted.branches);
  };
  const shares = Array.from({ length: threads }, (_, part) => ({ seed, schedules, part, of: threads, branches }));
  await Promise.all(
    shares.map((share) => runThread({ ...share, ...(untilMs !== undefined && { untilMs }) }, onPosted)),
  );
  return { sum, counts };
}

/** The seed, a trace one can read, and how to see it again. */
async function showFailure({ seed, invariant, message }: Found, say: (line: string) => void): Promise<void> {
  say(`\nseed ${seed} breaks "${invariant}"\n  ${message}`);
  if (message.startsWith(CLAIMS_MARK)) return;
  const { plan, result, faults } = await shrink(drawPlan(seed), invariant);
  const sources = plan.ingests.reduce((count, call) => count + call.sources.length, 0);
  say(
    `  still so with ${sources} sources, ${plan.requests.length} requests and the faults: ${faults.join(', ') || 'none'}`,
  );
  for (const line of result.trace?.slice(-TRACE_LINES_MAX) ?? []) say(`  ${line}`);
  say(`  again: npm run simulate -- --schedules 1 --seed ${seed}`);
}

function showCoverage({ faults, coverage }: Tally, say: (line: string) => void): void {
  const unseen = FAULT_NAMES.filter((name) => !faults[name]);
  say(`\nfaults: ${FAULT_NAMES.map((name) => `${name} ${faults[name] ?? 0}`).join(', ')}`);
  if (unseen.length > 0) say(`faults that never struck: ${unseen.join(', ')}`);
  say('\nwhat the handlers did:');
  for (const [name, count] of Object.entries(coverage).sort(([a], [b]) => (a < b ? -1 : 1)))
    say(`  ${String(count).padStart(9)}  ${name}`);
}

function showBranches(counts: BranchCounts, say: (line: string) => void): void {
  const { branches, reached, missed } = reportBranches(counts);
  say(`\nbranches never gone through:`);
  for (const line of missed) say(`  ${line}`);
  say(`${reached} of ${branches} branches of ${COUNTED.join(', ')}: ${((100 * reached) / branches).toFixed(1)} %`);
}

async function huntMutants(options: Options, say: (line: string) => void): Promise<MutantVerdict[]> {
  const verdicts: MutantVerdict[] = [];
  for (const name of options.mutants) {
    const verdict = await huntMutant(findMutant(name), options.seed ?? MUTANT_SEED, options.schedules);
    const { caught, invariant, first, within } = verdict;
    say(
      `${caught ? 'caught ' : 'GOT AWAY'} ${name}: ${caught ? `by "${invariant}" in schedule ${first}` : ''} (within ${within})`,
    );
    verdicts.push(verdict);
  }
  return verdicts;
}

/** Answers the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const startedAt = performance.now();
  let sum = emptyTally();
  let perMinute = 0;
  let mutants: MutantVerdict[] = [];
  if (options.mutants.length > 0) {
    mutants = await huntMutants(options, say);
  } else {
    const { minutes, branches, seed = randomInt(SEED_MAX) } = options;
    const untilMs = minutes === undefined ? undefined : Date.now() + minutes * 60_000;
    const schedules = options.schedules ?? (untilMs === undefined ? SCHEDULES_DEFAULT : Number.MAX_SAFE_INTEGER);
    say(`${untilMs === undefined ? schedules : `${minutes} minutes of`} schedules from seed ${seed} on`);
    const run = await runCampaign({ seed, schedules, untilMs, branches }, say);
    sum = run.sum;
    perMinute = Math.round((sum.schedules * 60_000) / (performance.now() - startedAt));
    if (!options.json) showCoverage(sum, say);
    if (branches) showBranches(run.counts, say);
    for (const found of sum.violations.slice(0, SHOWN_MAX)) await showFailure(found, say);
    const { crashes, deliveries, leasesWon, leasesLost, lateLeasePages, drainedAfterMaxMs } = sum;
    say(
      `\n${sum.schedules} schedules and ${sum.claimSchedules} of claims, ${sum.violations.length} violations, ${perMinute} a minute; ${crashes} crashes, ` +
        `${deliveries} deliveries, ${(leasesLost / Math.max(1, leasesWon)).toFixed(2)} lost conditions a won lease, ` +
        `${lateLeasePages} late LEASE rows, drained at most ${drainedAfterMaxMs / 1000} s after the faults`,
    );
  }
  const violations = sum.violations.length;
  if (options.json) {
    const verdicts = mutants.map(({ name, caught, invariant, first }) => ({ name, caught, invariant, first }));
    const summary = { schedules: sum.schedules, violations, perMinute, crashes: sum.crashes, mutants: verdicts };
    process.stdout.write(`${JSON.stringify(summary)}\n`);
  }
  return violations > 0 || mutants.some(({ caught }) => !caught) ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
