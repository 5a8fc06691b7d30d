/** The clients whose sessions grow: each call is sent again until it is answered, as every client does. */
import { appendTurns } from '../../functions/ingest/append-turns.ts';
import type { IngestDeps } from '../../functions/ingest/deps.ts';
import { ingestSources } from '../../functions/ingest/run.ts';
import { HttpError } from '../../functions/io/http.ts';
import { HTTP } from '../../schema/edges.ts';
import type { Actor } from './actor.ts';
import { Random } from './random.ts';
import type { PlannedCall, PlannedSession, PlannedTurn } from './session-plan.ts';
import type { World } from './world.ts';
import { nameOfWrite } from './write-name.ts';

const SECOND_MS = 1000;

/** What one execution of a call came to that was answered. */
export interface Answered {
  readonly session: PlannedSession;
  readonly actor: Actor;
  /** Turns that stand by its word; none when it was refused, or its file is history. */
  readonly standing: readonly PlannedTurn[];
  /** Revisions that it put into the queue, or found there. */
  readonly queued: ReadonlySet<string>;
}

export class Sessions {
  readonly #world: World;
  readonly #random: Random;
  readonly #onAnswered: (answered: Answered) => void;
  readonly #unanswered = new Map<PlannedCall, PlannedSession>();

  constructor(world: World, onAnswered: (answered: Answered) => void) {
    this.#world = world;
    this.#random = new Random(world.plan.seed, 'session clients');
    this.#onAnswered = onAnswered;
  }

  get unanswered(): number {
    return this.#unanswered.size;
  }

  isAnswered(scope: string, id: string): boolean {
    return ![...this.#unanswered.values()].some((session) => session.scope === scope && session.id === id);
  }

  start(): void {
    const { kernel, plan } = this.#world;
    for (const session of plan.sessions) {
      for (const call of session.calls) {
        this.#unanswered.set(call, session);
        kernel.at(call.atMs, () => this.#send(session, call));
      }
    }
  }

  #send(session: PlannedSession, call: PlannedCall): void {
    const { kernel } = this.#world;
    const again = (): void => {
      kernel.after(this.#random.int(1, 20) * SECOND_MS, () => this.#send(session, call));
    };
    const onSuccess = (): void => void this.#unanswered.delete(call);
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    const { scope } = session;
    this.#world.spawn({ role: 'ingest', scope, timeoutMs, onFailure: again, onSuccess }, async (actor) => {
      const queued = new Set<string>();
      const deps = watchQueued(this.#world.ingestDeps(actor), queued);
      const standing = await this.#ask(deps, session, call);
      this.#onAnswered({ session, actor, standing, queued });
    });
  }

  async #ask(deps: IngestDeps, session: PlannedSession, call: PlannedCall): Promise<readonly PlannedTurn[]> {
    const { scope, id } = session;
    const { turns, completed } = call;
    if (call.form === 'file') {
      const { results } = await ingestSources(deps, { scope, body: { sources: [{ id, turns, completed }] } });
      const [{ outcome, error } = {}] = results;
      if (error) this.#world.kernel.fail('each by itself', `a file of ${id} is refused: ${error.message}`);
      this.#world.count(`file of a session ${outcome}`);
      return outcome === 'older' ? [] : turns;
    }
    try {
      const { outcome } = await appendTurns(deps, { scope, id, body: { turns: [...turns], completed } });
      this.#world.count(`append ${outcome}`);
      return turns;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.#world.count(`append ${error.code}`);
      const isContradicted = error.code === 'turn_differs' && isContradictory(session);
      if (!isContradicted) this.#world.kernel.fail('no surprise', `an append to ${id} is refused: ${error.message}`);
      return [];
    }
  }
}

/** Whether one of its ids is given with two different texts. */
export function isContradictory({ calls }: PlannedSession): boolean {
  const turns = calls.flatMap((call) => call.turns);
  return new Set(turns.map(({ id, text }) => `${id} ${text}`)).size > new Set(turns.map(({ id }) => id)).size;
}

function watchQueued(deps: IngestDeps, queued: Set<string>): IngestDeps {
  const { store } = deps;
  const write: typeof store.write = (request) => {
    if (nameOfWrite(request) === 'evidence:put')
      queued.add(String(request.kind === 'put' && request.input.Item?.revision));
    return store.write(request);
  };
  return { ...deps, store: { get: store.get, batchGet: store.batchGet, write } };
}
