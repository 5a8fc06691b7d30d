/**
 * What must hold of idempotency keys: however often a call is sent, what is admitted for its key is of one trigger, unless
 * that was refused, which sets the key free.
 */
import { triggerItemSchema, triggerKey } from '../../../schema/trigger.ts';
import type { Actor } from '../engine/actor.ts';
import type { World } from '../engine/world.ts';

const keys = new WeakMap<Actor, string>();

/** Told by clients: what an execution was called with. */
export function noteKey(actor: Actor, scope: string, idempotencyKey: string): void {
  keys.set(actor, `${scope} ${idempotencyKey}`);
}

export class KeyInvariants {
  readonly #world: World;
  /** Trigger → the key it was sent for. */
  readonly #keyOf = new Map<string, string>();
  /** Key → the triggers sent for it, in this order. */
  readonly #sent = new Map<string, string[]>();
  /** Trigger → the generation it admitted in last. */
  readonly #admitted = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  onSent(actor: Actor, triggerId: string): void {
    const key = keys.get(actor);
    if (key === undefined || this.#keyOf.has(triggerId)) return;
    this.#keyOf.set(triggerId, key);
    this.#sent.set(key, [...(this.#sent.get(key) ?? []), triggerId]);
  }

  onAdmitted(triggerId: string, generation: number): void {
    const key = this.#keyOf.get(triggerId);
    if (key === undefined) return;
    this.#admitted.set(triggerId, generation);
    const admitted = (this.#sent.get(key) ?? []).filter((it) => this.#admitted.has(it));
    // One whose passes its budget refused after all was told so, and its key went on to the next. What was erased with its
    // scope before anybody was told is known to nobody: a late message of it finds nothing to do, and sets its key free.
    const standing = admitted
      .slice(0, -1)
      .find((it) => this.#admitted.get(it) === generation && !this.#wasUnaffordable(it));
    if (standing === undefined) return;
    this.#world.kernel.fail('one key, one trigger', `${key} admitted by ${admitted.join(' and ')}; ${standing} stands`);
  }

  #wasUnaffordable(triggerId: string): boolean {
    const { pk, sk } = triggerKey(triggerId);
    const outcome = triggerItemSchema.safeParse(this.#world.tables.peek(pk, sk)).data?.outcome;
    return outcome?.passIds.length === 0 && outcome.refused.some(({ reason }) => reason === 'budget');
  }
}
