/** Whether any source is ever given to two live passes: as many passes as a scope can run, without any pause, on many sources. */
import { runDrain } from './drain-run.ts';
import { type Area, atMost } from './figure.ts';

const DELIVERIES_MIN = 10_000;
/** Short texts: leases are what this is about. */
const PLAN = { load: { sources: DELIVERIES_MIN, characters: 200 }, passes: 16, delayMs: 0, pageSources: 20 };

export const doubleDeliveries: Area = {
  names: ['drain.doubleDeliveries'],
  async measure(note) {
    const { observed, wallMs } = await runDrain(PLAN);
    const { deliveries, passes, peakPasses } = observed;
    note(
      `drain.doubleDeliveries: ${deliveries} deliveries to ${passes} passes, ${peakPasses} at once, in ${Math.round(wallMs / 1000)} s`,
    );
    if (deliveries < DELIVERIES_MIN) throw new Error(`Only ${deliveries} deliveries were made of ${DELIVERIES_MIN}.`);
    return [atMost('drain.doubleDeliveries', observed.doubleDeliveries, 0)];
  },
};
