/** A stream mapping over a small stream of its own and a function that is a fake. */
import { describe, expect, it } from 'vitest';
import type { MessageFaults } from '../../../../infra/local/runtime/fault-options.ts';
import { Faults } from '../../../../infra/local/runtime/faults.ts';
import type { FunctionDefinition, Outcome } from '../../../../infra/local/runtime/environment.ts';
import type { Invoker } from '../../../../infra/local/runtime/function-pool.ts';
import { StreamMapping } from '../../../../infra/local/runtime/stream-mapping.ts';
import type { StreamRecord } from '../../../../infra/local/runtime/table-stream.ts';
import { NOW_MS, SmallStream } from './fixtures/small-stream.ts';

const DLQ_ARN = 'arn:aws:sqs:us-east-1:000000000000:dlq';

type Handle = (names: string[]) => 'fail' | { failed: string[] } | undefined;

interface Opened {
  readonly stream: SmallStream;
  readonly batches: string[][];
  readonly dead: { condition: string; count: number; names: string[] }[];
  /** Resolves when the mapping has nothing left to do. */
  readonly quiet: () => Promise<void>;
  readonly mapping: StreamMapping;
}

function open(
  handle: Handle,
  properties: object = {},
  { faults = {}, before = [] as string[] }: { faults?: MessageFaults; before?: string[] } = {},
): Opened {
  const stream = new SmallStream();
  stream.write(...before);
  const batches: string[][] = [];
  const dead: Opened['dead'] = [];
  const names = (event: string) =>
    (JSON.parse(event) as { Records: StreamRecord[] }).Records.map(({ eventID }) => eventID);
  const sequenceOf = (name: string) =>
    stream.records.find(({ eventID }) => eventID === name)?.dynamodb.SequenceNumber ?? name;
  const pool: Invoker = {
    definition: { name: 'f', arn: 'arn:f' } as FunctionDefinition,
    withdraw: () => false,
    async invoke({ event }): Promise<Outcome> {
      batches.push(names(event));
      const answer = handle(names(event));
      // Another batch may run meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      if (answer === 'fail') return { kind: 'failed', payload: '{}' };
      const batchItemFailures = answer?.failed.map((name) => ({ itemIdentifier: sequenceOf(name) })) ?? [];
      return { kind: 'succeeded', payload: JSON.stringify({ batchItemFailures }) };
    },
  };
  let settle = () => {};
  const mapping = new StreamMapping({
    mapping: {
      logicalId: 'Source',
      type: '',
      ref: '',
      name: '',
      entry: undefined,
      properties: {
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        MaximumRetryAttempts: 2,
        DestinationConfig: { OnFailure: { Destination: DLQ_ARN } },
        ...properties,
      },
    },
    table: 't',
    partitionKey: 'pk',
    streamArn: 'arn:stream',
    source: stream,
    acknowledge: (sequenceNumber) => stream.ackStream('t', sequenceNumber),
    pool,
    delivery: new Faults({ messages: { stream: faults } }, () => {}).deliveries.stream,
    now: () => NOW_MS,
    sendToDestination(arn, body) {
      expect(arn).toBe(DLQ_ARN);
      const { requestContext, DDBStreamBatchInfo: info } = body as {
        requestContext: { condition: string };
        DDBStreamBatchInfo: { batchSize: number; startSequenceNumber: string; endSequenceNumber: string };
      };
      const [first, last] = [info.startSequenceNumber, info.endSequenceNumber].map((number) => Number(number) - 1000);
      const lost = stream.records.slice(first, (last ?? 0) + 1).map(({ eventID }) => eventID);
      dead.push({ condition: requestContext.condition, count: info.batchSize, names: lost });
    },
    retryDelayMs: () => 0,
    onSettled: () => settle(),
  });
  const quiet = () =>
    new Promise<void>((resolve) => {
      settle = () => {
        if (!mapping.isBusy) resolve();
      };
      settle();
    });
  return { stream, batches, dead, quiet, mapping };
}

describe('a stream mapping', () => {
  it('starts at the oldest record, delivers batches of its size, and acknowledges', async () => {
    const { stream, batches, quiet } = open(() => undefined, { BatchSize: 2 }, { before: ['a1', 'a2', 'a3'] });
    await quiet();
    expect(batches).toEqual([['a1', 'a2'], ['a3']]);
    expect(stream.acknowledged).toBe('1002');
    stream.write('a4', 'a5');
    await quiet();
    expect(batches.at(-1)).toEqual(['a4', 'a5']);
  });

  it('acknowledges what its filter drops, without an invocation', async () => {
    const FilterCriteria = {
      Filters: [{ Pattern: JSON.stringify({ dynamodb: { Keys: { sk: { S: [{ prefix: 'b' }] } } } }) }],
    };
    const { stream, batches, quiet } = open(() => undefined, { FilterCriteria }, { before: ['a1', 'b1', 'a2'] });
    await quiet();
    expect(batches).toEqual([['b1']]);
    expect(stream.acknowledged).toBe('1002');
  });

  it('retries a batch that failed, then gives it up and goes on', async () => {
    const { stream, batches, dead, quiet } = open(
      (names) => (names.includes('a1') ? 'fail' : undefined),
      { BatchSize: 2 },
      { before: ['a1', 'a2', 'a3'] },
    );
    await quiet();
    expect(batches).toEqual([['a1', 'a2'], ['a1', 'a2'], ['a1', 'a2'], ['a3']]);
    expect(dead).toEqual([{ condition: 'RetryAttemptsExhausted', count: 2, names: ['a1', 'a2'] }]);
    expect(stream.acknowledged).toBe('1002');
  });

  it('bisects, so that one bad record ends up alone and every other is handled', async () => {
    const handled: string[] = [];
    const handle: Handle = (names) => {
      if (names.includes('a3')) return 'fail';
      handled.push(...names);
      return undefined;
    };
    const { dead, quiet, batches } = open(
      handle,
      { BisectBatchOnFunctionError: true },
      { before: ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'] },
    );
    await quiet();
    expect(handled).toEqual(['a1', 'a2', 'a4', 'a5', 'a6']);
    expect(dead).toEqual([{ condition: 'RetryAttemptsExhausted', count: 1, names: ['a3'] }]);
    expect(batches.filter((batch) => batch.length === 1 && batch[0] === 'a3')).toHaveLength(3);
  });

  it('goes on from the lowest record that was reported, successes behind it included', async () => {
    const failures = new Map([
      ['a4', 1],
      ['a2', 1],
    ]);
    const handle: Handle = (names) => {
      const failed = names.filter((name) => (failures.get(name) ?? 0) > 0);
      for (const name of failed) failures.set(name, 0);
      return { failed };
    };
    const { batches, quiet, dead } = open(handle, {}, { before: ['a1', 'a2', 'a3', 'a4'] });
    await quiet();
    expect(batches).toEqual([
      ['a1', 'a2', 'a3', 'a4'],
      ['a2', 'a3', 'a4'],
    ]);
    expect(dead).toEqual([]);
  });

  it('takes an unknown identifier as failure of the whole batch', async () => {
    let isFirst = true;
    const handle: Handle = () => {
      const failed = isFirst ? ['nobody'] : [];
      isFirst = false;
      return { failed };
    };
    const { batches, quiet } = open(handle, {}, { before: ['a1', 'a2'] });
    await quiet();
    expect(batches).toEqual([
      ['a1', 'a2'],
      ['a1', 'a2'],
    ]);
  });

  it('gives up records that are too old, and only those', async () => {
    const { batches, dead, quiet } = open(
      () => undefined,
      { MaximumRecordAgeInSeconds: 3600 },
      { before: ['a1!', 'a2', 'b1!'] },
    );
    await quiet();
    expect(batches).toEqual([['a2']]);
    expect(dead).toMatchObject([{ condition: 'RecordAgeExceeded', count: 2 }]);
  });

  it('keeps the order of each key while lanes run side by side, and a stuck lane holds the acknowledgement alone', async () => {
    const letters = 'abcdefghij'.split('');
    const names = ['1', '2', '3'].flatMap((round) => letters.map((letter) => letter + round));
    let running = 0;
    let mostRunning = 0;
    let isStuck = true;
    const seen: string[] = [];
    const handle: Handle = (batch) => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      setImmediate(() => {
        running -= 1;
      });
      if (isStuck && batch.some((name) => name.startsWith('a'))) return 'fail';
      seen.push(...batch);
      return undefined;
    };
    const { stream, quiet, batches } = open(
      handle,
      { BatchSize: 1, ParallelizationFactor: 4, MaximumRetryAttempts: -1 },
      { before: names },
    );
    const lanesOpen = () => seen.length;
    for (let before = -1; before !== lanesOpen(); ) {
      before = lanesOpen();
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen.length).toBeGreaterThan(10);
    expect(stream.acknowledged).toBe('');
    isStuck = false;
    await quiet();
    expect(stream.acknowledged).toBe(String(1000 + names.length - 1));
    expect(mostRunning).toBeGreaterThan(1);
    for (const letter of letters) {
      expect(seen.filter((name) => name.startsWith(letter))).toEqual([`${letter}1`, `${letter}2`, `${letter}3`]);
    }
    expect(batches.length).toBeGreaterThan(names.length);
  });

  it('delivers twice and in any order when it is told to', async () => {
    const { batches, quiet } = open(
      () => undefined,
      {},
      { before: ['a1', 'a2', 'a3', 'a4'], faults: { twice: 1, outOfOrder: true } },
    );
    await quiet();
    expect(batches).toHaveLength(2);
    for (const batch of batches) expect(batch.toSorted()).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(batches).not.toEqual([
      ['a1', 'a2', 'a3', 'a4'],
      ['a1', 'a2', 'a3', 'a4'],
    ]);
  });

  it('invokes nothing any more once it is stopped', async () => {
    const { stream, batches, quiet, mapping } = open(() => undefined, {}, { before: ['a1'] });
    await quiet();
    mapping.stop();
    stream.write('a2');
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toEqual([['a1']]);
  });

  it('refuses another starting position and another destination than a queue', () => {
    expect(() => open(() => undefined, { StartingPosition: 'LATEST' })).toThrow(/only TRIM_HORIZON/);
    const DestinationConfig = { OnFailure: { Destination: 'arn:aws:sns:us-east-1:0:topic' } };
    expect(() => open(() => undefined, { DestinationConfig })).toThrow(/only SQS queues/);
  });
});
