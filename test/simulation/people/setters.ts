/** People who change settings: what each was told stands, until somebody changes the same setting again. */
import { HttpError } from '../../../functions/io/http.ts';
import { changeLiveSettings, changeScopeSettings } from '../../../functions/trigger/switches.ts';
import { HTTP } from '../../../schema/edges.ts';
import type { LedgerItem } from '../../../schema/ledger.ts';
import { scopeKey, type ScopeItem } from '../../../schema/scope.ts';
import { resolveSettings, type SettingName } from '../../../schema/settings.ts';
import type { Edges } from '../engine/edges.ts';
import { ledgerIn } from '../invariants/pools.ts';
import type { PlannedSetting } from '../plans/settings-plan.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

interface Call extends PlannedSetting {
  readonly sentAtMs: number;
  /** Undefined while it is not answered: it may take effect at any time. */
  answeredAtMs?: number;
}

export class Setters {
  readonly #world: World;
  readonly #edges: () => Edges;
  readonly #calls: Call[] = [];

  constructor(world: World, edges: () => Edges) {
    this.#world = world;
    this.#edges = edges;
  }

  start(): void {
    const { kernel, plan } = this.#world;
    for (const planned of plan.setters) kernel.at(planned.atMs, () => this.#send(planned));
  }

  #send(planned: PlannedSetting): void {
    const { scope, patch } = planned;
    const call: Call = { ...planned, sentAtMs: this.#world.kernel.nowMs };
    const timeoutMs = HTTP.timeoutS * 1000;
    this.#world.spawn({ role: 'operator', ...(scope !== undefined && { scope }), timeoutMs }, async (actor) => {
      const deps = this.#world.triggerDeps(actor, this.#edges().triggersOf(actor));
      this.#calls.push(call);
      try {
        const { settings } =
          scope === undefined ? await changeLiveSettings(deps, patch) : await changeScopeSettings(deps, scope, patch);
        call.answeredAtMs = this.#world.kernel.nowMs;
        for (const [name, value] of Object.entries(patch))
          if (value !== null && settings[name as SettingName].value !== value)
            this.#fail(`${name} of ${scope ?? 'all'} is told as ${settings[name as SettingName].value}, not ${value}`);
      } catch (error) {
        if (!(error instanceof HttpError) || error.status >= 500) throw error;
        this.#world.count(`a change of settings answered ${error.code}`);
        this.#calls.splice(this.#calls.indexOf(call), 1);
      }
    });
  }

  #fail(found: string): void {
    this.#world.kernel.fail('what was set stays set', found);
  }

  /** Whatever is set of all leaves each pool its share: one without would never be served. */
  onChange({ sk, before, after }: Change): void {
    if (sk !== 'LEDGER' || !after || after.settings === before?.settings) return;
    const { settings, pools = 1 } = after as unknown as LedgerItem;
    const { maxConcurrentPasses, maxModelConcurrency } = resolveSettings(this.#world.plan.settings, {}, settings);
    const least = Math.min(maxConcurrentPasses, maxModelConcurrency);
    if (least < pools) this.#world.kernel.fail('each pool has its share', `${least} for ${pools} pools`);
  }

  checkEnd(): void {
    const { plan, tables } = this.#world;
    for (const scope of [undefined, ...plan.scopes]) {
      const { pk, sk } = scopeKey(scope ?? '');
      const row = scope === undefined ? ledgerIn(this.#world, 0) : (tables.peek(pk, sk) as ScopeItem | undefined);
      const names = new Set(this.#calls.flatMap(({ patch }) => Object.keys(patch) as SettingName[]));
      for (const name of names) this.#checkSetting(scope, name, row?.settings?.[name]);
    }
  }

  /** It is as one call left it, after which no other was sent and answered. */
  #checkSetting(scope: string | undefined, name: SettingName, found: number | undefined): void {
    const calls = this.#calls.filter((it) => it.scope === scope && it.patch[name] !== undefined);
    const isLast = ({ answeredAtMs = Number.POSITIVE_INFINITY }: Call): boolean =>
      !calls.some((other) => other.answeredAtMs !== undefined && other.sentAtMs > answeredAtMs);
    const mayBe = calls.filter(isLast).map(({ patch }) => patch[name] ?? undefined);
    // Where nobody was answered, nothing may have been changed at all.
    if (!calls.some(({ answeredAtMs }) => answeredAtMs !== undefined)) mayBe.push(undefined);
    if (!mayBe.includes(found))
      this.#fail(`${name} of ${scope ?? 'all'} is ${found}, and was set to ${mayBe.join(' or ')}`);
  }
}
