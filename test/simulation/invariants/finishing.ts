/** What must hold when a pass is done with: what it acknowledged is settled, and who got somewhere and left something goes on. */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { isDryRun } from '../../../schema/kind.ts';
import type { LedgerItem } from '../../../schema/ledger.ts';
import { NO_COUNTERS, type PassItem } from '../../../schema/pass.ts';
import { STALLED_TIER, tierOf } from '../../../schema/queue.ts';
import type { Review, ReviewPage } from '../../../schema/review-page.ts';
import type { UsageItem } from '../../../schema/usage.ts';
import type { Actor } from '../engine/actor.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

/** What one execution of the finalizer did for one pass. */
interface Done {
  settled: number;
  /** Sources it put back among those that are taken next. */
  left: number;
  tookOff: boolean;
  hasAsked: boolean;
}

export class Finishing {
  readonly #world: World;
  readonly #done = new Map<Actor, Map<string, Done>>();

  /** Who took an entry off the ledger, and was not told so, asks for nothing: a tick goes on. */
  readonly #mayMissAnswers: boolean;

  constructor(world: World) {
    this.#world = world;
    const { lostReply, appliedButFailed } = world.plan.faults;
    this.#mayMissAnswers = lostReply !== undefined || appliedButFailed !== undefined;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  #doneBy(actor: Actor, passId: string): Done {
    const passes = this.#done.get(actor) ?? new Map<string, Done>();
    this.#done.set(actor, passes);
    const done = passes.get(passId) ?? { settled: 0, left: 0, tookOff: false, hasAsked: false };
    passes.set(passId, done);
    return done;
  }

  onTriggerSent(actor: Actor): void {
    const { role, passId = '' } = actor;
    if (role === 'finalizer') this.#doneBy(actor, passId).hasAsked = true;
  }

  onChange({ pk, sk, before, after }: Change, actor: Actor | undefined): void {
    if (this.#done.size > 0) this.#lookBack();
    if (actor?.role !== 'finalizer') return;
    const { passId = '' } = actor;
    if (sk.startsWith('EVIDENCE#') && before && after)
      this.#onEvidence(before as unknown as EvidenceItem, after as unknown as EvidenceItem, actor);
    else if (sk === `PASS#${passId}` && after?.finalizedAtMs !== undefined && before?.finalizedAtMs === undefined)
      this.#checkSettled(pk, after as unknown as PassItem);
    else if (sk.startsWith('USAGE#') && before && after)
      this.#onSettled(pk, before as unknown as UsageItem, after as unknown as UsageItem);
    else if (sk === 'LEDGER' && isTakenOff(before as unknown as LedgerItem, after as unknown as LedgerItem, passId))
      this.#doneBy(actor, passId).tookOff = true;
  }

  /** A reservation was settled: what its pass counted stands in its place. */
  #onSettled(pk: string, before: UsageItem, after: UsageItem): void {
    for (const [passId, reserved] of Object.entries(before.reserved)) {
      if (reserved.closed !== undefined || after.reserved[passId]?.closed !== 'settled') continue;
      const pass = this.#world.tables.peek(pk, `PASS#${passId}`) as PassItem | undefined;
      if (!pass) continue;
      const used = { ...NO_COUNTERS, ...pass.counters };
      for (const name of ['tokensIn', 'tokensOut', 'costMicroUsd'] as const) {
        const owed = (before[name] ?? 0) - (reserved[name] ?? 0) + used[name];
        if ((after[name] ?? 0) === owed) continue;
        this.#fail(
          'what was spent is counted',
          `${passId} spent ${used[name]} ${name}: ${before[name]} → ${after[name]}`,
        );
      }
      const passes = before.passes - (pass.startedAtMs === undefined ? 1 : 0);
      if (after.passes !== passes)
        this.#fail('what was spent is counted', `${passId} makes ${after.passes} passes of ${before.passes}`);
    }
  }

  #onEvidence(before: EvidenceItem, after: EvidenceItem, actor: Actor): void {
    const done = this.#doneBy(actor, actor.passId ?? '');
    if (after.settledBy === actor.passId && after.cursor > before.cursor) done.settled++;
    if (after.state === 'pending' && after.leasePass === undefined && tierOf(after.homeKey) < STALLED_TIER) done.left++;
  }

  /** Executions that are over: one that died in between owes nothing, as nobody can tell what it would have done. */
  #lookBack(): void {
    for (const [actor, passes] of this.#done) {
      if (actor.isRunning) continue;
      this.#done.delete(actor);
      if (!actor.isAlive || this.#mayMissAnswers) continue;
      for (const [passId, { settled, left, tookOff, hasAsked }] of passes) {
        if (!tookOff || hasAsked || settled === 0 || left === 0) continue;
        this.#fail(
          'who got somewhere goes on',
          `${passId} settled ${settled}, left ${left}, and nobody comes for these`,
        );
      }
    }
  }

  /** What was put back by its source since is not told by this pass any more. */
  #checkSettled(pk: string, { passId, status, reviewRows, kind }: PassItem): void {
    if (status !== 'completed' || isDryRun(kind)) return;
    const pages = this.#world.tables.list(pk, `PASS#${passId}#REVIEW#`) as unknown as ReviewPage[];
    const reviews = pages.filter(({ n }) => n <= reviewRows).flatMap((page) => page.reviews);
    for (const [sourceKey, own] of Map.groupBy(reviews, (review) => review.sourceKey)) {
      const row = this.#world.tables.peek(pk, `EVIDENCE#incremental#${sourceKey}`) as EvidenceItem | undefined;
      const reached = reachedBy(own);
      if (row?.settledBy === passId && row.cursor < reached)
        this.#fail('what was acknowledged is settled', `${sourceKey} is settled to ${row.cursor}, of ${reached}`);
    }
  }
}

function reachedBy(reviews: readonly Review[]): number {
  const sorted = [...reviews].sort((a, b) => a.from - b.from);
  let reached = sorted[0]?.from ?? 0;
  for (const { from, to } of sorted) if (from <= reached) reached = Math.max(reached, to);
  return reached;
}

function isTakenOff(before: LedgerItem | undefined, after: LedgerItem | undefined, passId: string): boolean {
  return before?.passes[passId] !== undefined && after?.passes[passId] === undefined;
}
