/**
 * An executor that means ill: it does the work of any other, and slips calls in between that must come to nothing. It sends
 * several at once without waiting, breaks off half-way, hangs for good, and calls when its run is over.
 */
import type { Executor, ExecutorContext, Tools } from '../../../functions/worker/executor/executor.ts';
import { StormError } from './executor.ts';
import { drawCall, type Given, type HostileCall, type Known } from './hostile-calls.ts';
import type { HostileWatch } from '../invariants/hostile-invariants.ts';
import type { PlannedHostile } from '../plans/hostile-plan.ts';

const SECOND_MS = 1000;
/** Calls that it sends at once. */
const AT_ONCE_MAX = 3;
const ODD_SHARE = 0.1;
const ODD_NUMBERS = [Number.NaN, 0.5, -3, 1e300];

export interface HostileOptions {
  readonly planned: PlannedHostile;
  readonly known: Omit<Known, 'given'>;
  readonly watch: HostileWatch;
  /** Waits whatever becomes of the pass. */
  readonly later: (ms: number) => Promise<void>;
}

class Pest implements Tools {
  readonly #tools: Tools;
  readonly #context: ExecutorContext;
  readonly #options: HostileOptions;
  readonly #given = new Map<string, Given>();

  constructor(tools: Tools, context: ExecutorContext, options: HostileOptions) {
    this.#tools = tools;
    this.#context = context;
    this.#options = options;
  }

  draw(): HostileCall {
    return drawCall({ ...this.#options.known, given: this.#given });
  }

  /** One call alone, or several at once: each must come to nothing. */
  async #slipIn(): Promise<void> {
    const { known, planned, watch } = this.#options;
    const { random } = known;
    for (let left = random.int(0, planned.callsMax); left > 0; left--) {
      const calls = Array.from({ length: random.chance(0.2) ? AT_ONCE_MAX : 1 }, () => this.draw());
      await watch.sendAll(this.#tools, calls, this.#context.signal);
    }
    if (random.chance(ODD_SHARE)) this.#context.spend({ tokensIn: random.pick(ODD_NUMBERS) });
    if (random.chance(planned.strayShare / 10)) throw new StormError('it breaks off half-way');
  }

  /** Asks for as many as no number says, sometimes: it is given a page all the same. */
  async searchEvidence(request: Parameters<Tools['searchEvidence']>[0]) {
    await this.#slipIn();
    const { random } = this.#options.known;
    const odd = random.chance(ODD_SHARE) ? { limit: random.pick(ODD_NUMBERS) } : {};
    const page = await this.#tools.searchEvidence({ ...request, ...odd });
    for (const item of page.items) this.#given.set(item.source, { ...item, reviewedTo: item.start });
    await this.#slipIn();
    return page;
  }

  /** Sometimes twice at once: the second finds all of it acknowledged. */
  async reviewEvidence(items: Parameters<Tools['reviewEvidence']>[0]) {
    const { known, watch } = this.#options;
    const isTwice = known.random.chance(0.1) && items.every(({ through }) => through === undefined);
    const first = this.#tools.reviewEvidence(items);
    const again = isTwice ? this.#tools.reviewEvidence(items) : undefined;
    const [answer, second] = await Promise.all([first, again]);
    for (const { source, through } of answer.progress) {
      const given = this.#given.get(source);
      if (given) this.#given.set(source, { ...given, reviewedTo: through });
    }
    if (second && second.reviewed > 0)
      watch.fail('a hostile call is refused', `${second.reviewed} sources are acknowledged a second time`);
    await this.#slipIn();
    return answer;
  }

  listAttention() {
    return this.#tools.listAttention();
  }
  resolveAttention(decision: Parameters<Tools['resolveAttention']>[0]) {
    return this.#tools.resolveAttention(decision);
  }

  /** Goes on after its run is over: before its tools are closed it is refused as ever, and then for good. */
  async stray(): Promise<void> {
    const { known, watch, later } = this.#options;
    for (let left = known.random.int(1, 3); left > 0; left--) {
      await later(known.random.int(0, 20) * SECOND_MS);
      await watch.sendStray(this.#tools, this.draw(), this.#context.signal);
    }
  }
}

/** The executor given, with a pest between it and its tools. */
export function createHostileExecutor(tame: Executor, options: HostileOptions): Executor {
  const { known, planned } = options;
  return {
    name: tame.name,
    async run(tools, context) {
      const pest = new Pest(tools, context, options);
      const isStray = known.random.chance(planned.strayShare);
      // Nobody waits for it: what it calls once it was told to stop, or has returned, is its own affair.
      if (isStray) context.signal.addEventListener('abort', () => void pest.stray());
      await tame.run(pest, context);
      if (isStray) void pest.stray();
      if (isStray && known.random.chance(0.3)) await new Promise(() => undefined);
    },
  };
}
