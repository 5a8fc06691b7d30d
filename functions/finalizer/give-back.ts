/**
 * Gives back a source that a terminal pass held and did not settle: to the queue, or out of it. What it is told by is read
 * first: under the lease of a pass that has ended, only who ends it writes.
 */
import { type EvidenceAddress, type EvidenceItem, getEvidence, parseEvidence } from '../../schema/evidence.ts';
import { evidenceStateKey, raiseEvidenceAttention } from '../../schema/evidence-attention.ts';
import { quarantineEvidence, releaseEvidence } from '../../schema/evidence-return.ts';
import { formatSourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import type { Item } from '../../schema/request.ts';
import type { Return, Unsettled } from '../core/giving-back.ts';
import { clearEvidenceAttention } from '../io/evidence-attention.ts';
import type { FinalizerDeps } from './deps.ts';
import { noteCrash } from './note-crash.ts';

/** kept: another has it, or it is quarantined. stalled: it comes after all that is fresh, and is no reason to go on. */
export type GivenBack = 'returned' | 'stalled' | 'kept';

export async function giveBack(
  deps: FinalizerDeps,
  pass: PassItem,
  address: EvidenceAddress,
  unsettled: Unsettled | undefined,
): Promise<GivenBack> {
  const { store, ids, clock } = deps;
  const { passId } = pass;
  const { sourceKey } = address;
  const nowMs = clock.nowMs();
  const row = unsettled && parseEvidence(await store.get(getEvidence(address)));
  if (unsettled && row?.leasePass !== passId) return 'kept';
  if (unsettled?.kind === 'broke-off' && row) await noteCrash(deps, pass, row);
  const plan = unsettled && row && deps.decide.planReturn(row, sourceKey, unsettled, nowMs);
  const raised = plan && row && (await raiseWhereOwed(deps, address, row, plan));
  if (plan?.kind === 'quarantine') {
    const { why } = plan;
    const quarantine = { passId, why, marks: { ...plan.marks, ...raised }, nowMs, op: ids.fresh() };
    const outcome = await store.write(quarantineEvidence(address, quarantine));
    if (outcome.kind === 'won') {
      deps.log.warn('source quarantined', { passId, sourceKey, why });
      return 'kept';
    }
  }
  const given = plan?.kind === 'release' ? plan : { orderly: true, marks: {} };
  const marks = { ...given.marks, ...raised };
  const outcome = await store.write(
    releaseEvidence(address, { passId, orderly: given.orderly, marks, op: ids.fresh() }),
  );
  if (raised) await clearWhereOver(deps, address, raised, outcome.kind === 'won' ? outcome.item : outcome.stored);
  if (outcome.kind !== 'won') return 'kept';
  return isStalled(plan) ? 'stalled' : 'returned';
}

function isStalled(plan: Return | undefined): boolean {
  return plan?.kind === 'release' && (plan.marks.stalls ?? 0) >= LIMITS.stalledAt;
}

interface Raised {
  readonly attentionKey: string;
}

/**
 * A newer revision may take the place of a source while a pass holds it: before its row was read here, or between that and
 * the write that gives it back. Who replaced it closed what the row told of by then, and nobody comes again to close this.
 */
async function clearWhereOver(
  deps: FinalizerDeps,
  address: EvidenceAddress,
  raised: Raised,
  stored: Item | undefined,
): Promise<void> {
  const row = parseEvidence(stored);
  const stands = row?.attentionKey === raised.attentionKey && row.state !== 'obsolete';
  if (!stands) await clearEvidenceAttention(deps, address, raised, 'a newer revision came');
}

/**
 * Raises the attention before the row says so: a run that dies in between is done again, and raises the same. The row keeps
 * under which state it was, so that only a source that had one costs the write that clears it.
 */
async function raiseWhereOwed(
  { store, ids, clock }: FinalizerDeps,
  address: EvidenceAddress,
  row: EvidenceItem,
  plan: Return,
): Promise<Raised | undefined> {
  const isQuarantine = plan.kind === 'quarantine';
  if (!isQuarantine && !isStalled(plan)) return undefined;
  const stateKey = evidenceStateKey(row.seq);
  const details = {
    source: formatSourceRef(row),
    state: isQuarantine ? ('quarantined' as const) : ('stalled' as const),
    ...(isQuarantine && { because: plan.why }),
    cursor: row.cursor,
    length: row.length,
    stalls: plan.marks.stalls ?? row.stalls,
  };
  const raise = { sourceKey: address.sourceKey, stateKey, details, nowMs: clock.nowMs(), op: ids.fresh() };
  await store.write(raiseEvidenceAttention(address, raise));
  return { attentionKey: stateKey };
}
