/** The sources a pass holds: how far each was delivered to it, and how far it acknowledged them. */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { formatSourceRef, sourceKeyOf, type SourceRef } from '../../schema/ids.ts';
import type { Review } from '../../schema/review-page.ts';
import type { Delivered, Want } from './delivery.ts';
import type { EvidenceFragment } from './executor/executor.ts';

export interface Held {
  readonly item: EvidenceItem;
  readonly ref: SourceRef;
  deliveredTo: number;
  reviewedTo: number;
  /** Delivered and not yet acknowledged: what quotes are checked against. */
  fragments: EvidenceFragment[];
}

export class HeldSources {
  readonly #held = new Map<string, Held>();

  get size(): number {
    return this.#held.size;
  }

  /** By `kind:id@revision`. */
  get(source: string): Held | undefined {
    return this.#held.get(source);
  }

  add(item: EvidenceItem): void {
    const { kind, id, revision, cursor } = item;
    const ref = { kind, id, revision };
    this.#held.set(formatSourceRef(ref), { item, ref, deliveredTo: cursor, reviewedTo: cursor, fragments: [] });
  }

  /** Sources delivered in part and acknowledged up to there: they go on before anything new is taken. */
  continuations(): Want[] {
    return [...this.#held.values()]
      .filter(
        (held) =>
          held.deliveredTo < held.item.length &&
          held.deliveredTo > held.item.cursor &&
          held.reviewedTo === held.deliveredTo,
      )
      .map((held) => ({ item: held.item, start: held.deliveredTo }));
  }

  noteDelivered(delivered: readonly Delivered[]): void {
    for (const { fragment } of delivered) {
      const held = this.#held.get(fragment.source);
      if (!held) continue;
      held.deliveredTo = fragment.end;
      held.fragments.push(fragment);
    }
  }
}

/** Contiguous from what was acknowledged before, and never beyond what was delivered; undefined when it says nothing new. */
export function acknowledge(held: Held, through: number | undefined): Review | undefined {
  const to = Math.min(through ?? held.deliveredTo, held.deliveredTo);
  if (to <= held.reviewedTo) return undefined;
  const review = { sourceKey: sourceKeyOf(held.ref), from: held.reviewedTo, to, length: held.item.length };
  held.reviewedTo = to;
  held.fragments = held.fragments.filter((fragment) => fragment.end > to);
  return review;
}
