/** Hands each change of the control table to the invariants of its row. */
import type { Actor } from '../engine/actor.ts';
import type { Change } from '../engine/tables.ts';
import type { Erasing } from '../people/erase.ts';
import type { EvidenceInvariants } from './evidence-invariants.ts';
import { checkCitation } from './memory.ts';
import type { PassInvariants } from './pass-invariants.ts';
import type { PoolInvariants } from './pool-invariants.ts';

interface Watched {
  readonly evidence: EvidenceInvariants;
  readonly passes: PassInvariants;
  readonly pools: PoolInvariants;
  readonly erasing: Erasing | undefined;
  readonly fail: (invariant: string, found: string) => void;
}

export function checkByRow({ evidence, passes, pools, erasing, fail }: Watched, change: Change, actor?: Actor): void {
  const { sk, table } = change;
  if (table !== 'control') return;
  if (sk.startsWith('EVIDENCE#')) evidence.onEvidence(change, actor);
  else if (sk.includes('#LEASE#')) evidence.onLeasePage(change);
  else if (sk.startsWith('PASS#') && !/#(?:REVIEW|CALL|PROPOSAL)#/.test(sk)) passes.onPass(change);
  else if (sk.startsWith('CLAIM#')) {
    if (erasing?.watch.allows(change, actor)) return;
    checkCitation(change, (found) => fail('citations stand', found));
  } else if (sk === 'LEDGER') {
    passes.onLedger(change, actor);
    pools.onLedger(change, actor);
  } else if (sk === 'SCOPE') {
    passes.onScope(change);
    pools.onScope(change);
  }
}
