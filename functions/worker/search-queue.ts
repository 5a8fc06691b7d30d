/** The queue form of `search_evidence`: goes on with what was given in part, else leases a page and delivers it. */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { releaseEvidence } from '../../schema/evidence-return.ts';
import { LIMITS } from '../../schema/limits.ts';
import { countAsked } from '../core/asked-count.ts';
import type { PageRoom } from '../core/paging.ts';
import { readFragments, type Want } from './delivery.ts';
import { DELIVERY_CLOSED, HELD_BY_OTHERS, LOST_PAGE, NOTHING_LEFT, SET_ASIDE } from './empty-pages.ts';
import type { EvidencePage } from './executor/executor.ts';
import { peekPage } from './peek-page.ts';
import type { Reading } from './reading.ts';
import { PassLostError } from './session-errors.ts';
import { addressOf, type TakenPage, takePage } from './take-page.ts';

/**
 * A page of which no text stands any more is passed over: what was erased may have left evidence that its next look takes,
 * and a page without items would say that nothing is left, to a pass that then got nowhere.
 */
export async function searchQueue(reading: Reading, limit: number | undefined): Promise<EvidencePage> {
  while (!isDeliveryClosed(reading)) {
    const page = await searchOnce(reading, limit);
    if (page !== undefined) return page;
  }
  return DELIVERY_CLOSED;
}

/** Undefined: nothing of the page it took has a text. */
async function searchOnce(reading: Reading, limit: number | undefined): Promise<EvidencePage | undefined> {
  const { started, held, reviews } = reading;
  const { pass } = started;
  await reviews.flush();
  const sources = countAsked(limit, pass.pageSources);
  const continued = held.continuations().slice(0, sources);
  if (continued.length > 0) return deliver(reading, continued, true);
  const room = {
    sources: Math.min(sources, LIMITS.sourcesPerPassMax - held.size),
    characters: pass.pageCharacters,
  };
  const { holds } = reading.leasing;
  const page = await takePageAgain(reading, room);
  if (page.lostAll) return LOST_PAGE;
  const { taken, more, heldByOthers } = page;
  if (taken.length === 0 && page.setAside) return SET_ASIDE;
  if (taken.length === 0) {
    reading.sawEmptyQueue = true;
    return heldByOthers ? HELD_BY_OTHERS : NOTHING_LEFT;
  }
  for (const item of taken) held.add(item);
  try {
    await reading.mustLive();
  } catch (error) {
    if (error instanceof PassLostError && !reading.proposals) await giveBack(reading, taken);
    throw error;
  }
  const delivered = await deliver(
    reading,
    taken.map((item) => ({ item, start: item.cursor })),
    more,
  );
  if (delivered.items.length > 0) return delivered;
  // What nobody can read casts doubt on nobody: it keeps nothing from being read beside it.
  if (holds === undefined) delete reading.leasing.holds;
  return undefined;
}

/** Asks again after losing every race for a page: who lost them all has not seen the end of the queue. */
async function takePageAgain(reading: Reading, room: PageRoom): Promise<TakenPage> {
  let page = await takeOnce(reading, room);
  for (let again = 0; page.lostAll && again < LIMITS.lostPagesMax && !isDeliveryClosed(reading); again++) {
    await reading.mustLive();
    reading.mustBeOpen();
    page = await takeOnce(reading, room);
  }
  return page;
}

/** A dry run looks at its page, and leaves it in the queue. */
function takeOnce({ deps, leasing, held, proposals }: Reading, room: PageRoom): Promise<TakenPage> {
  if (!proposals) return takePage(deps, leasing, room);
  const sources = Math.min(room.sources, LIMITS.dryRunSourcesMax - held.size);
  return peekPage(deps, leasing, { ...room, sources }, proposals.read);
}

/**
 * Half of the pass's time is for taking, half for finishing. A pass takes at most 1,000 sources, and no page whose LEASE
 * or REVIEW rows might go beyond what the finalizer reads: a text of any length is read by passes that follow each other.
 * A dry run reads as much as tells what a pass would do, and no more than it can take down.
 */
function isDeliveryClosed({ deps, started, leasing, held, reviews, proposals, counters }: Reading): boolean {
  const isEnough = held.size >= LIMITS.dryRunSourcesMax || counters.pages >= LIMITS.dryRunPagesMax;
  if (proposals && (isEnough || proposals.isFull)) return true;
  const { startedAtMs, deadlineAtMs } = started;
  const closesAtMs = startedAtMs + (deadlineAtMs - startedAtMs) / 2;
  const leasesFull = leasing.leasePages + LIMITS.refillMax + 1 > LIMITS.pagesPerPassMax;
  if (reviews.isFull || leasesFull) return true;
  return deps.clock.nowMs() >= closesAtMs || held.size >= LIMITS.sourcesPerPassMax;
}

async function deliver(reading: Reading, wants: readonly Want[], more: boolean): Promise<EvidencePage> {
  const { deps, started, held, counters } = reading;
  const { scope, generation, pageCharacters } = started.pass;
  const delivered = await readFragments(deps.store, { scope, generation, budget: pageCharacters }, wants);
  held.noteDelivered(delivered);
  counters.pages++;
  counters.delivered += delivered.length;
  const items = delivered.map(({ fragment }) => fragment);
  const continues = items.some((item) => item.end < item.length);
  return { items, hasMore: items.length > 0 && (more || continues) };
}

async function giveBack({ deps, started, leasing }: Reading, taken: readonly EvidenceItem[]): Promise<void> {
  const { passId } = started.pass;
  await Promise.all(
    taken.map((item) => {
      const release = { passId, orderly: true, op: deps.ids.fresh() };
      return deps.store.write(releaseEvidence(addressOf(leasing, item), release));
    }),
  );
}
