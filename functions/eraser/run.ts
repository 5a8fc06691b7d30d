/**
 * Takes an erasure further: one step of a look, told before and after. A run that dies is taken up by the next, from the
 * record alone; two at once remove the same rows, and one of them tells.
 */
import {
  type ErasedCounts,
  type ErasureItem,
  erasureItemSchema,
  getErasure,
  queryDueErasures,
  saveErasure,
} from '../../schema/erasure.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Key } from '../../schema/request.ts';
import type { EraserDeps } from './deps.ts';
import { eraseMemory } from './erase-memory.ts';
import { eraseGeneration } from './erase-scope.ts';
import { Step } from './step.ts';

export async function loadErasure({ store }: Pick<EraserDeps, 'store'>, key: Key): Promise<ErasureItem | undefined> {
  const item = await store.get(getErasure(key));
  return item && erasureItemSchema.parse(item);
}

/** Does what can be done until then. Answers the record after it; undefined when there is none. */
export async function runErasure(deps: EraserDeps, key: Key, untilMs: number): Promise<ErasureItem | undefined> {
  const stored = await loadErasure(deps, key);
  if (!stored || stored.finishedAtMs !== undefined || stored.liftedAtMs !== undefined) return stored;
  const begun = await begin(deps, key, stored);
  if (!begun) return loadErasure(deps, key);
  const step = new Step(deps, begun, untilMs);
  const position = begun.kind === 'scope' ? await eraseGeneration(step) : await eraseMemory(step);
  const told = await tell(deps, key, begun, { step, position });
  deps.log.info('erasure looked at', { kind: begun.kind, found: step.found, isThrough: position === undefined });
  return told ?? loadErasure(deps, key);
}

/** Says that a run is at it. What a run removed that died before it told is not known: that counts as something found. */
async function begin(deps: EraserDeps, key: Key, stored: ErasureItem): Promise<ErasureItem | undefined> {
  const { store, clock, ids } = deps;
  const { quietSinceMs, looks, removed, position, isUnderWay } = stored;
  const nowMs = clock.nowMs();
  const isNewLook = position === undefined && !isUnderWay;
  const progress = {
    quietSinceMs,
    lookBeganAtMs: isNewLook ? nowMs : stored.lookBeganAtMs,
    found: isNewLook ? 0 : stored.found + (isUnderWay ? 1 : 0),
    position,
    isUnderWay: true,
    looks,
    removed,
    dueAtMs: nowMs + LIMITS.erasureRunOverMs,
  };
  const outcome = await store.write(saveErasure(key, stored.version, progress, ids.fresh()));
  return outcome.kind === 'won' ? erasureItemSchema.parse(outcome.item) : undefined;
}

interface Done {
  readonly step: Step;
  readonly position: string | undefined;
}

async function tell(
  deps: EraserDeps,
  key: Key,
  begun: ErasureItem,
  { step, position }: Done,
): Promise<ErasureItem | undefined> {
  const { store, clock, ids, decide } = deps;
  const nowMs = clock.nowMs();
  const { lookBeganAtMs, quietSinceMs, looks } = begun;
  const found = begun.found + step.found;
  const next =
    position === undefined
      ? decide.planNextLook({ beganAtMs: lookBeganAtMs, found, quietSinceMs }, nowMs)
      : ({ kind: 'again', dueAtMs: nowMs, quietSinceMs } as const);
  const progress = {
    quietSinceMs: next.kind === 'again' ? next.quietSinceMs : quietSinceMs,
    lookBeganAtMs,
    found,
    position,
    isUnderWay: false,
    looks: position === undefined ? looks + 1 : looks,
    removed: sumOf(begun.removed, step.removed),
    dueAtMs: next.kind === 'again' ? next.dueAtMs : nowMs,
    finishedAtMs: next.kind === 'finished' ? nowMs : undefined,
  };
  const outcome = await store.write(saveErasure(key, begun.version, progress, ids.fresh()));
  return outcome.kind === 'won' ? erasureItemSchema.parse(outcome.item) : undefined;
}

function sumOf(a: ErasedCounts, b: ErasedCounts): ErasedCounts {
  return {
    citations: a.citations + b.citations,
    textRows: a.textRows + b.textRows,
    evidence: a.evidence + b.evidence,
    others: a.others + b.others,
  };
}

/** Takes every erasure that is due further, longest due first. One that fails does not stop the others. */
export async function runDueErasures(deps: EraserDeps): Promise<void> {
  const { store, clock, log } = deps;
  const untilMs = clock.nowMs() + LIMITS.erasedByScheduleMs;
  const { items } = await store.query(queryDueErasures(clock.nowMs()));
  const errors: unknown[] = [];
  for (const { pk, sk } of items) {
    if (clock.nowMs() >= untilMs) break;
    try {
      await runErasure(deps, { pk: String(pk), sk: String(sk) }, untilMs);
    } catch (error) {
      log.error('an erasure could not be taken further', error);
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
