/** Goal: branches that threads counted apart are added as what they are, also where one thread saw less of them apart. */
import { describe, expect, it } from 'vitest';
import { addBranches, type BranchCounts } from './branches.ts';

const added = (...parts: readonly Record<string, number>[]): Record<string, number> => {
  const sum: BranchCounts = {};
  for (const part of parts) addBranches(sum, { 'a.ts': part });
  return sum['a.ts'] ?? {};
};

describe('branches of two threads', () => {
  it('are added where both tell of them', () => {
    expect(added({ '0:100:f': 4, '10:20': 1 }, { '0:100:f': 2, '10:20': 2 })).toEqual({ '0:100:f': 6, '10:20': 3 });
  });

  it('count as often as what stands around them in a thread that does not tell of them', () => {
    expect(added({ '0:100:f': 4, '10:20': 0 }, { '0:100:f': 3 })).toEqual({ '0:100:f': 7, '10:20': 3 });
    expect(added({ '0:100:f': 3 }, { '0:100:f': 4, '10:20': 0 })).toEqual({ '0:100:f': 7, '10:20': 3 });
  });

  it('are one branch where they begin alike and a thread joined one with its neighbour', () => {
    const joined = { '0:100:f': 4, '50:100': 0 };
    const apart = { '0:100:f': 4, '50:80': 2, '85:95': 0 };
    expect(added(joined, apart)).toEqual({ '0:100:f': 8, '50:80': 2, '85:95': 0 });
  });

  it('stay missed where no thread went through them', () => {
    expect(added({ '0:100:f': 4, '10:20': 0 }, { '0:100:f': 2, '10:20': 0 })['10:20']).toBe(0);
    expect(added({ '0:100:f': 0 }, { '0:100:f': 0 })).toEqual({ '0:100:f': 0 });
  });

  it('of a function within tell nothing of what stands around it', () => {
    expect(added({ '0:100:f': 4, '10:20:f': 0 }, { '0:100:f': 3 })).toEqual({ '0:100:f': 7, '10:20:f': 0 });
  });
});
