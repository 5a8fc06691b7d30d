/** Each fault of a message, on each edge where messages go: seen to happen, and its negative twin without it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '../../../../infra/local/runtime/contract.ts';
import { type Edge, EDGES } from '../../../../infra/local/runtime/fault-options.ts';
import type { Observation } from '../../../../infra/local/runtime/request-counts.ts';
import { startRuntime } from '../../../../infra/local/runtime/runtime.ts';
import { itemsOf, listJobs } from './fixtures/jobs.ts';
import { TEMPLATE } from './fixtures/template.ts';

let runtime: Runtime;
/** Jobs in the order in which they came through behind each edge, repeats included. */
const arrived: Record<Edge, string[]> = { queue: [], event: [], stream: [] };
/** Sort keys of the rows the watcher saw, in order; a row's mark is `SEEN#` before its own. */
const watched: string[] = [];

function note({ functionName, operation, input }: Observation): void {
  const { Item, Key, Payload } = input as {
    Item?: { pk: { S: string } };
    Key?: { pk: { S: string }; sk: { S: string } };
    Payload?: { id: string };
  };
  if (functionName === 'taker' && operation === 'Invoke') arrived.queue.push(Payload?.id ?? '');
  if (functionName === 'doer' && operation === 'PutItem') arrived.event.push(Item?.pk.S ?? '');
  if (functionName === 'watcher' && operation === 'UpdateItem') {
    arrived.stream.push(Key?.pk.S ?? '');
    watched.push(Key?.sk.S.slice('SEEN#'.length) ?? '');
  }
}

beforeAll(async () => {
  runtime = await startRuntime({
    template: TEMPLATE,
    root: `${import.meta.dirname}/fixtures`,
    schedules: 'manual',
    retryDelayMs: () => 5,
    // One environment for each function: what is delivered in order is handled in order.
    environmentsMax: 1,
    onRequest: note,
  });
  for (const name of ['taker', 'doer', 'watcher']) await runtime.warm(name, 1);
});
afterAll(() => runtime.stop());
afterEach(() => {
  runtime.faults.clear();
  for (const list of Object.values(arrived)) list.length = 0;
});

let batches = 0;
/** Eight fresh ids, in order. */
function nameJobs(): string[] {
  batches += 1;
  return Array.from({ length: 8 }, (_, at) => `${batches}-${at}`);
}

const describeJob = (id: string) => ({ QueueUrl: runtime.sqs.queueUrl('Work'), MessageBody: JSON.stringify({ id }) });

/** Puts one batch on the queue, and waits until nothing happens any more. */
async function send(ids: readonly string[]): Promise<void> {
  const Entries = ids.map((id) => ({ Id: id, MessageBody: describeJob(id).MessageBody }));
  await runtime.sqs.call('SendMessageBatch', { QueueUrl: runtime.sqs.queueUrl('Work'), Entries });
  await runtime.idle();
}

const jobsAmong = (ids: readonly string[]) => listJobs(runtime, 'JOB').filter((id) => ids.includes(id));
const seenCount = (id: string) => Number(itemsOf(runtime, id)['SEEN#JOB']?.seen?.N ?? 0);
/** The watcher sees its own marks too, so that it sees each job more than once. */
const firsts = (ids: readonly string[]) => [...new Set(ids)];

describe.each(EDGES)('on the edge %s', (edge) => {
  it('without faults everything is delivered once, and in order', async () => {
    const ids = nameJobs();
    const before = runtime.faults.counts;
    await send(ids);
    // A stream keeps the order of each key only.
    if (edge === 'stream') expect(ids.map(seenCount)).toEqual(ids.map(() => 1));
    else expect(arrived[edge]).toEqual(ids);
    expect(runtime.faults.counts).toEqual(before);
  });

  it('a message is delivered twice', async () => {
    const ids = nameJobs();
    runtime.faults.set({ messages: { [edge]: { twice: 1 } } });
    await send(ids);
    if (edge === 'stream') for (const id of ids) expect(seenCount(id)).toBeGreaterThanOrEqual(2);
    else expect(arrived[edge].toSorted()).toEqual(ids.flatMap((id) => [id, id]));
    expect(runtime.faults.counts[`${edge}.twice`]).toBeGreaterThan(0);
  });

  it('a message is never delivered, leaves nothing behind, and the next one is', async () => {
    const ids = nameJobs();
    runtime.faults.set({ messages: { [edge]: { never: 1 } } });
    await send(ids);
    expect(arrived[edge]).toEqual([]);
    expect(jobsAmong(ids)).toEqual(edge === 'stream' ? ids : []);
    for (const depth of Object.values(runtime.queues)) expect(depth).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    runtime.faults.clear();
    const later = nameJobs();
    await send(later);
    expect(firsts(arrived[edge]).toSorted()).toEqual(later);
    expect(runtime.faults.counts[`${edge}.never`]).toBeGreaterThan(0);
  });

  it('messages are late', async () => {
    const ids = nameJobs();
    runtime.faults.set({ messages: { [edge]: { lateMs: 80 } } });
    // One at a time: each is a batch of its own.
    for (const id of ids) await runtime.sqs.call('SendMessage', describeJob(id));
    await runtime.idle();
    const came = firsts(arrived[edge]);
    expect(came.toSorted()).toEqual(ids);
    // Events overtake each other; a stream's lane has one batch under way at a time.
    if (edge === 'event') expect(came).not.toEqual(ids);
    expect(runtime.faults.counts[`${edge}.late`]).toBeGreaterThan(0);
  });
});

describe('the messages of a batch', () => {
  it('of a queue come in any order', async () => {
    const ids = nameJobs();
    runtime.faults.set({ messages: { queue: { outOfOrder: true } } });
    await send(ids);
    expect(arrived.queue.toSorted()).toEqual(ids);
    expect(arrived.queue).not.toEqual(ids);
  });

  it.each([true, false])(
    'of a stream come in any order, those of one key too, and else in theirs: %s',
    async (outOfOrder) => {
      const ids = nameJobs().map((id) => `JOB#${id}`);
      runtime.faults.set({ messages: { stream: { outOfOrder } } });
      const pk = { S: `rows-${outOfOrder}` };
      // In one turn, so that they are one batch.
      for (const id of ids) runtime.dynamodb.dispatch('PutItem', { TableName: 'Jobs', Item: { pk, sk: { S: id } } });
      await runtime.idle();
      const came = watched.filter((sk) => ids.includes(sk));
      expect(came.toSorted()).toEqual(ids);
      if (outOfOrder) expect(came).not.toEqual(ids);
      else expect(came).toEqual(ids);
    },
  );
});

describe('a share', () => {
  it('strikes some and spares others, the same ones for the same seed', async () => {
    const places = async (seed: number) => {
      const ids = nameJobs();
      runtime.faults.set({ seed, messages: { queue: { never: 0.5 } } });
      await send(ids);
      return jobsAmong(ids).map((id) => ids.indexOf(id));
    };
    const [first, again, other] = [await places(1), await places(1), await places(2)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(8);
  });
});
