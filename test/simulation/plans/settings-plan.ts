/**
 * People who change settings at the same moment, each another one, of all scopes or of the same scope. Drawn from a stream of
 * its own for one seed in seventeen, so that all others stay as they are.
 */
import type { SettingsPatch } from '../../../schema/settings.ts';
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const SHARE = 0.06;

export interface PlannedSetting {
  readonly atMs: number;
  /** Undefined: of all. */
  readonly scope: string | undefined;
  readonly patch: SettingsPatch;
}

export function drawSetters(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedSetting[] {
  const random = new Random(seed, 'people who set');
  return random.chance(SHARE) ? settersOf(random, scopes, { moments: 3, untilMs }) : [];
}

/** Those of a seed that would have none, for a directed scenario. */
export function manySetters(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedSetting[] {
  return settersOf(new Random(seed, 'directed setters'), scopes, { moments: 12, untilMs });
}

function settersOf(
  random: Random,
  scopes: readonly string[],
  { moments, untilMs }: { readonly moments: number; readonly untilMs: number },
): PlannedSetting[] {
  return Array.from({ length: moments }, () => {
    const atMs = random.int(START_MS + SECOND_MS, untilMs - SECOND_MS);
    const scope = random.pick([undefined, random.pick(scopes)]);
    const values = { drainParallel: random.int(1, 4), budgetCents: random.int(0, 3) * 1_000_000 };
    const others = { tokenThreshold: random.int(10_000, 12_000), completeAfterIdleMs: 60_000 + random.int(0, 1000) };
    // What is counted over all must leave each pool its share: mostly it does not, where there are pools.
    const shared = scope === undefined ? { maxModelConcurrency: random.int(1, 4) } : {};
    const named = Object.entries({ ...values, ...others, ...shared });
    return named.map(([name, value]) => ({
      atMs: atMs + random.int(0, 20),
      scope,
      patch: { [name]: random.chance(0.2) ? null : value },
    }));
  }).flat();
}
