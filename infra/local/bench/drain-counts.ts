/** What a drain costs in requests, counted between client and database, and how often each source is delivered. */
import { runDrain } from './drain-run.ts';
import { type Area, atMost } from './figure.ts';

/** Enough that what is paid once for a pass hardly shows; three passes, pages of 20 (design section 17). */
const PLAN = { load: { sources: 1_200, characters: 1_600 }, passes: 3, delayMs: 250, pageSources: 20 };

const DELIVERIES_MAX = 1.05;
const WRITES_MAX = 2.4;
const WRITE_UNITS_MAX = 6;
/**
 * One Query of the queue and one BatchGetItem of the texts, and every fourth page three Queries more: what stopped waiting,
 * leases that ran out, and the other end of the queue. What a pass reads at its start and at the tail comes on top.
 */
const READS_MAX = 3.3;

export const drainCounts: Area = {
  names: ['drain.deliveriesPerSource', 'drain.writesPerSource', 'drain.writeUnitsPerSource', 'drain.readsPerPage'],
  async measure(note) {
    const { observed, tally } = await runDrain(PLAN);
    const { sources } = PLAN.load;
    note(
      `drain: ${sources} sources, ${PLAN.passes} passes, ${tally.pages} pages: ${tally.writes} writes besides claims, ${tally.writeUnits} write units, ${tally.workerReads} reads by workers`,
    );
    return [
      atMost('drain.deliveriesPerSource', observed.deliveries / sources, DELIVERIES_MAX),
      atMost('drain.writesPerSource', tally.writes / sources, WRITES_MAX),
      atMost('drain.writeUnitsPerSource', tally.writeUnits / sources, WRITE_UNITS_MAX),
      atMost('drain.readsPerPage', tally.workerReads / tally.pages, READS_MAX),
    ];
  },
};
