/**
 * One look of the erasure of a scope: everything that stands in a generation it has moved on from. A text goes before the
 * row that names it, so that a run which dies leaves what the next one finds it by.
 */
import { LIMITS } from '../../schema/limits.ts';
import { cancelPass } from '../../schema/pass-cancel.ts';
import { type Item, remove } from '../../schema/request.ts';
import { queryGeneration } from '../../schema/erasure.ts';
import { poolOf } from '../../schema/pool.ts';
import { scopePartition } from '../../schema/scope.ts';
import { moveGeneration } from '../../schema/scope-erasure.ts';
import { UPLOAD } from '../../schema/text-list.ts';
import { loadLedger } from '../io/ledger-row.ts';
import { loadScope } from '../io/scope-row.ts';
import { eraseNamed, eraseText, keyOf, sourceKeyIn } from './erase-source.ts';
import { type Step, walkPages } from './step.ts';

/** Goes on with a look until its time is up. Answers where the next run goes on, undefined when the look is through. */
export async function eraseGeneration(step: Step): Promise<string | undefined> {
  const { address, erasure } = step;
  await moveOn(step);
  const owing = await endPasses(step);
  const pk = scopePartition(address.scope, address.generation);
  return walkPages(
    step,
    (startKey) => queryGeneration(address, LIMITS.erasedRowsPerPageMax, startKey),
    erasure.position === undefined ? undefined : { pk, sk: erasure.position },
    (items) => eraseRows(step, items, owing),
  );
}

/**
 * From here on nobody reads the old generation, or writes into it who did not know it before. Nothing is removed before the
 * scope stands in the next: throws when it does not get there.
 */
async function moveOn({ deps, address: { scope, generation } }: Step): Promise<void> {
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const row = await loadScope(deps, scope);
    if (row?.generation !== generation) return;
    // Refuses a deployment that was made with another number of pools: nobody would look where it woke the scope.
    await loadLedger(deps, scope);
    const { statsVersion } = row;
    const wakes = row.haltedAtMs !== undefined && row.paused !== true;
    const pool = poolOf(scope, deps.pools);
    const move = { scope, generation, statsVersion, wakes, nowMs: deps.clock.nowMs(), op: deps.ids.fresh(), pool };
    if ((await deps.store.write(moveGeneration(move))).kind === 'won') return;
  }
  throw new Error(`scope ${scope} could not be moved on in ${LIMITS.commitRoundsMax} rounds: send the call again`);
}

/**
 * Cancels the passes of the old generation; the finalizer takes them off the ledger. Answers those that are on it still:
 * their rows stay until then, or the sweep would take them for passes that never began, and begin them.
 */
async function endPasses({ deps, address }: Step): Promise<ReadonlySet<string>> {
  const { passes } = await loadLedger(deps, address.scope);
  const owing = Object.entries(passes).filter(
    ([, { scope, generation }]) => scope === address.scope && generation === address.generation,
  );
  for (const [passId] of owing) {
    await deps.store.write(cancelPass({ ...address, passId }, deps.clock.nowMs(), deps.ids.fresh()));
  }
  return new Set(owing.map(([passId]) => passId));
}

/**
 * A pass that is over, and was so lately that a scheduler which stood still since may yet put its row: once it is gone, that
 * would begin the pass anew, on no ledger, and give it what is left of the text. As late as a name of a text is kept for.
 */
function mayBePutAnew({ sk, finalizedAtMs }: Item, nowMs: number): boolean {
  if (!/^PASS#[^#]+$/.test(String(sk))) return false;
  return typeof finalizedAtMs === 'number' && finalizedAtMs > nowMs - LIMITS.textListGraceMs;
}

async function eraseRows(step: Step, items: readonly Item[], owing: ReadonlySet<string>): Promise<void> {
  const nowMs = step.deps.clock.nowMs();
  const names = items.filter(({ sk }) => sourceKeyIn(String(sk)) !== undefined);
  const others: Item[] = [];
  for (const item of items) {
    const { sk } = keyOf(item);
    if (sourceKeyIn(sk) !== undefined) continue;
    if (sk.startsWith('SOURCE#')) await eraseText(step, `${sk.slice('SOURCE#'.length)}#${UPLOAD}`);
    if (owing.has(/^PASS#([^#]+)/.exec(sk)?.[1] ?? '') || mayBePutAnew(item, nowMs)) step.left++;
    else others.push(item);
  }
  await step.remove('evidence', await eraseNamed(step, names));
  const isCitation = ({ sk }: Item) => String(sk).startsWith('CLAIM#');
  const removalsOf = (rows: readonly Item[]) => rows.map((item) => remove(keyOf(item)));
  await step.remove('citations', removalsOf(others.filter(isCitation)));
  await step.remove('others', removalsOf(others.filter((item) => !isCitation(item))));
}
