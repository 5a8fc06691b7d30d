import { fork } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DynamoDb } from '../../../../infra/local/dynamodb/engine.ts';
import { item, type Main, openMain, TABLE } from './main-table.ts';

let folder: string;
let logPath: string;
let copies: number;
let opened: DynamoDb[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nightjar-dynamodb-'));
  logPath = join(folder, 'state', 'dynamodb.jsonl');
  copies = 0;
  opened = [];
});

afterEach(() => {
  for (const engine of opened) engine.close();
  rmSync(folder, { recursive: true });
});

function open(path = logPath): Main {
  const main = openMain({ logPath: path });
  opened.push(main.engine);
  return main;
}

function close(main: Main): void {
  main.engine.close();
  opened = opened.filter((engine) => engine !== main.engine);
}

/** Opens the log as it stands on the disk now, as if its engine had been killed. */
function openAsAfterKill(): Main {
  const copy = join(folder, `copy-${copies++}.jsonl`);
  copyFileSync(logPath, copy);
  return open(copy);
}

/** All a reader can see of an engine. */
function observe({ engine }: Main) {
  const { CreationDateTime: _created, ...table } = engine.dispatch('DescribeTable', { TableName: TABLE })[
    'Table'
  ] as Record<string, unknown>;
  return {
    table,
    timeToLive: engine.dispatch('DescribeTimeToLive', { TableName: TABLE }),
    items: engine.items(TABLE).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    index: engine.dispatch('Query', {
      TableName: TABLE,
      IndexName: 'GSI1',
      KeyConditionExpression: 'GSI1PK = :g',
      ExpressionAttributeValues: item({ ':g': 'g' }),
    }),
    stream: engine.readStream(TABLE, 0, 10_000),
  };
}

function writeSomething(main: Main): void {
  main.engine.dispatch('UpdateTimeToLive', {
    TableName: TABLE,
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
  });
  for (let at = 0; at < 5; at++)
    main.put({ PK: 'a', SK: String(at), GSI1PK: 'g', GSI1SK: `s${9 - at}`, text: 'é€\u{1F600}\n"' });
  main.update('a', '1', {
    UpdateExpression: 'SET v = :v REMOVE GSI1PK',
    ExpressionAttributeValues: item({ ':v': [1, { k: 'x' }] }),
  });
  main.delete('a', '2');
  main.put({ PK: 'a', SK: 'due', ttl: Math.floor(Date.now() / 1000) - 10 });
  main.engine.sweepTtl();
}

describe('an engine with a log', () => {
  it('finds everything again after a kill and after a close', () => {
    const main = open();
    writeSomething(main);
    const before = observe(main);
    expect(before.items).toHaveLength(4);
    expect(before.stream.records).toHaveLength(9);
    expect(before.stream.records.at(-1)?.userIdentity?.type).toBe('Service');
    expect(observe(openAsAfterKill())).toEqual(before);
    close(main);
    const reopened = open();
    expect(observe(reopened)).toEqual(before);
  });

  it('gives new records numbers after the old ones', () => {
    const main = open();
    writeSomething(main);
    close(main);
    const reopened = open();
    reopened.put({ PK: 'a', SK: 'more' });
    const numbers = reopened.engine.readStream(TABLE, 0, 100).records.map(({ dynamodb }) => dynamodb.SequenceNumber);
    expect(numbers).toHaveLength(10);
    expect(numbers).toEqual([...new Set(numbers)].toSorted());
  });

  it('delivers again what was not acknowledged, and only that', () => {
    const main = open();
    writeSomething(main);
    const { records } = main.engine.readStream(TABLE, 0, 100);
    main.engine.ackStream(TABLE, records[3]?.dynamodb.SequenceNumber ?? '');
    const left = { records: records.slice(4), nextIndex: 9 };
    expect(openAsAfterKill().engine.readStream(TABLE, 0, 100)).toEqual(left);
    close(main);
    const reopened = open();
    expect(reopened.engine.readStream(TABLE, 0, 100)).toEqual(left);
    reopened.engine.ackStream(TABLE, records[8]?.dynamodb.SequenceNumber ?? '');
    expect(openAsAfterKill().engine.readStream(TABLE, 0, 100)).toEqual({ records: [], nextIndex: 9 });
  });

  it('forgets a dropped table', () => {
    const main = open();
    writeSomething(main);
    main.engine.dispatch('DeleteTable', { TableName: TABLE });
    expect(openAsAfterKill().engine.items(TABLE)).toEqual([]);
  });

  it('logs nothing for a write that changes nothing, or is refused', () => {
    const main = open();
    writeSomething(main);
    const sizeBytes = statSync(logPath).size;
    main.update('a', '3', { UpdateExpression: 'REMOVE absent' });
    expect(() => main.put({ PK: 'a', SK: '3' }, { ConditionExpression: 'attribute_not_exists(PK)' })).toThrow();
    main.delete('a', 'none');
    expect(statSync(logPath).size).toBe(sizeBytes);
  });

  it('makes no change the log refuses', () => {
    const main = open();
    close(main);
    const put = JSON.stringify({ TableName: TABLE, Item: item({ PK: 'late', SK: '1' }) });
    const answer = main.engine.respond('DynamoDB_20120810.PutItem', put);
    expect(answer.status).toBe(500);
    expect(answer.body).toContain('is closed');
    expect(main.get('late', '1')).toBeUndefined();
    expect(main.engine.readStream(TABLE, 0, 10).records).toEqual([]);
  });
});

describe('a torn last line', () => {
  it('is dropped and cut off, wherever it was torn', () => {
    const main = open();
    main.put({ PK: 'a', SK: '1' });
    const before = observe(main);
    const wholeBytes = statSync(logPath).size;
    main.put({ PK: 'a', SK: '2', text: 'é' });
    const bytes = readFileSync(logPath);
    for (let cut = wholeBytes; cut < bytes.length; cut += 7) {
      const torn = join(folder, `torn-${cut}.jsonl`);
      writeFileSync(torn, bytes.subarray(0, cut));
      const reopened = open(torn);
      expect(observe(reopened)).toEqual(before);
      expect(statSync(torn).size).toBe(wholeBytes);
      reopened.put({ PK: 'a', SK: '3' });
      const after = observe(reopened);
      truncateSync(torn, statSync(torn).size);
      copyFileSync(torn, `${torn}.again`);
      expect(observe(open(`${torn}.again`))).toEqual(after);
    }
  });

  it.each([
    ['is not JSON', 'not json\n'],
    ['names an unknown table', `${JSON.stringify({ kind: 'write', table: 'None', at: 1, put: {} })}\n`],
  ])('is no excuse for a whole line that %s', (_what, line) => {
    close(open());
    appendFileSync(logPath, line);
    expect(() => open()).toThrow(/Line \d+ of the DynamoDB log .* cannot be applied/);
    expect(existsSync(`${logPath}.lock`)).toBe(false);
  });
});

describe('compaction', () => {
  it('keeps the log within a few times what lives, and loses nothing', () => {
    const main = open();
    writeSomething(main);
    for (let at = 0; at < 200; at++) {
      main.put({ PK: 'big', SK: '1', at, filler: 'x'.repeat(100_000) });
      const { records } = main.engine.readStream(TABLE, 0, 1000);
      if (at > 0) main.engine.ackStream(TABLE, records.at(-2)?.dynamodb.SequenceNumber ?? '');
    }
    // 200 puts of 100 KB make 20 MB of lines; compaction starts at 4 MiB.
    expect(statSync(logPath).size).toBeLessThan(4.4 * 1024 * 1024);
    const before = observe(main);
    expect(before.stream.records).toHaveLength(1);
    expect(observe(openAsAfterKill())).toEqual(before);
    close(main);
    expect(statSync(logPath).size).toBeLessThan(400_000);
    expect(observe(open())).toEqual(before);
  });
});

describe('a log in use', () => {
  it('is not opened twice, and is free again after close', () => {
    const main = open();
    expect(() => open()).toThrow(/is in use by process/);
    close(main);
    open();
  });

  it.each([
    ['of a process that is gone', '999999999'],
    ['of a process that had our id', String(process.pid)],
    ['that was not written to the end', ''],
  ])('is taken over when the lock is one %s', (_what, owner) => {
    close(open());
    writeFileSync(`${logPath}.lock`, owner);
    open();
  });

  it('is not taken from a process that lives', () => {
    close(open());
    writeFileSync(`${logPath}.lock`, String(process.ppid));
    expect(() => open()).toThrow(/is in use by process/);
  });
});

/** Starts the writer, kills it once it has reported `reports` more numbers, and returns the highest reported. */
async function killWriterAfter(reports: number): Promise<number> {
  const child = fork(join(import.meta.dirname, 'log-writer.ts'), [logPath], {
    execPath: process.execPath,
    execArgv: [],
  });
  let highest = -1;
  let count = 0;
  child.on('message', (n) => {
    highest = Number(n);
    if (++count === reports) child.kill('SIGKILL');
  });
  const signal = await new Promise((resolve) => child.once('exit', (_code, by) => resolve(by)));
  expect(signal).toBe('SIGKILL');
  return highest;
}

describe('a killed process', () => {
  it('has lost nothing it had answered, and left nothing half done', async () => {
    for (const [kill, reports] of [1, 137, 400].entries()) {
      const highest = await killWriterAfter(reports);
      const { engine } = openAsAfterKill();
      const items = engine.items(TABLE);
      const numbered = items
        .filter(({ SK }) => SK !== undefined && 'S' in SK && SK.S !== '1')
        .map(({ SK }) => Number((SK as { S: string }).S));
      expect(numbered.toSorted((a, b) => a - b)).toEqual(Array.from({ length: numbered.length }, (_, at) => at));
      expect(numbered.length).toBeGreaterThan(highest);
      const counter = items.find(({ PK }) => PK !== undefined && 'S' in PK && PK.S === 'counter');
      const counted = Number((counter?.['n'] as { N: string } | undefined)?.N);
      // Each kill may fall between the two writes of a number, and what it left behind stays so.
      expect(counted).toBeLessThanOrEqual(numbered.length);
      expect(counted).toBeGreaterThanOrEqual(numbered.length - (kill + 1));
      expect(engine.readStream(TABLE, 0, 100_000).nextIndex).toBe(numbered.length + counted);
    }
  });
});
