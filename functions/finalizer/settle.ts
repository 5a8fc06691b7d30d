/** Pays what a terminal pass owes its evidence: settles what it acknowledged, releases the rest, drops its LEASE rows. */
import { type EvidenceAddress, type EvidenceItem, parseEvidence, settleEvidence } from '../../schema/evidence.ts';
import { leasePageSchema, queryLeasePages } from '../../schema/lease-page.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import { remove } from '../../schema/request.ts';
import { queryReviewPages, type Review, reviewPageSchema } from '../../schema/review-page.ts';
import { clearEvidenceAttention } from '../io/evidence-attention.ts';
import { readAll } from '../io/read-all.ts';
import type { FinalizerDeps } from './deps.ts';
import { giveBack } from './give-back.ts';

/** Writes at once: enough to settle 1,000 sources well within the function's 60 s, few enough not to swamp a partition. */
const WRITES_AT_ONCE = 32;

export interface Settled {
  /** Sources this pass has settled, whether in this run or in one that was cut off. */
  readonly settled: number;
  /** Of these, in this run. */
  readonly settledNow: number;
  /**
   * Acknowledged by this pass, and settled as far by now, the last move another's: it read on after a run of the finalizer
   * that was cut off, or took the source over. Who looks back cannot tell which; either way the pass was not in vain. Nor was
   * one that read what was erased since, or what its source went back to: nothing tells any more whether it was settled.
   */
  readonly overtaken: number;
  readonly releasedNow: number;
  /** This run put something back that is reason to go on: a source that is not stalled, or the rest of one read in part. */
  readonly leftOver: boolean;
}

async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<boolean>): Promise<number> {
  let done = 0;
  for (let from = 0; from < items.length; from += WRITES_AT_ONCE) {
    const results = await Promise.all(items.slice(from, from + WRITES_AT_ONCE).map(act));
    done += results.filter((result) => result).length;
  }
  return done;
}

export async function settlePass(deps: FinalizerDeps, pass: PassItem): Promise<Settled> {
  const { store } = deps;
  const leaseItems = await readAll(store, (startKey) => queryLeasePages(pass, startKey), LIMITS.passReadsMax);
  const reviewItems = await readAll(store, (startKey) => queryReviewPages(pass, startKey), LIMITS.passReadsMax);
  const leasePages = leaseItems.map((item) => leasePageSchema.parse(item));
  const reviewPages = reviewItems.map((item) => reviewPageSchema.parse(item));
  const plan = deps.decide.planSettlement(pass, leasePages, reviewPages);
  let settledNow = 0;
  let overtaken = 0;
  let partly = false;
  const settled = await inTurns(plan.settle, async (review) => {
    const outcome = await settleOne(deps, pass, review);
    if (outcome === 'now') settledNow++;
    if (outcome === 'now' && review.to < review.length) partly = true;
    if (outcome === 'overtaken') overtaken++;
    return outcome === 'now' || outcome === 'before';
  });
  let returned = 0;
  const releasedNow = await inTurns(plan.release, async (sourceKey) => {
    const given = await giveBack(deps, pass, addressOf(pass, sourceKey), plan.unsettled(sourceKey));
    if (given === 'returned') returned++;
    return given !== 'kept';
  });
  await inTurns(leasePages, async ({ pk, sk }) => (await store.write(remove({ pk, sk }))).kind === 'won');
  return { settled, settledNow, overtaken, releasedNow, leftOver: returned > 0 || partly };
}

type SettleOutcome = 'now' | 'before' | 'overtaken' | 'lost';

async function settleOne(deps: FinalizerDeps, pass: PassItem, review: Review): Promise<SettleOutcome> {
  const { sourceKey, ...range } = review;
  const address = addressOf(pass, sourceKey);
  const settlement = { passId: pass.passId, ...range, nowMs: deps.clock.nowMs(), op: deps.ids.fresh() };
  const outcome = await deps.store.write(settleEvidence(address, settlement));
  const stored = parseEvidence(outcome.kind === 'won' ? outcome.item : outcome.stored);
  // Also of one that an earlier run settled: it may have died before this.
  const isMine = outcome.kind === 'won' || stored?.settledBy === pass.passId;
  if (isMine) await clearEvidenceAttention(deps, address, stored, 'it was read on');
  if (isMine) return outcome.kind === 'won' ? 'now' : 'before';
  const isErased = outcome.kind === 'held' && outcome.stored === undefined;
  return isErased || (stored && (stored.cursor >= range.to || wentBackUnder(pass, stored))) ? 'overtaken' : 'lost';
}

/** Its source went back to that text while the pass read it or later, by two clocks: the cursor stands at its beginning. */
function wentBackUnder(
  { startedAtMs = Number.POSITIVE_INFINITY }: PassItem,
  { putBackAtMs = 0 }: EvidenceItem,
): boolean {
  return putBackAtMs > startedAtMs - LIMITS.leaseMarginMs;
}

function addressOf({ scope, generation, lane }: PassItem, sourceKey: string): EvidenceAddress {
  return { scope, generation, lane, sourceKey };
}
