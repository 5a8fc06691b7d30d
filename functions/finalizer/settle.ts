/** Pays what a terminal pass owes its evidence: settles what it acknowledged, releases the rest, drops its LEASE rows. */
import { type EvidenceAddress, getEvidence, parseEvidence, settleEvidence } from '../../schema/evidence.ts';
import { quarantineEvidence, releaseEvidence } from '../../schema/evidence-return.ts';
import { leasePageSchema, queryLeasePages } from '../../schema/lease-page.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import { remove } from '../../schema/request.ts';
import { queryReviewPages, type Review, reviewPageSchema } from '../../schema/review-page.ts';
import type { Unsettled } from '../core/giving-back.ts';
import { readAll } from '../io/read-all.ts';
import type { FinalizerDeps } from './deps.ts';

/** Writes at once: enough to settle 1,000 sources well within the function's 60 s, few enough not to swamp a partition. */
const WRITES_AT_ONCE = 32;

export interface Settled {
  /** Sources this pass has settled, whether in this run or in one that was cut off. */
  readonly settled: number;
  /** Of these, in this run. */
  readonly settledNow: number;
  /**
   * Acknowledged by this pass, and settled as far by now, the last move another's: it read on after a run of the finalizer
   * that was cut off, or took the source over. Who looks back cannot tell which; either way the pass was not in vain.
   */
  readonly overtaken: number;
  readonly releasedNow: number;
  /** This run put something back into the queue: a source given back, or the rest of one read in part. */
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
  const releasedNow = await inTurns(plan.release, (sourceKey) =>
    giveBack(deps, pass, sourceKey, plan.unsettled(sourceKey)),
  );
  await inTurns(leasePages, async ({ pk, sk }) => (await store.write(remove({ pk, sk }))).kind === 'won');
  return { settled, settledNow, overtaken, releasedNow, leftOver: releasedNow > 0 || partly };
}

/**
 * Whether the source stands in the queue again by this. What it is told by is read first: under the lease of a pass that
 * has ended, only who ends it writes.
 */
async function giveBack(
  deps: FinalizerDeps,
  pass: PassItem,
  sourceKey: string,
  unsettled: Unsettled | undefined,
): Promise<boolean> {
  const { store, ids, clock } = deps;
  const { passId } = pass;
  const address = addressOf(pass, sourceKey);
  const nowMs = clock.nowMs();
  const row = unsettled && parseEvidence(await store.get(getEvidence(address)));
  if (unsettled && row?.leasePass !== passId) return false;
  const plan = unsettled && row && deps.decide.planReturn(row, sourceKey, unsettled, nowMs);
  if (plan?.kind === 'quarantine') {
    const { crashesAlone } = plan;
    const quarantine = { passId, crashesAlone, nowMs, op: ids.fresh() };
    const outcome = await store.write(quarantineEvidence(address, quarantine));
    if (outcome.kind === 'won') {
      deps.log.warn('source quarantined', { passId, sourceKey, crashesAlone });
      return false;
    }
  }
  const given = plan?.kind === 'release' ? plan : { orderly: true, marks: {} };
  const { orderly, marks } = given;
  const outcome = await store.write(releaseEvidence(address, { passId, orderly, marks, op: ids.fresh() }));
  return outcome.kind === 'won';
}

type SettleOutcome = 'now' | 'before' | 'overtaken' | 'lost';

async function settleOne(deps: FinalizerDeps, pass: PassItem, review: Review): Promise<SettleOutcome> {
  const { sourceKey, from, to, length } = review;
  const settlement = { passId: pass.passId, from, to, length, nowMs: deps.clock.nowMs(), op: deps.ids.fresh() };
  const outcome = await deps.store.write(settleEvidence(addressOf(pass, sourceKey), settlement));
  if (outcome.kind === 'won') return 'now';
  const stored = parseEvidence(outcome.stored);
  if (stored?.settledBy === pass.passId) return 'before';
  return stored && stored.cursor >= to ? 'overtaken' : 'lost';
}

function addressOf({ scope, generation, lane }: PassItem, sourceKey: string): EvidenceAddress {
  return { scope, generation, lane, sourceKey };
}
