/** The ledgers of all pools, read together: who counts passes, or looks for one, asks here. */
import type { LedgerEntry, LedgerItem } from '../../../schema/ledger.ts';
import { poolOf } from '../../../schema/pool.ts';
import type { World } from '../engine/world.ts';

type Deployed = Pick<World, 'tables' | 'plan'>;

/** A handful of scopes are asked for again and again. */
const numbers = new Map<string, number>();

/** Number of the pool in which a scope belongs. */
export function poolNumberOf(scope: string, pools: number): number {
  if (pools === 1) return 0;
  const asked = `${pools} ${scope}`;
  let number = numbers.get(asked);
  if (number === undefined) numbers.set(asked, (number = poolOf(scope, pools).number));
  return number;
}

export function ledgerIn({ tables }: Pick<Deployed, 'tables'>, number: number): LedgerItem | undefined {
  return tables.peek(`POOL#${number}`, 'LEDGER') as LedgerItem | undefined;
}

/** Whether the ledger of its scope lists a pass. */
export function isListed(world: Deployed, scope: string, passId: string): boolean {
  const ledger = ledgerIn(world, poolNumberOf(scope, world.plan.deployment.pools));
  return ledger?.passes[passId] !== undefined;
}

/** Every pass that owes work, whichever ledger lists it. */
export function listedPasses(world: Deployed): [string, LedgerEntry][] {
  const { pools } = world.plan.deployment;
  const found: [string, LedgerEntry][] = [];
  for (let number = 0; number < pools; number++) found.push(...Object.entries(ledgerIn(world, number)?.passes ?? {}));
  return found;
}
