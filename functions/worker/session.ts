/**
 * One running pass: the one function behind every tool call. It checks that the pass still runs with its attempt, leases
 * and delivers, keeps what was delivered, and gathers acknowledgements into REVIEW rows, one a page.
 */
import { releaseEvidence } from '../../schema/evidence-return.ts';
import { LIMITS } from '../../schema/limits.ts';
import { heartbeatPass, NO_COUNTERS, type PassCounters, type PassItem } from '../../schema/pass.ts';
import type { Amounts } from '../../schema/usage.ts';
import type { ClaimDraft } from '../core/claim-draft.ts';
import type { PageRoom } from '../core/paging.ts';
import { writeClaims } from './claim-writer.ts';
import { type Delivered, readFragments, type Want } from './delivery.ts';
import type { WorkerDeps } from './deps.ts';
import { listAttention, resolveAttention } from './attention.ts';
import { DELIVERY_CLOSED, HELD_BY_OTHERS, LOST_PAGE, NOTHING_LEFT, SET_ASIDE } from './empty-pages.ts';
import type {
  AttentionAnswer,
  AttentionDecision,
  AttentionPage,
  EvidencePage,
  ReviewAnswer,
  ReviewItem,
  Tools,
} from './executor/executor.ts';
import { acknowledge, type Held, HeldSources } from './held-sources.ts';
import { releaseHeldBack } from './release.ts';
import { ReviewRows } from './review-rows.ts';
import { PassLostError, SessionClosedError } from './session-errors.ts';
import { addressOf, type Leasing, type TakenPage, takePage } from './take-page.ts';

export interface StartedPass {
  readonly pass: PassItem;
  readonly attempt: string;
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
}

export class Session implements Tools {
  readonly #deps: WorkerDeps;
  readonly #started: StartedPass;
  readonly #leasing: Leasing;
  readonly #held = new HeldSources();
  readonly #knownEntities = new Set<string>();
  readonly #reviews: ReviewRows;
  #counters: PassCounters = { ...NO_COUNTERS };
  #sawEmptyQueue = false;
  #lost = false;
  #closed = false;
  /** Tool calls one after another: a model may ask for several at once. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: WorkerDeps, started: StartedPass) {
    this.#deps = deps;
    this.#started = started;
    this.#reviews = new ReviewRows(deps, started.pass);
    const { pass, deadlineAtMs } = started;
    const { scope, generation, lane, passId, slotNumber } = pass;
    this.#leasing = {
      address: pass,
      reader: {
        queue: { scope, generation, lane },
        passId,
        slotNumber,
        // Its worker cannot outlive it: what a pass may still take to end itself is counted in. So it needs no renewal.
        leaseExpiresAtMs: deadlineAtMs + LIMITS.passEndReserveMs + LIMITS.leaseMarginMs,
      },
      position: { after: undefined },
      leasePages: 0,
      leasesLost: 0,
      pages: 0,
    };
  }

  get isLost(): boolean {
    return this.#lost;
  }

  /** What the terminal write says of this pass. */
  summary(): { counters: PassCounters; reviewRows: number; sawEmptyQueue: boolean } {
    const counters = { ...this.#counters, leasesLost: this.#leasing.leasesLost };
    return { counters, reviewRows: this.#reviews.rows, sawEmptyQueue: this.#sawEmptyQueue };
  }

  /** What the executor's model took: the next beat carries it. */
  spend({ tokensIn = 0, tokensOut = 0, costMicroUsd = 0 }: Partial<Amounts>): void {
    this.#counters.tokensIn += tokensIn;
    this.#counters.tokensOut += tokensOut;
    this.#counters.costMicroUsd += costMicroUsd;
  }

  searchEvidence({ limit }: { limit?: number }): Promise<EvidencePage> {
    return this.#take(() => this.#search(limit));
  }

  reviewEvidence(items: readonly ReviewItem[]): Promise<ReviewAnswer> {
    return this.#take(() => this.#review(items));
  }

  listAttention(): Promise<AttentionPage> {
    return this.#take(() => listAttention(this.#deps, this.#started.pass));
  }

  resolveAttention(decision: AttentionDecision): Promise<AttentionAnswer> {
    return this.#take(async () => {
      if (!(await this.beat())) throw new PassLostError(this.#started.pass.passId);
      const answer = await resolveAttention(this.#deps, this.#started.pass, decision);
      if (answer.decided) this.#counters.decided++;
      return answer;
    });
  }

  /** Says that the pass lives; false when it is no longer this attempt's. */
  async beat(): Promise<boolean> {
    const { pass, attempt } = this.#started;
    const { counters } = this.summary();
    const beat = { attempt, nowMs: this.#deps.clock.nowMs(), counters, op: this.#deps.ids.fresh() };
    const outcome = await this.#deps.store.write(heartbeatPass(pass, beat));
    if (outcome.kind === 'held') this.#lost = true;
    return outcome.kind === 'won';
  }

  /**
   * Closes the tools, waits for the call that is under way, and writes the last acknowledgements. The call stops before
   * its next write; one that hangs in a request is left behind when half of what is kept back for ending is gone.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const { clock } = this.#deps;
    const untilMs = clock.nowMs() + LIMITS.passEndReserveMs / 2;
    let isOver = false;
    const over = this.#turn.then(() => {
      isOver = true;
    });
    // One turn of the queue ends a call that is over already, without a timer.
    await Promise.race([over, Promise.resolve()]);
    while (!isOver && !this.#lost && clock.nowMs() < untilMs) {
      const tick = new AbortController();
      const waitMs = Math.min(LIMITS.heartbeatEveryMs, untilMs - clock.nowMs());
      await Promise.race([over, clock.sleep(waitMs, tick.signal)]);
      tick.abort();
      if (!isOver) await this.beat();
    }
    if (!this.#lost) await this.#reviews.flush();
  }

  /** Asked before every write of a long call: a pass that was lost or has ended writes nothing more. */
  #mustBeOpen(): void {
    if (this.#lost) throw new PassLostError(this.#started.pass.passId);
    if (this.#closed) throw new SessionClosedError();
  }

  #take<T>(call: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(async () => {
      this.#mustBeOpen();
      this.#counters.toolCalls++;
      if (this.#counters.toolCalls === 1) await releaseHeldBack(this.#deps, this.#started.pass);
      return call();
    });
    this.#turn = run.catch(() => undefined);
    return run;
  }

  async #search(limit: number | undefined): Promise<EvidencePage> {
    if (this.#isDeliveryClosed()) return DELIVERY_CLOSED;
    await this.#reviews.flush();
    const { pass } = this.#started;
    const sources = Math.max(1, Math.min(limit ?? pass.pageSources, pass.pageSources));
    const continued = this.#held.continuations().slice(0, sources);
    if (continued.length > 0) return this.#deliver(continued, true);
    const room = {
      sources: Math.min(sources, LIMITS.sourcesPerPassMax - this.#held.size),
      characters: pass.pageCharacters,
    };
    const page = await this.#takePage(room);
    if (page.lostAll) return LOST_PAGE;
    const { taken, more, heldByOthers } = page;
    if (taken.length === 0 && page.setAside) return SET_ASIDE;
    if (taken.length === 0) {
      this.#sawEmptyQueue = true;
      return heldByOthers ? HELD_BY_OTHERS : NOTHING_LEFT;
    }
    for (const item of taken) this.#held.add(item);
    if (!(await this.beat())) {
      await this.#giveBack(taken);
      throw new PassLostError(pass.passId);
    }
    return this.#deliver(
      taken.map((item) => ({ item, start: item.cursor })),
      more,
    );
  }

  /** Asks again after losing every race for a page: who lost them all has not seen the end of the queue. */
  async #takePage(room: PageRoom): Promise<TakenPage> {
    let page = await takePage(this.#deps, this.#leasing, room);
    for (let again = 0; page.lostAll && again < LIMITS.lostPagesMax && !this.#isDeliveryClosed(); again++) {
      if (!(await this.beat())) throw new PassLostError(this.#started.pass.passId);
      this.#mustBeOpen();
      page = await takePage(this.#deps, this.#leasing, room);
    }
    return page;
  }

  /**
   * Half of the pass's time is for taking, half for finishing. A pass takes at most 1,000 sources, and no page whose LEASE
   * or REVIEW rows might go beyond what the finalizer reads: a text of any length is read by passes that follow each other.
   */
  #isDeliveryClosed(): boolean {
    const { startedAtMs, deadlineAtMs } = this.#started;
    const closesAtMs = startedAtMs + (deadlineAtMs - startedAtMs) / 2;
    const leasesFull = this.#leasing.leasePages + LIMITS.refillMax + 1 > LIMITS.pagesPerPassMax;
    if (this.#reviews.isFull || leasesFull) return true;
    return this.#deps.clock.nowMs() >= closesAtMs || this.#held.size >= LIMITS.sourcesPerPassMax;
  }

  async #deliver(wants: readonly Want[], more: boolean): Promise<EvidencePage> {
    const { pass } = this.#started;
    const { scope, generation } = pass;
    const delivered = await readFragments(this.#deps.store, { scope, generation, budget: pass.pageCharacters }, wants);
    this.#held.noteDelivered(delivered);
    this.#counters.pages++;
    this.#counters.delivered += delivered.length;
    const items = delivered.map(({ fragment }) => fragment);
    const continues = items.some((item) => item.end < item.length);
    return { items, hasMore: items.length > 0 && (more || continues) };
  }

  async #giveBack(taken: readonly Delivered['item'][]): Promise<void> {
    const { passId } = this.#started.pass;
    await Promise.all(
      taken.map((item) => {
        const release = { passId, orderly: true, op: this.#deps.ids.fresh() };
        return this.#deps.store.write(releaseEvidence(addressOf(this.#leasing, item), release));
      }),
    );
  }

  async #review(items: readonly ReviewItem[]): Promise<ReviewAnswer> {
    // What follows writes claims: a pass that was cancelled or expired meanwhile writes nothing more.
    if (!(await this.beat())) throw new PassLostError(this.#started.pass.passId);
    const refused: { source: string; reason: string; message: string }[] = [];
    let reviewed = 0;
    let claimsWritten = 0;
    for (const item of items) {
      this.#mustBeOpen();
      const held = this.#held.get(item.source);
      if (!held || held.fragments.length === 0) {
        const message = `${item.source} was not delivered to this pass, or all of it is acknowledged`;
        refused.push({ source: item.source, reason: 'not_delivered', message });
        continue;
      }
      const answer = await this.#writeClaims(held, item.claims ?? []);
      claimsWritten += answer.written;
      this.#counters.claims += answer.written;
      refused.push(...answer.refused.map(({ reason, message }) => ({ source: item.source, reason, message })));
      const review = acknowledge(held, item.through);
      if (!review) continue;
      this.#reviews.add(review);
      this.#counters.reviewed++;
      reviewed++;
    }
    return { reviewed, claimsWritten, refused };
  }

  async #writeClaims(held: Held, drafts: readonly ClaimDraft[]) {
    if (drafts.length === 0) return { written: 0, refused: [] };
    const { pass } = this.#started;
    const { store } = this.#deps;
    const write: typeof store.write = async (request) => {
      this.#mustBeOpen();
      return store.write(request);
    };
    return writeClaims(
      { ...this.#deps, store: { ...store, write } },
      {
        address: pass,
        passId: pass.passId,
        source: held.ref,
        capturedAtMs: held.item.capturedAtMs,
        executor: pass.executor,
        drafts,
        // Fragments of one source follow each other without a gap.
        delivered: { start: held.fragments[0]?.start ?? 0, text: held.fragments.map(({ text }) => text).join('') },
        knownEntities: this.#knownEntities,
      },
    );
  }
}
