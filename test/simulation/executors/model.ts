/**
 * A model as executor: it spends, needs a provider that may go away, and decides attention. Drawn from a stream of its own,
 * for some of the seeds, so that the schedules of all others stay as they are.
 */
import { type AttentionPage, ProviderAwayError, type Tools } from '../../../functions/worker/executor/executor.ts';
import type { ExecutorTraits } from '../../../schema/executor.ts';
import { PROVIDER_AWAY } from '../../../schema/pass.ts';
import type { SettingOverrides } from '../../../schema/settings.ts';
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const SHARE = 0.12;

export interface PlannedModel {
  /** Of a scope and day, until the storm is over. */
  readonly budgetPasses: number;
  /** … of tokens and in cents, in directed scenarios; absent: they bind nothing. */
  readonly budgetTokensIn?: number;
  readonly budgetTokensOut?: number;
  readonly budgetCents?: number;
  /** Of one request, in millionths of a dollar; absent: 3. */
  readonly costMicroUsd?: number;
  /** The provider is away in between. */
  readonly awayFromMs: number;
  readonly awayUntilMs: number;
  /** It says until when. */
  readonly tellsUntil: boolean;
}

export const MODEL_TRAITS: readonly ExecutorTraits[] = [
  { name: 'stub', spends: true, needsProvider: true, decidesAttention: true },
];

/** The failure of a pass that met its provider away. */
export const AWAY_FAILURE = PROVIDER_AWAY;

export function drawModel(seed: number, calmFromMs: number): PlannedModel | undefined {
  const random = new Random(seed, 'model');
  return random.chance(SHARE) ? planModel(random, calmFromMs) : undefined;
}

/** The model of a seed that would have none, for a directed scenario. */
export function modelOf(seed: number, calmFromMs: number): PlannedModel {
  return planModel(new Random(seed, 'directed model'), calmFromMs);
}

function planModel(random: Random, calmFromMs: number): PlannedModel {
  const awayFromMs = random.int(START_MS, calmFromMs - 30 * SECOND_MS);
  return {
    budgetPasses: random.pick([2, 4, 50]),
    awayFromMs,
    awayUntilMs: random.int(awayFromMs, calmFromMs),
    tellsUntil: random.chance(0.5),
  };
}

/** Tokens of no scenario bind nothing: how many a reservation sets aside is a matter of `schema/limits.ts`. */
export function settingsOf(model: PlannedModel | undefined): SettingOverrides {
  if (!model) return {};
  const { budgetPasses, budgetTokensIn = 1_000_000_000, budgetTokensOut = 1_000_000_000, budgetCents } = model;
  return { budgetPasses, budgetTokensIn, budgetTokensOut, ...(budgetCents !== undefined && { budgetCents }) };
}

/** What one request to the model does: it fails while the provider is away, in true time. */
export function askProvider({ awayFromMs, awayUntilMs, tellsUntil }: PlannedModel, nowMs: number): void {
  if (nowMs < awayFromMs || nowMs >= awayUntilMs) return;
  throw new ProviderAwayError('the provider is away', tellsUntil ? awayUntilMs : undefined);
}

/** Declines whatever it is shown. */
export async function decideAttention(tools: Tools): Promise<void> {
  const { items }: AttentionPage = await tools.listAttention();
  for (const { id, state } of items) {
    await tools.resolveAttention({ id, state, decision: 'declined', because: 'it makes no difference' });
  }
}
