/**
 * One running pass: the one function behind every tool call. It checks that the pass still runs with its attempt, leases
 * and delivers, keeps what was delivered, and gathers acknowledgements into REVIEW rows, one a page.
 */
import { releaseEvidence } from '../../schema/evidence.ts';
import { formatSourceRef, sourceKeyOf, type SourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { heartbeatPass, NO_COUNTERS, type PassCounters, type PassItem } from '../../schema/pass.ts';
import { putReviewPage, type Review } from '../../schema/review-page.ts';
import type { ClaimDraft } from '../core/claim-draft.ts';
import { writeClaims } from './claim-writer.ts';
import { type Delivered, readFragments, type Want } from './delivery.ts';
import type { WorkerDeps } from './deps.ts';
import type { EvidenceFragment, EvidencePage, ReviewAnswer, ReviewItem, Tools } from './executor/executor.ts';
import { addressOf, type Leasing, takePage } from './take-page.ts';

/** The pass is no longer this attempt's: it was expired or cancelled. Nothing more may be written. */
export class PassLostError extends Error {
  constructor(passId: string) {
    super(`pass ${passId} is no longer this attempt's: it was expired or cancelled`);
    this.name = 'PassLostError';
  }
}

/** The pass has ended; a tool called after that does nothing. */
export class SessionClosedError extends Error {
  constructor() {
    super('the pass has ended: its tools are closed');
    this.name = 'SessionClosedError';
  }
}

/** A source this pass holds, and how far it was delivered and acknowledged. */
interface Held {
  readonly item: Delivered['item'];
  readonly ref: SourceRef;
  deliveredTo: number;
  reviewedTo: number;
  /** Delivered and not yet acknowledged: what quotes are checked against. */
  fragments: EvidenceFragment[];
}

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
  readonly #held = new Map<string, Held>();
  readonly #knownEntities = new Set<string>();
  #unwritten: Review[] = [];
  #reviewRows = 0;
  #counters: PassCounters = { ...NO_COUNTERS };
  #sawEmptyQueue = false;
  #lost = false;
  #closed = false;
  /** Tool calls one after another: a model may ask for several at once. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: WorkerDeps, started: StartedPass) {
    this.#deps = deps;
    this.#started = started;
    const { pass, deadlineAtMs } = started;
    const { scope, generation, lane, passId, slotNumber } = pass;
    this.#leasing = {
      address: pass,
      reader: {
        queue: { scope, generation, lane },
        passId,
        slotNumber,
        // It cannot outlive its worker, so it needs no renewal.
        leaseExpiresAtMs: deadlineAtMs + LIMITS.leaseMarginMs,
      },
      position: { after: undefined },
      leasePages: 0,
      leasesLost: 0,
    };
  }

  get isLost(): boolean {
    return this.#lost;
  }

  /** What the terminal write says of this pass. */
  summary(): { counters: PassCounters; reviewRows: number; sawEmptyQueue: boolean } {
    const counters = { ...this.#counters, leasesLost: this.#leasing.leasesLost };
    return { counters, reviewRows: this.#reviewRows, sawEmptyQueue: this.#sawEmptyQueue };
  }

  searchEvidence({ limit }: { limit?: number }): Promise<EvidencePage> {
    return this.#take(() => this.#search(limit));
  }

  reviewEvidence(items: readonly ReviewItem[]): Promise<ReviewAnswer> {
    return this.#take(() => this.#review(items));
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

  /** Closes the tools, waits for the call that is under way, and writes the last acknowledgements. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    if (!this.#lost) await this.#flushReviews();
  }

  #take<T>(call: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(() => {
      if (this.#lost) throw new PassLostError(this.#started.pass.passId);
      if (this.#closed) throw new SessionClosedError();
      this.#counters.toolCalls++;
      return call();
    });
    this.#turn = run.catch(() => undefined);
    return run;
  }

  async #search(limit: number | undefined): Promise<EvidencePage> {
    await this.#flushReviews();
    if (this.#isDeliveryClosed()) {
      return {
        items: [],
        hasMore: false,
        deliveryClosed: true,
        note: 'Nothing more is delivered to this pass: finish now.',
      };
    }
    const { pass } = this.#started;
    const sources = Math.max(1, Math.min(limit ?? pass.pageSources, pass.pageSources));
    const continued = this.#continuations().slice(0, sources);
    if (continued.length > 0) return this.#deliver(continued, true);
    const room = {
      sources: Math.min(sources, LIMITS.sourcesPerPassMax - this.#held.size),
      characters: pass.pageCharacters,
    };
    const { taken, more, heldByOthers } = await takePage(this.#deps, this.#leasing, room);
    if (taken.length === 0) return this.#emptyPage(heldByOthers);
    for (const item of taken) {
      const { kind, id, revision, cursor } = item;
      const ref = { kind, id, revision };
      this.#held.set(formatSourceRef(ref), { item, ref, deliveredTo: cursor, reviewedTo: cursor, fragments: [] });
    }
    if (!(await this.beat())) {
      await this.#giveBack(taken);
      throw new PassLostError(pass.passId);
    }
    return this.#deliver(
      taken.map((item) => ({ item, start: item.cursor })),
      more,
    );
  }

  /** Half of the pass's time is for taking, half for finishing; a pass takes at most 1,000 sources. */
  #isDeliveryClosed(): boolean {
    const { startedAtMs, deadlineAtMs } = this.#started;
    const closesAtMs = startedAtMs + (deadlineAtMs - startedAtMs) / 2;
    return this.#deps.clock.nowMs() >= closesAtMs || this.#held.size >= LIMITS.sourcesPerPassMax;
  }

  /** Sources delivered in part and acknowledged up to there: they go on before anything new is taken. */
  #continuations(): Want[] {
    return [...this.#held.values()]
      .filter(
        (held) =>
          held.deliveredTo < held.item.length &&
          held.deliveredTo > held.item.cursor &&
          held.reviewedTo === held.deliveredTo,
      )
      .map((held) => ({ item: held.item, start: held.deliveredTo }));
  }

  #emptyPage(heldByOthers: boolean): EvidencePage {
    this.#sawEmptyQueue = true;
    if (!heldByOthers) return { items: [], hasMore: false, note: 'Nothing is left to read: finish now.' };
    const note = 'Other passes hold all that is left: finish now, do not wait for it.';
    return { items: [], hasMore: false, heldByOtherPasses: true, note };
  }

  async #deliver(wants: readonly Want[], more: boolean): Promise<EvidencePage> {
    const { pass } = this.#started;
    const { scope, generation } = pass;
    const delivered = await readFragments(this.#deps.store, { scope, generation, budget: pass.pageCharacters }, wants);
    for (const { fragment } of delivered) {
      const held = this.#held.get(fragment.source);
      if (!held) continue;
      held.deliveredTo = fragment.end;
      held.fragments.push(fragment);
    }
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
    const refused: { source: string; reason: string; message: string }[] = [];
    let reviewed = 0;
    let claimsWritten = 0;
    for (const item of items) {
      const held = this.#held.get(item.source);
      if (!held || held.fragments.length === 0) {
        const message = `${item.source} was not delivered to this pass, or all of it is acknowledged`;
        refused.push({ source: item.source, reason: 'not_delivered', message });
        continue;
      }
      const answer = await this.#writeClaims(held, item.claims ?? []);
      claimsWritten += answer.written;
      refused.push(...answer.refused.map(({ reason, message }) => ({ source: item.source, reason, message })));
      if (this.#acknowledge(held, item.through)) reviewed++;
    }
    this.#counters.reviewed += reviewed;
    this.#counters.claims += claimsWritten;
    return { reviewed, claimsWritten, refused };
  }

  async #writeClaims(held: Held, drafts: readonly ClaimDraft[]) {
    if (drafts.length === 0) return { written: 0, refused: [] };
    const { pass } = this.#started;
    return writeClaims(this.#deps, {
      address: pass,
      passId: pass.passId,
      source: held.ref,
      capturedAtMs: held.item.capturedAtMs,
      executor: pass.executor,
      drafts,
      // Fragments of one source follow each other without a gap.
      delivered: { start: held.fragments[0]?.start ?? 0, text: held.fragments.map(({ text }) => text).join('') },
      knownEntities: this.#knownEntities,
    });
  }

  /** Contiguous from what was acknowledged before, and never beyond what was delivered. */
  #acknowledge(held: Held, through: number | undefined): boolean {
    const to = Math.min(through ?? held.deliveredTo, held.deliveredTo);
    if (to <= held.reviewedTo) return false;
    this.#unwritten.push({ sourceKey: sourceKeyOf(held.ref), from: held.reviewedTo, to, length: held.item.length });
    held.reviewedTo = to;
    held.fragments = held.fragments.filter((fragment) => fragment.end > to);
    return true;
  }

  async #flushReviews(): Promise<void> {
    if (this.#unwritten.length === 0) return;
    const reviews = this.#unwritten;
    const n = this.#reviewRows + 1;
    const nowMs = this.#deps.clock.nowMs();
    await this.#deps.store.write(putReviewPage(this.#started.pass, { n, reviews, nowMs, op: this.#deps.ids.fresh() }));
    this.#reviewRows = n;
    this.#unwritten = [];
  }
}
