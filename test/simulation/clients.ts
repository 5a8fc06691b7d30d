/** Who asks: the owners of sources, and people who trigger and drain. */
import { ingestSources } from '../../functions/ingest/run.ts';
import { HttpError } from '../../functions/io/http.ts';
import { requestLook } from '../../functions/trigger/run.ts';
import { HTTP } from '../../schema/edges.ts';
import { scopeKey } from '../../schema/scope.ts';
import type { Edges } from './edges.ts';
import type { PlannedIngest, PlannedRequest } from './plan.ts';
import { Random } from './random.ts';
import type { World } from './world.ts';

const SECOND_MS = 1000;

export class Clients {
  readonly #world: World;
  readonly #edges: Edges;
  readonly #random: Random;
  /** Ingest calls not answered yet. */
  readonly unanswered = new Set<PlannedIngest>();

  constructor(world: World, edges: Edges) {
    this.#world = world;
    this.#edges = edges;
    this.#random = new Random(world.plan.seed, 'clients');
  }

  start(): void {
    const { kernel, plan } = this.#world;
    for (const call of plan.ingests) {
      this.unanswered.add(call);
      kernel.at(call.atMs, () => this.#ingest(call));
    }
    for (const request of plan.requests) kernel.at(request.atMs, () => this.request(request));
  }

  /** Sent again until it is answered, as a client does. */
  #ingest(call: PlannedIngest): void {
    const { kernel } = this.#world;
    const { scope } = call;
    const again = (): void => {
      kernel.after(this.#random.int(1, 20) * SECOND_MS, () => this.#ingest(call));
    };
    const sources = call.sources.map(({ id, text, capturedAtMs, completed }) => ({
      kind: 'note',
      id,
      text,
      format: 'text',
      capturedAt: new Date(capturedAtMs).toISOString(),
      completed,
    }));
    const onSuccess = (): void => void this.unanswered.delete(call);
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role: 'ingest', scope, timeoutMs, onFailure: again, onSuccess }, (actor) =>
      ingestSources(this.#world.ingestDeps(actor), { scope, body: { sources } }),
    );
  }

  request({ scope, origin, parallel, idempotencyKey }: Omit<PlannedRequest, 'atMs'>): void {
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role: 'trigger', scope, timeoutMs }, async (actor) => {
      const deps = this.#world.triggerDeps(actor, this.#edges.triggersOf(actor));
      const request = {
        scope,
        origin,
        kind: 'incremental',
        ...(origin === 'drain' && parallel !== undefined && { parallel }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      };
      try {
        const { body } = await requestLook(deps, request);
        this.#world.count(`trigger answered ${body.status} ${body.refused?.[0]?.reason ?? ''}`);
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        this.#world.count(`trigger answered ${error.code}`);
      }
    });
  }

  /** A halted scope waits for a person: who asks again explicitly, once a minute. */
  wakeHalted(): void {
    const { tables, plan } = this.#world;
    for (const scope of plan.scopes) {
      const { pk, sk } = scopeKey(scope);
      if (tables.peek(pk, sk)?.haltedAtMs !== undefined) {
        this.#world.count('a halted scope is asked for by a person');
        this.request({ scope, origin: 'trigger', parallel: undefined, idempotencyKey: undefined });
      }
    }
  }
}
