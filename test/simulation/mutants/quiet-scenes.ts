/** Scenes in which one thing alone happens, over and over, so that what is to meet there meets in most seeds. */
import { START_MS } from '../engine/kernel.ts';
import type { Plan } from '../plans/plan.ts';

const SECOND_MS = 1000;

/** Nobody else acts there. */
export const QUIET = {
  model: undefined,
  dispute: undefined,
  erasing: undefined,
  hostile: undefined,
  poison: undefined,
  sessions: [],
  undoing: [],
  slips: [],
  setters: [],
  fragments: undefined,
} as const satisfies Partial<Plan>;

/** Many passes of one scope, each of all there is. */
export const WIDE = { maxConcurrentPasses: 4, maxPassesPerScope: 3, tokenThreshold: 1, batchTokens: 0 };

interface Given {
  readonly everyMs: number;
  readonly count: number;
  /** Somebody asks for a pass so long after each; absent: nobody does. */
  readonly askedAfterMs?: number;
  readonly settings: Plan['settings'];
  readonly faults?: Plan['faults'];
}

/** One scope to which one source comes every so often; an index that does not lag shows it. */
export const given =
  ({ everyMs, count, askedAfterMs, settings, faults = {} }: Given) =>
  (plan: Plan): Plan => {
    const scope = plan.scopes[0] ?? '';
    const ingests = Array.from({ length: count }, (_, k) => {
      const text = `Source f${k}, told once.\n@claim Ann | fed | ${k}`;
      const source = { scope, id: `f${k}`, text, capturedAtMs: START_MS - k * SECOND_MS, completed: true };
      return { atMs: START_MS + k * everyMs, scope, sources: [source] };
    });
    const asked = askedAfterMs === undefined ? [] : ingests;
    const requests = asked.map(({ atMs }) => ({
      atMs: atMs + (askedAfterMs ?? 0),
      scope,
      origin: 'drain' as const,
      parallel: 1,
      idempotencyKey: undefined,
    }));
    return {
      ...plan,
      ...QUIET,
      scopes: [scope],
      ingests,
      requests,
      faults: { outliveTimeout: 1, ...faults },
      lagsMaxMs: [0, 0],
      calmFromMs: START_MS + count * everyMs + 30 * SECOND_MS,
      executorDelayMs: 50,
      settings: { ...plan.settings, ...settings },
    };
  };
