/** What is watched of scopes, triggers, settings and budgets: who scheduled what, from which look, and who was told. */
import type { TriggerMessage } from '../../../schema/messages.ts';
import type { Actor } from '../engine/actor.ts';
import { AdmissionInvariants } from './admission-invariants.ts';
import { Continuations } from './continuations.ts';
import { Orphans } from '../people/orphans.ts';
import { ScopeMoves } from './scope-moves.ts';
import type { Setters } from '../people/setters.ts';
import type { Change } from '../engine/tables.ts';
import { TriggerInvariants } from './trigger-invariants.ts';
import { UsageInvariants } from './usage-invariants.ts';
import type { World } from '../engine/world.ts';

export class Scheduling {
  readonly #usage: UsageInvariants;
  readonly #admission: AdmissionInvariants;
  readonly #triggers: TriggerInvariants;
  readonly #moves: ScopeMoves;
  readonly #continuations: Continuations;
  readonly #orphans: Orphans | undefined;
  /** Given where people change settings at the same moment. */
  readonly #setters: () => Setters | undefined;

  constructor(world: World, setters: () => Setters | undefined) {
    const fail = (invariant: string, found: string): void => world.kernel.fail(invariant, found);
    this.#usage = new UsageInvariants(fail);
    this.#admission = new AdmissionInvariants(world, fail);
    this.#triggers = new TriggerInvariants(world);
    this.#moves = new ScopeMoves(world);
    this.#continuations = new Continuations(world);
    if (world.plan.hasOrphans) this.#orphans = new Orphans(world);
    // When everybody else begins, who is told of each write.
    if (this.#orphans) world.kernel.at(world.kernel.nowMs, () => this.#orphans?.start());
    this.#setters = setters;
  }

  /** An execution of the scheduler is through with a message, or with a tick. */
  onScheduled(actor: Actor, message?: TriggerMessage): void {
    this.#moves.onServed(actor);
    if (message) this.#triggers.onHandled(message);
  }

  onChange(change: Change, actor: Actor | undefined): void {
    const { sk, table } = change;
    if (table !== 'control') return;
    this.#continuations.onChange(change, actor);
    if (sk.startsWith('EVIDENCE#')) this.#triggers.onEvidence(change);
    else if (sk === 'TRIGGER') this.#triggers.onTrigger(change, actor);
    else if (sk.startsWith('USAGE#')) {
      this.#usage.onUsage(change);
      this.#admission.onUsage(change, actor);
      this.#triggers.onUsage(change, actor);
    } else if (sk === 'SCOPE') {
      this.#admission.onScope(change);
      this.#moves.onScope(change, actor);
    } else if (sk === 'LEDGER') {
      this.#admission.onLedger(change, actor);
      this.#triggers.onLedger(change);
      this.#moves.onLedger(change, actor);
      this.#orphans?.onChange(change);
      this.#setters()?.onChange(change);
    }
  }

  checkEnd(): void {
    this.#setters()?.checkEnd();
    this.#orphans?.checkEnd();
  }
}
