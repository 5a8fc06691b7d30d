/** What the log does when the disk refuses: nothing is half written, nothing is lost, and it says so. */
import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogFile } from '../../../../infra/local/dynamodb/log-file.ts';
import { item, openMain, TABLE } from './main-table.ts';

const { writeSync } = fs;
let folder: string;
let logPath: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nightjar-disk-'));
  logPath = join(folder, 'dynamodb.jsonl');
});

afterEach(() => {
  setWrite(writeSync);
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function setWrite(write: typeof fs.writeSync): void {
  fs.writeSync = write;
  syncBuiltinESMExports();
}

/** A disk that takes half of what it is given, and then nothing more. */
function fillDisk(): void {
  let isFull = false;
  const half = (file: number, bytes: Buffer, offset: number, length: number, position: number): number => {
    if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    isFull = true;
    return writeSync(file, bytes, offset, length >> 1, position);
  };
  setWrite(half as typeof fs.writeSync);
}

const put = (SK: string) => JSON.stringify({ TableName: TABLE, Item: item({ PK: 'a', SK }) });

describe('a disk that is full', () => {
  it('refuses the write, changes nothing, and leaves no torn line behind', () => {
    const main = openMain({ logPath });
    main.put({ PK: 'a', SK: '1' });
    const before = readFileSync(logPath, 'utf8');
    fillDisk();
    const answer = main.engine.respond('DynamoDB_20120810.PutItem', put('2'));
    expect([answer.status, answer.body]).toEqual([500, expect.stringContaining('no space left')]);
    expect(main.get('a', '2')).toBeUndefined();
    expect(main.engine.readStream(TABLE, 0, 10).records).toHaveLength(1);
    expect(readFileSync(logPath, 'utf8')).toBe(before);
    setWrite(writeSync);
    expect(main.engine.respond('DynamoDB_20120810.PutItem', put('2')).status).toBe(200);
    main.engine.close();
  });

  it('keeps the old file when it cannot be replaced', () => {
    const file = new LogFile(logPath, () => undefined);
    file.append('"kept"');
    fillDisk();
    expect(() => file.replace(['"new"'])).toThrow(/no space left/);
    setWrite(writeSync);
    expect(existsSync(`${logPath}.new`)).toBe(false);
    file.append('"after"');
    expect(readFileSync(logPath, 'utf8')).toBe('"kept"\n"after"\n');
    file.close();
  });

  it('is told of when the log cannot be compacted, and no write fails of it', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const main = openMain({ logPath });
    mkdirSync(`${logPath}.new`);
    // 50 puts of 100 KB: compaction starts at 4 MiB.
    for (let at = 0; at < 50; at++) main.put({ PK: 'big', SK: '1', at, filler: 'x'.repeat(100_000) });
    expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/could not be compacted: Error: EISDIR/));
    expect(main.get('big', '1')).toMatchObject(item({ at: 49 }));
    rmSync(`${logPath}.new`, { recursive: true });
    main.engine.close();
  });
});

describe('a lock that cannot be read', () => {
  it('is an error, not taken for none', () => {
    mkdirSync(`${logPath}.lock`);
    expect(() => openMain({ logPath })).toThrow(/EISDIR/);
  });
});

describe('what a compacted log holds', () => {
  it('is written in blocks, and a time to live that was ended stays so', () => {
    const main = openMain({ logPath });
    const setTtl = (Enabled: boolean) =>
      main.engine.dispatch('UpdateTimeToLive', {
        TableName: TABLE,
        TimeToLiveSpecification: { Enabled, AttributeName: 'ttl' },
      });
    setTtl(true);
    setTtl(false);
    for (let at = 0; at < 8; at++) main.put({ PK: 'big', SK: `${at}`, filler: 'x'.repeat(300_000) });
    const copy = join(folder, 'copy.jsonl');
    fs.copyFileSync(logPath, copy);
    const killed = openMain({ logPath: copy });
    expect(killed.engine.dispatch('DescribeTimeToLive', { TableName: TABLE })).toEqual({
      TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' },
    });
    killed.engine.close();
    const items = main.engine.items(TABLE);
    main.engine.close();
    const reopened = openMain({ logPath });
    expect(reopened.engine.items(TABLE)).toEqual(items);
    reopened.engine.close();
  });
});
