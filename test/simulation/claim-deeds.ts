/**
 * What passes and a person do to the claims of one scope in a schedule of their own: all drawn before anything runs. A
 * deed that takes something back waits until what it takes back was answered: nobody undoes what was never said.
 */
import { makeCitation } from '../../functions/core/claims.ts';
import { makeStatement, type Statement } from '../../functions/core/person-claims.ts';
import { repairHeads } from '../../functions/curator/repair.ts';
import { undoPass, withdraw } from '../../functions/curator/withdraw.ts';
import type { CuratorDeps } from '../../functions/curator/deps.ts';
import { rebuildSlot } from '../../functions/io/heads.ts';
import { recordCitation } from '../../functions/io/record-citation.ts';
import { type Citation, liftProtection, type ScopeAddress } from '../../schema/citation.ts';
import { passIdOf, revisionOf, triggerIdOf } from '../../schema/ids.ts';
import { START_MS } from './kernel.ts';
import type { Random } from './random.ts';

const DAY_MS = 86_400_000;
const BASE_MS = START_MS - 400 * DAY_MS;

export type Deed = (
  | { readonly kind: 'write'; readonly passId: string; readonly citation: Citation }
  | { readonly kind: 'say'; readonly citation: Citation }
  | { readonly kind: 'undo'; readonly passId: string }
  | { readonly kind: 'withdraw'; readonly citation: Citation }
  | { readonly kind: 'lift'; readonly citation: Citation }
  | { readonly kind: 'repair' }
) & {
  /** The same call once more, at any time: nothing waits for it. */
  readonly isCopy?: true;
};

const SLOT = { entity: 'Ann', attribute: 'home', cardinality: 'one' } as const;
const VALUES = ['north', 'east', 'south', ''];

function drawCitation(random: Random): Citation {
  const captured = random.int(0, 4);
  const id = `${random.pick(['a', 'b'])}-${captured}`;
  const value = random.pick(VALUES);
  const startMs = BASE_MS + random.int(-2, 6) * DAY_MS;
  const event = random.chance(0.5) ? { startMs, endMs: startMs + DAY_MS, precision: 'day' as const } : undefined;
  // By the day and not by a draw of its own: schedules stay what their seeds made of them.
  const contradicts = captured === 3 ? 'north' : undefined;
  const text = `it is ${value}`;
  return makeCitation({
    draft: {
      ...SLOT,
      value,
      quote: { text, start: 0, end: text.length },
      ...(event && { event }),
      ...(contradicts && { contradicts }),
    },
    source: { kind: 'note', id, revision: revisionOf(id) },
    capturedAtMs: BASE_MS + captured * DAY_MS,
    executor: 'stub',
    recordedAtMs: START_MS,
  });
}

function drawStatement(random: Random): Citation {
  const mode = random.pick<Statement['mode']>(['states', 'protects', 'protects', 'retracts', 'retracts']);
  const saidAtMs = BASE_MS + random.int(0, 5) * DAY_MS + 1;
  return makeStatement({ ...SLOT, value: random.pick(VALUES), author: 'ann', saidAtMs, mode }, START_MS);
}

/** Deeds of a schedule; doubled calls and repairs are among them. */
export function drawDeeds(random: Random): Deed[] {
  const triggerId = triggerIdOf(START_MS, 'claims');
  const passes = [0, 1, 2].map((k) => passIdOf(triggerId, k));
  const citations = Array.from({ length: random.int(2, 6) }, () => drawCitation(random));
  const writes = Array.from({ length: random.int(3, 9) }, (): Deed => {
    return { kind: 'write', passId: random.pick(passes), citation: random.pick(citations) };
  });
  const said = Array.from({ length: random.int(0, 3) }, () => drawStatement(random));
  const sayings = said.map((citation): Deed => ({ kind: 'say', citation }));
  const copies = [...writes, ...sayings]
    .filter(() => random.chance(0.4))
    .map((deed): Deed => ({ ...deed, isCopy: true }));
  const written = writes.flatMap((deed) => (deed.kind === 'write' ? [deed.citation] : []));
  const withdrawn = written.slice(0, random.int(0, 2)).map((citation): Deed => ({ kind: 'withdraw', citation }));
  const lifted = said.filter((citation) => citation.protects && random.chance(0.5));
  const undone = passes.filter(() => random.chance(0.4)).map((passId): Deed => ({ kind: 'undo', passId }));
  const repairs: Deed[] = random.chance(0.5) ? [{ kind: 'repair' }] : [];
  const lifts = lifted.map((citation): Deed => ({ kind: 'lift', citation }));
  return [...writes, ...sayings, ...copies, ...undone, ...withdrawn, ...lifts, ...repairs];
}

const idOf = (deed: Deed): string | undefined => ('citation' in deed ? deed.citation.citationId : undefined);

/** Whether a deed waits for another. */
export function waitsFor(deed: Deed, other: Deed): boolean {
  if (other.isCopy) return false;
  if (deed.kind === 'undo') return other.kind === 'write' && other.passId === deed.passId;
  if (deed.kind === 'withdraw') return other.kind === 'write' && idOf(other) === idOf(deed);
  return deed.kind === 'lift' && other.kind === 'say' && idOf(other) === idOf(deed);
}

export async function act(deps: CuratorDeps, address: ScopeAddress, deed: Deed): Promise<void> {
  const { store, clock, ids } = deps;
  switch (deed.kind) {
    case 'write':
      await recordCitation(deps, { address, citation: deed.citation, passId: deed.passId });
      return;
    case 'say':
      await recordCitation(deps, { address, citation: deed.citation, passId: undefined });
      return;
    case 'undo':
      await undoPass(deps, address.scope, { passId: deed.passId });
      return;
    case 'withdraw':
      await withdraw(deps, address.scope, { ...SLOT, citation: deed.citation.citationId });
      return;
    case 'lift':
      await store.write(liftProtection(address, deed.citation, { nowMs: clock.nowMs(), op: ids.fresh() }));
      await rebuildSlot(deps, address, deed.citation.slot, { isChanged: true });
      return;
    case 'repair':
      await repairHeads(deps, address.scope, {});
  }
}
