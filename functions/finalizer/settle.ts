/** Pays what a terminal pass owes its evidence: settles what it acknowledged, releases the rest, drops its LEASE rows. */
import { type EvidenceAddress, parseEvidence, releaseEvidence, settleEvidence } from '../../schema/evidence.ts';
import { leasePageSchema, queryLeasePages } from '../../schema/lease-page.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import { remove } from '../../schema/request.ts';
import { queryReviewPages, type Review, reviewPageSchema } from '../../schema/review-page.ts';
import { readAll } from '../io/read-all.ts';
import type { FinalizerDeps } from './deps.ts';

/** Writes at once: enough to settle 1,000 sources well within the function's 60 s, few enough not to swamp a partition. */
const WRITES_AT_ONCE = 32;
// 200 rows a page of reads: more than a pass can ever put.
const READ_PAGES_MAX = Math.ceil(LIMITS.pagesPerPassMax / 200) + 1;

export interface Settled {
  /** Sources this pass has settled, whether in this run or in one that was cut off. */
  readonly settled: number;
  /** Of these, in this run. */
  readonly settledNow: number;
  readonly releasedNow: number;
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
  const leaseItems = await readAll(store, (startKey) => queryLeasePages(pass, startKey), READ_PAGES_MAX);
  const reviewItems = await readAll(store, (startKey) => queryReviewPages(pass, startKey), READ_PAGES_MAX);
  const leasePages = leaseItems.map((item) => leasePageSchema.parse(item));
  const reviewPages = reviewItems.map((item) => reviewPageSchema.parse(item));
  const plan = deps.decide.planSettlement(pass, leasePages, reviewPages);
  let settledNow = 0;
  const settled = await inTurns(plan.settle, async (review) => {
    const outcome = await settleOne(deps, pass, review);
    if (outcome === 'now') settledNow++;
    return outcome !== 'lost';
  });
  const releasedNow = await inTurns(plan.release, async (sourceKey) => {
    const release = { passId: pass.passId, orderly: plan.orderly, op: deps.ids.fresh() };
    return (await store.write(releaseEvidence(addressOf(pass, sourceKey), release))).kind === 'won';
  });
  await inTurns(leasePages, async ({ pk, sk }) => (await store.write(remove({ pk, sk }))).kind === 'won');
  return { settled, settledNow, releasedNow };
}

async function settleOne(deps: FinalizerDeps, pass: PassItem, review: Review): Promise<'now' | 'before' | 'lost'> {
  const { sourceKey, from, to, length } = review;
  const settlement = { passId: pass.passId, from, to, length, nowMs: deps.clock.nowMs(), op: deps.ids.fresh() };
  const outcome = await deps.store.write(settleEvidence(addressOf(pass, sourceKey), settlement));
  if (outcome.kind === 'won') return 'now';
  return parseEvidence(outcome.stored)?.settledBy === pass.passId ? 'before' : 'lost';
}

function addressOf({ scope, generation, lane }: PassItem, sourceKey: string): EvidenceAddress {
  return { scope, generation, lane, sourceKey };
}
