/** Scenes for the mutants of passes at work: texts that are given up and taken back, executors that skip, providers that go. */
import type { Outcome, Write } from '../../../schema/request.ts';
import { clausesOf, withoutClause } from '../../support/without-clause.ts';
import { fragmentsOf, lengthen } from '../plans/fragment-plan.ts';
import { START_MS } from '../engine/kernel.ts';
import { modelOf } from '../executors/model.ts';
import { type Mutant, onWrite, storm } from './mutant.ts';
import type { Plan, PlannedSource } from '../plans/plan.ts';
import { poisonOf, type PlannedPoison } from '../plans/poison-plan.ts';
import { Random } from '../engine/random.ts';
import type { SlowWrite } from '../engine/slow-writes.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Nobody else acts there. */
const ALONE = {
  model: undefined,
  dispute: undefined,
  erasing: undefined,
  hostile: undefined,
  sessions: [],
  undoing: [],
  slips: [],
  fragments: undefined,
} as const satisfies Partial<Plan>;

/** Passes of one page of one source, several of them at once. */
export const SIDE_BY_SIDE = {
  maxConcurrentPasses: 4,
  maxPassesPerScope: 3,
  pageSources: 1,
  tokenThreshold: 1,
  batchTokens: 0,
};

/** Somebody asks for a pass every so often, as long as the storm lasts. */
const asking = (scope: string, everyMs: number, untilMs: number): Plan['requests'] =>
  Array.from({ length: Math.floor((untilMs - START_MS) / everyMs) }, (_, k) => ({
    atMs: START_MS + 2 * SECOND_MS + k * everyMs,
    scope,
    origin: 'trigger' as const,
    parallel: undefined,
    idempotencyKey: undefined,
  }));

/**
 * One text that breaks its readers, its two neighbours, and nothing else: given up by the eighth minute. Then its executor is
 * mended, and somebody requeues what is given up; in calm a minute or two later all is settled.
 */
export const givenUp =
  (faults: Plan['faults'] = {}, more: Partial<PlannedPoison> = {}) =>
  (plan: Plan): Plan => {
    const [scopes, mendedAtMs] = [plan.scopes.slice(0, 1), START_MS + 8 * MINUTE_MS];
    const drawn = poisonOf(plan.seed, scopes, mendedAtMs);
    const poison = {
      ...drawn,
      mendedAtMs,
      requeuesAtMs: [mendedAtMs + 20 * SECOND_MS],
      isDoubled: false,
      ingests: drawn.ingests.slice(0, 2),
      ...more,
    };
    const calmFromMs = mendedAtMs + 2 * MINUTE_MS;
    const requests = asking(drawn.scope, 20 * SECOND_MS, calmFromMs);
    const settings = { ...plan.settings, batchTokens: 0 };
    const { ingests } = poison;
    return {
      ...plan,
      ...ALONE,
      scopes,
      settings,
      faults,
      poison: { ...poison, requests },
      ingests,
      requests,
      calmFromMs,
    };
  };

/** … and its owner edits it after that, or at another moment, so that it breaks nobody; nobody requeues it. */
export const givenUpAndEdited =
  (faults: Plan['faults'] = {}, editedAfterMs = 8 * MINUTE_MS) =>
  (plan: Plan): Plan => {
    const scene = givenUp(faults, { mendedAtMs: undefined, requeuesAtMs: [] })(plan);
    const edited = scene.ingests.flatMap(({ sources }) => sources).filter(({ id }) => id.startsWith('p'));
    const revise = (source: PlannedSource): PlannedSource => ({
      ...source,
      text: `Source ${source.id}, mended.\n@claim Ben | home | west`,
      capturedAtMs: source.capturedAtMs + 60 * MINUTE_MS,
    });
    const [first] = edited;
    const call = { atMs: START_MS + editedAfterMs, scope: first?.scope ?? '', sources: first ? [revise(first)] : [] };
    return { ...scene, ingests: [...scene.ingests, call] };
  };

/** Passes that acknowledge next to nothing while the storm lasts. */
export const skipped = (plan: Plan): Plan => {
  const scopes = plan.scopes.slice(0, 1);
  const ingests = plan.ingests.filter(({ scope }) => scopes.includes(scope));
  const settings = { ...plan.settings, batchTokens: 0 };
  const requests = asking(scopes[0] ?? '', 10 * SECOND_MS, plan.calmFromMs);
  return { ...plan, ...ALONE, poison: undefined, scopes, ingests, settings, requests, faults: { executorSkip: 0.9 } };
};

/**
 * One long text a scope, read a part at a time by one pass after the other, while finalizers that come back after their death
 * are long on their way: the next pass has read on by then.
 */
export const readOn = (plan: Plan): Plan => {
  const ingests = plan.scopes.flatMap((scope): Plan['ingests'] => {
    const [source] = plan.ingests.find((call) => call.scope === scope && call.upload === undefined)?.sources ?? [];
    const lines = Array.from({ length: 200 }, (_, k) => `Line ${k}.`);
    return source
      ? [{ atMs: START_MS, scope, sources: [{ ...source, text: [source.text, ...lines].join('\n') }] }]
      : [];
  });
  return {
    ...plan,
    ...ALONE,
    poison: undefined,
    faults: { dieAfterSettle: 0.7, executorPartial: 1 },
    ingests,
    executorDelayMs: 50,
    lagsMaxMs: [0, 0],
    settings: { ...plan.settings, ...SIDE_BY_SIDE },
    requests: plan.scopes.flatMap((scope) => asking(scope, plan.scopes.length * SECOND_MS, START_MS + 60 * SECOND_MS)),
  };
};

/**
 * Passes of one scope are admitted side by side before any of them is reserved for, of a budget that is too small for them;
 * the release that is in force beside it has room, and its sweep comes while a refusal is on its way.
 */
export const outbid = (plan: Plan): Plan => ({
  ...plan,
  ...ALONE,
  poison: undefined,
  deployment: {
    pools: 1,
    skewMaxMs: undefined,
    mistake: undefined,
    release: { atMs: START_MS + 5 * SECOND_MS, overlapUntilMs: plan.calmFromMs, settings: { budgetPasses: 500 } },
  },
  settings: { ...plan.settings, ...SIDE_BY_SIDE, budgetPasses: 2, maxConcurrentPasses: 16, maxPassesPerScope: 5 },
  lagsMaxMs: [0, 0],
  faults: { outliveTimeout: 1, executorSlow: 1, tickDouble: 1 },
  requests: Array.from({ length: 20 }, (_, k) => ({
    atMs: START_MS + (2 + k) * SECOND_MS,
    scope: plan.scopes[k % plan.scopes.length] ?? '',
    origin: 'drain' as const,
    parallel: 3,
    idempotencyKey: undefined,
  })),
});

/** What is slow there. */
export const OUTBID_SLOW: readonly SlowWrite[] = [
  { name: 'usage:reserve', forMs: 5 * SECOND_MS, chance: 0.5 },
  { name: 'usage:refuse', forMs: 60 * SECOND_MS },
];

/** A model whose provider goes away some seconds after people began to ask for passes side by side. */
export const away =
  (tellsUntil: boolean, faults: Plan['faults'] = {}) =>
  (plan: Plan): Plan => ({
    ...storm(faults)(plan),
    ...ALONE,
    poison: undefined,
    model: {
      ...modelOf(plan.seed, plan.calmFromMs),
      budgetPasses: 50,
      awayFromMs: START_MS + 14 * SECOND_MS,
      awayUntilMs: plan.calmFromMs,
      tellsUntil,
    },
    settings: { ...plan.settings, maxConcurrentPasses: 4, maxPassesPerScope: 3, pageSources: 1, batchTokens: 0 },
    requests: Array.from({ length: 40 }, (_, k) => ({
      atMs: START_MS + (2 + 3 * k) * SECOND_MS,
      scope: plan.scopes[k % plan.scopes.length] ?? '',
      origin: 'drain',
      parallel: 3,
      idempotencyKey: undefined,
    })),
  });

/** Long texts in pages of little room, several of them at once. */
export const fragmented = (plan: Plan): Plan => {
  const fragments = fragmentsOf(new Random(plan.seed, 'directed fragments'));
  const ingests = lengthen(
    plan.seed,
    plan.ingests.filter(({ upload }) => upload === undefined),
  );
  const settings = { ...plan.settings, pageCharacters: fragments.page, pageSources: 5 };
  return { ...plan, ...ALONE, poison: undefined, fragments, ingests, settings, executorLimit: 5 };
};

/** Without the clauses in which this stands. */
export const withoutAny =
  (...parts: readonly string[]) =>
  (write: Write): Write =>
    clausesOf(write)
      .filter((clause) => parts.some((part) => clause.includes(part)))
      .reduce(withoutClause, write);

/** An update that leaves an attribute where it would remove it. */
export const keeping =
  (name: string) =>
  (write: Write): Write => {
    if (write.kind !== 'update') return write;
    const text = (write.input.UpdateExpression ?? '').replace(/REMOVE ((?:#\w+(?:, )?)+)/, (_, names: string) => {
      const left = names.split(', ').filter((it) => it.trim() !== `#${name}`);
      return left.length > 0 ? `REMOVE ${left.join(', ')}` : '';
    });
    return { ...write, input: { ...write.input, UpdateExpression: text } };
  };

type Told = (write: Write, name: string) => boolean;

/** An actor whose writes of one kind are taken for done, and never sent. */
export const losing =
  (role: string, isMeant: Told): NonNullable<Mutant['wrapStore']> =>
  (store, actor) => {
    if (actor.role !== role) return undefined;
    const done: Outcome = { kind: 'won', item: undefined };
    return onWrite(store, async (write, name, pass) => (isMeant(write, name) ? done : pass(write)));
  };
