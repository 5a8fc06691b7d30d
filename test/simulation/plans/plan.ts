/** What one seed means: deployment, sources, requests and faults, all drawn before anything runs. */
import type { SettingOverrides } from '../../../schema/settings.ts';
import { drawDeployment, forPools, type PlannedDeployment, scopeNamesOf } from './deployment-plan.ts';
import { drawErasing, type PlannedErasing } from './erase-plan.ts';
import { drawDispute, type PlannedDispute } from './dispute-plan.ts';
import { drawFaults, type FaultRates } from '../engine/faults.ts';
import { drawFragments, lengthen, type PlannedFragments } from './fragment-plan.ts';
import { drawHostile, type PlannedHostile } from './hostile-plan.ts';
import { drawDryRuns } from './dry-run-plan.ts';
import { START_MS } from '../engine/kernel.ts';
import { drawModel, type PlannedModel } from '../executors/model.ts';
import { drawPoison, type PlannedPoison } from './poison-plan.ts';
import { drawOrphans } from '../people/orphans.ts';
import { Random } from '../engine/random.ts';
import { drawSlow, type SlowWrite } from '../engine/slow-writes.ts';
import { drawSetters, type PlannedSetting } from './settings-plan.ts';
import { drawErasedSessions } from './session-erase-plan.ts';
import { drawSessions, type PlannedSession } from './session-plan.ts';
import { drawSlips, type PlannedSlip } from './sloppy-plan.ts';
import { drawUndoing, type PlannedUndo } from './undo-plan.ts';
import { drawUploads, type PlannedUpload } from './upload-plan.ts';
import type { PlannedUnreadable } from '../unreadable.ts';
import { drawTwins } from './twin-plan.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** One revision of one source, and the moment its owner sends it. */
export interface PlannedSource {
  readonly scope: string;
  readonly id: string;
  readonly text: string;
  readonly capturedAtMs: number;
  readonly completed: boolean;
  /** It is sent as plain text, also where others have odd forms. */
  readonly isPlain?: boolean;
}
/** One ingest call, sent until it is answered. */
export interface PlannedIngest {
  readonly atMs: number;
  readonly scope: string;
  readonly sources: readonly PlannedSource[];
  /** It comes in parts. */
  readonly upload?: PlannedUpload;
}
export interface PlannedRequest {
  readonly atMs: number;
  readonly scope: string;
  readonly origin: 'trigger' | 'drain';
  /** Absent: a pass that writes. */
  readonly kind?: 'dry-run';
  readonly parallel: number | undefined;
  readonly idempotencyKey: string | undefined;
}

export interface Plan {
  readonly seed: number;
  readonly scopes: readonly string[];
  readonly settings: SettingOverrides;
  readonly deployment: PlannedDeployment;
  readonly ingests: readonly PlannedIngest[];
  readonly requests: readonly PlannedRequest[];
  readonly faults: FaultRates;
  /** Faults stop at this time. */
  readonly calmFromMs: number;
  /** Clocks differ from true time by at most this, either way. */
  readonly skewMaxMs: number;
  /** The most each of the two copies of each index lags. */
  readonly lagsMaxMs: readonly [number, number];
  /** How long after its time TTL deletes a row; undefined: never. */
  readonly ttlDelayMs: number | undefined;
  readonly leasePageKeepMs: number;
  readonly executorDelayMs: number;
  readonly executorLimit: number;
  /** The executor is a model; undefined: it needs nothing and spends nothing. */
  readonly model: PlannedModel | undefined;
  /** A person says what needs a decision; undefined: nobody does. */
  readonly dispute: PlannedDispute | undefined;
  /** Some executions have an executor that means ill; undefined: none. */
  readonly hostile: PlannedHostile | undefined;
  /** Sessions that grow; mostly none. */
  readonly sessions: readonly PlannedSession[];
  /** A text that breaks its readers; mostly none. */
  readonly poison: PlannedPoison | undefined;
  /** Passes that a person undoes; mostly none. */
  readonly undoing: readonly PlannedUndo[];
  /** What callers send who do not read the manual; mostly nothing. */
  readonly slips: readonly PlannedSlip[];
  /** How little is read at once; undefined: as much as ever, which no text here fills. */
  readonly fragments: PlannedFragments | undefined;
  /** Changes of settings, several at a time; mostly none. */
  readonly setters: readonly PlannedSetting[];
  /** The day begins with reservations that nobody will settle. */
  readonly hasOrphans: boolean;
  /** What no scheduler can read in the storm, in directed scenarios; absent: it reads everything. */
  readonly unreadable?: PlannedUnreadable;
  /** Writes that are long on their way; mostly none. */
  readonly slow: readonly SlowWrite[];
  /** What people have erased; undefined: nothing. */
  readonly erasing: PlannedErasing | undefined;
}

const ENTITIES = ['Ann', 'Ben'];
const ATTRIBUTES = ['home', 'job'];
const VALUES = ['north', 'east', 'south'];
const TIMES = ['', '', '', ' | 2024-05', ' | 2024-06-01', ' | 2031-01'];

function drawLine(random: Random): string {
  if (random.chance(0.3)) return `Nothing much happened on day ${random.int(1, 99)}.`;
  const [entity, attribute, value] = [random.pick(ENTITIES), random.pick(ATTRIBUTES), random.pick(VALUES)];
  return `@claim ${entity} | ${attribute} | ${random.chance(0.1) ? '' : value}${random.pick(TIMES)}`;
}

/** A source with its revisions: later ones mostly go on from the text before, sometimes begin anew. */
function drawRevisions(random: Random, scope: string, id: string): PlannedSource[] {
  let lines = Array.from({ length: random.int(1, 4) }, () => drawLine(random));
  let capturedAtMs = START_MS - random.int(1, 600) * MINUTE_MS;
  const revisions = random.pick([1, 1, 1, 2, 3]);
  return Array.from({ length: revisions }, (_, k) => {
    if (k > 0) {
      lines = random.chance(0.7) ? [...lines, drawLine(random)] : [drawLine(random), `Anew ${k}.`];
      capturedAtMs += random.int(1, 5) * SECOND_MS;
    }
    const text = [`Source ${id}, told ${k + 1} times.`, ...lines].join('\n');
    return { scope, id, text, capturedAtMs, completed: random.chance(0.9) };
  });
}

function drawIngests(random: Random, scopes: readonly string[], untilMs: number): PlannedIngest[] {
  const ingests: PlannedIngest[] = [];
  const sources = random.int(3, 7);
  const waves = random.pick([1, 2, 3]);
  const waveAtMs = Array.from({ length: waves }, (_, k) => (k === 0 ? START_MS : random.int(START_MS, untilMs)));
  const first = new Map<string, PlannedSource[]>();
  for (let k = 0; k < sources; k++) {
    const scope = random.pick(scopes);
    const [begin, ...later] = drawRevisions(random, scope, `s${k}`);
    if (!begin) continue;
    const atMs = random.pick(waveAtMs);
    const together = `${scope} ${atMs}`;
    first.set(together, [...(first.get(together) ?? []), begin]);
    // A revision may be sent before the one it follows, as clients do that retry.
    for (const revision of later) {
      ingests.push({ atMs: random.int(START_MS, untilMs), scope, sources: [revision] });
    }
    if (random.chance(0.1)) ingests.push({ atMs: random.int(START_MS, untilMs), scope, sources: [begin] });
  }
  for (const [together, batch] of first) {
    const [scope = '', atMs] = together.split(' ');
    ingests.push({ atMs: Number(atMs) + random.int(0, SECOND_MS), scope, sources: batch });
  }
  return ingests;
}

function drawRequests(random: Random, scopes: readonly string[], untilMs: number): PlannedRequest[] {
  return Array.from({ length: random.int(0, 5) }, () => ({
    atMs: random.chance(0.5) ? START_MS + random.int(1, 4) * SECOND_MS : random.int(START_MS, untilMs),
    scope: random.pick(scopes),
    origin: random.pick(['trigger', 'drain'] as const),
    parallel: random.pick([undefined, 2, 3]),
    idempotencyKey: random.pick([undefined, undefined, 'key-1']),
  }));
}

export function drawPlan(seed: number): Plan {
  const random = new Random(seed, 'plan');
  const scopesMax = random.pick([1, 1, 2, 3]);
  const chaosMs = random.pick([3, 5, 5, 8, 12]) * MINUTE_MS;
  const calmFromMs = START_MS + chaosMs;
  const deployment = drawDeployment(seed, calmFromMs);
  const scopes = scopeNamesOf(deployment).slice(0, scopesMax);
  const faults = drawFaults(new Random(seed, 'faults'));
  const settings: SettingOverrides = {
    maxConcurrentPasses: random.int(1, 4),
    maxPassesPerScope: random.pick([1, 2, 3]),
    passTimeoutMs: random.pick([30, 60, 120]) * SECOND_MS,
    pageSources: random.pick([1, 2, 3, 5]),
    batchTokens: random.pick([0, 4000]),
    maxWaitMs: random.pick([0, 30 * SECOND_MS, 2 * MINUTE_MS]),
    completeAfterIdleMs: MINUTE_MS,
    // Below its range on purpose: so few tokens already make a scope deep.
    tokenThreshold: random.pick([1, 10_000]),
  };
  const lag = random.pick([0, 0, 20, 500, 5000, 30_000]);
  const skewMaxMs = random.pick([0, 0, 1000, 5000]);
  const model = drawModel(seed, calmFromMs);
  return withThemes({
    seed,
    scopes,
    settings: forPools(settings, deployment.pools),
    deployment,
    ...drawErasing(seed, {
      scopes,
      ingests: drawIngests(new Random(seed, 'sources'), scopes, calmFromMs),
      calmFromMs,
    }),
    requests: [
      ...drawRequests(new Random(seed, 'requests'), scopes, calmFromMs),
      ...drawTwins(seed, scopes, calmFromMs),
    ],
    faults,
    calmFromMs,
    skewMaxMs: deployment.skewMaxMs ?? skewMaxMs,
    lagsMaxMs: [random.chance(0.5) ? lag : Math.floor(lag / 10), lag],
    ttlDelayMs: random.pick([undefined, 0, 30 * SECOND_MS]),
    leasePageKeepMs: random.pick([0, MINUTE_MS, 24 * 60 * MINUTE_MS]),
    executorDelayMs: random.pick([50, 500, 3000]),
    executorLimit: random.pick([1, 2, 5]),
    model,
    dispute: model && drawDispute(seed, scopes, calmFromMs),
    hostile: drawHostile(seed),
    sessions: [],
    poison: undefined,
    slow: drawSlow(seed),
    undoing: [],
    fragments: undefined,
    slips: drawSlips(seed, scopes, calmFromMs),
    setters: drawSetters(seed, scopes, calmFromMs),
    hasOrphans: drawOrphans(seed),
  });
}

/** What some seeds have besides. Where something is erased, sessions alone: who else acts there would be refused for that. */
function withThemes(plan: Plan): Plan {
  const { seed, scopes, calmFromMs, erasing } = plan;
  if (erasing) return { ...plan, ...drawErasedSessions(seed, { scopes, calmFromMs, erasing }) };
  const poison = drawPoison(seed, scopes, calmFromMs);
  const dryRuns = drawDryRuns(seed, scopes, calmFromMs);
  const sessions = drawSessions(seed, scopes, calmFromMs);
  // A text that breaks its readers must be met whole.
  const fragments = poison ? undefined : drawFragments(seed, { hasSessions: sessions.length > 0 });
  return {
    ...plan,
    ingests: [
      ...(fragments ? lengthen(seed, plan.ingests) : plan.ingests),
      ...(poison?.ingests ?? []),
      ...drawUploads(seed, scopes, calmFromMs),
    ],
    settings: fragments ? { ...plan.settings, pageCharacters: fragments.page } : plan.settings,
    fragments,
    requests: [...plan.requests, ...(poison?.requests ?? []), ...dryRuns],
    sessions,
    // What a session says depends on the order of calls: which pass said which of it is not told apart there.
    undoing: sessions.length > 0 ? [] : drawUndoing(seed, scopes, calmFromMs),
    poison,
  };
}
