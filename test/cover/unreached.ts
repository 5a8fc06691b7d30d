/** What V8's block coverage says of one source text: the stretches that no process ran. */

/** A range counts for what lies in it, unless a range inside it says otherwise. */
export interface CountedRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly CountedRange[] }[];
}

export interface Stretch {
  readonly line: number;
  /** The beginning of it, on one line. */
  readonly text: string;
}

const SHOWN_CHARACTERS = 100;
/** What is left of a branch when its code is taken away. */
const NOTHING = /^[\s{}();,:?]*$/;

/** The stretches of `source` that ran in none of the processes that report on it. */
export function findUnreached(source: string, reports: readonly ScriptCoverage[]): Stretch[] {
  const wasRun = new Uint8Array(source.length);
  for (const report of reports) {
    const runs = countRuns(source.length, report);
    runs.forEach((count, at) => {
      if (count > 0) wasRun[at] = 1;
    });
  }
  const stretches: Stretch[] = [];
  for (let from = wasRun.indexOf(0); from >= 0; from = wasRun.indexOf(0, from)) {
    const end = wasRun.indexOf(1, from);
    const to = end < 0 ? source.length : end;
    const text = source.slice(from, to).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    if (!NOTHING.test(text)) stretches.push(describeStretch(source, from, text));
    from = to;
  }
  return stretches;
}

/** How often each character ran in one process; functions stand in the order of their beginnings, outer before inner. */
function countRuns(length: number, { functions }: ScriptCoverage): Uint32Array {
  const runs = new Uint32Array(length);
  const ranges = functions.flatMap((one) => one.ranges);
  const outerFirst = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of outerFirst) runs.fill(count, startOffset, endOffset);
  return runs;
}

function describeStretch(source: string, from: number, text: string): Stretch {
  const line = source.slice(0, from).split('\n').length;
  return { line, text: text.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN_CHARACTERS) };
}
