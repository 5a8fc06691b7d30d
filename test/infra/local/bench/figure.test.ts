import { describe, expect, it } from 'vitest';
import { atLeast, atMost, describeFigure } from '../../../../infra/local/bench/figure.ts';

describe('a figure beside its bound', () => {
  it.each([
    [atMost('a', 1.05, 1.05), true],
    [atMost('a', 1.0500001, 1.05), false],
    [atLeast('a', 2.9, 2.9), true],
    [atLeast('a', 2.8999, 2.9), false],
  ])('%j', (figure, ok) => {
    expect(figure.ok).toBe(ok);
  });

  it('reads as a line', () => {
    expect(describeFigure(atLeast('drain.speedup.3', 2.5, 2.9))).toMatch(
      /^drain\.speedup\.3 +2\.5 +bound +2\.9 +MISSED$/,
    );
    expect(describeFigure({ ...atMost('a', 1, 0), ok: 'not valid' })).toMatch(/not valid$/);
  });
});
