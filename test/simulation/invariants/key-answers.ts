/** What a client that sends an idempotency key again must be answered, by what it was answered before. */
import type { TriggerAnswer } from '../../../functions/trigger/run.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { bindingKey, triggerItemSchema, triggerKey } from '../../../schema/trigger.ts';
import type { Actor } from '../engine/actor.ts';
import type { PlannedRequest } from '../plans/plan.ts';
import type { World } from '../engine/world.ts';

type Request = Omit<PlannedRequest, 'atMs'>;

/** What the first answer to a key says of all later ones. */
interface Known {
  readonly body: string;
  /** The trigger that was answered as having admitted. */
  readonly admitted: string | undefined;
}

interface Call {
  readonly key: string;
  readonly body: string;
  /** What was answered for its key before it began. */
  readonly known: Known | undefined;
  /** The trigger that its key stood for when it began. */
  readonly bound: unknown;
  readonly beganAtMs: number;
}

/** A dry run asks for another thing than a pass that writes. */
const bodyOf = ({ origin, kind, parallel }: Request): string =>
  `${origin} ${kind ?? ''} ${origin === 'drain' ? (parallel ?? '') : ''}`;

export class KeyAnswers {
  readonly #world: World;
  readonly #known = new Map<string, Known>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Undefined for a call that has no key. */
  begin(actor: Actor, request: Request): Call | undefined {
    const { scope, idempotencyKey } = request;
    if (idempotencyKey === undefined) return undefined;
    const key = `${scope} ${idempotencyKey}`;
    const { pk, sk } = bindingKey(scope, idempotencyKey);
    return {
      key,
      body: bodyOf(request),
      known: this.#known.get(key),
      bound: this.#world.tables.peek(pk, sk)?.triggerId,
      beganAtMs: actor.clock.nowMs(),
    };
  }

  /** `hasSent`: it put a message on the queue. */
  answered(call: Call, { triggerId, status }: TriggerAnswer['body'], hasSent: boolean): void {
    const { key, body, known } = call;
    if (known && known.body !== body)
      this.#fail('one key, one request', `${key} stands for "${known.body}", and is answered for "${body}"`);
    if (known?.admitted !== undefined && (status !== 'admitted' || triggerId !== known.admitted))
      this.#fail('a key answers what it admitted', `${key}: ${status} by ${triggerId}, admitted by ${known.admitted}`);
    if (status === 'queued' && !hasSent && this.#isSilent(call, triggerId))
      this.#fail('a silent trigger is sent again', `${key} waits for ${triggerId}, of which nothing was heard`);
    const admitted = status === 'admitted' ? triggerId : this.#known.get(key)?.admitted;
    this.#known.set(key, { body: this.#known.get(key)?.body ?? body, admitted });
  }

  /** Its trigger was asked for long before the call began, and nobody told what came of it. */
  #isSilent({ bound, beganAtMs }: Call, triggerId: string): boolean {
    const { pk, sk } = triggerKey(triggerId);
    const trigger = triggerItemSchema.safeParse(this.#world.tables.peek(pk, sk)).data;
    return bound === triggerId && !!trigger && beganAtMs - trigger.requestedAtMs > LIMITS.triggerWaitMs;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }
}
