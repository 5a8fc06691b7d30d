/**
 * `npm run simulate -- --schedules N --seed S [--mutant NAME | --mutants] [--json]`: runs schedules N from seed S on (drawn
 * when none is given, and told), or hunts mutants. Exits with 1 when an invariant broke or a mutant got away.
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import {
  addTally,
  emptyTally,
  type Found,
  huntMutant,
  type MutantVerdict,
  type Share,
  type Tally,
} from './campaign.ts';
import { FAULT_NAMES } from './faults.ts';
import { findMutant, MUTANTS } from './mutants.ts';
import { drawPlan } from './plan.ts';
import { shrink } from './shrink.ts';

const SCHEDULES_DEFAULT = 5000;
const SEED_MAX = 1_000_000_000;
/** Mutants are hunted from this seed on unless told otherwise, so that the budgets they state mean the same everywhere. */
const MUTANT_SEED = 1;
const THREADS_MAX = 2;
/** Failures that are shrunk and shown; the others are only counted. */
const SHOWN_MAX = 3;
const TRACE_LINES_MAX = 80;

interface Options {
  readonly schedules: number | undefined;
  readonly seed: number | undefined;
  readonly mutants: readonly string[];
  readonly json: boolean;
}

function readCount(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${name} takes a whole number from 0 on, not "${text}"`);
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      schedules: { type: 'string' },
      seed: { type: 'string' },
      mutant: { type: 'string', multiple: true },
      mutants: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    schedules: readCount(values.schedules, 'schedules'),
    seed: readCount(values.seed, 'seed'),
    mutants: values.mutants ? MUTANTS.map(({ name }) => name) : (values.mutant ?? []),
    json: values.json,
  };
}

function runThread(share: Share, onProgress: (since: Tally) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./shard.ts', import.meta.url), { workerData: share });
    thread.on('message', onProgress);
    thread.on('error', reject);
    thread.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a thread ended with code ${code}`))));
  });
}

async function runCampaign(seed: number, schedules: number, say: (line: string) => void): Promise<Tally> {
  const sum = emptyTally();
  const threads = Math.min(THREADS_MAX, availableParallelism());
  let saidAt = performance.now();
  const onProgress = (since: Tally): void => {
    addTally(sum, since);
    for (const { seed: broken, message } of since.violations) say(`seed ${broken} breaks ${message.slice(0, 200)}`);
    if (performance.now() - saidAt < 5000) return;
    saidAt = performance.now();
    say(`${sum.schedules} of ${schedules} schedules, ${sum.violations.length} violations`);
  };
  const shares = Array.from({ length: threads }, (_, part) => ({ seed, schedules, part, of: threads }));
  await Promise.all(shares.map((share) => runThread(share, onProgress)));
  return sum;
}

/** The seed, a trace one can read, and how to see it again. */
async function showFailure({ seed, invariant, message }: Found, say: (line: string) => void): Promise<void> {
  say(`\nseed ${seed} breaks "${invariant}"\n  ${message}`);
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
    const schedules = options.schedules ?? SCHEDULES_DEFAULT;
    const seed = options.seed ?? randomInt(SEED_MAX);
    say(`${schedules} schedules from seed ${seed} on`);
    sum = await runCampaign(seed, schedules, say);
    perMinute = Math.round((sum.schedules * 60_000) / (performance.now() - startedAt));
    if (!options.json) showCoverage(sum, say);
    for (const found of sum.violations.slice(0, SHOWN_MAX)) await showFailure(found, say);
    const { crashes, deliveries, leasesWon, leasesLost, lateLeasePages, drainedAfterMaxMs } = sum;
    say(
      `\n${sum.schedules} schedules, ${sum.violations.length} violations, ${perMinute} a minute; ${crashes} crashes, ` +
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
