/** What must hold of calls that mean ill: they are refused, change no row, and tell nothing of another scope. */
import type { EvidencePage, Tools } from '../../../functions/worker/executor/executor.ts';
import { parseSourceRef, sourceKeyOf } from '../../../schema/ids.ts';
import { reviewPageSchema } from '../../../schema/review-page.ts';
import type { Actor } from '../engine/actor.ts';
import type { HostileCall } from '../executors/hostile-calls.ts';
import type { Change } from '../engine/tables.ts';

type Fail = (invariant: string, found: string) => void;
/** Takes down what the schedules went through. */
type Count = (what: string) => void;

const CLOSED: ReadonlySet<string> = new Set(['SessionClosedError', 'PassLostError']);

/** What one hostile executor does, and the rows that its process changes meanwhile. */
export class HostileWatch {
  readonly #actor: Actor;
  readonly fail: Fail;
  readonly #count: Count;
  /** Rows changed while calls that must come to nothing are under way; undefined: none are. */
  #changed: string[] | undefined;
  /** Told when its pass must end: what that writes is no answer to a call. */
  #signal: AbortSignal | undefined;

  constructor(actor: Actor, fail: Fail, count: Count) {
    this.#actor = actor;
    this.fail = fail;
    this.#count = count;
  }

  /** Its beat, the record of its calls, and that its provider answers are written whatever is called. */
  onChange({ sk }: Change): void {
    const own = `PASS#${this.#actor.passId}`;
    if (!this.#changed || sk === own || sk === 'LEDGER' || sk.startsWith(`${own}#CALL#`)) return;
    if (!this.#signal?.aborted) this.#changed.push(sk);
  }

  /** Throws what the tools throw. */
  async sendAll(tools: Tools, calls: readonly HostileCall[], signal: AbortSignal): Promise<void> {
    const changed: string[] = [];
    this.#changed = changed;
    this.#signal = signal;
    try {
      const found = await Promise.all(calls.map((call) => call.send(tools)));
      for (const [k, wrong] of found.entries()) this.#judge(calls[k] as HostileCall, wrong);
    } finally {
      this.#changed = undefined;
    }
    if (changed.length > 0) {
      const names = calls.map(({ name }) => name).join(', ');
      this.fail('a refused call changes nothing', `${this.#actor.label}: ${names}: ${changed.join(', ')}`);
    }
  }

  /** When the tools are closed the call must throw that; before, it comes to nothing like any other. */
  async sendStray(tools: Tools, call: HostileCall, signal: AbortSignal): Promise<void> {
    const isOver = signal.aborted;
    try {
      this.#judge(call, await call.send(tools));
      if (isOver) this.fail('the tools of an ended pass are closed', `${this.#actor.label} was answered: ${call.name}`);
    } catch (error) {
      const { name } = error as Error;
      this.#count(`hostile call thrown out: ${name}`);
      if (CLOSED.has(name) || (!isOver && name === 'ServiceError')) return;
      this.fail(
        'the tools of an ended pass are closed',
        `${this.#actor.label}: ${call.name}: ${(error as Error).stack}`,
      );
    }
  }

  #judge({ name }: HostileCall, wrong: string | undefined): void {
    this.#count(`hostile call came to nothing: ${name}`);
    if (wrong !== undefined) this.fail('a hostile call is refused', `${this.#actor.label}: ${name}: ${wrong}`);
  }
}

/** Of all executors of a schedule that has hostile ones. */
export class HostileInvariants {
  readonly #fail: Fail;
  readonly #count: Count;
  readonly #watches = new Map<Actor, HostileWatch>();
  /** Pass and source → how far it was delivered. */
  readonly #delivered = new Map<string, number>();

  constructor(fail: Fail, count: Count) {
    this.#fail = fail;
    this.#count = count;
  }

  watch(actor: Actor): HostileWatch {
    const watch = new HostileWatch(actor, this.#fail, this.#count);
    this.#watches.set(actor, watch);
    return watch;
  }

  onChange(change: Change, actor: Actor | undefined): void {
    if (actor?.role !== 'worker') return;
    this.#watches.get(actor)?.onChange(change);
    if (change.sk.includes('#REVIEW#') && change.after) this.#onReviews(change, actor);
  }

  onPage({ passId }: Actor, { items }: EvidencePage): void {
    for (const { source, end } of items) {
      const named = parseSourceRef(source);
      if (named) this.#delivered.set(`${passId} ${sourceKeyOf({ ...named, revision: named.revision ?? '' })}`, end);
    }
  }

  #onReviews({ sk, after }: Change, { passId }: Actor): void {
    for (const { sourceKey, to } of reviewPageSchema.parse(after).reviews) {
      const end = this.#delivered.get(`${passId} ${sourceKey}`) ?? 0;
      if (to > end) this.#fail('only what was delivered is acknowledged', `${sk}: ${sourceKey} to ${to} of ${end}`);
    }
  }
}
