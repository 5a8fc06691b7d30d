/**
 * Keeps two commands off one store. The lock is a file in the data folder with its owner's process id; the lock of a
 * process that is gone is taken over, so that nobody has to clean up after a killed run.
 */
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from './usage.ts';

interface Owner {
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
}

const LOCK_FILE = 'nightjar.lock';
/** Each round either takes the lock, finds a living owner, or was beaten by somebody; nobody is beaten so often. */
const ROUNDS_MAX = 10;

/** Level by level: where a folder cannot be made at all, a recursive call may never come back. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    if (existsSync(folder)) return;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`The folder ${folder} cannot be made (${code}): name one for --data that can.`);
  }
}

/**
 * Takes the lock of a data folder, which is made if need be. Returns the function that releases it. Throws a UsageError
 * that says who holds it.
 */
export function lockStore(dataDir: string, nowMs: number, pid: number = process.pid): () => void {
  const lockPath = path.join(dataDir, LOCK_FILE);
  const own: Owner = { pid, since: new Date(nowMs).toISOString() };
  makeFolder(dataDir);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (placeLock(lockPath, own)) return () => rmSync(lockPath, { force: true });
    const text = readLock(lockPath);
    if (text === undefined) continue;
    const owner = parseOwner(text);
    if (owner !== undefined && isAlive(owner.pid, pid)) {
      throw new UsageError(
        `The store ${dataDir} is in use by process ${owner.pid} since ${owner.since}: wait for it or stop it (and delete ${lockPath} if that process is none of Nightjar's).`,
      );
    }
    setAside(lockPath, text);
  }
  throw new UsageError(`The store ${dataDir} could not be locked: others take ${lockPath} again and again.`);
}

/** Puts the lock, whole from its first moment on; false when there is one. */
function placeLock(lockPath: string, own: Owner): boolean {
  const draft = `${lockPath}.${own.pid}`;
  writeFileSync(draft, JSON.stringify(own));
  try {
    linkSync(draft, lockPath);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    return placeUnlinked(lockPath, own);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** For file systems without hard links. */
function placeUnlinked(lockPath: string, own: Owner): boolean {
  try {
    writeFileSync(lockPath, JSON.stringify(own), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readLock(lockPath: string): string | undefined {
  try {
    return readFileSync(lockPath, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, since } = JSON.parse(text) as Partial<Owner>;
    return typeof pid === 'number' && typeof since === 'string' ? { pid, since } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Takes a dead process's lock away. By renaming, which only one of two can do; whoever finds that it took a lock put
 * meanwhile gives it back.
 */
function setAside(lockPath: string, expected: string): void {
  const aside = `${lockPath}.aside-${process.pid}`;
  try {
    renameSync(lockPath, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readFileSync(aside, 'utf8') === expected) rmSync(aside, { force: true });
  else renameSync(aside, lockPath);
}

/** A lock with our own id was left by a process of the same id, as containers hand them out: this one has none yet. */
function isAlive(pid: number, ownPid: number): boolean {
  if (pid === ownPid || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    // Signal 0 only asks.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
