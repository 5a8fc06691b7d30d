/** Who asks: the owners of sources, and people who trigger and drain. */
import { ingestSources } from '../../../functions/ingest/run.ts';
import { HttpError } from '../../../functions/io/http.ts';
import { requestLook } from '../../../functions/trigger/run.ts';
import { HTTP } from '../../../schema/edges.ts';
import { scopeKey, type ScopeItem } from '../../../schema/scope.ts';
import type { Edges } from '../engine/edges.ts';
import type { Erasing } from './erase.ts';
import { waitsForTomorrow } from '../invariants/liveness.ts';
import { isEqual } from '../engine/expression.ts';
import { IntakeAnswers } from '../invariants/intake-answers.ts';
import { KeyAnswers } from '../invariants/key-answers.ts';
import { noteKey } from '../invariants/key-invariants.ts';
import type { PlannedIngest, PlannedRequest } from '../plans/plan.ts';
import { Random } from '../engine/random.ts';
import { bodyOf, refusedBodies } from '../plans/source-forms.ts';
import { checkAnswer } from '../invariants/trigger-invariants.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;

export class Clients {
  readonly #world: World;
  readonly #edges: Edges;
  readonly #random: Random;
  readonly #erasing: Erasing | undefined;
  readonly #keys: KeyAnswers;
  readonly intake: IntakeAnswers;
  /** Ingest calls not answered yet. */
  readonly unanswered = new Set<PlannedIngest>();

  constructor(world: World, edges: Edges, erasing?: Erasing) {
    this.#world = world;
    this.#edges = edges;
    this.#erasing = erasing;
    this.#keys = new KeyAnswers(world);
    this.intake = new IntakeAnswers(world);
    this.#random = new Random(world.plan.seed, 'clients');
  }

  start(): void {
    const { kernel, plan } = this.#world;
    for (const call of plan.ingests) this.ingest(call);
    for (const request of plan.requests) kernel.at(request.atMs, () => this.request(request));
  }

  /** Sends a call at its time. */
  ingest(call: PlannedIngest): void {
    this.unanswered.add(call);
    this.#world.kernel.at(call.atMs, () => this.#ingest(call));
  }

  /** Sent again until it is answered, as a client does. */
  #ingest(call: PlannedIngest): void {
    const { kernel } = this.#world;
    const { scope } = call;
    const attempt = this.#erasing?.memory.begin(call);
    const again = (): void => {
      attempt?.end();
      kernel.after(this.#random.int(1, 20) * SECOND_MS, () => this.#ingest(call));
    };
    const { seed, ingests } = this.#world.plan;
    const refused = refusedBodies(seed, ingests.indexOf(call));
    const sources = [...call.sources.map((source) => bodyOf(seed, source)), ...refused.map(([, body]) => body)];
    const onSuccess = (): void => {
      attempt?.end();
      this.unanswered.delete(call);
    };
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role: 'ingest', scope, timeoutMs, onFailure: again, onSuccess }, async (actor) => {
      const { results } = await ingestSources(this.#world.ingestDeps(actor), { scope, body: { sources } });
      const isCompleted = call.sources.map(({ completed }) => completed);
      this.intake.onAnswered(actor, scope, results.slice(0, isCompleted.length), isCompleted);
      const codes = results.map(({ error }) => error?.code ?? 'taken');
      const taken = call.sources.map(({ id }, k) => {
        // One whose erase was sent may be refused for that.
        return codes[k] === 'source_erased' && this.#erasing?.mayRefuse(scope, id) ? 'source_erased' : 'taken';
      });
      if (attempt) this.#erasing?.memory.answer(call, attempt, codes);
      const wanted = [...taken, ...refused.map(([code]) => code)];
      if (!isEqual(codes, wanted)) kernel.fail('each by itself', `${codes.join()} in place of ${wanted.join()}`);
    });
  }

  request(planned: Omit<PlannedRequest, 'atMs'>): void {
    const { scope, origin, kind, parallel, idempotencyKey } = planned;
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role: 'trigger', scope, timeoutMs }, async (actor) => {
      if (idempotencyKey !== undefined) noteKey(actor, scope, idempotencyKey);
      const call = this.#keys.begin(actor, planned);
      const queue = this.#edges.triggersOf(actor);
      let hasSent = false;
      const send: typeof queue.send = (message) => {
        hasSent = true;
        return queue.send(message);
      };
      const request = {
        scope,
        origin,
        kind: kind ?? 'incremental',
        ...(origin === 'drain' && parallel !== undefined && { parallel }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      };
      try {
        const { body } = await requestLook(this.#world.triggerDeps(actor, { send }), request);
        this.#world.count(`trigger answered ${body.status} ${body.refused?.[0]?.reason ?? ''}`);
        checkAnswer(this.#world, body);
        if (call) this.#keys.answered(call, body, hasSent);
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        this.#world.count(`trigger answered ${error.code}`);
      }
    });
  }

  /** A scope that is halted, or waits for the next day's budget, waits for a person: who asks once a minute. */
  wakeHalted(): void {
    const { tables, plan, kernel } = this.#world;
    for (const scope of plan.scopes) {
      const { pk, sk } = scopeKey(scope);
      const row = tables.peek(pk, sk) as ScopeItem | undefined;
      if (row && (row.haltedAtMs !== undefined || waitsForTomorrow(row, kernel.nowMs))) {
        this.#world.count('a halted scope is asked for by a person');
        this.request({ scope, origin: 'trigger', parallel: undefined, idempotencyKey: undefined });
      }
    }
  }
}
