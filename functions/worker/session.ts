/**
 * One running pass: the one function behind every tool call. It checks that the pass still runs with its attempt, takes
 * the calls one after another and counts them; what each tool does stands in a file of its own.
 */
import { isDryRun } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import { heartbeatPass, NO_COUNTERS, type PassCounters } from '../../schema/pass.ts';
import type { Amounts } from '../../schema/usage.ts';
import { scopeMismatch } from '../core/tool-errors.ts';
import type { ToolCall } from '../core/call-record.ts';
import { listAttention, resolveAttention } from './attention.ts';
import { CallLog } from './call-log.ts';
import type { WorkerDeps } from './deps.ts';
import type {
  AttentionAnswer,
  AttentionDecision,
  AttentionPage,
  EvidencePage,
  ReviewAnswer,
  ReviewItem,
  SearchRequest,
  Tools,
} from './executor/executor.ts';
import { HeldSources } from './held-sources.ts';
import { lookUpSource } from './look-up-source.ts';
import { Proposals } from './proposals.ts';
import type { Reading, StartedPass } from './reading.ts';
import { releaseHeldBack } from './release.ts';
import { reviewItems } from './review-items.ts';
import { ReviewRows } from './review-rows.ts';
import { searchQueue } from './search-queue.ts';
import { searchSources } from './search-sources.ts';
import { PassLostError, SessionClosedError } from './session-errors.ts';
import type { Leasing } from './take-page.ts';

export class Session implements Tools {
  readonly #reading: Reading;
  readonly #calls: CallLog;
  #lost = false;
  #closed = false;
  #leftBehind = false;
  /** Tool calls one after another: a model may ask for several at once. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: WorkerDeps, started: StartedPass) {
    this.#calls = new CallLog(deps, started.pass);
    this.#reading = {
      deps,
      started,
      leasing: leasingOf(started),
      held: new HeldSources(),
      reviews: new ReviewRows(deps, started.pass),
      counters: { ...NO_COUNTERS },
      ...(isDryRun(started.pass.kind) && { proposals: new Proposals(deps, started.pass) }),
      knownEntities: new Set(),
      knownTypes: new Map(),
      sawEmptyQueue: false,
      mustLive: async () => {
        if (!(await this.beat())) throw new PassLostError(started.pass.passId);
      },
      mustBeOpen: () => this.#mustBeOpen(),
    };
  }

  get isLost(): boolean {
    return this.#lost;
  }

  /** What the terminal write says of this pass. */
  summary(): { counters: PassCounters; reviewRows: number; sawEmptyQueue: boolean; leftBehind: boolean } {
    const { counters, leasing, reviews, sawEmptyQueue } = this.#reading;
    const told = { ...counters, leasesLost: leasing.leasesLost };
    return { counters: told, reviewRows: reviews.rows, sawEmptyQueue, leftBehind: this.#leftBehind };
  }

  /** What the executor's model took: the next beat carries it. */
  spend({ tokensIn = 0, tokensOut = 0, costMicroUsd = 0 }: Partial<Amounts>): void {
    const { counters } = this.#reading;
    counters.tokensIn += amountOf(tokensIn);
    counters.tokensOut += amountOf(tokensOut);
    counters.costMicroUsd += amountOf(costMicroUsd);
  }

  searchEvidence(request: SearchRequest): Promise<EvidencePage> {
    return this.#take({ tool: 'search_evidence', request: { ...request } }, async () => {
      const { scope } = this.#reading.started.pass;
      const isOther = request.scope !== undefined && request.scope !== scope;
      if (isOther) return { items: [], hasMore: false, error: scopeMismatch(request.scope, scope) };
      if ('source' in request) return lookUpSource(this.#reading, request);
      const isQuery = 'query' in request || 'since' in request || 'before' in request;
      return isQuery ? searchSources(this.#reading, request) : searchQueue(this.#reading, request.limit);
    });
  }

  reviewEvidence(items: readonly ReviewItem[]): Promise<ReviewAnswer> {
    const about = items.map((item) => ({ ...item }));
    return this.#take({ tool: 'review_evidence', request: { items: items.length }, about }, () =>
      reviewItems(this.#reading, items),
    );
  }

  listAttention(): Promise<AttentionPage> {
    const { deps, started } = this.#reading;
    return this.#take({ tool: 'attention_list', request: {} }, () => listAttention(deps, started.pass));
  }

  resolveAttention(decision: AttentionDecision): Promise<AttentionAnswer> {
    const { deps, started, counters } = this.#reading;
    return this.#take({ tool: 'resolve_attention', request: { ...decision } }, async () => {
      await this.#reading.mustLive();
      const answer = await resolveAttention(deps, started.pass, decision);
      if (answer.decided) counters.decided++;
      return answer;
    });
  }

  /** The beat of every ten seconds; with it goes what was asked and answered since the last. */
  async tick(): Promise<boolean> {
    if (!(await this.beat())) return false;
    await this.#calls.note();
    return true;
  }

  /** Says that the pass lives; false when it is no longer this attempt's. */
  async beat(): Promise<boolean> {
    const { deps, started } = this.#reading;
    const { pass, attempt } = started;
    const { counters } = this.summary();
    const beat = { attempt, nowMs: deps.clock.nowMs(), counters, op: deps.ids.fresh() };
    const outcome = await deps.store.write(heartbeatPass(pass, beat));
    if (outcome.kind === 'held') this.#lost = true;
    return outcome.kind === 'won';
  }

  /**
   * Closes the tools, waits for the call that is under way, and writes the last acknowledgements. The call stops before
   * its next write; one that hangs in a request is left behind when half of what is kept back for ending is gone, and the
   * terminal write says so.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const { deps, held, reviews, proposals } = this.#reading;
    const { clock } = deps;
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
    this.#leftBehind = !isOver;
    if (this.#lost) return;
    await reviews.flush();
    await this.#calls.flush();
    if (!proposals) await reviews.noteRejected(held.rejected());
    await proposals?.flush();
  }

  #mustBeOpen(): void {
    if (this.#lost) throw new PassLostError(this.#reading.started.pass.passId);
    if (this.#closed) throw new SessionClosedError();
  }

  #take<T extends object>(call: ToolCall, act: () => Promise<T>): Promise<T> {
    const { deps, started, counters } = this.#reading;
    const run = this.#turn.then(async () => {
      this.#mustBeOpen();
      counters.toolCalls++;
      if (counters.toolCalls === 1) await releaseHeldBack(deps, started.pass);
      return this.#calls.record(call, act);
    });
    this.#turn = run.catch(() => undefined);
    return run;
  }
}

/** What a provider does not tell, or tells as no number, is nothing: its pass goes on. */
function amountOf(told: number): number {
  return Number.isSafeInteger(Math.ceil(told)) ? Math.max(0, Math.ceil(told)) : 0;
}

function leasingOf({ pass, deadlineAtMs }: StartedPass): Leasing {
  const { scope, generation, lane, passId, slotNumber } = pass;
  return {
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
