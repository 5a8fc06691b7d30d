/**
 * What an execution is started with: the settings and the number of pools of the release that is in force, or of the one
 * before while both are. Every execution keeps what it began with.
 */
import type { SettingOverrides } from '../../../schema/settings.ts';
import { settledSettings } from '../plans/deployment-plan.ts';
import { settingsOf } from '../executors/model.ts';
import type { Plan } from '../plans/plan.ts';
import { Random } from './random.ts';

/** While both are in force, so many executions still begin with the old one. */
const SHARE_OF_OLD = 0.3;

export interface StartedWith {
  readonly settings: SettingOverrides;
  readonly pools: number;
}

export class Releases {
  readonly #plan: Plan;
  readonly #random: Random;
  #old: SettingOverrides = {};
  #new: SettingOverrides = {};

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#random = new Random(plan.seed, 'executions of two releases');
    this.#set(settingsOf(plan.model));
  }

  #set(budgets: SettingOverrides): void {
    this.#old = { ...this.#plan.settings, ...budgets };
    this.#new = { ...settledSettings(this.#plan), ...budgets };
  }

  /** People raise a budget that leaves work lying. */
  calmDown(): void {
    this.#set({});
  }

  /** `hasBegun`: a pass was admitted, before which the first ledger says how many pools there are. */
  begin(nowMs: number, hasBegun: () => boolean): StartedWith {
    const { deployment } = this.#plan;
    return { settings: this.#settingsAt(nowMs), pools: this.#poolsAt(nowMs, hasBegun) ?? deployment.pools };
  }

  #settingsAt(nowMs: number): SettingOverrides {
    const { release } = this.#plan.deployment;
    if (!release || nowMs < release.atMs) return this.#old;
    const isOld = nowMs < release.overlapUntilMs && this.#random.chance(SHARE_OF_OLD);
    return isOld ? this.#old : this.#new;
  }

  #poolsAt(nowMs: number, hasBegun: () => boolean): number | undefined {
    const { mistake } = this.#plan.deployment;
    if (!mistake || nowMs < mistake.fromMs || nowMs >= mistake.untilMs || !hasBegun()) return undefined;
    return this.#random.chance(mistake.share) ? mistake.pools : undefined;
  }
}
