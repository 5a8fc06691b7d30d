/**
 * What people have erased in a schedule, and have forgotten, and lift again: drawn from a stream of its own, for one seed
 * in ten, so that all others stay as they are.
 */
import { findClaimLines } from '../../../functions/worker/executor/claim-lines.ts';
import { START_MS } from '../engine/kernel.ts';
import type { PlannedIngest, PlannedSource } from './plan.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const SHARE = 0.1;
/** Of the seeds in which something is erased. */
const WATCHED_SHARE = 0.2;

export interface NamedClaim {
  readonly entity: string;
  readonly attribute: string;
  readonly value: string;
}

export type Erased =
  | { readonly kind: 'scope' }
  /** A note, where it is of nothing else. */
  | { readonly kind: 'source'; readonly id: string; readonly of?: 'transcript' }
  | { readonly kind: 'claim'; readonly claim: NamedClaim };

/** One order, sent until it is answered. */
export interface PlannedErasure {
  readonly atMs: number;
  readonly scope: string;
  readonly what: Erased;
  /** When the same call is sent again, to learn how far it is. */
  readonly againAtMs: readonly number[];
  /** When a person would lift it: mostly too early, which is refused. Undefined: never. */
  readonly liftAtMs: number | undefined;
  /** It is lifted when all is over. */
  readonly isLifted: boolean;
  /** What was lifted is ordered erased once more: soon after it was sent again, or when that was read. Undefined: never. */
  readonly erasedAgain: 'soon' | 'at rest' | undefined;
}

export interface PlannedErasing {
  readonly erasures: readonly PlannedErasure[];
  /** What owners send when every erasure is finished, and lifted where that is planned: theirs is all they send late. */
  readonly afterwards: readonly PlannedIngest[];
  /** No query of an eraser answers more rows. Absent: as many as it asks for. */
  readonly rowsPerPage?: number;
  /** What a call has time for. Absent: seconds. */
  readonly forCallerMs?: number;
  /** … and a run of the schedule. */
  readonly byScheduleMs?: number;
  /** Parts of an upload of what is erased, which nobody completes, are sent so long before the order. */
  readonly partsBeforeMs?: number;
  /** An attention of what is erased stands: passes got nowhere with it. */
  readonly isGivenUp?: true;
}

interface Given {
  readonly seed: number;
  readonly scopes: readonly string[];
  readonly ingests: readonly PlannedIngest[];
  readonly calmFromMs: number;
}

/** The drawn theme, and what owners send besides because of it. */
export interface DrawnErasing {
  readonly erasing: PlannedErasing | undefined;
  readonly ingests: readonly PlannedIngest[];
}

export function drawErasing(seed: number, given: Omit<Given, 'seed'>): DrawnErasing {
  const random = new Random(seed, 'erase');
  return random.chance(SHARE)
    ? planErasing(random, new Random(seed, 'erase again'), { ...given, seed })
    : { erasing: undefined, ingests: given.ingests };
}

const sourcesOf = (ingests: readonly PlannedIngest[]): PlannedSource[] => ingests.flatMap(({ sources }) => sources);

/** Something that is said in the schedule, to be forgotten; undefined where nothing with a value is said. */
function drawClaim(random: Random, sources: readonly PlannedSource[]): NamedClaim | undefined {
  const said = sources.flatMap(({ text }) => findClaimLines(text, 0)).filter(({ value }) => value !== '');
  if (said.length === 0) return undefined;
  const { entity, attribute, value } = random.pick(said);
  return { entity, attribute, value };
}

function drawErased(random: Random, sources: readonly PlannedSource[]): Erased {
  const kind = random.pick(['source', 'source', 'scope', 'claim', 'claim'] as const);
  if (kind === 'scope') return { kind };
  const claim = kind === 'claim' ? drawClaim(random, sources) : undefined;
  return claim ? { kind: 'claim', claim } : { kind: 'source', id: random.pick(sources).id };
}

function drawErasure(random: Random, { ingests, calmFromMs }: Given): PlannedErasure {
  // Half of them while the first passes run, that read what is erased.
  const atMs = random.chance(0.5)
    ? START_MS + random.int(1_000, 40_000)
    : random.int(START_MS + SECOND_MS, calmFromMs - SECOND_MS);
  const { scope } = random.pick(sourcesOf(ingests));
  const what = drawErased(
    random,
    sourcesOf(ingests).filter((source) => source.scope === scope),
  );
  const later = (): number => random.int(atMs, calmFromMs - 1);
  return {
    atMs,
    scope,
    what,
    againAtMs: Array.from({ length: random.pick([0, 1, 1, 3]) }, later),
    liftAtMs: what.kind !== 'scope' && random.chance(0.2) ? later() : undefined,
    isLifted: what.kind !== 'scope' && random.chance(0.4),
    erasedAgain: undefined,
  };
}

/** Another revision, later than all others of its source. */
function reviseAfter(random: Random, source: PlannedSource, hint: string, after: number): PlannedSource {
  const text = `${source.text}\nTold once more, ${hint}.`;
  return { ...source, text, capturedAtMs: START_MS + after * SECOND_MS + random.int(0, 999), completed: true };
}

/** What the owner of something that is erased sends after the order: the same again, or a revision of it. */
function sendAfter(random: Random, { atMs, scope, what }: PlannedErasure, { ingests, calmFromMs }: Given, k: number) {
  const own = sourcesOf(ingests).filter(
    (source) => source.scope === scope && (what.kind !== 'source' || source.id === what.id),
  );
  return Array.from({ length: random.int(0, 2) }, (_, n): PlannedIngest => {
    const source = random.pick(own);
    const sent = random.chance(0.5) ? source : reviseAfter(random, source, `${k} ${n}`, 10 * k + n);
    const soonMs = Math.min(calmFromMs - atMs, 20 * SECOND_MS);
    const inMs = random.chance(0.5) ? random.int(0, soonMs) : random.int(0, calmFromMs - atMs);
    return { atMs: atMs + inMs, scope, sources: [sent] };
  });
}

/** Looks that come to little at a time, in some seeds: from a stream of their own. */
function drawLooks(seed: number): Pick<PlannedErasing, 'rowsPerPage' | 'forCallerMs' | 'partsBeforeMs'> {
  const random = new Random(seed, 'looks of erasers');
  return {
    ...(random.chance(0.3) && { rowsPerPage: random.int(1, 4) }),
    ...(random.chance(0.3) && { forCallerMs: random.int(20, 200) }),
    ...(random.chance(0.2) && { partsBeforeMs: random.int(0, 20) * SECOND_MS }),
  };
}

/** Each source also speaks of somebody of its own. */
export function withNames(ingests: readonly PlannedIngest[]): PlannedIngest[] {
  return ingests.map((call) => ({
    ...call,
    sources: call.sources.map((source) => ({
      ...source,
      text: `${source.text}\n@claim Only ${source.id} | home | north`,
    })),
  }));
}

/** People who ask over and over, while names come up that nobody knew. */
function watchClosely(random: Random, erasure: PlannedErasure, calmFromMs: number): PlannedErasure {
  const againAtMs = Array.from({ length: 25 }, () => erasure.atMs + random.int(0, 40) * SECOND_MS);
  return { ...erasure, againAtMs: againAtMs.filter((atMs) => atMs < calmFromMs) };
}

function planErasing(random: Random, again: Random, drawn: Given): DrawnErasing {
  const watching = new Random(drawn.seed, 'watched erasers');
  const isWatched = watching.chance(WATCHED_SHARE);
  const given = isWatched ? { ...drawn, ingests: withNames(drawn.ingests) } : drawn;
  const once = Array.from({ length: random.int(1, 3) }, () => drawErasure(random, given));
  const erasures = isWatched ? once.map((erasure) => watchClosely(watching, erasure, given.calmFromMs)) : once;
  const ingests = [...given.ingests, ...erasures.flatMap((erasure, k) => sendAfter(random, erasure, given, k))];
  const isOver = random.chance(0.5);
  const afterwards = isOver
    ? erasures.map(({ scope, what }, k): PlannedIngest => {
        const own = sourcesOf(ingests).filter(
          (source) => source.scope === scope && (what.kind !== 'source' || source.id === what.id),
        );
        const source = reviseAfter(random, random.pick(own), `when all was over ${k}`, 600 + k);
        return { atMs: given.calmFromMs + MINUTE_MS, scope, sources: [source] };
      })
    : [];
  const ordered = erasures.map((erasure) => ({
    ...erasure,
    erasedAgain: isOver && erasure.isLifted ? again.pick(['soon', 'at rest', undefined] as const) : undefined,
  }));
  return { erasing: { erasures: ordered, afterwards, ...drawLooks(given.seed) }, ingests };
}
