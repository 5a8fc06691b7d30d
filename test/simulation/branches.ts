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

interface Range {
  readonly start: number;
  readonly end: number;
  readonly isFunction: boolean;
  readonly count: number;
}

function rangesOf(branches: Readonly<Record<string, number>>): Range[] {
  return Object.entries(branches).map(([name, count]) => {
    const [start = 0, end = 0] = name.split(':').map(Number);
    return { start, end, isFunction: name.endsWith(':f'), count };
  });
}

const placeOf = ({ start, isFunction }: Range): string => `${start}${isFunction ? ':f' : ''}`;

/** How often the code at the beginning of a branch ran. One that V8 did not tell of ran as often as what stands around it. */
function countAt({ start, isFunction }: Range, ranges: readonly Range[], known: ReadonlyMap<string, Range>): number {
  const same = known.get(placeOf({ start, isFunction, end: 0, count: 0 }));
  if (same || isFunction) return same?.count ?? 0;
  const around = ranges.filter((range) => range.start <= start && start < range.end);
  return (
    around.reduce<Range | undefined>((a, b) => (a && a.end - a.start <= b.end - b.start ? a : b), undefined)?.count ?? 0
  );
}

/**
 * Adds what another thread counted. V8 tells of a branch only where it ran otherwise than what stands around it, and joins
 * neighbours that ran alike: so a branch is known by where it begins, and ends where the shorter one does.
 */
export function addBranches(sum: BranchCounts, part: BranchCounts): void {
  for (const [path, branches] of Object.entries(part)) {
    const [ours, theirs] = [rangesOf(sum[path] ?? {}), rangesOf(branches)];
    if (ours.length === 0) {
      sum[path] = { ...branches };
      continue;
    }
    const [mine, other] = [ours, theirs].map((ranges) => new Map(ranges.map((range) => [placeOf(range), range]))) as [
      Map<string, Range>,
      Map<string, Range>,
    ];
    const merged = [...new Set([...mine.keys(), ...other.keys()])].map((place) => {
      const ranges = [mine.get(place), other.get(place)].filter((range) => range !== undefined);
      const [range] = ranges as [Range, ...Range[]];
      const end = Math.min(...ranges.map((one) => one.end));
      const count = countAt(range, ours, mine) + countAt(range, theirs, other);
      return [`${range.start}:${end}${range.isFunction ? ':f' : ''}`, count] as const;
    });
    sum[path] = Object.fromEntries(merged);
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
