/** What one run does of a look: bounded by a time, it tells what it removed and where the look goes on. */
import type { ErasedCounts, ErasureItem } from '../../schema/erasure.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item, Query, Write } from '../../schema/request.ts';
import type { EraserDeps } from './deps.ts';

export type Removed = { -readonly [Name in keyof ErasedCounts]: number };

export class Step {
  readonly deps: EraserDeps;
  readonly erasure: ErasureItem;
  readonly removed: Removed = { citations: 0, textRows: 0, evidence: 0, others: 0 };
  /** Rows that cannot go yet: the look has not found the place empty. */
  left = 0;
  readonly #untilMs: number;

  constructor(deps: EraserDeps, erasure: ErasureItem, untilMs: number) {
    this.deps = deps;
    this.erasure = erasure;
    this.#untilMs = untilMs;
  }

  get address(): { readonly scope: string; readonly generation: number } {
    const { scope, generation } = this.erasure;
    return { scope, generation };
  }

  get isOver(): boolean {
    return this.deps.clock.nowMs() >= this.#untilMs;
  }

  get found(): number {
    const { citations, textRows, evidence, others } = this.removed;
    return this.left + citations + textRows + evidence + others;
  }

  /** Sends writes, several at once, and counts them. */
  async remove(what: keyof Removed, writes: readonly Write[]): Promise<void> {
    for (let from = 0; from < writes.length; from += LIMITS.erasedAtOnceMax) {
      const some = writes.slice(from, from + LIMITS.erasedAtOnceMax);
      await Promise.all(some.map((write) => this.deps.store.write(write)));
      this.removed[what] += some.length;
    }
  }
}

/** Where a look goes on: in which of its parts, behind which sort key. */
export interface Position {
  readonly part: string;
  readonly after: string | undefined;
}

export function readPosition(text: string | undefined, first: string): Position {
  const [part = first, ...rest] = text?.split('|') ?? [];
  return { part, after: rest.length === 0 ? undefined : rest.join('|') };
}

export function writePosition({ part, after }: Position): string {
  return after === undefined ? part : `${part}|${after}`;
}

/**
 * Acts on every page of a query. Answers the sort key that it got to when the time is up, undefined when it got to the end.
 */
export async function walkPages(
  step: Step,
  pageOf: (startKey: Item | undefined) => Query,
  startKey: Item | undefined,
  act: (items: readonly Item[]) => Promise<void>,
): Promise<string | undefined> {
  let from = startKey;
  do {
    const { items, lastKey } = await step.deps.store.query(pageOf(from));
    await act(items);
    from = lastKey;
  } while (from && !step.isOver);
  return from && String(from.sk);
}
