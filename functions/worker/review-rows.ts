/**
 * The acknowledgements of one pass on their way into REVIEW rows: at most 50 a row, numbered from 1, and never more rows
 * than the finalizer reads.
 */
import { LIMITS } from '../../schema/limits.ts';
import type { PassAddress } from '../../schema/pass.ts';
import { putReviewPage, type Review } from '../../schema/review-page.ts';
import type { WorkerDeps } from './deps.ts';

/** Rows that acknowledging everything a pass can hold takes, once. */
const ROWS_FOR_ALL = Math.ceil(LIMITS.sourcesPerPassMax / LIMITS.reviewsPerRowMax);

export class ReviewRows {
  readonly #deps: Pick<WorkerDeps, 'store' | 'clock' | 'ids'>;
  readonly #address: PassAddress;
  /** By source: what follows without a gap joins what is not written yet, so that a source counts once a row. */
  readonly #unwritten = new Map<string, Review>();
  #rows = 0;

  constructor(deps: Pick<WorkerDeps, 'store' | 'clock' | 'ids'>, address: PassAddress) {
    this.#deps = deps;
    this.#address = address;
  }

  /** How many rows the terminal write names. */
  get rows(): number {
    return this.#rows;
  }

  /** Whether a further page might leave no room for its acknowledgements: those before it, its own, and the last ones. */
  get isFull(): boolean {
    return this.#rows + 2 * ROWS_FOR_ALL >= LIMITS.pagesPerPassMax;
  }

  add(review: Review): void {
    const known = this.#unwritten.get(review.sourceKey);
    const joins = known?.to === review.from;
    this.#unwritten.set(
      review.sourceKey,
      joins ? { ...known, to: review.to, claims: (known.claims ?? 0) + (review.claims ?? 0) } : review,
    );
  }

  /**
   * Writes all that is not written. A number that is taken by a row of another's is passed over: what that row says
   * stands, what this one says stands under the next. Each number is used up before it is written, so that a flush at
   * the end of a pass never meets one that is still under way.
   */
  async flush(): Promise<void> {
    while (this.#unwritten.size > 0 && this.#rows < LIMITS.pagesPerPassMax) {
      const reviews = [...this.#unwritten.values()].slice(0, LIMITS.reviewsPerRowMax);
      this.#rows++;
      const page = { n: this.#rows, reviews, nowMs: this.#deps.clock.nowMs(), op: this.#deps.ids.fresh() };
      const outcome = await this.#deps.store.write(putReviewPage(this.#address, page));
      if (outcome.kind === 'held') continue;
      for (const review of reviews) {
        if (this.#unwritten.get(review.sourceKey) === review) this.#unwritten.delete(review.sourceKey);
      }
    }
  }

  /** Writes what was cited with nothing but what it does not say, once, at the end of the pass. */
  async noteRejected(sourceKeys: readonly string[]): Promise<void> {
    for (let from = 0; from < sourceKeys.length && this.#rows < LIMITS.pagesPerPassMax; ) {
      this.#rows++;
      const rejected = sourceKeys.slice(from, from + LIMITS.reviewsPerRowMax);
      const page = {
        n: this.#rows,
        reviews: [],
        rejected,
        nowMs: this.#deps.clock.nowMs(),
        op: this.#deps.ids.fresh(),
      };
      const outcome = await this.#deps.store.write(putReviewPage(this.#address, page));
      if (outcome.kind === 'won') from += rejected.length;
    }
  }
}
