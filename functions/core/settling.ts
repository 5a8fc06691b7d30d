/**
 * What a terminal pass owes its evidence: a function of its PASS, LEASE and REVIEW rows alone, so that the finalizer run
 * twice, late, or after a crash gives the same table (design section 8).
 */
import type { LeasePage } from '../../schema/lease-page.ts';
import { type PassItem, PROVIDER_AWAY } from '../../schema/pass.ts';
import type { Review, ReviewPage } from '../../schema/review-page.ts';
import type { Unsettled } from './giving-back.ts';

export interface SettlementPlan {
  /** One per source: contiguous from the cursor the pass read from. */
  readonly settle: readonly Review[];
  /** Every other source the LEASE rows name. */
  readonly release: readonly string[];
  /** What became of one of these; undefined: nothing that speaks for or against it. */
  readonly unsettled: (sourceKey: string) => Unsettled | undefined;
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
  const claims = sorted.filter((review) => review.to <= to).reduce((sum, review) => sum + (review.claims ?? 0), 0);
  return { ...first, to, ...(claims > 0 && { claims }) };
}

/**
 * Only a completed pass settles, and only what the REVIEW rows it counted acknowledge. That it leased those sources is
 * not asked here: the fence in the write is, and a run that was cut off may have dropped the LEASE rows already.
 */
export function planSettlement(
  pass: Pick<PassItem, 'status' | 'reviewRows' | 'failure'>,
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
  const release = [...leased].filter((sourceKey) => !settled.has(sourceKey));
  return { settle: settle as Review[], release, unsettled: judgeUnsettled(pass, release, reviewPages) };
}

/**
 * A pass that was cancelled, or whose provider was away, says nothing of its sources. One that broke off says nothing of
 * those it had read to their end, whether or not its acknowledgements came to count: what it broke off at is among the rest.
 */
function judgeUnsettled(
  pass: Pick<PassItem, 'status' | 'reviewRows' | 'failure'>,
  release: readonly string[],
  reviewPages: readonly ReviewPage[],
): SettlementPlan['unsettled'] {
  if (pass.status === 'completed') {
    const counted = reviewPages.filter((page) => page.n <= pass.reviewRows);
    const rejected = new Set(counted.flatMap((page) => page.rejected ?? []));
    return (sourceKey) => ({ kind: 'stalled', ...(rejected.has(sourceKey) && { rejected: true }) });
  }
  if (pass.status === 'cancelled' || pass.failure?.code === PROVIDER_AWAY) return () => undefined;
  const reviews = reviewPages.flatMap((page) => page.reviews);
  const readToEnd = new Set(reviews.filter(({ to, length }) => to >= length).map(({ sourceKey }) => sourceKey));
  const alone = release.filter((sourceKey) => !readToEnd.has(sourceKey)).length === 1;
  return (sourceKey) => (readToEnd.has(sourceKey) ? undefined : { kind: 'broke-off', alone });
}
