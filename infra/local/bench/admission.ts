/**
 * What one tick of the schedule costs in requests, whatever sleeps, waits or is parked: counted between the scheduler and
 * the database on 10,000 scopes, against the same tick on the few that have work alone.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import { ITEM_VERSION } from '../../../schema/table.ts';
import { DUE, IDLE, PARKED, scopeKey } from '../../../schema/scope.ts';
import { openStack } from '../local-stack.ts';
import type { Observation } from '../runtime/request-counts.ts';
import { ScopeClient } from '../scope-client.ts';
import { Shutdown } from '../shutdown.ts';
import { type Area, atMost } from './figure.ts';
import { makeBodies } from './load.ts';

const SCOPES = 10_000;
const WITH_WORK = 3;
const IDLE_READS_MAX = 4;
const HOUR_MS = 60 * 60_000;

type Sleep = 'idle' | 'parked' | 'waiting';

interface TickCost {
  readonly reads: number;
  readonly writes: number;
}

export const admission: Area = {
  names: ['admission.idleReads', 'admission.idleWrites', 'admission.idleExtraReads', 'admission.parkedExtraReads'],
  async measure(note) {
    const asleep = await measureTick({ withWork: 0, sleeping: SCOPES, as: ['idle'] });
    const alone = await measureTick({ withWork: WITH_WORK, sleeping: 0, as: ['idle'] });
    const others = SCOPES - WITH_WORK;
    const amongIdle = await measureTick({ withWork: WITH_WORK, sleeping: others, as: ['idle'] });
    const amongParked = await measureTick({ withWork: WITH_WORK, sleeping: others, as: ['parked', 'waiting'] });
    note(
      `admission: a tick reads ${asleep.reads} times when ${SCOPES} scopes are idle, ${alone.reads} times with ${WITH_WORK} scopes that have work, ${amongIdle.reads} with ${others} idle beside them, ${amongParked.reads} with ${others} parked or waiting`,
    );
    return [
      atMost('admission.idleReads', asleep.reads, IDLE_READS_MAX),
      atMost('admission.idleWrites', asleep.writes, 0),
      atMost('admission.idleExtraReads', amongIdle.reads - alone.reads, 0),
      atMost('admission.parkedExtraReads', amongParked.reads - alone.reads, 0),
    ];
  },
};

interface Scene {
  readonly withWork: number;
  readonly sleeping: number;
  /** In turns. */
  readonly as: readonly Sleep[];
}

/** One tick on a fresh stack. Throws when it did not serve the scopes that have work. */
async function measureTick({ withWork, sleeping, as }: Scene): Promise<TickCost> {
  const shutdown = new Shutdown();
  const seen: Observation[] = [];
  try {
    const settings = { maxWaitMs: 0, maxConcurrentPasses: 10 };
    const stack = await openStack(
      { settings, executor: 'stub', schedules: 'manual', onRequest: (request) => seen.push(request) },
      shutdown,
      () => {},
    );
    const control = Object.entries(stack.runtime.tables).find(([name]) => name.startsWith('StorageControl'))?.[1];
    const nowMs = Date.now();
    for (let k = 0; k < sleeping; k++) {
      const Item = marshall(sleepingScope(`asleep-${k}`, as[k % as.length] ?? 'idle', nowMs));
      stack.runtime.dynamodb.dispatch('PutItem', { TableName: control, Item });
    }
    for (let k = 0; k < withWork; k++) {
      const client = new ScopeClient(stack.url, `work-${k}`);
      for (const body of makeBodies({ sources: 5, characters: 400 })) await client.putSources(body);
    }
    await stack.runtime.warm('scheduler', 1);
    const before = seen.length;
    await stack.runtime.tick();
    const own = seen
      .slice(before)
      .filter(({ service, functionName }) => service === 'dynamodb' && functionName === 'scheduler');
    await stack.runtime.idle();
    const { passes } = stack.observer.figures;
    if (passes !== withWork) throw new Error(`The tick began ${passes} passes for ${withWork} scopes with work.`);
    const reads = own.filter(({ operation }) => READS.has(operation)).length;
    return { reads, writes: own.length - reads };
  } finally {
    await shutdown.close();
  }
}

const READS: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query']);

/** The row of a scope that no tick should look at: nothing waits, it is paused, or its time has not come. */
function sleepingScope(scope: string, as: Sleep, nowMs: number): Record<string, unknown> {
  const row = { ...scopeKey(scope), v: ITEM_VERSION, scope, generation: 1, backlogVersion: 1, workDueAtMs: nowMs };
  if (as === 'idle') return { ...row, workPartition: IDLE };
  if (as === 'parked') return { ...row, workPartition: PARKED, paused: true };
  return { ...row, workPartition: DUE, workDueAtMs: nowMs + HOUR_MS };
}
