/** What is watched of every pass at work: how rows move, and whether what it says of itself is what it did. */
import type { Executor } from '../../../functions/worker/executor/executor.ts';
import type { Actor } from '../engine/actor.ts';
import { endingEarly, endsEarly } from '../executors/early-ends.ts';
import { Finishing } from './finishing.ts';
import { misquotedIn, misquoting } from '../executors/misquotes.ts';
import { PassRecords } from './pass-records.ts';
import { RowInvariants } from './row-invariants.ts';
import type { Change } from '../engine/tables.ts';
import { watchTickless } from '../tickless.ts';
import type { World } from '../engine/world.ts';

export class Working {
  readonly #world: World;
  readonly #endsEarly: boolean;
  readonly #misquoted: string | undefined;
  readonly #rows: RowInvariants;
  readonly #records: PassRecords;
  readonly #finishing: Finishing;

  constructor(world: World) {
    this.#world = world;
    this.#endsEarly = endsEarly(world.plan);
    this.#misquoted = misquotedIn(world.plan);
    this.#rows = new RowInvariants(world);
    this.#records = new PassRecords(world);
    this.#finishing = new Finishing(world);
    watchTickless(world);
  }

  onChange(change: Change, actor: Actor | undefined): void {
    this.#rows.onChange(change, actor);
    this.#records.onChange(change, actor);
    this.#finishing.onChange(change, actor);
  }

  listen(actor: Actor, executor: Executor): Executor {
    const id = this.#misquoted;
    const careless = id === undefined ? executor : misquoting(executor, id, () => this.#world.faults.areActive);
    return this.#records.listen(actor, this.#endsEarly ? endingEarly(careless) : careless);
  }

  onTriggerSent(actor: Actor): void {
    this.#records.onTriggerSent(actor);
    this.#finishing.onTriggerSent(actor);
  }
}
