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
  /** Passes of one scope in one UTC day. */
  budgetPasses: { default: 500, min: 1, max: 100_000 },
  /** Tokens that models read for one scope in one UTC day … */
  budgetTokensIn: { default: 1_000_000, min: 1_000, max: 1_000_000_000 },
  /** … and wrote. */
  budgetTokensOut: { default: 200_000, min: 1_000, max: 1_000_000_000 },
  /** What models may cost for one scope in one UTC day, in US cents; 0: no bound. */
  budgetCents: { default: 0, min: 0, max: 10_000_000 },
} as const satisfies Record<string, Range>;

export type SettingName = keyof typeof SETTING_RANGES;
export type Settings = Readonly<Record<SettingName, number>>;

export const SETTING_NAMES = Object.keys(SETTING_RANGES) as SettingName[];

/** What counts passes of all scopes: no scope may set it for itself. */
export const DEPLOYMENT_SETTING_NAMES: readonly SettingName[] = ['maxConcurrentPasses', 'maxModelConcurrency'];

function valueSchema(name: SettingName): z.ZodInt {
  const { min, max } = SETTING_RANGES[name];
  const range = `${name} must be a whole number from ${min} to ${max}`;
  return z.int(range).min(min, range).max(max, range);
}

/**
 * The schema of what is given: each known setting in its range; an unknown name is an error that names the known ones.
 * Only what is given is built: schemas of every setting were half of all the schemas that the finalizer built at its
 * cold start.
 */
function givenSchema(given: unknown, make: (value: z.ZodInt) => z.ZodType): z.ZodType {
  const names = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  const known = SETTING_NAMES.filter((name) => names.includes(name));
  return z.strictObject(Object.fromEntries(known.map((name) => [name, make(valueSchema(name))])));
}

function keepKnown(stored: Readonly<Record<string, unknown>>): SettingOverrides {
  const isAllowed = (name: SettingName): boolean => {
    const value = stored[name];
    const { min, max } = SETTING_RANGES[name];
    return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  };
  return Object.fromEntries(SETTING_NAMES.filter(isAllowed).map((name) => [name, stored[name]])) as SettingOverrides;
}

/**
 * Overrides as stored: a setting that this release does not know, or no longer allows, is passed over; strictness is for
 * the door. Otherwise one row written by another release would stop whoever reads it (design rule 12).
 */
export const storedSettingsSchema = z.record(z.string(), z.unknown()).transform(keepKnown);
export type SettingOverrides = { readonly [name in SettingName]?: number | undefined };

/** A change of overrides: a number sets, null takes back, what is not named stays. */
export type SettingsPatch = { readonly [name in SettingName]?: number | null | undefined };

export const DEFAULT_SETTINGS: Settings = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, SETTING_RANGES[name].default]),
) as Record<SettingName, number>;

/** `deployment`: the deployment's parameter; `live`: what was changed of it at run time, kept in the ledger. */
export type SettingOrigin = 'default' | 'deployment' | 'live' | 'scope';
export interface EffectiveSetting {
  readonly value: number;
  readonly from: SettingOrigin;
}

/** The nearest origin wins: scope, then live, then deployment, then default. */
export function effectiveSettings(
  deployment: SettingOverrides,
  scope: SettingOverrides,
  live: SettingOverrides = {},
): Readonly<Record<SettingName, EffectiveSetting>> {
  const pick = (name: SettingName): EffectiveSetting => {
    const own = scope[name];
    if (own !== undefined) return { value: own, from: 'scope' };
    const changed = live[name];
    if (changed !== undefined) return { value: changed, from: 'live' };
    const wide = deployment[name];
    if (wide !== undefined) return { value: wide, from: 'deployment' };
    return { value: SETTING_RANGES[name].default, from: 'default' };
  };
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, pick(name)])) as Record<SettingName, EffectiveSetting>;
}

/** Only the values of effective settings. */
export function resolveSettings(
  deployment: SettingOverrides,
  scope: SettingOverrides,
  live: SettingOverrides = {},
): Settings {
  const effective = effectiveSettings(deployment, scope, live);
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, effective[name].value])) as Record<SettingName, number>;
}

function describeIssues({ issues }: z.ZodError): string {
  const unknown = issues.some((issue) => issue.code === 'unrecognized_keys');
  const reasons = issues.map((issue) => issue.message).join('; ');
  return `${reasons}${unknown ? `; known settings: ${SETTING_NAMES.join(', ')}` : ''}`;
}

/** Reads a deployment's overrides from JSON text; throws with the offending setting and its range. */
export function parseSettingOverrides(json: string, where: string): SettingOverrides {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error(`${where} must be a JSON object of settings, not ${JSON.stringify(json.slice(0, 80))}`);
  }
  const parsed = givenSchema(value, (setting) => setting.optional()).safeParse(value);
  if (parsed.success) return parsed.data as SettingOverrides;
  throw new Error(`${where}: ${describeIssues(parsed.error)}`);
}

/** Reads a change of settings, of the whole deployment or of one scope; throws RangeError with what is allowed. */
export function parseSettingsPatch(value: unknown, of: 'deployment' | 'scope'): SettingsPatch {
  const parsed = givenSchema(value, (setting) => setting.nullable().optional()).safeParse(value);
  if (!parsed.success) throw new RangeError(describeIssues(parsed.error));
  const patch = parsed.data as SettingsPatch;
  const wide = of === 'scope' ? DEPLOYMENT_SETTING_NAMES.filter((name) => patch[name] !== undefined) : [];
  if (wide.length > 0) {
    throw new RangeError(`${wide.join(', ')}: counted over all scopes; change it with PATCH /v1/settings`);
  }
  return patch;
}

/** Overrides after a change. */
export function patchOverrides(overrides: SettingOverrides, patch: SettingsPatch): SettingOverrides {
  const merged = Object.entries({ ...overrides, ...patch }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(merged) as SettingOverrides;
}
