/**
 * Settings: what a deployment, a scope or a call may choose (design section 7). Out of range is refused with the range,
 * never clamped in silence; a call above a cap is lowered, and its answer says so.
 */
import * as z from 'zod';

const MINUTE_MS = 60_000;

interface Range {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/** Every numeric setting with its default and its range, both ends included. */
export const SETTING_RANGES = {
  /** Passes of all scopes at once. */
  maxConcurrentPasses: { default: 2, min: 1, max: 200 },
  /** Passes of one scope at once. */
  maxPassesPerScope: { default: 1, min: 1, max: 16 },
  /** Passes of model executors at once: one waiting for a permit burns its own timeout. */
  maxModelConcurrency: { default: 4, min: 1, max: 200 },
  /** What a drain asks for when it names no number. */
  drainParallel: { default: 1, min: 1, max: 16 },
  /** Backlog in tokens from which a scope is deep and gets extra passes. */
  tokenThreshold: { default: 100_000, min: 10_000, max: 1_000_000 },
  /** A scheduled pass waits for this many tokens … */
  batchTokens: { default: 4_000, min: 0, max: 1_000_000 },
  /** … or until the oldest evidence has waited this long. */
  maxWaitMs: { default: 15 * MINUTE_MS, min: 0, max: 24 * 60 * MINUTE_MS },
  /** A transcript that was not completed counts as finished after this long without a new revision. */
  completeAfterIdleMs: { default: 30 * MINUTE_MS, min: MINUTE_MS, max: 24 * 60 * MINUTE_MS },
  passTimeoutMs: { default: 300_000, min: 30_000, max: 600_000 },
  /** Sources on one page. */
  pageSources: { default: 20, min: 1, max: 50 },
  /** Characters of text on one page. */
  pageCharacters: { default: 32_000, min: 16_000, max: 250_000 },
} as const satisfies Record<string, Range>;

export type SettingName = keyof typeof SETTING_RANGES;
export type Settings = Readonly<Record<SettingName, number>>;

export const SETTING_NAMES = Object.keys(SETTING_RANGES) as SettingName[];

const settingSchemas = Object.fromEntries(
  SETTING_NAMES.map((name) => {
    const { min, max } = SETTING_RANGES[name];
    const range = `${name} must be a whole number from ${min} to ${max}`;
    return [name, z.int(range).min(min, range).max(max, range).optional()];
  }),
) as Record<SettingName, z.ZodOptional<z.ZodInt>>;

/** Overrides of settings: any subset, each in its range; an unknown name is an error that names the known ones. */
export const settingOverridesSchema = z.strictObject(settingSchemas);
export type SettingOverrides = { readonly [name in SettingName]?: number | undefined };

export const DEFAULT_SETTINGS: Settings = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, SETTING_RANGES[name].default]),
) as Record<SettingName, number>;

export type SettingOrigin = 'default' | 'deployment' | 'scope';
export interface EffectiveSetting {
  readonly value: number;
  readonly from: SettingOrigin;
}

/** The nearest origin wins: scope, then deployment, then default. */
export function effectiveSettings(
  deployment: SettingOverrides,
  scope: SettingOverrides,
): Readonly<Record<SettingName, EffectiveSetting>> {
  const pick = (name: SettingName): EffectiveSetting => {
    const own = scope[name];
    if (own !== undefined) return { value: own, from: 'scope' };
    const wide = deployment[name];
    if (wide !== undefined) return { value: wide, from: 'deployment' };
    return { value: SETTING_RANGES[name].default, from: 'default' };
  };
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, pick(name)])) as Record<SettingName, EffectiveSetting>;
}

/** Only the values of effective settings. */
export function resolveSettings(deployment: SettingOverrides, scope: SettingOverrides): Settings {
  const effective = effectiveSettings(deployment, scope);
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, effective[name].value])) as Record<SettingName, number>;
}

/** Reads a deployment's overrides from JSON text; throws with the offending setting and its range. */
export function parseSettingOverrides(json: string, where: string): SettingOverrides {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error(`${where} must be a JSON object of settings, not ${JSON.stringify(json.slice(0, 80))}`);
  }
  const parsed = settingOverridesSchema.safeParse(value);
  if (parsed.success) return parsed.data as SettingOverrides;
  const unknown = parsed.error.issues.some((issue) => issue.code === 'unrecognized_keys');
  const reasons = parsed.error.issues.map((issue) => issue.message).join('; ');
  throw new Error(`${where}: ${reasons}${unknown ? `; known settings: ${SETTING_NAMES.join(', ')}` : ''}`);
}
