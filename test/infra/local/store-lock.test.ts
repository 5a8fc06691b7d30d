import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockStore } from '../../../infra/local/store-lock.ts';
import { UsageError } from '../../../infra/local/usage.ts';
import { makeFolder } from './command-run.ts';

const NOW_MS = Date.UTC(2024, 4, 3, 10);

describe('the lock on a store', () => {
  let made: ReturnType<typeof makeFolder>;
  let data: string;
  const lockFile = (): string => path.join(data, 'nightjar.lock');
  /** The id of a process that was alive and is not. */
  const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid;

  beforeEach(() => {
    made = makeFolder();
    data = path.join(made.folder, 'new/store');
  });
  afterEach(() => made.remove());

  it('is taken in a new folder, and leaves nothing behind when it is released', () => {
    const release = lockStore(data, NOW_MS);
    expect(JSON.parse(readFileSync(lockFile(), 'utf8'))).toEqual({
      pid: process.pid,
      since: '2024-05-03T10:00:00.000Z',
    });
    release();
    expect(readdirSync(data)).toEqual([]);
  });

  it('tells who holds it and since when, and takes nothing away', () => {
    // The process that started the tests lives as long as they do.
    lockStore(data, NOW_MS, process.ppid);
    expect(() => lockStore(data, NOW_MS + 1000)).toThrow(UsageError);
    expect(() => lockStore(data, NOW_MS + 1000)).toThrow(
      new RegExp(`in use by process ${process.ppid} since 2024-05-03T10:00:00\\.000Z`),
    );
    expect(readdirSync(data)).toEqual(['nightjar.lock']);
  });

  it.each([
    ['a process that is gone', () => JSON.stringify({ pid: deadPid(), since: 'long ago' })],
    ['an earlier process of our own id', () => JSON.stringify({ pid: process.pid, since: 'long ago' })],
    ['nobody that can be read', () => 'torn {'],
    ['no process id', () => JSON.stringify({ pid: -1, since: 'long ago' })],
  ])('is taken over from %s', (_, content) => {
    lockStore(data, NOW_MS)();
    writeFileSync(lockFile(), content());
    const release = lockStore(data, NOW_MS);
    expect(JSON.parse(readFileSync(lockFile(), 'utf8'))).toMatchObject({ pid: process.pid });
    release();
    expect(existsSync(lockFile())).toBe(false);
    expect(readdirSync(data)).toEqual([]);
  });
});

describe('a folder that cannot be made', () => {
  it('is one sentence with the reason', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'nightjar-lock-'));
    const file = path.join(folder, 'a-file');
    writeFileSync(file, '');
    expect(() => lockStore(path.join(file, 'below'), 0)).toThrow(/below cannot be made \(ENOTDIR\)/);
    rmSync(folder, { recursive: true });
  });
});
