/** The clients whose sessions grow: each call is sent again until it is answered, as every client does. */
import { appendTurns } from '../../../functions/ingest/append-turns.ts';
import type { AppendDeps } from '../../../functions/ingest/deps.ts';
import { ingestSources } from '../../../functions/ingest/run.ts';
import { HttpError } from '../../../functions/io/http.ts';
import { HTTP } from '../../../schema/edges.ts';
import type { Actor } from '../engine/actor.ts';
import { Random } from '../engine/random.ts';
import type { SessionInvariants } from '../invariants/session-invariants.ts';
import type { PlannedCall, PlannedSession, PlannedTurn } from '../plans/session-plan.ts';
import type { World } from '../engine/world.ts';
import { nameOfWrite } from '../engine/write-name.ts';

const SECOND_MS = 1000;

/** What one execution of a call came to that was answered. */
export interface Answered {
  readonly session: PlannedSession;
  readonly actor: Actor;
  /** Of the generation of its scope that it spoke of. */
  readonly partition: string;
  /** Turns that stand by its word; none when its file is history. Undefined: it was refused. */
  readonly standing: readonly PlannedTurn[] | undefined;
  /** Revisions that it put into the queue, or found there. */
  readonly queued: ReadonlySet<string>;
}

export class Sessions {
  readonly #world: World;
  readonly #random: Random;
  readonly #watch: SessionInvariants;
  readonly #unanswered = new Map<PlannedCall, PlannedSession>();

  constructor(world: World, watch: SessionInvariants) {
    this.#world = world;
    this.#random = new Random(world.plan.seed, 'session clients');
    this.#watch = watch;
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
    const end = this.#watch.begin(session, call);
    const again = (): void => {
      end();
      kernel.after(this.#random.int(1, 20) * SECOND_MS, () => this.#send(session, call));
    };
    let isAnswered = true;
    const onSuccess = (): void => {
      if (!isAnswered) return again();
      end();
      this.#unanswered.delete(call);
    };
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    const { scope } = session;
    this.#world.spawn({ role: 'ingest', scope, timeoutMs, onFailure: again, onSuccess }, async (actor) => {
      const asked: Asked = { queued: new Set(), partition: '' };
      try {
        const standing = await this.#ask(watchAsked(this.#world.ingestDeps(actor), asked), session, { call, asked });
        this.#watch.onAnswered({ session, actor, standing, ...asked });
      } catch (error) {
        isAnswered = false;
        if (!this.#isOfErase(session, asked, error)) throw error;
      }
    });
  }

  /** What it read of its session went on the way: an erase has come in between. */
  #isOfErase({ id }: PlannedSession, { partition }: Asked, error: unknown): boolean {
    const { erasures } = this.#watch;
    const isGone = erasures.isOver(partition) || erasures.isErased(partition, id);
    return isGone && /^part \d+ of a stored text is gone: send the call again$/.test((error as Error).message);
  }

  async #ask(
    deps: AppendDeps,
    session: PlannedSession,
    { call, asked }: { readonly call: PlannedCall; readonly asked: Asked },
  ): Promise<readonly PlannedTurn[] | undefined> {
    const { scope, id } = session;
    const { turns, completed } = call;
    const isErased = (code: string | undefined): boolean =>
      code === 'source_erased' && this.#watch.erasures.isErased(asked.partition, id);
    if (call.form === 'file') {
      const { results } = await ingestSources(deps, { scope, body: { sources: [{ id, turns, completed }] } });
      const [{ outcome, error } = {}] = results;
      if (error && !isErased(error.code))
        this.#world.kernel.fail('each by itself', `a file of ${id} is refused: ${error.message}`);
      this.#world.count(`file of a session ${error?.code ?? outcome}`);
      if (error) return undefined;
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
      if (!isContradicted && !isErased(error.code))
        this.#world.kernel.fail('no surprise', `an append to ${id} is refused: ${error.message}`);
      return undefined;
    }
  }
}

/** Whether one of its ids is given with two different texts. */
export function isContradictory({ calls }: PlannedSession): boolean {
  const turns = calls.flatMap((call) => call.turns);
  return new Set(turns.map(({ id, text }) => `${id} ${text}`)).size > new Set(turns.map(({ id }) => id)).size;
}

/** What an execution asked the store for. */
interface Asked {
  readonly queued: Set<string>;
  /** Where it last looked for its session, or wrote it. */
  partition: string;
}

function watchAsked(deps: AppendDeps, asked: Asked): AppendDeps {
  const { store } = deps;
  const write: typeof store.write = (request) => {
    if (nameOfWrite(request) === 'evidence:put')
      asked.queued.add(String(request.kind === 'put' && request.input.Item?.revision));
    return store.write(request);
  };
  const get: typeof store.get = (read) => {
    const { pk, sk } = read.input.Key ?? {};
    if (String(sk).startsWith('SOURCE#transcript#')) asked.partition = String(pk);
    return store.get(read);
  };
  return { ...deps, store: { get, batchGet: store.batchGet, write } };
}
