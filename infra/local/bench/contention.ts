/**
 * Sixteen passes on one scope, without any pause, again and again: what races for leases cost, and that no source is ever
 * in two live passes, lost or settled twice. Leases and settlements are counted between the workers and the database.
 */
import type { Item } from '../dynamodb/attribute-value.ts';
import { readText } from '../row-text.ts';
import type { Observation } from '../runtime/request-counts.ts';
import { runDrain } from './drain-run.ts';
import { type Area, atMost } from './figure.ts';

const DRAINS = 50;
/** Short texts: leases are what this is about. 50 drains of 2,000 are the 100,000 deliveries of the design. */
const PLAN = { load: { sources: 2_000, characters: 200 }, passes: 16, delayMs: 0, pageSources: 20 };
const LOST_PER_LEASE_MAX = 1;
const EVIDENCE = /^EVIDENCE#/;

/** A lease sets its holder; a release and a settlement remove it. */
const LEASES = /#leasePass = :/;
const SETTLES = /#settledBy = :/;

interface UpdateInput {
  readonly Key?: Item;
  readonly UpdateExpression?: string;
}

/** Leases won and lost by workers, and settlements, as the requests show them. */
export class LeaseCount {
  won = 0;
  lost = 0;
  #settlements = 0;
  readonly #settled = new Set<string>();

  /** Settlements beyond the first of a revision. */
  get settledTwice(): number {
    return this.#settlements - this.#settled.size;
  }

  see({ service, operation, status, input, functionName }: Observation): void {
    if (service !== 'dynamodb' || operation !== 'UpdateItem') return;
    const { Key: key, UpdateExpression: expression = '' } = input as UpdateInput;
    const row = readText(key?.sk) ?? '';
    if (!EVIDENCE.test(row)) return;
    const isOk = status === 200;
    if (functionName === 'worker' && LEASES.test(expression)) {
      if (isOk) this.won++;
      else this.lost++;
    }
    if (functionName === 'finalizer' && SETTLES.test(expression) && isOk) {
      this.#settlements++;
      this.#settled.add(row);
    }
  }
}

export const contention: Area = {
  names: ['evidence.lostPerLease', 'evidence.doubleDeliveries', 'evidence.lostSources', 'evidence.settledTwice'],
  async measure(note) {
    const ratios: number[] = [];
    const sum = { deliveries: 0, double: 0, missing: 0, twice: 0 };
    for (let k = 0; k < DRAINS; k++) {
      const leases = new LeaseCount();
      const { observed } = await runDrain({ ...PLAN, onRequest: (request) => leases.see(request) });
      if (leases.won < PLAN.load.sources) {
        throw new Error(`Only ${leases.won} leases were seen in a drain of ${PLAN.load.sources}.`);
      }
      ratios.push(leases.lost / leases.won);
      sum.deliveries += observed.deliveries;
      sum.double += observed.doubleDeliveries;
      sum.missing += PLAN.load.sources - observed.settled;
      sum.twice += leases.settledTwice;
      note(`evidence: drain ${k + 1} of ${DRAINS}, ${leases.lost} conditions lost for ${leases.won} leases`);
    }
    ratios.sort((a, b) => a - b);
    const median = ratios[Math.floor(ratios.length / 2)] ?? 0;
    note(
      `evidence: ${sum.deliveries} deliveries to 16 passes at once, worst drain ${ratios.at(-1)?.toFixed(2)} a lease`,
    );
    return [
      atMost('evidence.lostPerLease', median, LOST_PER_LEASE_MAX),
      atMost('evidence.doubleDeliveries', sum.double, 0),
      atMost('evidence.lostSources', sum.missing, 0),
      atMost('evidence.settledTwice', sum.twice, 0),
    ];
  },
};
