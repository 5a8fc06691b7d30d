/**
 * What must hold of triggers: each that is asked for has a row, each that was handled has its outcome recorded, and that
 * says what is so. What was refused is never admitted after all.
 */
import type { TriggerAnswer } from '../../../functions/trigger/run.ts';
import type { EvidenceItem } from '../../../schema/evidence.ts';
import type { LedgerItem } from '../../../schema/ledger.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { TriggerMessage } from '../../../schema/messages.ts';
import { STALLED_TIER, tierOf } from '../../../schema/queue.ts';
import { scopeKey, type ScopeItem } from '../../../schema/scope.ts';
import { type TriggerItem, triggerItemSchema, triggerKey, type TriggerOutcome } from '../../../schema/trigger.ts';
import type { UsageItem } from '../../../schema/usage.ts';
import type { Actor } from '../engine/actor.ts';
import { isEqual } from '../engine/expression.ts';
import { listedPasses } from './pools.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

/** What a person was told can be looked up, and is what stands there. Refused at once: there is nothing to look up. */
export function checkAnswer({ kernel, tables }: World, body: TriggerAnswer['body']): void {
  const { triggerId, status, passIds } = body;
  const { pk, sk } = triggerKey(triggerId);
  const row = triggerItemSchema.safeParse(tables.peek(pk, sk)).data;
  if (!row && status !== 'refused') kernel.fail('a trigger is answered', `${triggerId} is ${status}, and has no row`);
  if (row && status !== 'queued' && !isEqual(row.outcome?.passIds, passIds))
    kernel.fail(
      'a trigger is answered',
      `${triggerId} is ${status}: ${String(passIds)}; ${String(row.outcome?.passIds)} are recorded`,
    );
}

export class TriggerInvariants {
  readonly #world: World;
  /** Trigger → the passes that the ledger ever listed for it, with their generation. */
  readonly #admitted = new Map<string, Map<string, number>>();
  /** EVIDENCE rows, and triggers → when they were put. */
  readonly #putAtMs = new Map<string, number>();
  readonly #askedAtMs = new Map<string, number>();
  /** Passes that their budget refused after all → who was told so. */
  readonly #refused = new Map<string, Actor | undefined>();

  constructor(world: World) {
    this.#world = world;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  #outcomeOf(triggerId: string): TriggerOutcome | undefined {
    const { pk, sk } = triggerKey(triggerId);
    return triggerItemSchema.safeParse(this.#world.tables.peek(pk, sk)).data?.outcome;
  }

  #hasRow(triggerId: string): boolean {
    const { pk, sk } = triggerKey(triggerId);
    return this.#world.tables.peek(pk, sk) !== undefined;
  }

  /** Told by the edges, when the scheduler is through with a message. */
  onHandled(message: TriggerMessage): void {
    if (this.#hasRow(message.triggerId) && !this.#outcomeOf(message.triggerId))
      this.#fail('a trigger is answered', `${message.triggerId} was handled, and nobody knows what came of it`);
  }

  onLedger({ before, after }: Change): void {
    const was = (before as LedgerItem | undefined)?.passes ?? {};
    for (const [passId, { triggerId, generation }] of Object.entries((after as LedgerItem | undefined)?.passes ?? {})) {
      if (was[passId]) continue;
      this.#admitted.set(triggerId, (this.#admitted.get(triggerId) ?? new Map()).set(passId, generation));
      if (this.#outcomeOf(triggerId)?.passIds.length === 0)
        this.#fail('what was refused stays refused', `${passId} is admitted by ${triggerId}, which was refused`);
    }
  }

  onUsage({ after }: Change, actor: Actor | undefined): void {
    for (const [passId, { closed }] of Object.entries((after as UsageItem | undefined)?.reserved ?? {}))
      if (closed === 'refused' && !this.#refused.has(passId)) this.#refused.set(passId, actor);
  }

  /** Told of evidence that is put. */
  onEvidence({ pk, sk, before, after }: Change): void {
    if (!before && after) this.#putAtMs.set(`${pk} ${sk}`, this.#world.kernel.nowMs);
  }

  /** Who just gave something, and asks, is not told that there is nothing: where the index lags by less than the second look waits. */
  #checkNothing({ triggerId, scope }: TriggerItem): void {
    const { kernel, tables, plan } = this.#world;
    const row = tables.peek(`SCOPE#${scope}`, 'SCOPE') as ScopeItem | undefined;
    const isBusy = listedPasses(this.#world).some(([, entry]) => entry.scope === scope);
    const lagsMs = Math.max(...plan.lagsMaxMs) + 2 * plan.skewMaxMs;
    // What waited long before is no sign that something came just now: then nobody looks twice.
    const isFresh = (row?.waitingSinceMs ?? 0) > kernel.nowMs - LIMITS.indexLagMs / 2;
    if (!row || !isFresh || isBusy || lagsMs >= LIMITS.indexLagRetryMs) return;
    const pk = `SCOPE#${scope}#${row.generation}`;
    const askedAtMs = this.#askedAtMs.get(triggerId) ?? 0;
    const untouched = tables
      .list(pk, 'EVIDENCE#')
      .map((item) => item as unknown as EvidenceItem)
      .filter(
        ({ sk, seq, state, homeKey }) =>
          seq === 1 &&
          state === 'pending' &&
          tierOf(homeKey) <= STALLED_TIER &&
          (this.#putAtMs.get(`${pk} ${sk}`) ?? 0) < askedAtMs,
      );
    if (untouched.length === 0) return;
    this.#fail('who gave is not told of nothing', `${triggerId}: ${untouched.map(({ sk }) => sk).join(', ')} waits`);
  }

  onTrigger({ before, after }: Change, actor: Actor | undefined): void {
    if (!before && after?.requestedAtMs !== undefined)
      this.#askedAtMs.set(String(after.triggerId), this.#world.kernel.nowMs);
    if (!before && after?.ttl === undefined) this.#fail('a trigger is answered', 'a row is made for what nobody asked');
    const [old, next] = [before?.outcome, after?.outcome] as (TriggerOutcome | undefined)[];
    if (!next) return;
    const triggerId = String(after?.triggerId);
    if (old && !isEqual(old, next)) this.#fail('a trigger is answered', `${triggerId} had another outcome before`);
    if (old) return;
    if (next.refused.some(({ reason }) => reason === 'nothing_to_do'))
      this.#checkNothing(after as unknown as TriggerItem);
    const admitted = this.#admitted.get(triggerId) ?? new Map<string, number>();
    const strange = next.passIds.filter((passId) => !admitted.has(passId));
    const { pk, sk } = scopeKey(String(after?.scope));
    const scope = this.#world.tables.peek(pk, sk) as ScopeItem | undefined;
    // Of what it admitted before its scope was erased nothing tells.
    const untold = [...admitted]
      .filter(([passId, generation]) => generation === scope?.generation && !this.#refused.has(passId))
      .flatMap(([passId]) => (next.passIds.includes(passId) ? [] : passId));
    const unaffordable = next.passIds.filter((passId) => actor && this.#refused.get(passId) === actor);
    if (unaffordable.length > 0)
      this.#fail('a trigger is answered', `${triggerId} admitted ${unaffordable.join(', ')}, which its budget refused`);
    if (strange.length > 0) this.#fail('a trigger is answered', `${triggerId} never admitted ${strange.join(', ')}`);
    if (untold.length > 0) this.#fail('a trigger is answered', `${triggerId} admitted ${untold.join(', ')} untold`);
    if (next.passIds.length < next.requested && next.refused.length === 0)
      this.#fail('a trigger is answered', `${triggerId}: ${next.passIds.length} of ${next.requested}, and no word why`);
  }
}
