import { describe, expect, it } from 'vitest';
import { makeBodies } from '../../../../infra/local/bench/load.ts';
import { findCeiling, speedups } from '../../../../infra/local/bench/speedup.ts';

describe('the load of the speedup', () => {
  it('is made of different sources of one length, at most 50 a body', () => {
    const bodies = [...makeBodies({ sources: 120, characters: 1_600 })].map(
      (body) => (JSON.parse(body) as { sources: { id: string; text: string }[] }).sources,
    );
    expect(bodies.map((sources) => sources.length)).toEqual([50, 50, 20]);
    const sources = bodies.flat();
    expect(new Set(sources.map(({ text }) => text.length))).toEqual(new Set([1_600]));
    expect(new Set(sources.map(({ text }) => text)).size).toBe(120);
    expect(new Set(sources.map(({ id }) => id)).size).toBe(120);
  });

  it('knows what the replies alone allow', () => {
    expect(findCeiling({ passes: 1, sources: 120, pageSources: 5 })).toBe(1);
    expect(findCeiling({ passes: 3, sources: 120, pageSources: 5 })).toBeCloseTo(2.88, 2);
    expect(findCeiling({ passes: 3, sources: 120, pageSources: 2 })).toBeCloseTo(2.95, 2);
    expect(findCeiling({ passes: 16, sources: 1_600, pageSources: 5 })).toBeCloseTo(15.63, 2);
  });

  it('names a figure for each number of passes', () => {
    expect(speedups.flatMap(({ names }) => names)).toEqual(['drain.speedup.3', 'drain.speedup.8', 'drain.speedup.16']);
  });
});
