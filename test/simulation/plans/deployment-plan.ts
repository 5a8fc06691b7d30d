/**
 * How a deployment is run: over how many pools, with clocks how far apart, and what is put into force while it works.
 * Each is drawn from a stream of its own for a share of the seeds, so that all others run as before.
 */
import { SETTING_RANGES, type SettingName, type SettingOverrides } from '../../../schema/settings.ts';
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** A new release with other settings. Executions that run go on with theirs. */
export interface PlannedRelease {
  readonly atMs: number;
  readonly settings: SettingOverrides;
  /** Until then a part of the executions that begin are still of the old one. */
  readonly overlapUntilMs: number;
}

/** For a while, a part of the executions is started with another number of pools than the deployment was made with. */
export interface PlannedMistake {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly pools: number;
  readonly share: number;
}

export interface PlannedDeployment {
  readonly pools: number;
  /** Clocks differ from true time by at most this, either way; undefined: as little as they do elsewhere. */
  readonly skewMaxMs: number | undefined;
  readonly release: PlannedRelease | undefined;
  readonly mistake: PlannedMistake | undefined;
}

const POOLS = 3;
const SHARE_OF_POOLS = 1 / 8;
const SHARE_OF_SKEW = 1 / 12;
const SHARE_OF_RELEASES = 1 / 10;
const SHARE_OF_MISTAKES = 1 / 3;
const SKEW_MAX_MS = 20 * SECOND_MS;
const OVERLAP_MS = 2 * MINUTE_MS;

/** One scope a pool, in the order in which a seed takes them: 1, 2 and 0 of three. */
const SPREAD_SCOPES = ['d', 'a', 'b'];

export function scopeNamesOf({ pools }: PlannedDeployment): readonly string[] {
  return pools > 1 ? SPREAD_SCOPES : ['a', 'b', 'c'];
}

/** Each pool needs a share of what is counted over all scopes. */
export function forPools(settings: SettingOverrides, pools: number): SettingOverrides {
  if (pools === 1) return settings;
  return { ...settings, maxConcurrentPasses: pools - 1 + (settings.maxConcurrentPasses ?? 1) };
}

function drawRelease(random: Random, calmFromMs: number, pools: number): PlannedRelease {
  const atMs = random.int(START_MS + 20 * SECOND_MS, calmFromMs - OVERLAP_MS);
  const changed: SettingOverrides = {
    maxConcurrentPasses: pools - 1 + random.int(1, 4),
    maxPassesPerScope: random.pick([1, 2, 3]),
    passTimeoutMs: random.pick([30, 60, 120]) * SECOND_MS,
    pageSources: random.pick([1, 2, 3, 5]),
    batchTokens: random.pick([0, 4000]),
    maxWaitMs: random.pick([0, 30 * SECOND_MS, 2 * MINUTE_MS]),
  };
  const names = (Object.keys(changed) as SettingName[]).filter(() => random.chance(0.5));
  const settings = Object.fromEntries(names.map((name) => [name, changed[name]]));
  return { atMs, settings, overlapUntilMs: atMs + OVERLAP_MS };
}

export function drawMistake(random: Random, calmFromMs: number): PlannedMistake {
  const fromMs = random.int(START_MS + 5 * SECOND_MS, calmFromMs - 90 * SECOND_MS);
  return {
    fromMs,
    untilMs: fromMs + random.int(20, 90) * SECOND_MS,
    pools: random.pick([1, 2, 4]),
    share: random.pick([0.3, 1]),
  };
}

export function drawDeployment(seed: number, calmFromMs: number): PlannedDeployment {
  const pools = new Random(seed, 'pools').chance(SHARE_OF_POOLS) ? POOLS : 1;
  const releases = new Random(seed, 'release');
  const mistakes = new Random(seed, 'mistake');
  return {
    pools,
    skewMaxMs: new Random(seed, 'far clocks').chance(SHARE_OF_SKEW) ? SKEW_MAX_MS : undefined,
    release: releases.chance(SHARE_OF_RELEASES) ? drawRelease(releases, calmFromMs, pools) : undefined,
    mistake: pools > 1 && mistakes.chance(SHARE_OF_MISTAKES) ? drawMistake(mistakes, calmFromMs) : undefined,
  };
}

interface Deployed {
  readonly settings: SettingOverrides;
  readonly deployment: PlannedDeployment;
}

/** The settings of the release that is in force in the end. */
export function settledSettings({ settings, deployment }: Deployed): SettingOverrides {
  return deployment.release ? { ...settings, ...deployment.release.settings } : settings;
}

/** The longest of a setting that any execution of the schedule has. */
export function longestOf(plan: Deployed, name: 'passTimeoutMs' | 'maxWaitMs'): number {
  const given = (settings: SettingOverrides): number => settings[name] ?? SETTING_RANGES[name].default;
  return Math.max(given(plan.settings), given(settledSettings(plan)));
}
