/** Directed scenarios of erasing, for the mutants of what keeps the erased out. */
import { findClaimLines } from '../../../functions/worker/executor/claim-lines.ts';
import { type PlannedErasing, type PlannedErasure, withNames } from '../plans/erase-plan.ts';
import { START_MS } from '../engine/kernel.ts';
import type { Plan, PlannedSource } from '../plans/plan.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

interface Scenario {
  readonly kind: 'source' | 'scope' | 'claim';
  /** Moments, counted from the start, at which one thing after the other is erased. */
  readonly atMs: readonly number[];
  /** How long after its order each call is sent again. */
  readonly againMs?: readonly number[];
  /** How long after the order its owner sends it again. */
  readonly sentAgainMs?: readonly number[];
  /** How long after its order a person would lift it. */
  readonly liftMs?: number;
  /** … and once more when all is over. */
  readonly isSentAfterwards?: boolean;
  /** … after it was lifted, and is ordered erased once more. */
  readonly erasedAgain?: PlannedErasure['erasedAgain'];
  /** It is lifted when all is over. */
  readonly isLifted?: boolean;
  /** People ask what a pass would write, right before the first order. */
  readonly hasDryRuns?: boolean;
  readonly looks?: Pick<PlannedErasing, 'rowsPerPage' | 'forCallerMs' | 'byScheduleMs' | 'partsBeforeMs' | 'isGivenUp'>;
  readonly faults?: Plan['faults'];
  readonly stormMinutes?: number;
}

function erasedOf(kind: Scenario['kind'], { id, text }: PlannedSource): PlannedErasure['what'] | undefined {
  if (kind === 'scope') return { kind };
  if (kind === 'source') return { kind, id };
  const said = findClaimLines(text, 0).find(({ value }) => value !== '');
  return said && { kind, claim: { entity: said.entity, attribute: said.attribute, value: said.value } };
}

/** Dry runs of a scope, soon enough to be over when something of it is erased. */
function rehearsals(scope: string, beforeMs: number): Plan['requests'] {
  return [8, 4].map((seconds) => ({
    atMs: Math.max(START_MS + SECOND_MS, beforeMs - seconds * SECOND_MS),
    scope,
    origin: 'trigger',
    kind: 'dry-run',
    parallel: undefined,
    idempotencyKey: undefined,
  }));
}

/** A directed scenario: what it names is erased in the storm, beside no faults but its own. */
export const erased =
  ({
    kind,
    atMs,
    againMs = [],
    sentAgainMs = [],
    liftMs,
    isSentAfterwards = false,
    erasedAgain,
    isLifted = erasedAgain !== undefined,
    hasDryRuns = false,
    looks = {},
    faults = {},
    stormMinutes = 12,
  }: Scenario) =>
  (plan: Plan): Plan => {
    // Nobody uploads beside an erase.
    const ingests = plan.ingests.filter(({ upload }) => upload === undefined);
    const sources = ingests.flatMap((call) => call.sources).filter((source) => erasedOf(kind, source));
    const chosen = atMs.flatMap((ms, k) => {
      const source = sources[k % Math.max(1, sources.length)];
      const what = source && erasedOf(kind, source);
      return source && what ? [{ source, what, atMs: START_MS + ms }] : [];
    });
    const erasures = chosen.map(
      ({ source: { scope }, what, atMs }): PlannedErasure => ({
        atMs,
        scope,
        what,
        againAtMs: againMs.map((ms) => atMs + ms),
        liftAtMs: liftMs === undefined ? undefined : atMs + liftMs,
        isLifted,
        erasedAgain,
      }),
    );
    const again = chosen.flatMap(({ source, atMs }) =>
      sentAgainMs.map((ms) => ({ atMs: atMs + ms, scope: source.scope, sources: [source] })),
    );
    const calmFromMs = START_MS + stormMinutes * MINUTE_MS;
    const afterwards = chosen.map(({ source }, k) => {
      const { scope, text } = source;
      const later = { ...source, text: `${text}\nTold once more ${k}.`, capturedAtMs: START_MS + k, completed: true };
      return { atMs: calmFromMs, scope, sources: [later] };
    });
    const alone = {
      sessions: [],
      undoing: [],
      poison: undefined,
      hostile: undefined,
      dispute: undefined,
      model: undefined,
    };
    return {
      ...plan,
      ...alone,
      requests: [
        ...plan.requests.filter(({ kind }) => kind === undefined),
        ...(hasDryRuns ? chosen.flatMap(({ source, atMs }) => rehearsals(source.scope, atMs)) : []),
      ],
      faults,
      calmFromMs,
      ingests: [...ingests, ...again],
      erasing: { erasures, afterwards: isSentAfterwards ? afterwards : [], ...looks },
    };
  };

/** One source is read and erased, by several calls at once; then another says all the same. */
export const saidAgain = (plan: Plan): Plan => {
  const call = plan.ingests.find(({ upload }) => upload === undefined);
  const [said] = call?.sources ?? [];
  if (!call || !said) return plan;
  const ingests = [1, 21].map((seconds, k) => ({
    ...call,
    atMs: START_MS + seconds * SECOND_MS,
    sources: [{ ...said, id: `said-${k}` }],
  }));
  const requests = ingests.map(({ atMs }) => ({
    atMs: atMs + SECOND_MS,
    scope: said.scope,
    origin: 'drain' as const,
    parallel: 1,
    idempotencyKey: undefined,
  }));
  const orders = { kind: 'source', atMs: [6 * SECOND_MS], againMs: [200, 400, 600, 800, 1000, 3000] } as const;
  return readQuickly(erased(orders)({ ...plan, ingests, requests }));
};

/** Each source also speaks of somebody of its own. */
export const naming =
  (scene: (plan: Plan) => Plan) =>
  (plan: Plan): Plan =>
    scene({ ...plan, ingests: withNames(plan.ingests) });

export const EARLY_MS = [2, 3, 5, 8, 12].map((s) => s * SECOND_MS);
/** When no text is young any more: what names it goes with the first look. */
export const OLD_MS = [16, 16.5, 17].map((minutes) => minutes * MINUTE_MS);
/** While the first passes read, one source after the other. */
export const SPREAD_MS = Array.from({ length: 24 }, (_, k) => (3 + 3 * k) * SECOND_MS);

/** When the passes of what was sent last are over. */
export const OVER_AND_OVER_MS = Array.from({ length: 12 }, (_, k) => (60 + 40 * k) * SECOND_MS);

/** Passes begin at once and are soon over; a write on its way comes minutes later. */
export const readQuickly = (plan: Plan): Plan => ({
  ...plan,
  executorDelayMs: 50,
  settings: {
    ...plan.settings,
    batchTokens: 0,
    maxWaitMs: 0,
    passTimeoutMs: 2 * MINUTE_MS,
    maxConcurrentPasses: 4,
    maxPassesPerScope: 3,
  },
});

/** Passes begin at once and take a source at a time: what is forgotten meanwhile may be on its way. */
export const readSlowly = (plan: Plan): Plan => ({
  ...plan,
  executorDelayMs: 3 * SECOND_MS,
  executorLimit: 1,
  requests: plan.scopes.map((scope) => ({
    atMs: START_MS + 2 * SECOND_MS,
    scope,
    origin: 'drain',
    parallel: 2,
    idempotencyKey: undefined,
  })),
  settings: {
    ...plan.settings,
    batchTokens: 0,
    maxWaitMs: 0,
    pageSources: 1,
    passTimeoutMs: 2 * MINUTE_MS,
    maxConcurrentPasses: 4,
    maxPassesPerScope: 2,
  },
});
