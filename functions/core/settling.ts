/**
 * What a terminal pass owes its evidence: a function of its PASS, LEASE and REVIEW rows alone, so that the finalizer run
 * twice, late, or after a crash gives the same table (design section 8).
 */
import type { LeasePage } from '../../schema/lease-page.ts';
import type { PassItem } from '../../schema/pass.ts';
import type { Review, ReviewPage } from '../../schema/review-page.ts';

export interface SettlementPlan {
  /** One per source: contiguous from the cursor the pass read from. */
  readonly settle: readonly Review[];
  /** Every other source the LEASE rows name. */
  readonly release: readonly string[];
  /** Whether the pass ended by itself: then the sources it gives back start anew in attempts. */
  readonly orderly: boolean;
}

/** Joins the reviews of one source into the contiguous range from the lowest start; a gap stops it. */
function joinReviews(reviews: readonly Review[]): Review | undefined {
  const sorted = [...reviews].sort((a, b) => a.from - b.from || a.to - b.to);
  const [first, ...rest] = sorted;
  if (!first) return undefined;
  let { to } = first;
  for (const next of rest) {
    if (next.from > to) break;
    to = Math.max(to, next.to);
  }
  return { ...first, to };
}

/**
 * Only a completed pass settles, and only what the REVIEW rows it counted acknowledge. That it leased those sources is
 * not asked here: the fence in the write is, and a run that was cut off may have dropped the LEASE rows already.
 */
export function planSettlement(
  pass: Pick<PassItem, 'status' | 'reviewRows'>,
  leasePages: readonly LeasePage[],
  reviewPages: readonly ReviewPage[],
): SettlementPlan {
  const leased = new Set(leasePages.flatMap((page) => page.sourceKeys));
  const bySource = new Map<string, Review[]>();
  const counted = pass.status === 'completed' ? reviewPages.filter((page) => page.n <= pass.reviewRows) : [];
  for (const review of counted.flatMap((page) => page.reviews)) {
    const known = bySource.get(review.sourceKey);
    if (known) known.push(review);
    else bySource.set(review.sourceKey, [review]);
  }
  const settle = [...bySource.values()]
    .map(joinReviews)
    .filter((review) => review !== undefined && review.to > review.from);
  const settled = new Set(settle.map((review) => review?.sourceKey));
  return {
    settle: settle as Review[],
    release: [...leased].filter((sourceKey) => !settled.has(sourceKey)),
    orderly: pass.status !== 'expired',
  };
}
