/** Keeps a second engine off a log that is in use: two writers would tear each other's lines. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * The locks of this process. A lock file may also bear our own id by chance: containers hand out the same ids again.
 */
const held = new Set<string>();

/**
 * Takes `<path>.lock`, which holds the id of the owner's process. A lock whose owner is gone is taken over.
 * Returns the function that releases it. Throws an Error while the owner lives.
 */
export function lockLog(path: string): () => void {
  const lockPath = `${path}.lock`;
  const owner = readOwner(lockPath);
  if (owner !== undefined && isAlive(owner, lockPath)) {
    throw new Error(
      `The DynamoDB log ${path} is in use by process ${owner}. Stop that process, or delete ${lockPath} if it is none of ours.`,
    );
  }
  if (owner !== undefined) rmSync(lockPath, { force: true });
  // 'wx' fails when somebody else was quicker.
  writeFileSync(lockPath, String(process.pid), { flag: 'wx' });
  held.add(lockPath);
  return () => {
    held.delete(lockPath);
    rmSync(lockPath, { force: true });
  };
}

function readOwner(lockPath: string): number | undefined {
  try {
    return Number(readFileSync(lockPath, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(owner: number, lockPath: string): boolean {
  if (owner === process.pid) return held.has(lockPath);
  if (!Number.isSafeInteger(owner) || owner <= 0) return false;
  try {
    // Signal 0 only asks.
    process.kill(owner, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
