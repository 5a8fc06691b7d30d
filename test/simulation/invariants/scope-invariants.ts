/** What must hold of a scope's row: where it stands among the due, and that nobody writes over what another counted. */
import { LIMITS } from '../../../schema/limits.ts';
import { isDue, isParked, type ScopeItem } from '../../../schema/scope.ts';
import type { FunctionRole } from '../engine/actor.ts';
import { listedPasses } from './pools.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

type Fail = (invariant: string, found: string) => void;

/** Who brings work, and moves a scope for no other reason. */
const BRINGS: ReadonlySet<FunctionRole> = new Set<FunctionRole>(['ingest', 'worker', 'curator']);

export class ScopeInvariants {
  readonly #world: World;
  readonly #fail: Fail;

  constructor(world: World, fail: Fail) {
    this.#world = world;
    this.#fail = fail;
  }

  onScope({ before, after }: Change): void {
    const [old, next] = [before as ScopeItem | undefined, after as ScopeItem | undefined];
    if (!next) return;
    const isHeldBack = next.paused === true || next.haltedAtMs !== undefined;
    if (isHeldBack !== isParked(next))
      this.#fail(
        'who is held back is parked',
        `${next.scope} stands in ${next.workPartition}, held back: ${isHeldBack}`,
      );
    if (!old) return;
    this.#checkPlace(old, next);
    if (next.settings !== old.settings && next.settingsVersion !== (old.settingsVersion ?? 0) + 1)
      this.#fail('I5 monotone', `settingsVersion ${old.settingsVersion} → ${next.settingsVersion}`);
    if (next.generation === old.generation && next.counted !== old.counted) this.#checkCount(old, next);
  }

  /** One that is fed every second would never be the oldest, if each feeding moved it behind the others. */
  #checkPlace(old: ScopeItem, next: ScopeItem): void {
    const role = this.#world.network.current?.role;
    if (!role || !BRINGS.has(role) || !isDue(old) || !isDue(next) || next.workDueAtMs <= old.workDueAtMs) return;
    this.#fail(
      'who waits keeps its place',
      `${role} moved ${next.scope} from ${old.workDueAtMs} to ${next.workDueAtMs}`,
    );
  }

  #checkCount(old: ScopeItem, next: ScopeItem): void {
    if (next.statsVersion !== (old.statsVersion ?? 0) + 1)
      this.#fail('I5 monotone', `counted at statsVersion ${old.statsVersion} → ${next.statsVersion}`);
    const counted = Object.keys(next.counted).filter((passId) => old.counted?.[passId] === undefined);
    const owing = listedPasses(this.#world).filter(([passId]) => counted.includes(passId));
    const strange = owing.find(([, { generation }]) => generation !== next.generation);
    if ((next.failures ?? 0) > (old.failures ?? 0) && next.paused !== true) this.#checkFailure(next);
    if (strange) this.#fail('no generation counts for the next', `${strange[0]} is counted in ${next.generation}`);
  }
  /** It is tried again after a while that has an end; but not for ever. */
  #checkFailure({ scope, failureTimesMs, haltedAtMs, workDueAtMs }: ScopeItem): void {
    if (haltedAtMs !== undefined) return;
    const longestMs = LIMITS.backOffBaseMs * 2 ** LIMITS.backOffExponentMax;
    const restsMs = workDueAtMs - Math.max(...failureTimesMs);
    if (restsMs > longestMs) this.#fail('a back-off ends', `${scope} rests for ${restsMs} ms, of ${longestMs} at most`);
    const sinceMs = this.#world.kernel.nowMs - LIMITS.haltWindowMs / 2;
    const failed = failureTimesMs.filter((timeMs) => timeMs > sinceMs).length;
    if (failed >= LIMITS.haltFailures)
      this.#fail('who fails again and again is halted', `${scope} failed ${failed} times, and is not`);
  }
}
