/**
 * Sessions whose scope is erased while they grow, or they themselves are: what an answer says holds of the generation it
 * was given in, until that is over; and nothing that was said before stands in the next.
 */
import { decompressText } from '../../../functions/io/text.ts';
import { sourceErasureKey } from '../../../schema/erasure.ts';
import { FIRST_GENERATION } from '../../../schema/scope.ts';
import type { Actor } from '../engine/actor.ts';
import { countTurn } from '../people/session-text.ts';
import type { PlannedSession, PlannedTurn } from '../plans/session-plan.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

/** How far the sending of one turn went. */
interface Sent {
  /** Executions that are at it. */
  running: number;
  lastEndedAtMs: number;
}

export class SessionErasures {
  readonly #world: World;
  /** Partition of a generation → true time at which its scope moved on to it. */
  readonly #beganAtMs = new Map<string, number>();
  /** Partition and id → true time at which the tombstone of a session was put. */
  readonly #erasedAtMs = new Map<string, number>();
  readonly #sent = new Map<PlannedTurn, Sent>();

  constructor(world: World) {
    this.#world = world;
  }

  /** An execution begins that sends these; answers what to call when it ends or dies. */
  begin(turns: readonly PlannedTurn[]): () => void {
    const all = turns.map((turn) => {
      const sent = this.#sent.get(turn) ?? { running: 0, lastEndedAtMs: Number.NEGATIVE_INFINITY };
      this.#sent.set(turn, sent);
      sent.running++;
      return sent;
    });
    return () => {
      for (const sent of all) {
        sent.running--;
        sent.lastEndedAtMs = this.#world.kernel.nowMs;
      }
    };
  }

  onChange({ table, pk, sk, before, after }: Change): void {
    const { nowMs } = this.#world.kernel;
    if (table === 'text') return this.#onText({ pk, sk, after });
    if (sk === 'SCOPE') {
      const scope = String(after?.scope);
      if (before && before.generation !== after?.generation) {
        this.#beganAtMs.set(this.#world.tables.partitionOf(scope), nowMs);
      }
    } else if (after?.erasedAtMs !== undefined && sk.startsWith('SOURCE#transcript#')) {
      this.#erasedAtMs.set(`${pk} ${String(after.id)}`, nowMs);
    }
  }

  /** Whether the scope of a partition has moved on from it. */
  isOver(pk: string): boolean {
    const [, scope = ''] = pk.split('#');
    return this.#world.tables.partitionOf(scope) !== pk;
  }

  /** Whether a session was erased by itself, at a time that such a call may have met. */
  isErased(pk: string, id: string): boolean {
    return this.#erasedAtMs.has(`${pk} ${id}`);
  }

  /** Whether its SOURCE row may go, or give way to a tombstone. */
  mayGo(pk: string, id: string, actor: Actor | undefined): boolean {
    if (actor?.role !== 'eraser') return false;
    const [, scope = '', generation] = pk.split('#');
    const { pk: partition, sk } = sourceErasureKey(
      { scope, generation: Number(generation) },
      { kind: 'transcript', id },
    );
    return this.isOver(pk) || this.#world.tables.peek(partition, sk) !== undefined;
  }

  /** A call was answered that turns stand: not one that began after their session was erased. */
  onTaken(pk: string, id: string, { label, startedAtMs }: Actor): void {
    const erasedAtMs = this.#erasedAtMs.get(`${pk} ${id}`) ?? Number.POSITIVE_INFINITY;
    if (erasedAtMs >= startedAtMs) return;
    this.#world.kernel.fail('erased is refused', `${id} is taken in by ${label}, which began after it was erased`);
  }

  /**
   * Who writes into a generation has read that the scope stands there, so what it brings was being sent at that time or
   * later. A text that a dead generation is still given goes with it.
   */
  #onText({ pk, sk, after }: Pick<Change, 'pk' | 'sk' | 'after'>): void {
    const [scope = '', generation, kind, id] = pk.split('#');
    if (!after || kind !== 'transcript' || Number(generation) === FIRST_GENERATION || !/^\d{5}$/.test(sk)) return;
    const partition = `SCOPE#${scope}#${generation}`;
    const beganAtMs = this.#beganAtMs.get(partition) ?? 0;
    if (this.isOver(partition)) return;
    const text = decompressText(after.body as Uint8Array);
    const isOwn = (session: PlannedSession): boolean => session.scope === scope && session.id === id;
    const turns = this.#world.plan.sessions.filter(isOwn).flatMap(({ calls }) => calls.flatMap((call) => call.turns));
    for (const turn of turns) {
      if (countTurn(text, turn) === 0) continue;
      this.#world.count('a turn is told in the generation after an erase');
      const { running = 0, lastEndedAtMs = 0 } = this.#sent.get(turn) ?? {};
      if (running > 0 || lastEndedAtMs >= beganAtMs) continue;
      const found = `${turn.id} of ${id} stands in ${partition}, and nobody sent it since that began`;
      this.#world.kernel.fail('nothing said before stands in the next generation', found);
    }
  }
}
