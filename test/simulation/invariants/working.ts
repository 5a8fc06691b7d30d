/** What is watched of every pass at work: how rows move, and whether what it says of itself is what it did. */
import type { Executor } from '../../../functions/worker/executor/executor.ts';
import type { Actor } from '../engine/actor.ts';
import { endingEarly, endsEarly } from '../executors/early-ends.ts';
import { Finishing } from './finishing.ts';
import { misquotedIn, misquoting } from '../executors/misquotes.ts';
import { Pages } from './pages.ts';
import { PassRecords } from './pass-records.ts';
import { RowInvariants } from './row-invariants.ts';
import { Stalling } from './stalling.ts';
import type { Change } from '../engine/tables.ts';
import { watchTickless } from '../tickless.ts';
import { watchUnreadable } from '../unreadable.ts';
import type { World } from '../engine/world.ts';

export class Working {
  readonly #world: World;
  readonly #endsEarly: boolean;
  readonly #misquoted: string | undefined;
  readonly #rows: RowInvariants;
  readonly #records: PassRecords;
  readonly #finishing: Finishing;
  readonly #stalling: Stalling;
  readonly #pages: Pages;

  constructor(world: World) {
    this.#world = world;
    this.#endsEarly = endsEarly(world.plan);
    this.#misquoted = misquotedIn(world.plan);
    this.#rows = new RowInvariants(world);
    this.#records = new PassRecords(world);
    this.#finishing = new Finishing(world);
    this.#stalling = new Stalling(world);
    this.#pages = new Pages(world);
    watchTickless(world);
    watchUnreadable(world);
  }

  onChange(change: Change, actor: Actor | undefined): void {
    this.#rows.onChange(change, actor);
    this.#records.onChange(change, actor);
    this.#finishing.onChange(change, actor);
    this.#stalling.onChange(change, actor);
    this.#pages.onChange(change, actor);
  }

  listen(actor: Actor, executor: Executor): Executor {
    const id = this.#misquoted;
    const careless = id === undefined ? executor : misquoting(executor, id, () => this.#world.faults.areActive);
    return this.#pages.listen(actor, this.#records.listen(actor, this.#endsEarly ? endingEarly(careless) : careless));
  }

  onTriggerSent(actor: Actor): void {
    this.#records.onTriggerSent(actor);
    this.#finishing.onTriggerSent(actor);
  }
}
