import { describe, expect, it } from 'vitest';
import { findUnreached, type ScriptCoverage } from './unreached.ts';

const SOURCE = `const used = (a) => (a ? 'yes' : 'no');
// A comment.
function never() {
  return 1;
}
`;

/** A report in which the module ran, `used` so often, and these stretches of it not at all. */
function reportOf(runs: Record<string, number>): ScriptCoverage {
  const ranges = Object.entries(runs).map(([text, count]) => {
    const startOffset = SOURCE.indexOf(text);
    return { ranges: [{ startOffset, endOffset: startOffset + text.length, count }] };
  });
  return {
    url: 'file:///x.ts',
    functions: [{ ranges: [{ startOffset: 0, endOffset: SOURCE.length, count: 1 }] }, ...ranges],
  };
}

const NEVER = 'function never() {\n  return 1;\n}';

describe('what was never run', () => {
  it('is told with its line and its beginning', () => {
    expect(findUnreached(SOURCE, [reportOf({ [NEVER]: 0, "'no'": 0 })])).toEqual([
      { line: 1, text: "'no'" },
      { line: 3, text: 'function never() { return 1; }' },
    ]);
  });

  it('is what no process ran', () => {
    const reports = [reportOf({ [NEVER]: 0, "'no'": 0 }), reportOf({ [NEVER]: 0, "'yes'": 0 })];
    expect(findUnreached(SOURCE, reports)).toEqual([{ line: 3, text: 'function never() { return 1; }' }]);
  });

  it('is counted by the innermost range', () => {
    expect(findUnreached(SOURCE, [reportOf({ [NEVER]: 0, 'return 1;': 2 })])).toEqual([
      { line: 3, text: 'function never() {' },
    ]);
  });

  it('is nothing where only brackets and comments are left', () => {
    expect(findUnreached(SOURCE, [reportOf({ '\n// A comment.\n': 0, '{\n': 0 })])).toEqual([]);
  });
});
