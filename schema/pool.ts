/**
 * POOL: a ledger of its own for a part of the scopes. A deployment has one, and needs no more until admissions and ends of
 * passes meet at its one item: every write of a ledger with n entries takes n × 300 bytes, so 60 write units at 200
 * entries, of the 1,000 a second that an item takes: 16 writes a second, 8 passes begun and ended. With 8 pools each holds
 * 25 entries: 8 units a write, 125 writes a second and pool, 500 passes a second in all.
 *
 * What it costs: capacity is divided, so that a pool whose scopes are idle keeps its share; a tick looks at each pool; an
 * unproven provider is asked by one canary a pool; "oldest first" holds among the scopes of one pool.
 *
 * A scope's pool follows from its name and the number of pools, and never changes: the number is chosen when the deployment
 * is made. Ledgers carry it, and rows of scopes keep to it by condition, so that a deployment started with another number
 * admits nothing and moves nothing instead of losing what stands under the old one.
 */
import { createHash } from 'node:crypto';
import { LIMITS } from './limits.ts';
import { resolveSettings, type SettingOverrides, type Settings } from './settings.ts';

export interface Pool {
  /** From 0. */
  readonly number: number;
  /** How many there are. */
  readonly of: number;
}

/** The one there is, where there is one; with more, the one whose ledger carries what holds of all. */
export const FIRST_POOL: Pool = { number: 0, of: 1 };

/** The pool of a scope: 32 bits of a hash of its name, so that names which count up are spread as well. */
export function poolOf(scope: string, pools = 1): Pool {
  if (pools === 1) return FIRST_POOL;
  const hash = createHash('sha256').update(scope, 'utf8').digest().readUInt32BE(0);
  return { number: hash % pools, of: pools };
}

export function allPools(pools = 1): readonly Pool[] {
  return Array.from({ length: pools }, (_, number) => ({ number, of: pools }));
}

type Shared = Pick<Settings, 'maxConcurrentPasses' | 'maxModelConcurrency'>;

/** What a pool may use of what is counted over all scopes; the shares of all pools add up to the whole. */
export function shareOf(whole: Shared, { number, of }: Pool): Shared {
  const share = (most: number): number => Math.floor(most / of) + (number < most % of ? 1 : 0);
  return {
    maxConcurrentPasses: share(whole.maxConcurrentPasses),
    maxModelConcurrency: share(whole.maxModelConcurrency),
  };
}

/** What is wrong with settings of all scopes for so many pools, or nothing: a pool without a share would never be served. */
export function findShareless(whole: Shared, pools: number): string | undefined {
  const short = (['maxConcurrentPasses', 'maxModelConcurrency'] as const).find((name) => whole[name] < pools);
  return (
    short &&
    `${short} must be at least ${pools}: each of the ${pools} pools needs a share of it, and it is ${whole[short]}`
  );
}

/** Reads how many pools there are; throws with the range, or with the setting that leaves a pool without a share. */
export function parsePools(text: string, deployment: SettingOverrides): number {
  const pools = Number(text);
  if (!/^\d+$/.test(text) || pools < 1 || pools > LIMITS.poolsMax) {
    const given = JSON.stringify(text.slice(0, 80));
    throw new Error(`the deployment parameter Pools must be a whole number from 1 to ${LIMITS.poolsMax}, not ${given}`);
  }
  const shareless = findShareless(resolveSettings(deployment, {}), pools);
  if (shareless) throw new Error(`the deployment parameters Pools and Settings: ${shareless}`);
  return pools;
}

/** Thrown where rows of another number of pools are found: nothing is read or written by the wrong one. */
export class PoolsChangedError extends Error {
  constructor(found: number, configured: number) {
    super(
      `this deployment was made with ${found} pools and is started with ${configured}: set the parameter Pools back to ${found}; to have another number, export the memory, make a new deployment and import it there`,
    );
    this.name = 'PoolsChangedError';
  }
}
