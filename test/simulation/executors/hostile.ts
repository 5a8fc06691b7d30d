/** The hostile executors of a schedule: which executions have one, what it knows, and what is watched of it. */
import type { EvidencePage, Executor } from '../../../functions/worker/executor/executor.ts';
import { formatSourceRef } from '../../../schema/ids.ts';
import type { Actor } from '../engine/actor.ts';
import { createHostileExecutor } from './hostile-executor.ts';
import { HostileInvariants } from '../invariants/hostile-invariants.ts';
import type { PlannedHostile } from '../plans/hostile-plan.ts';
import type { Plan } from '../plans/plan.ts';
import { Random } from '../engine/random.ts';
import { storedOf } from '../plans/source-forms.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

/** Scope → the names of its sources, with what they say. */
function textsOf({ seed, ingests }: Plan): Map<string, Map<string, string>> {
  const texts = new Map<string, Map<string, string>>();
  for (const planned of ingests.flatMap(({ sources }) => sources)) {
    const stored = storedOf(seed, planned);
    const own = texts.get(planned.scope) ?? new Map<string, string>();
    texts.set(planned.scope, own.set(formatSourceRef(stored), stored.text));
  }
  return texts;
}

export class Hostility {
  readonly #world: World;
  readonly #planned: PlannedHostile;
  readonly #invariants: HostileInvariants;
  readonly #texts: ReadonlyMap<string, ReadonlyMap<string, string>>;

  constructor(world: World, planned: PlannedHostile) {
    this.#world = world;
    this.#planned = planned;
    this.#texts = textsOf(world.plan);
    this.#invariants = new HostileInvariants(
      (invariant, found) => world.kernel.fail(invariant, found),
      (what) => world.count(what),
    );
  }

  onChange(change: Change, actor: Actor | undefined): void {
    this.#invariants.onChange(change, actor);
  }
  onPage(actor: Actor, page: EvidencePage): void {
    this.#invariants.onPage(actor, page);
  }

  /** The executor of one execution: while the storm lasts, some mean ill. */
  executorFor(actor: Actor, tame: Executor): Executor {
    const { plan, faults } = this.#world;
    const random = new Random(plan.seed, `hostile ${actor.label}`);
    if (!faults.areActive || !random.chance(this.#planned.share)) return tame;
    const { scope = '' } = actor;
    const ownTexts = this.#texts.get(scope) ?? new Map<string, string>();
    const known = {
      random,
      scope,
      otherScope: plan.scopes.find((other) => other !== scope) ?? 'elsewhere',
      ownTexts,
      ownSources: [...ownTexts.keys()],
      otherSources: [...this.#texts].flatMap(([other, texts]) => (other === scope ? [] : [...texts.keys()])),
    };
    const later = (ms: number): Promise<void> => actor.clock.sleep(ms);
    return createHostileExecutor(tame, { planned: this.#planned, known, watch: this.#invariants.watch(actor), later });
  }
}
