/**
 * What some schedules have besides: sessions that grow, texts that break their readers, dry runs. Each with who acts in it
 * and what must hold of it; a schedule that has none of them pays for none.
 */
import type { EvidencePage, Executor } from '../../functions/worker/executor/executor.ts';
import type { Actor } from './actor.ts';
import { DryRunInvariants } from './dry-run-invariants.ts';
import type { Edges } from './edges.ts';
import { Poison } from './poison.ts';
import { PoisonInvariants } from './poison-invariants.ts';
import { SessionInvariants } from './session-invariants.ts';
import { Sessions } from './sessions.ts';
import type { Change } from './tables.ts';
import type { World } from './world.ts';

export class Themes {
  readonly sessions: SessionInvariants | undefined;
  readonly #clients: Sessions | undefined;
  readonly #poison: Poison | undefined;
  readonly #poisoned: PoisonInvariants | undefined;
  readonly #dryRuns: DryRunInvariants | undefined;
  readonly #hasAny: boolean;

  constructor(world: World, edges: () => Edges) {
    const { sessions, poison, requests } = world.plan;
    if (sessions.length > 0) {
      const watched = new SessionInvariants(world);
      this.sessions = watched;
      this.#clients = new Sessions(world, (answered) => watched.onAnswered(answered));
    }
    if (poison) {
      this.#poison = new Poison(world, edges, poison);
      this.#poisoned = new PoisonInvariants(world);
    }
    if (requests.some(({ kind }) => kind === 'dry-run')) this.#dryRuns = new DryRunInvariants(world);
    this.#hasAny = Boolean(this.sessions ?? this.#poison ?? this.#dryRuns);
  }

  start(): void {
    this.#clients?.start();
    this.#poison?.start();
  }

  /** After every write. */
  onChange(change: Change, actor: Actor | undefined): void {
    if (!this.#hasAny) return;
    this.sessions?.onChange(change, actor);
    this.#poisoned?.onChange(change, actor);
    this.#dryRuns?.onChange(change, actor);
  }

  /** What an executor was given; `watch` looks at what passes are given that write. */
  onPage(actor: Actor, page: EvidencePage, watch: () => void): void {
    if (this.#dryRuns?.isDryRun(actor.passId)) this.#dryRuns.onPage(actor, page);
    else watch();
    this.#poison?.onPage(actor, page);
  }

  /** The executor with an ear at it, where something listens. */
  listen(actor: Actor, executor: Executor): Executor {
    return this.#dryRuns?.listen(actor, executor) ?? executor;
  }

  /** Calls that are not answered. */
  get unanswered(): number {
    return this.#clients?.unanswered ?? 0;
  }
  isAnswered(scope: string, id: string): boolean {
    return this.#clients?.isAnswered(scope, id) ?? true;
  }

  /** What a drain may take longer. */
  get moreMs(): number {
    return this.#poison?.moreMs ?? 0;
  }
  findOwed(): string[] {
    return this.#poison?.findOwed() ?? [];
  }
  /** In calm, once a minute: people look after what was given up. */
  lookAfter(): void {
    if (this.findOwed().length > 0) this.#poison?.requeueAll();
  }
  /** In calm, when nothing is owed: whether something was mended just now, and is owed from now on. */
  mend(): boolean {
    return this.#poison?.mend() ?? false;
  }

  checkEnd(): void {
    this.sessions?.checkEnd();
  }
}
