import { beforeEach, describe, expect, it, vi } from 'vitest';
import { STREAM_RECORDS_MAX, type StreamRecord, TableStream } from '../../../../infra/local/dynamodb/stream.ts';
import type { TableDescription } from '../../../../infra/local/dynamodb/table-description.ts';
import { createDynamoDb } from '../../../../infra/local/dynamodb/engine.ts';
import { item, type Main, MAIN_TABLE, openMain, refusalOf, TABLE } from './main-table.ts';

const NOW_MS = 1_900_000_000_500;

let main: Main;
let nowMs: number;

beforeEach(() => {
  nowMs = NOW_MS;
  main = openMain({ now: () => nowMs });
});

const records = () => main.engine.readStream(TABLE, 0, 1000).records;
const setV = (value: number) => ({ UpdateExpression: 'SET v = :v', ExpressionAttributeValues: item({ ':v': value }) });

describe('a stream record', () => {
  it('tells what a write did', () => {
    main.put({ PK: 'a', SK: '1', v: 1 });
    main.update('a', '1', setV(2));
    main.delete('a', '1');
    const keys = item({ PK: 'a', SK: '1' });
    const [before, after] = [item({ PK: 'a', SK: '1', v: 1 }), item({ PK: 'a', SK: '1', v: 2 })];
    expect(records()).toMatchObject([
      { eventName: 'INSERT', dynamodb: { Keys: keys, NewImage: before } },
      { eventName: 'MODIFY', dynamodb: { Keys: keys, OldImage: before, NewImage: after } },
      { eventName: 'REMOVE', dynamodb: { Keys: keys, OldImage: after } },
    ]);
    expect(records().map(({ dynamodb }) => Object.keys(dynamodb).filter((name) => name.endsWith('Image')))).toEqual([
      ['NewImage'],
      ['NewImage', 'OldImage'],
      ['OldImage'],
    ]);
    expect(records()[0]).toMatchObject({
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: main.engine.streamArn(TABLE),
      dynamodb: {
        ApproximateCreationDateTime: 1_900_000_000,
        SizeBytes: 6 + 6 + 3,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    });
    expect(records().some((record) => 'userIdentity' in record)).toBe(false);
  });

  it.each<[string, string[]]>([
    ['KEYS_ONLY', []],
    ['NEW_IMAGE', ['NewImage']],
    ['OLD_IMAGE', ['OldImage']],
    ['NEW_AND_OLD_IMAGES', ['NewImage', 'OldImage']],
  ])('has the images of its view: %s', (StreamViewType, images) => {
    const engine = createDynamoDb();
    engine.dispatch('CreateTable', { ...MAIN_TABLE, StreamSpecification: { StreamEnabled: true, StreamViewType } });
    for (const v of [1, 2]) engine.dispatch('PutItem', { TableName: TABLE, Item: item({ PK: 'a', SK: '1', v }) });
    const [, modify] = engine.readStream(TABLE, 0, 10).records;
    expect(Object.keys(modify?.dynamodb ?? {}).filter((name) => name.endsWith('Image'))).toEqual(images);
  });

  it('has an id and a sequence number of its own, the later the higher', () => {
    for (let at = 0; at < 20; at++) main.put({ PK: 'a', SK: '1', at });
    const sequence = records().map(({ dynamodb }) => dynamodb.SequenceNumber);
    expect(sequence).toEqual(sequence.toSorted());
    expect(sequence.every((number) => /^[1-9]\d{20}$/.test(number))).toBe(true);
    expect(new Set(sequence).size).toBe(20);
    expect(new Set(records().map(({ eventID }) => eventID)).size).toBe(20);
  });

  it('is not made for a write that changes nothing', () => {
    main.put({ PK: 'a', SK: '1', v: 1, tags: new Set(['x', 'y']), deep: { l: [1] } });
    main.put({ PK: 'a', SK: '1', v: 1, tags: new Set(['y', 'x']), deep: { l: [1] } });
    main.update('a', '1', setV(1));
    main.update('a', '1', { UpdateExpression: 'REMOVE absent' });
    main.update('a', '1', {});
    main.delete('a', 'none');
    expect(
      refusalOf(() => main.update('a', '1', { ...setV(3), ConditionExpression: 'attribute_not_exists(PK)' })),
    ).toBe('ConditionalCheckFailedException');
    expect(records()).toHaveLength(1);
    main.put({ PK: 'a', SK: '1', v: 1, tags: new Set(['y', 'x']), deep: { l: [2] } });
    expect(records()).toHaveLength(2);
  });

  it('is made for every item of a batch', () => {
    const puts = ['1', '2', '3'].map((SK) => ({ PutRequest: { Item: item({ PK: 'a', SK }) } }));
    main.engine.dispatch('BatchWriteItem', { RequestItems: { [TABLE]: puts } });
    expect(records().map(({ dynamodb }) => dynamodb.Keys)).toEqual(puts.map(({ PutRequest }) => PutRequest.Item));
  });
});

describe('a listener', () => {
  it('is called in the turn of the write, with the write made, until it is stopped', () => {
    const seen: [string, unknown][] = [];
    const stop = main.engine.onStream(TABLE, (record) => seen.push([record.eventName, main.get('a', '1')]));
    main.put({ PK: 'a', SK: '1' });
    expect(seen).toEqual([['INSERT', item({ PK: 'a', SK: '1' })]]);
    stop();
    main.delete('a', '1');
    expect(seen).toHaveLength(1);
  });

  it('that throws does not undo the write, nor keep others from hearing of it', () => {
    const thrown: unknown[] = [];
    vi.stubGlobal('queueMicrotask', (act: () => void) => {
      try {
        act();
      } catch (error) {
        thrown.push(error);
      }
    });
    const failure = new Error('listener');
    const other = vi.fn();
    main.engine.onStream(TABLE, () => {
      throw failure;
    });
    main.engine.onStream(TABLE, other);
    expect(refusalOf(() => main.put({ PK: 'a', SK: '1' }))).toBe('none');
    vi.unstubAllGlobals();
    expect(main.get('a', '1')).toBeDefined();
    expect(other).toHaveBeenCalledOnce();
    expect(thrown).toEqual([failure]);
  });

  it('needs a table with a stream', () => {
    const { StreamSpecification: _stream, ...plain } = MAIN_TABLE;
    main.engine.dispatch('CreateTable', { ...plain, TableName: 'Plain' });
    expect(main.engine.streamArn('Plain')).toBeUndefined();
    expect(() => main.engine.onStream('Plain', () => undefined)).toThrow(/has no stream/);
    expect(() => main.engine.readStream('None', 0, 1)).toThrow(/not found/);
  });
});

describe('reading', () => {
  const sequenceOf = (record: StreamRecord | undefined) => record?.dynamodb.SequenceNumber ?? '';
  const places = (from: number, limit: number) => {
    const page = main.engine.readStream(TABLE, from, limit);
    return [page.records.map(({ dynamodb }) => (dynamodb.Keys['SK'] as { S: string }).S), page.nextIndex];
  };

  beforeEach(() => {
    for (const SK of ['0', '1', '2', '3', '4']) main.put({ PK: 'a', SK });
  });

  it('goes on from the index it was given', () => {
    expect(places(0, 2)).toEqual([['0', '1'], 2]);
    expect(places(2, 10)).toEqual([['2', '3', '4'], 5]);
    expect(places(5, 10)).toEqual([[], 5]);
    main.put({ PK: 'a', SK: '5' });
    expect(places(5, 10)).toEqual([['5'], 6]);
  });

  it('drops what is acknowledged and keeps its indexes', () => {
    main.engine.ackStream(TABLE, sequenceOf(records()[2]));
    expect(places(0, 10)).toEqual([['3', '4'], 5]);
    expect(places(4, 10)).toEqual([['4'], 5]);
    main.engine.ackStream(TABLE, sequenceOf(records()[0]));
    main.engine.ackStream(TABLE, sequenceOf(records()[0]));
    expect(places(0, 10)).toEqual([[], 5]);
    main.put({ PK: 'a', SK: '5' });
    expect(places(0, 10)).toEqual([['5'], 6]);
  });

  it('takes an old acknowledgement again, and none of what it has not given out', () => {
    const [first, second] = records();
    main.engine.ackStream(TABLE, sequenceOf(second));
    main.engine.ackStream(TABLE, sequenceOf(first));
    expect(places(0, 10)).toEqual([['2', '3', '4'], 5]);
    for (const unknown of ['100000000000000000006', '6', '', 'x']) {
      expect(() => main.engine.ackStream(TABLE, unknown)).toThrow(RangeError);
    }
    expect(places(0, 10)).toEqual([['2', '3', '4'], 5]);
  });

  it('is bounded when nobody acknowledges: the newest are kept', () => {
    const description = main.engine.dispatch('DescribeTable', { TableName: TABLE })['Table'] as TableDescription;
    const stream = new TableStream(description);
    const count = STREAM_RECORDS_MAX + 20_000;
    const keys = item({ PK: 'b', SK: '1' });
    for (let at = 0; at < count; at++) stream.append({ keys, old: undefined, next: keys, byTtl: false, atSeconds: at });
    const page = stream.read(0, count);
    expect(page.nextIndex).toBe(count);
    expect(page.records.length).toBeGreaterThanOrEqual(STREAM_RECORDS_MAX);
    expect(page.records.length).toBeLessThan(STREAM_RECORDS_MAX + 10_000);
    expect(page.records.at(-1)?.dynamodb.ApproximateCreationDateTime).toBe(count - 1);
  });
});
