/**
 * Which branches of the shipped code the schedules went through, as V8 counts its blocks: a function is one, and each
 * part of it that may be passed over is another. What is never loaded is one branch that was missed.
 */
import { globSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Decisions, runs and the builders of conditional writes: what the proof is about. */
export const COUNTED = ['functions/core/*.ts', 'functions/*/run.ts', 'schema/*.ts'];
const SHOWN_CHARACTERS = 70;

/** File → branch (`start:end` in the source, `:f` for a whole function) → how often it ran. Crosses from a thread. */
export type BranchCounts = Record<string, Record<string, number>>;

/** Counts from here on, what is loaded from here on. Answers how to read the counts. */
export async function countBranches(): Promise<() => Promise<BranchCounts>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const wanted = new Set(globSync(COUNTED, { cwd: ROOT }));
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    session.disconnect();
    const counts: BranchCounts = {};
    for (const { url, functions } of result) {
      const path = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)).replaceAll('\\', '/') : '';
      if (!wanted.has(path)) continue;
      const branches = (counts[path] ??= {});
      for (const { ranges } of functions) {
        for (const [k, { startOffset, endOffset, count }] of ranges.entries()) {
          const name = `${startOffset}:${endOffset}${k === 0 ? ':f' : ''}`;
          branches[name] = (branches[name] ?? 0) + count;
        }
      }
    }
    return counts;
  };
}

export function addBranches(sum: BranchCounts, part: BranchCounts): void {
  for (const [path, branches] of Object.entries(part)) {
    const into = (sum[path] ??= {});
    for (const [name, count] of Object.entries(branches)) into[name] = (into[name] ?? 0) + count;
  }
}

export interface BranchReport {
  readonly branches: number;
  readonly reached: number;
  /** `path:line text`, in order. */
  readonly missed: readonly string[];
}

export function reportBranches(counts: BranchCounts): BranchReport {
  const missed: string[] = [];
  let branches = 0;
  for (const path of globSync(COUNTED, { cwd: ROOT }).sort()) {
    const counted = counts[path];
    if (!counted) {
      branches++;
      missed.push(`${path}:1 never loaded`);
      continue;
    }
    const source = readFileSync(`${ROOT}/${path}`, 'utf8');
    for (const [name, count] of Object.entries(counted)) {
      branches++;
      if (count > 0) continue;
      const [start = 0, end = 0] = name.split(':').map(Number);
      const line = source.slice(0, start).split('\n').length;
      const text = source.slice(start, Math.min(end, start + SHOWN_CHARACTERS)).replaceAll(/\s+/g, ' ');
      missed.push(`${path}:${line} ${text.trim()}`);
    }
  }
  return { branches, reached: branches - missed.length, missed };
}
