/** How deeds are made of citations, and of other deeds: for the themes and scenes of schedules of claims. */
import type { Citation } from '../../../schema/citation.ts';
import { type Deed, passIds } from './claim-deeds.ts';
import type { Random } from '../engine/random.ts';
import type { SlowWrite } from '../engine/slow-writes.ts';
import type { Plan } from '../plans/plan.ts';

export const copyOf = (deed: Deed): Deed => ({ ...deed, isCopy: true });
/** So much later that what is not delayed is mostly through: a deed takes some 30 ms. */
export const delayed = (random: Random, deed: Deed): Deed => ({ ...deed, delayMs: random.int(20, 90) });
/** Pass ids apart from those of `drawDeeds`, which may be undone. */
export const otherPass = (k: number): string => passIds(8)[3 + k] as string;

export function times<T>(count: number, draw: (k: number) => T): T[] {
  return Array.from({ length: count }, (_, k) => draw(k));
}

export const writeOf = (citation: Citation, k: number): Deed => ({ kind: 'write', passId: otherPass(k % 4), citation });
export const tellOf = (citation: Citation, k: number): Deed => ({ kind: 'tell', passId: otherPass(k % 4), citation });

/** Scenes happen to each of them: in each of so many claim slots something else comes in between. */
const SEVERAL = ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn'];

export const inEach = (draw: (entity: string, k: number) => readonly Deed[]): Deed[] => SEVERAL.flatMap(draw);

/** A scene with no faults: nothing but these writes that are long on their way. */
export const onTheirWay =
  (...slow: readonly SlowWrite[]) =>
  (plan: Plan): Plan => ({ ...plan, faults: {}, slow });
