/**
 * A text that breaks whoever reads it, until its executor is mended; edited meanwhile, and requeued by a person. Drawn from
 * a stream of its own for one seed in ten, so that all others stay as they are.
 */
import { START_MS } from '../engine/kernel.ts';
import type { PlannedIngest, PlannedRequest, PlannedSource } from './plan.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** Of the seeds in which nothing is erased. A poisoned one takes twice the time of another. */
const SHARE = 0.04;

/** What a text holds that breaks its reader. */
const MARK = 'This text breaks its reader.';

export const isPoisoned = (text: string): boolean => text.includes(MARK);

export interface PlannedPoison {
  readonly scope: string;
  readonly ids: readonly string[];
  /** dies: its worker's process. throws: the executor, so that the pass fails. */
  readonly manner: 'dies' | 'throws';
  /** From when on it breaks nobody; undefined: in calm, when it has been given up and all else is settled. */
  readonly mendedAtMs: number | undefined;
  /** When a person requeues what is given up, once it is mended; each call is sent twice where `isDoubled`. */
  readonly requeuesAtMs: readonly number[];
  readonly isDoubled: boolean;
  /** They requeue all that was given up for one reason, in place of one by one. */
  readonly isByClass: boolean;
  /** `retriesPerHourMax` of this deployment; undefined: as it is. */
  readonly retriesPerHour: number | undefined;
  /** Bring it, its edits, and two neighbours that break nobody. */
  readonly ingests: readonly PlannedIngest[];
  /** People who ask for a pass, whatever rests. */
  readonly requests: readonly PlannedRequest[];
}

export function drawPoison(seed: number, scopes: readonly string[], untilMs: number): PlannedPoison | undefined {
  const random = new Random(seed, 'broken texts');
  if (!random.chance(SHARE)) return undefined;
  const isByClass = new Random(seed, 'requeued by class').chance(0.3);
  return { ...planPoison(random, scopes, untilMs), isByClass };
}

/** The poison of a seed that would have none, for a directed scenario. */
export function poisonOf(seed: number, scopes: readonly string[], untilMs: number): PlannedPoison {
  return planPoison(new Random(seed, 'directed poison'), scopes, untilMs);
}

function planPoison(random: Random, scopes: readonly string[], untilMs: number): PlannedPoison {
  const scope = random.pick(scopes);
  const isEdited = random.chance(0.5);
  const ids = ['p0', 'p1'].slice(0, random.pick([1, 1, 1, 2]));
  const beginsAtMs = START_MS + random.int(0, 5 * SECOND_MS);
  const revised = ids.flatMap((id) => drawRevisions(random, { scope, id, isEdited, beginsAtMs, untilMs }));
  const neighbours = ['n0', 'n1'].map((id) => ({
    scope,
    id,
    text: `Source ${id}, told once.\n@claim Ann | job | ${random.pick(['north', 'east'])}`,
    capturedAtMs: START_MS - random.int(1, 600) * MINUTE_MS,
    completed: true,
  }));
  const isMendedInStorm = random.chance(0.5);
  const mendedAtMs = random.int(beginsAtMs + MINUTE_MS, untilMs - 10 * SECOND_MS);
  const asked = Array.from({ length: 4 }, (_, k) => beginsAtMs + Math.floor(((k + 0.5) * (untilMs - beginsAtMs)) / 4));
  return {
    scope,
    ids,
    manner: random.pick(['dies', 'throws']),
    mendedAtMs: isMendedInStorm ? mendedAtMs : undefined,
    requeuesAtMs: [1, 2, 3].map(() => random.int(mendedAtMs, untilMs - 1)),
    isDoubled: random.chance(0.5),
    isByClass: false,
    retriesPerHour: isEdited && random.chance(0.25) ? random.pick([1, 2]) : undefined,
    ingests: [{ atMs: beginsAtMs, scope, sources: neighbours }, ...revised],
    requests: [...asked, ...revised.map(({ atMs }) => atMs + 2 * SECOND_MS)].map((atMs) => ({
      atMs,
      scope,
      origin: 'trigger',
      parallel: undefined,
      idempotencyKey: undefined,
    })),
  };
}

interface Revised extends Pick<PlannedSource, 'scope' | 'id'> {
  readonly isEdited: boolean;
  readonly beginsAtMs: number;
  readonly untilMs: number;
}

/** One edited source breaks off pass after pass, each in a revision of its own. */
function drawRevisions(random: Random, { scope, id, isEdited, beginsAtMs, untilMs }: Revised): PlannedIngest[] {
  const count = isEdited ? random.int(4, 7) : 1;
  const everyMs = Math.min(random.pick([15, 40]) * SECOND_MS, Math.floor((untilMs - beginsAtMs) / (count + 1)));
  const capturedAtMs = START_MS - random.int(1, 600) * MINUTE_MS;
  return Array.from({ length: count }, (_, k) => {
    const said = `@claim Ben | home | ${random.pick(['north', 'east', 'south'])}`;
    const text = `Source ${id}, told ${k + 1} times.\n${MARK}\n${said}`;
    const source = { scope, id, text, capturedAtMs: capturedAtMs + k * SECOND_MS, completed: true };
    return { atMs: beginsAtMs + k * everyMs, scope, sources: [source] };
  });
}
