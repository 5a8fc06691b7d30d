/**
 * What some schedules have besides: sessions that grow, texts that break their readers, dry runs, passes that are undone. Each
 * with who acts in it and what must hold of it; a schedule that has none of them pays for none.
 */
import type { EvidencePage, Executor } from '../../functions/worker/executor/executor.ts';
import type { Actor } from './engine/actor.ts';
import { DryRunInvariants } from './invariants/dry-run-invariants.ts';
import type { Edges } from './engine/edges.ts';
import { FragmentInvariants } from './invariants/fragment-invariants.ts';
import { FragmentReader } from './executors/fragment-reader.ts';
import { Poison } from './people/poison.ts';
import { PoisonInvariants } from './invariants/poison-invariants.ts';
import { SessionInvariants } from './invariants/session-invariants.ts';
import { Sessions } from './people/sessions.ts';
import { Sloppy } from './people/sloppy.ts';
import type { Change } from './engine/tables.ts';
import { Undoing } from './people/undo.ts';
import type { World } from './engine/world.ts';

export class Themes {
  readonly sessions: SessionInvariants | undefined;
  readonly #clients: Sessions | undefined;
  readonly #poison: Poison | undefined;
  readonly #poisoned: PoisonInvariants | undefined;
  readonly #dryRuns: DryRunInvariants | undefined;
  readonly undoing: Undoing | undefined;
  readonly #sloppy: Sloppy | undefined;
  readonly #fragments: FragmentInvariants | undefined;
  readonly #reader: FragmentReader | undefined;
  readonly #hasAny: boolean;

  constructor(world: World, edges: () => Edges) {
    const { sessions, poison, requests, undoing, slips, fragments } = world.plan;
    if (sessions.length > 0) {
      const watched = new SessionInvariants(world);
      this.sessions = watched;
      this.#clients = new Sessions(world, watched);
    }
    if (poison) {
      this.#poison = new Poison(world, edges, poison);
      this.#poisoned = new PoisonInvariants(world);
    }
    if (requests.some(({ kind }) => kind === 'dry-run')) this.#dryRuns = new DryRunInvariants(world);
    if (undoing.length > 0) this.undoing = new Undoing(world);
    if (slips.length > 0) this.#sloppy = new Sloppy(world, edges);
    if (fragments) this.#fragments = new FragmentInvariants(world);
    // What others send who stand between it and its tools, and what dry runs take down, is looked at as it is.
    if (fragments && !world.plan.hostile && !this.#dryRuns) this.#reader = new FragmentReader(world);
    const more = this.#sloppy ?? this.#fragments;
    this.#hasAny = Boolean(this.sessions ?? this.#poison ?? this.#dryRuns ?? this.undoing ?? more);
  }

  start(): void {
    this.#clients?.start();
    this.#poison?.start();
    this.undoing?.start();
    this.#sloppy?.start();
  }

  /** After every write. */
  onChange(change: Change, actor: Actor | undefined): void {
    if (!this.#hasAny) return;
    this.sessions?.onChange(change, actor);
    this.#poisoned?.onChange(change, actor);
    this.#dryRuns?.onChange(change, actor);
    this.undoing?.watch.onChange(change, actor);
    this.#sloppy?.onChange(change, actor);
    this.#fragments?.onChange(change, actor);
  }

  /** What an executor was given; `watch` looks at what passes are given that write. */
  onPage(actor: Actor, page: EvidencePage, watch: () => void): void {
    this.#fragments?.onPage(actor, page);
    if (this.#dryRuns?.isDryRun(actor.passId)) this.#dryRuns.onPage(actor, page);
    else watch();
    this.#poison?.onPage(actor, page);
  }

  /** The executor with an ear at it, where something listens. */
  listen(actor: Actor, executor: Executor): Executor {
    return this.#dryRuns?.listen(actor, executor) ?? this.#reader?.listen(actor, executor) ?? executor;
  }

  /** Calls that are not answered. */
  get unanswered(): number {
    return (this.#clients?.unanswered ?? 0) + (this.undoing?.unanswered ?? 0) + (this.#sloppy?.unanswered ?? 0);
  }
  isAnswered(scope: string, id: string): boolean {
    return (this.#clients?.isAnswered(scope, id) ?? true) && (this.#sloppy?.isAnswered(scope, id) ?? true);
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
    this.undoing?.watch.checkEnd();
    this.#sloppy?.checkEnd();
  }
}
