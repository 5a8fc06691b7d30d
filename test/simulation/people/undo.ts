/** A person who undoes passes that they see, running or over, and sends each call until it is answered. */
import { undoPass } from '../../../functions/curator/withdraw.ts';
import { SlotBusyError } from '../../../functions/io/heads.ts';
import { HttpError } from '../../../functions/io/http.ts';
import { cancel } from '../../../functions/trigger/cancel.ts';
import { HTTP, WORK } from '../../../schema/edges.ts';
import { isTerminal, type PassItem } from '../../../schema/pass.ts';
import { listedPasses } from '../invariants/pools.ts';
import { Random } from '../engine/random.ts';
import { UndoInvariants } from '../invariants/undo-invariants.ts';
import type { PlannedUndo, UndoneKind } from '../plans/undo-plan.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;
const TIMEOUT_MS = HTTP.timeoutS * SECOND_MS;
/** Who was told so often that the pass runs, or saw none to undo, gives up. */
const TRIES_MAX = 6;
/** Who sees none looks again within so long. */
const CHOICE_MAX_MS = 10 * SECOND_MS;
/** So long after a time that was said: clocks differ, and who comes too early is told it again. */
const LATER_MAX_S = 10;

/** One pass to undo. */
interface Undo {
  readonly scope: string;
  readonly passId: string;
  readonly isCancelling: boolean;
  /** How often it was refused. */
  refusals: number;
  /** Where the next call goes on. */
  cursor: string | undefined;
  /** What any of its calls said: the pass may be heard of until then. */
  againAtMs: number | undefined;
}

type Answered = 'answered' | 'busy' | 'runs';

export class Undoing {
  readonly watch: UndoInvariants;
  /** Calls that are not answered, and refused ones that will be sent again. */
  unanswered = 0;
  readonly #world: World;
  readonly #random: Random;
  /** To be sent again at a time that was said. */
  readonly #waiting: Undo[] = [];

  constructor(world: World) {
    this.#world = world;
    this.#random = new Random(world.plan.seed, 'undoing');
    this.watch = new UndoInvariants(world);
  }

  start(): void {
    for (const planned of this.#world.plan.undoing) this.#world.kernel.at(planned.atMs, () => this.#choose(planned, 0));
  }

  /** Picks one of those that are there at this moment; looks again when there is none. */
  #choose(planned: PlannedUndo, tries: number): void {
    const { kernel, plan } = this.#world;
    const { scope, which, isDoubled, isCancelling } = planned;
    const seen = this.#seen(scope, which);
    if (seen.length === 0) {
      // In calm all comes to rest: nobody begins anything there.
      if (tries < TRIES_MAX && kernel.nowMs + CHOICE_MAX_MS < plan.calmFromMs)
        kernel.after(this.#random.int(100, CHOICE_MAX_MS), () => this.#choose(planned, tries + 1));
      return;
    }
    const passId = this.#random.pick(seen);
    this.#world.count(`a person undoes a pass: ${which}`);
    for (let k = 0; k < (isDoubled ? 2 : 1); k++) {
      const undo: Undo = { scope, passId, isCancelling, refusals: 0, cursor: undefined, againAtMs: undefined };
      this.watch.onAsked(passId);
      this.unanswered++;
      kernel.after(this.#random.int(1, 100), () => this.#send(undo));
    }
  }

  #seen(scope: string, which: UndoneKind): string[] {
    const { tables } = this.#world;
    const partition = tables.partitionOf(scope);
    if (which === 'listed' || which === 'rowless') {
      const listed = listedPasses(this.#world).filter(([, entry]) => entry.scope === scope);
      const meant = which === 'listed' ? listed : listed.filter(([id]) => !tables.peek(partition, `PASS#${id}`));
      return meant.map(([passId]) => passId);
    }
    const rows = tables.list(partition, 'PASS#').filter(({ status }) => status !== undefined) as unknown as PassItem[];
    return rows
      .filter(({ status }) => (which === 'ended' ? isTerminal(status) : status === 'cancelled' || status === 'expired'))
      .map(({ passId }) => passId);
  }

  #later(undo: Undo, seconds: number): void {
    this.#world.kernel.after(this.#random.int(1, seconds) * SECOND_MS, () => this.#send(undo));
  }

  #send(undo: Undo): void {
    const { scope } = undo;
    let answered: Answered | undefined;
    const execution = {
      role: 'curator',
      scope,
      timeoutMs: TIMEOUT_MS,
      onFailure: () => this.#later(undo, 20),
      onSuccess: () => this.#onAnswer(undo, answered),
    } as const;
    this.#world.spawn(execution, async (actor) => {
      answered = await this.#ask(undo, () =>
        undoPass(this.#world.curatorDeps(actor), scope, { passId: undo.passId, cursor: undo.cursor }),
      );
    });
  }

  async #ask(undo: Undo, call: () => ReturnType<typeof undoPass>): Promise<Answered> {
    try {
      const { cursor, againAt } = await call();
      undo.cursor = cursor;
      if (againAt !== undefined) undo.againAtMs = Date.parse(againAt);
      return 'answered';
    } catch (error) {
      if (error instanceof SlotBusyError) return 'busy';
      if (error instanceof HttpError && error.code === 'pass_running') return 'runs';
      throw error;
    }
  }

  #onAnswer(undo: Undo, answered: Answered | undefined): void {
    if (answered === 'runs') return this.#onRefused(undo);
    if (undo.cursor !== undefined) this.#world.count('an undo goes on where a call ended');
    if (answered === 'busy' || undo.cursor !== undefined) return this.#later(undo, 2);
    this.unanswered--;
    if (undo.againAtMs !== undefined) {
      this.#world.count('an undo has to be sent again');
      this.#waiting.push(undo);
    } else {
      this.#world.count('a pass is undone');
      this.watch.onUndone(undo.scope, undo.passId);
    }
  }

  #onRefused(undo: Undo): void {
    this.#world.count('an undo is refused: the pass runs');
    if (++undo.refusals >= TRIES_MAX) return void this.unanswered--;
    if (!undo.isCancelling) return this.#later(undo, 30);
    const again = (): void => this.#later(undo, 2);
    const { scope, passId } = undo;
    const execution = { role: 'operator', scope, timeoutMs: TIMEOUT_MS, onFailure: again, onSuccess: again } as const;
    this.#world.spawn(execution, async (actor) => {
      try {
        await cancel(this.#world.triggerDeps(actor, this.#world.triggersOf(actor)), scope, passId);
      } catch (error) {
        // It has no row yet.
        if (!(error instanceof HttpError) || error.code !== 'not_found') throw error;
      }
    });
  }

  /** When all else is silent: what was said to be sent again is, at the time that was said. */
  async finish(): Promise<void> {
    const { kernel } = this.#world;
    const boundMs = kernel.nowMs + 2 * WORK.functionTimeoutS * SECOND_MS;
    while (this.#waiting.length > 0) {
      for (const undo of this.#waiting.splice(0)) this.#sendAgain(undo);
      await kernel.run(boundMs, () => this.unanswered === 0);
      if (kernel.violation) return;
      if (kernel.nowMs >= boundMs) return kernel.fail('V1 liveness', `${this.unanswered} undos are never done`);
    }
  }

  #sendAgain(undo: Undo): void {
    const { kernel } = this.#world;
    const atMs = Math.max(kernel.nowMs, undo.againAtMs ?? 0) + this.#random.int(0, LATER_MAX_S) * SECOND_MS;
    undo.againAtMs = undefined;
    this.unanswered++;
    kernel.at(atMs, () => this.#send(undo));
  }
}
