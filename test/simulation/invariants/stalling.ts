/**
 * Who passes get nowhere with is told of: looked at when a finalizer gives back what a completed pass held and did not
 * settle. Each such pass counts; from the third on the source stands behind all that is fresh, with an attention that was
 * raised before; after the sixth it is out of the queue.
 */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { EVIDENCE_ATTENTION, type EvidenceAttentionItem } from '../../../schema/evidence-attention.ts';
import { sourceKeyOf } from '../../../schema/ids.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PassItem } from '../../../schema/pass.ts';
import { STALLED_TIER, tierOf } from '../../../schema/queue.ts';
import type { Actor } from '../engine/actor.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

/** What became of it otherwise than it should; undefined: all is as it should be. */
function faultOf(
  before: EvidenceItem,
  after: EvidenceItem,
  told: EvidenceAttentionItem | undefined,
): string | undefined {
  const { state, stalls, homeKey, attentionKey } = after;
  if (stalls !== before.stalls + 1) return `and counts ${stalls} passes, after ${before.stalls}`;
  if (stalls < LIMITS.stalledAt) return undefined;
  const isOut = state === 'quarantined';
  if (stalls >= LIMITS.stallsMax && !isOut) return `after ${stalls} passes, and is not given up`;
  if (!isOut && tierOf(homeKey) !== STALLED_TIER) return `after ${stalls} passes, and stands among the fresh`;
  const isTold = attentionKey !== undefined && told !== undefined && told.subjectKey >= attentionKey;
  return isTold && told.resolvedAtMs === undefined ? undefined : `after ${stalls} passes, and nobody is told`;
}

export class Stalling {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  onChange({ pk, sk, before: old, after: next }: Change, actor: Actor | undefined): void {
    if (actor?.role !== 'finalizer' || !sk.startsWith('EVIDENCE#') || !old || !next) return;
    const [before, after] = [old as unknown as EvidenceItem, next as unknown as EvidenceItem];
    const isGivenBack = before.leasePass === actor.passId && after.leasePass === undefined;
    // What was replaced while it was held is history, and what moved on got somewhere.
    if (!isGivenBack || before.state !== 'pending' || after.cursor > before.cursor || after.state === 'settled') return;
    const pass = this.#world.tables.peek(pk, `PASS#${actor.passId}`) as PassItem | undefined;
    if (pass?.status !== 'completed') return;
    const told = this.#world.tables.peek(pk, `ATTENTION#${EVIDENCE_ATTENTION}#${sourceKeyOf(after)}`);
    const fault = faultOf(before, after, told as EvidenceAttentionItem | undefined);
    if (fault)
      this.#world.kernel.fail('who gets nowhere is told of', `${sk} was given back by ${pass.passId} ${fault}`);
  }
}
