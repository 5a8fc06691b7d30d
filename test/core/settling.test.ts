import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planSettlement } from '../../functions/core/settling.ts';
import type { LeasePage } from '../../schema/lease-page.ts';
import { PROVIDER_AWAY } from '../../schema/pass.ts';
import type { ReviewPage } from '../../schema/review-page.ts';

const leases = (...sourceKeys: string[]): LeasePage => ({ v: 1, pk: 'p', sk: 's', sourceKeys, expiresAtMs: 0 });
const page = (n: number, ...reviews: [string, number, number][]): ReviewPage => ({
  v: 1,
  n,
  reviews: reviews.map(([sourceKey, from, to]) => ({ sourceKey, from, to, length: 100 })),
});

describe('planSettlement', () => {
  it('settles what a completed pass acknowledged and releases the rest it may hold', () => {
    const plan = planSettlement(
      { status: 'completed', reviewRows: 1 },
      [leases('a', 'b'), leases('c')],
      [page(1, ['a', 0, 100])],
    );
    expect(plan.settle).toEqual([{ sourceKey: 'a', from: 0, to: 100, length: 100 }]);
    expect(plan.release).toEqual(['b', 'c']);
  });

  it.each(['failed', 'cancelled', 'expired'] as const)('settles nothing of a %s pass', (status) => {
    const plan = planSettlement({ status, reviewRows: 1 }, [leases('a')], [page(1, ['a', 0, 100])]);
    expect(plan.settle).toEqual([]);
    expect(plan.release).toEqual(['a']);
    const blamed = status !== 'cancelled' && { kind: 'broke-off', alone: false };
    expect(planSettlement({ status, reviewRows: 0 }, [leases('a', 'b')], []).unsettled('a')).toEqual(
      blamed || undefined,
    );
  });

  it('says of what a completed pass did not acknowledge that it stalled', () => {
    const plan = planSettlement({ status: 'completed', reviewRows: 1 }, [leases('a', 'b')], [page(1, ['a', 0, 100])]);
    expect(plan.unsettled('b')).toEqual({ kind: 'stalled' });
  });

  it.each(['failed', 'expired'] as const)('blames a %s pass on what it had not read to the end', (status) => {
    const reviews = [page(1, ['a', 0, 100], ['b', 0, 60])];
    const plan = planSettlement({ status, reviewRows: 0 }, [leases('a', 'b', 'c')], reviews);
    expect(['a', 'b', 'c'].map(plan.unsettled)).toEqual([
      undefined,
      { kind: 'broke-off', alone: false },
      { kind: 'broke-off', alone: false },
    ]);
    const alone = planSettlement({ status, reviewRows: 0 }, [leases('a', 'b')], reviews);
    expect(alone.unsettled('b')).toEqual({ kind: 'broke-off', alone: true });
  });

  it('blames no source for a pass whose provider was away', () => {
    const failure = { code: PROVIDER_AWAY, message: 'quota' };
    const plan = planSettlement({ status: 'failed', reviewRows: 0, failure }, [leases('a')], []);
    expect(plan.unsettled('a')).toBeUndefined();
  });

  it('counts only as many REVIEW rows as the terminal write named', () => {
    const pages = [page(1, ['a', 0, 100]), page(2, ['b', 0, 100])];
    expect(planSettlement({ status: 'completed', reviewRows: 1 }, [leases('a', 'b')], pages).release).toEqual(['b']);
    expect(planSettlement({ status: 'completed', reviewRows: 2 }, [leases('a', 'b')], pages).release).toEqual([]);
  });

  it('joins fragments of one source, and stops at a gap', () => {
    const joined = [page(1, ['a', 0, 40]), page(2, ['a', 40, 90])];
    expect(planSettlement({ status: 'completed', reviewRows: 2 }, [leases('a')], joined).settle[0]).toMatchObject({
      from: 0,
      to: 90,
    });
    const gap = [page(1, ['a', 0, 40]), page(2, ['a', 50, 90])];
    expect(planSettlement({ status: 'completed', reviewRows: 2 }, [leases('a')], gap).settle[0]).toMatchObject({
      from: 0,
      to: 40,
    });
  });

  it('plans the same whether the LEASE rows still stand or a run that was cut off dropped them', () => {
    const reviews = [page(1, ['a', 0, 100])];
    const before = planSettlement({ status: 'completed', reviewRows: 1 }, [leases('a')], reviews);
    const after = planSettlement({ status: 'completed', reviewRows: 1 }, [], reviews);
    expect(after.settle).toEqual(before.settle);
  });

  it('neither settles and releases one source, nor forgets one it may hold', () => {
    const ref = fc.constantFrom('a', 'b', 'c', 'd');
    fc.assert(
      fc.property(
        fc.array(fc.array(ref, { maxLength: 4 }), { maxLength: 4 }),
        fc.array(fc.tuple(ref, fc.integer({ min: 0, max: 99 }), fc.integer({ min: 1, max: 100 })), { maxLength: 8 }),
        fc.constantFrom('completed', 'failed', 'expired'),
        (pages, reviewed, status) => {
          const reviews = reviewed.map(([key, from, to], k) => page(k + 1, [key, Math.min(from, to), to]));
          const plan = planSettlement(
            { status, reviewRows: 5 },
            pages.map((keys) => leases(...keys)),
            reviews,
          );
          const settled = plan.settle.map((review) => review.sourceKey);
          expect(settled.filter((key) => plan.release.includes(key))).toEqual([]);
          expect(new Set(settled).size).toBe(settled.length);
          for (const key of pages.flat()) expect([...settled, ...plan.release]).toContain(key);
        },
      ),
    );
  });
});
