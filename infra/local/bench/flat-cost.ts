/**
 * What a page of evidence costs at any backlog: pages are taken, for several slot numbers, from queues that differ in how
 * many sources wait, are leased, are stalled or sleep; counted between the worker's code and the database. The difference
 * to the smallest queue must be nothing.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { planDraft } from '../../../functions/core/claim-plan.ts';
import { choosePage } from '../../../functions/core/paging.ts';
import { planReview } from '../../../functions/core/review-plan.ts';
import { createStore } from '../../../functions/io/dynamo.ts';
import { type Leasing, takePage } from '../../../functions/worker/take-page.ts';
import { evidenceAddress, putEvidence } from '../../../schema/evidence.ts';
import { passIdOf, revisionOf, triggerIdOf } from '../../../schema/ids.ts';
import { leasedKey, stalledKey, waitingKey } from '../../../schema/queue.ts';
import { openStack } from '../local-stack.ts';
import type { Observation } from '../runtime/request-counts.ts';
import { Shutdown } from '../shutdown.ts';
import { type Area, atMost } from './figure.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 60 * 60_000;
const SLOT_NUMBERS = [0, 1, 5];
/** Every fourth page asks for what has waited longest: five show each kind of page. */
const PAGES = 5;
const PAGE = { sources: 20, characters: 32_000 };
const LENGTH = 400;

interface Queue {
  readonly name: string;
  /** All of one length: the scope's name is part of what a row weighs. */
  readonly scope: string;
  readonly fresh: number;
  readonly leased: number;
  readonly stalled: number;
  readonly waiting: number;
}
const QUEUES: readonly Queue[] = [
  { name: 'few', scope: 'queue-0', fresh: 1_000, leased: 0, stalled: 0, waiting: 0 },
  { name: 'many', scope: 'queue-1', fresh: 100_000, leased: 0, stalled: 0, waiting: 0 },
  { name: 'leased', scope: 'queue-2', fresh: 1_000, leased: 800, stalled: 0, waiting: 0 },
  { name: 'stalled', scope: 'queue-3', fresh: 1_000, leased: 0, stalled: 50_000, waiting: 0 },
  { name: 'waiting', scope: 'queue-4', fresh: 1_000, leased: 0, stalled: 0, waiting: 50_000 },
];

interface Cost {
  reads: number;
  readUnits: number;
  writes: number;
}

export const flatCost: Area = {
  names: ['evidence.pageExtraReads', 'evidence.pageExtraReadUnits', 'evidence.pageExtraWrites'],
  async measure(note) {
    const shutdown = new Shutdown();
    let cost: Cost = { reads: 0, readUnits: 0, writes: 0 };
    const onRequest = ({ service, operation, consumed }: Observation): void => {
      if (service !== 'dynamodb') return;
      const units = consumed.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
      if (operation === 'Query' || operation === 'GetItem')
        [cost.reads, cost.readUnits] = [cost.reads + 1, cost.readUnits + units];
      else cost.writes++;
    };
    try {
      const stack = await openStack(
        { settings: {}, executor: 'stub', schedules: 'manual', onRequest },
        shutdown,
        () => {},
      );
      const control = Object.entries(stack.runtime.tables).find(([id]) => id.startsWith('StorageControl'))?.[1] ?? '';
      const put = (Item: Record<string, unknown>): void =>
        void stack.runtime.dynamodb.dispatch('PutItem', { TableName: control, Item: marshall(Item) });
      const take = pageTaker(stack.url, control);
      const costs: Cost[][] = [];
      for (const queue of QUEUES) {
        fill(queue, put);
        const own: Cost[] = [];
        for (const slotNumber of SLOT_NUMBERS) {
          const leasing = leasingOf(queue.scope, slotNumber);
          for (let page = 0; page < PAGES; page++) {
            cost = { reads: 0, readUnits: 0, writes: 0 };
            const { taken } = await take(leasing);
            if (taken !== PAGE.sources) throw new Error(`A page of queue "${queue.name}" took ${taken} sources.`);
            own.push(cost);
          }
        }
        costs.push(own);
        const [reads, units] = [sum(own, 'reads'), sum(own, 'readUnits')];
        note(`evidence: ${own.length} pages of "${queue.name}" read ${reads} times, ${units} read units`);
      }
      const [few = [], ...others] = costs;
      const extra = (name: keyof Cost): number =>
        Math.max(...others.flatMap((own) => own.map((it, k) => Math.abs(it[name] - (few[k]?.[name] ?? 0)))));
      return [
        atMost('evidence.pageExtraReads', extra('reads'), 0),
        atMost('evidence.pageExtraReadUnits', extra('readUnits'), 0),
        atMost('evidence.pageExtraWrites', extra('writes'), 0),
      ];
    } finally {
      await shutdown.close();
    }
  },
};

function sum(costs: readonly Cost[], name: keyof Cost): number {
  return costs.reduce((total, it) => total + it[name], 0);
}

/** Takes pages as a worker does. */
function pageTaker(endpoint: string, control: string): (leasing: Leasing) => Promise<{ taken: number }> {
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: 'us-east-1', credentials }));
  let ops = 0;
  const deps = {
    store: createStore(client, { control }),
    clock: { nowMs: () => NOW_MS, sleep: () => Promise.resolve() },
    ids: { fresh: () => `bench-${ops++}` },
    log: { info() {}, warn() {}, error() {}, count() {} },
    queue: { send: () => Promise.resolve() },
    loadExecutor: () => Promise.resolve(undefined),
    decide: { choosePage, planReview, planDraft },
  };
  return async (leasing) => ({ taken: (await takePage(deps, leasing, PAGE)).taken.length });
}

function leasingOf(scope: string, slotNumber: number): Leasing {
  const passId = passIdOf(triggerIdOf(NOW_MS, scope), slotNumber);
  const queue = { scope, generation: 1, lane: 'incremental' } as const;
  return {
    address: { scope, generation: 1, passId },
    reader: { queue, passId, slotNumber, leaseExpiresAtMs: NOW_MS + HOUR_MS },
    position: { after: undefined },
    leasePages: 0,
    leasesLost: 0,
    pages: 0,
  };
}

/** Puts the rows straight into the engine: how they come there is measured apart. */
function fill(queue: Queue, put: (item: Record<string, unknown>) => void): void {
  const other = passIdOf(triggerIdOf(NOW_MS, 'another'), 0);
  const kinds = [
    [queue.fresh, () => ({})],
    [
      queue.leased,
      (key: string, atMs: number) => {
        const expiresAtMs = NOW_MS + HOUR_MS;
        const lease = { leasePass: other, leaseExpiresAtMs: expiresAtMs };
        return { ...lease, queueKey: leasedKey(expiresAtMs, other, key), capturedAtMs: atMs };
      },
    ],
    [queue.stalled, (key: string, atMs: number) => ({ stalls: 3, queueKey: stalledKey(atMs, key) })],
    [queue.waiting, (key: string, atMs: number) => ({ queueKey: waitingKey(NOW_MS + atMs / 1000, key) })],
  ] as const;
  for (const [kind, [count, change]] of kinds.entries()) {
    for (let k = 0; k < count; k++) {
      const capturedAtMs = Date.UTC(2025, 0, 1) + k * 60_000;
      const ref = {
        kind: 'document',
        id: `note-${kind}-${String(k).padStart(7, '0')}`,
        revision: revisionOf(`${k}`),
      } as const;
      const address = evidenceAddress(queue.scope, 1, 'incremental', ref);
      const write = putEvidence(address, { ref, length: LENGTH, tokens: LENGTH / 4, capturedAtMs }, 'fill');
      if (write.kind === 'put') put({ ...write.input.Item, ...change(address.sourceKey, capturedAtMs) });
    }
  }
}
