/** The text that breaks its readers, and the person who mends the executor and requeues what was given up. */
import { HttpError } from '../../../functions/io/http.ts';
import { requeue } from '../../../functions/trigger/requeue.ts';
import { requeueClass } from '../../../functions/trigger/requeue-class.ts';
import type { EvidencePage } from '../../../functions/worker/executor/executor.ts';
import { HTTP } from '../../../schema/edges.ts';
import type { EvidenceItem } from '../../../schema/evidence.ts';
import type { QuarantineClass } from '../../../schema/evidence-return.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { SourceItem } from '../../../schema/source.ts';
import type { Actor } from '../engine/actor.ts';
import type { Edges } from '../engine/edges.ts';
import { StormError } from '../executors/executor.ts';
import { isEqual } from '../engine/expression.ts';
import { isPoisoned, type PlannedPoison } from '../plans/poison-plan.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** What an execution was asked to requeue, and the ids of the sources that it did. */
export interface ClassCall {
  readonly why: QuarantineClass;
  readonly requeued: string[];
}
export const classCalls = new WeakMap<Actor, ClassCall>();

export class Poison {
  readonly #world: World;
  readonly #edges: () => Edges;
  readonly #planned: PlannedPoison;
  #isMended = false;

  constructor(world: World, edges: () => Edges, planned: PlannedPoison) {
    this.#world = world;
    this.#edges = edges;
    this.#planned = planned;
  }

  start(): void {
    const { mendedAtMs, requeuesAtMs, isDoubled } = this.#planned;
    if (mendedAtMs === undefined) return;
    const { kernel } = this.#world;
    kernel.at(mendedAtMs, () => void (this.#isMended = true));
    for (const atMs of requeuesAtMs) {
      for (const copy of isDoubled ? [0, 1] : [0]) kernel.at(atMs + copy, () => this.requeueAll());
    }
  }

  /** What happens to who is given a page. */
  onPage(actor: Actor, { items }: EvidencePage): void {
    if (this.#isMended || !items.some(({ text }) => isPoisoned(text))) return;
    this.#world.count(`a text breaks its reader: ${this.#planned.manner}`);
    if (this.#planned.manner === 'throws') throw new StormError('this text breaks its reader');
    actor.crash('its text broke it');
  }

  /** A person requeues what was given up: what is not is refused. */
  requeueAll(): void {
    if (this.#planned.isByClass) return this.#requeueClasses();
    for (const id of this.#planned.ids) if (this.#givenUp(id)) this.#requeue(id);
  }

  #givenUp(id: string): boolean {
    const { tables } = this.#world;
    const pk = `SCOPE#${this.#planned.scope}#1`;
    const source = tables.peek(pk, `SOURCE#note#${id}`) as SourceItem | undefined;
    const evidence = tables.peek(pk, `EVIDENCE#incremental#note#${id}#${source?.revision}`) as EvidenceItem | undefined;
    return evidence?.state === 'quarantined';
  }

  #requeue(id: string): void {
    const { scope } = this.#planned;
    this.#world.spawn({ role: 'operator', scope, timeoutMs: HTTP.timeoutS * SECOND_MS }, async (actor) => {
      try {
        await requeue(this.#world.triggerDeps(actor, this.#edges().triggersOf(actor)), scope, { kind: 'note', id });
        this.#world.count('a given-up source is requeued');
      } catch (error) {
        if (!(error instanceof HttpError) || error.status >= 500) throw error;
        this.#world.count(`requeue answered ${error.code}`);
      }
    });
  }

  /** A page at a time, of both classes that there can be, one of which nothing here is quarantined for. */
  #requeueClasses(): void {
    const { scope } = this.#planned;
    for (const why of ['quote_mismatch', 'broke_off'] as const) {
      this.#world.spawn({ role: 'operator', scope, timeoutMs: HTTP.timeoutS * SECOND_MS }, async (actor) => {
        const call: ClassCall = { why, requeued: [] };
        classCalls.set(actor, call);
        const deps = this.#world.triggerDeps(actor, this.#edges().triggersOf(actor));
        const told: string[] = [];
        try {
          for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
            const answer = await requeueClass(deps, scope, { class: why, limit: 2, cursor });
            told.push(...answer.requeued.map(({ id, revision }) => `${id} ${revision}`));
            cursor = answer.cursor;
          }
        } catch (error) {
          if (!(error instanceof HttpError) || error.status >= 500) throw error;
          return this.#world.count(`requeue of a class answered ${error.code}`);
        }
        this.#world.count(`a class is requeued: ${told.length}`);
        if (!isEqual(told, call.requeued))
          this.#world.kernel.fail(
            'a requeue tells what it did',
            `${told.join(', ')}; it requeued ${call.requeued.join(', ')}`,
          );
      });
    }
  }

  /** In calm, when nothing else is owed: mends what still breaks its readers. False when nothing does. */
  mend(): boolean {
    const wasMended = this.#isMended;
    this.#isMended = true;
    return !wasMended;
  }

  /** What is mended is settled in the end, given up or not. */
  findOwed(): string[] {
    if (!this.#isMended) return [];
    const { scope, ids } = this.#planned;
    return ids.filter((id) => this.#givenUp(id)).map((id) => `V1 ${scope} ${id} is mended, and still given up`);
  }

  /**
   * What the drain may take longer: passes until it is given up, each after the wait of the one before, a tick and a
   * person who wakes the scope; what edits put off; and the hours that retries were put off to.
   */
  get moreMs(): number {
    const { ids, ingests, retriesPerHour } = this.#planned;
    const passes = 2 * LIMITS.crashesAloneMax * ids.length;
    const waitMs = 2 ** LIMITS.backOffExponentMax * LIMITS.backOffBaseMs + 2 * MINUTE_MS;
    const retryMs = LIMITS.retryBaseMs * 2 ** LIMITS.retryExponentMax;
    const hours = retriesPerHour === undefined ? 0 : Math.ceil(ingests.length / retriesPerHour);
    return passes * waitMs + retryMs + hours * HOUR_MS;
  }
}
