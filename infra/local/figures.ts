/** The figures of one run: the line that `--json` prints, the summary for people, and what they mean for the exit code. */
import type { ClaimBody } from '../../functions/reader/claim-body.ts';
import type { ObservedFigures } from './observer.ts';
import type { RequestCounts } from './runtime/request-counts.ts';
import type { StoreCount } from './store-count.ts';

export interface RunFigures {
  /** Files taken in as sources, also those that were known before. */
  readonly sources: number;
  /** Of these: nothing of their text waits any more. */
  readonly settled: number;
  /** Leases that passes took in this run: each is one revision given to one pass. */
  readonly deliveries: number;
  /** Of these: while another pass that had been given the same revision was still running. */
  readonly doubleDeliveries: number;
  /** Leased evidence and LEASE rows in the table at the end. */
  readonly leasesLeft: number;
  /** Passes that started in this run. */
  readonly passes: number;
  /** Most of them running at once. */
  readonly peakPasses: number;
  /** Current claims of the scope. */
  readonly claims: number;
  readonly superseded: number;
  /** From the first drain asked for to the moment when nothing waited, was held or ran. */
  readonly wallMs: number;
  /** Requests to each service by operation, those of reading the memory included. */
  readonly requests: RequestCounts['operations'];
  /** Capacity units counted on this machine; never measured on AWS. */
  readonly units: { readonly write: number; readonly read: number };
}

interface Parts {
  readonly sources: number;
  readonly observed: ObservedFigures;
  readonly store: StoreCount;
  readonly claims: readonly ClaimBody[];
  readonly requests: RequestCounts;
  readonly wallMs: number;
}

export function gatherFigures({ sources, observed, store, claims, requests, wallMs }: Parts): RunFigures {
  const units = Object.values(requests.units);
  return {
    sources,
    settled: store.settled,
    deliveries: observed.deliveries,
    doubleDeliveries: observed.doubleDeliveries,
    leasesLeft: store.leasesLeft,
    passes: observed.passes,
    peakPasses: observed.peakPasses,
    claims: claims.filter(({ state }) => state === 'active').length,
    superseded: claims.filter(({ state }) => state === 'superseded').length,
    wallMs: Math.round(wallMs),
    requests: requests.operations,
    units: {
      write: roundUnits(units.reduce((sum, { write }) => sum + write, 0)),
      read: roundUnits(units.reduce((sum, { read }) => sum + read, 0)),
    },
  };
}

/** Units come in halves. */
function roundUnits(units: number): number {
  return Math.round(units * 2) / 2;
}

/** Whether everything was settled once and nothing is held. */
export function isInOrder({ sources, settled, doubleDeliveries, leasesLeft }: RunFigures): boolean {
  return settled === sources && doubleDeliveries === 0 && leasesLeft === 0;
}

/** The figures in a few lines for people. */
export function summarize(figures: RunFigures): string[] {
  const { sources, settled, deliveries, doubleDeliveries, leasesLeft, passes, peakPasses, wallMs, units } = figures;
  const seconds = (wallMs / 1000).toFixed(1);
  const work =
    passes === 0
      ? 'nothing was new, so no pass ran'
      : `${count(passes, 'pass', 'passes')} in ${seconds} s, ${peakPasses} at once at most`;
  const requests = Object.values(figures.requests.dynamodb).reduce((sum, one) => sum + one, 0);
  return [
    `${settled} of ${count(sources, 'source', 'sources')} settled: ${work}.`,
    `${count(deliveries, 'delivery', 'deliveries')}, ${doubleDeliveries} to two passes at once; ${count(leasesLeft, 'lease', 'leases')} left behind.`,
    `${requests} requests to DynamoDB, ${units.write} write units, ${units.read} read units (counted here, not measured on AWS).`,
  ];
}

export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
