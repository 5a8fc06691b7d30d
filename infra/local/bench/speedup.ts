/**
 * How much faster N passes drain one scope than one pass does, on the same load: wall of one pass over wall of N. Both
 * are run, one after the other; nothing is computed from a smaller load.
 */
import { type DrainPlan, runDrain } from './drain-run.ts';
import { type Area, atLeast, type Figure } from './figure.ts';

interface SpeedupPlan {
  readonly passes: number;
  readonly sources: number;
  /** Sources the stub asks for at once. */
  readonly pageSources: number;
  readonly delayMs: number;
  readonly bound: number;
}

const CHARACTERS = 1_600;
/**
 * Design section 17: 120 sources for three passes, and at least 20 pages for each pass. On 120 sources that takes pages
 * of 2: with the stub's usual 5 each pass has 8 pages, and with the one reply after the empty page that ends a pass
 * the replies alone allow no more than (2 × 24 + 1) / (2 × 8 + 1) = 2.88, whatever the passes do.
 *
 * Replies that all take the same time keep the passes in step, so that all ask at the same moment: on two processors
 * sixteen pages at once take some 250 ms. A reply is long against that, so that the ratio tells of the passes.
 */
const PLANS: readonly SpeedupPlan[] = [
  { passes: 3, sources: 120, pageSources: 2, delayMs: 1_000, bound: 2.9 },
  { passes: 8, sources: 800, pageSources: 5, delayMs: 1_000, bound: 7.5 },
  { passes: 16, sources: 1_600, pageSources: 5, delayMs: 1_500, bound: 14 },
];
/** Above it the passes wait for processors and not for replies. */
const BUSY_MAX = 0.8;

export const speedups: readonly Area[] = PLANS.map((plan) => ({
  names: [nameOf(plan)],
  measure: async (note) => {
    const { passes, sources, pageSources, delayMs, bound } = plan;
    const name = nameOf(plan);
    const shared = { load: { sources, characters: CHARACTERS }, delayMs, pageSources };
    const one = await runNoted({ ...shared, passes: 1 }, name, note);
    const many = await runNoted({ ...shared, passes }, name, note);
    const figure = atLeast(name, one.wallMs / many.wallMs, bound);
    const ceiling = findCeiling(plan);
    note(
      `${name}: the stub's replies alone allow ${ceiling.toFixed(2)}${ceiling < bound ? ', less than the bound' : ''}`,
    );
    return [judge(figure, Math.max(one.busy, many.busy))];
  },
}));

function nameOf({ passes }: SpeedupPlan): string {
  return `drain.speedup.${passes}`;
}

function judge(figure: Figure, busy: number): Figure {
  return busy > BUSY_MAX ? { ...figure, ok: 'not valid' } : figure;
}

/** Two replies a page, and one after the empty page that ends a pass. */
export function findCeiling({
  passes,
  sources,
  pageSources,
}: Pick<SpeedupPlan, 'passes' | 'sources' | 'pageSources'>): number {
  const pages = Math.ceil(sources / pageSources);
  return (2 * pages + 1) / (2 * Math.ceil(pages / passes) + 1);
}

async function runNoted(plan: DrainPlan, name: string, note: (line: string) => void) {
  const result = await runDrain(plan);
  const { wallMs, busy, observed, tally } = result;
  note(
    `${name}: ${plan.load.sources} sources, ${plan.passes} passes (${observed.peakPasses} at once), ${tally.pages} pages: ${(wallMs / 1000).toFixed(2)} s, CPU busy ${Math.round(busy * 100)} %`,
  );
  return result;
}
