/** The sources a pass holds: how far each was delivered to it, and how far it acknowledged them. */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { formatSourceRef, type NamedSource, sourceKeyOf, type SourceRef } from '../../schema/ids.ts';
import type { Review } from '../../schema/review-page.ts';
import type { DeliveredText } from '../core/quotes.ts';
import { joinRanges, type Standing } from '../core/review-plan.ts';
import type { Range } from '../core/tool-errors.ts';
import type { Delivered, Want } from './delivery.ts';
import type { EvidenceFragment } from './executor/executor.ts';

export interface Held {
  readonly item: EvidenceItem;
  readonly ref: SourceRef;
  deliveredTo: number;
  reviewedTo: number;
  /** Claims written of it since it was acknowledged last. */
  claims: number;
  /** Claims of it that were refused for their quotes, and whether any was not. */
  misquotes: number;
  wasCited: boolean;
  /** Acknowledged behind a gap: they count once it is closed. */
  behindGap: readonly Range[];
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

  /** Another revision of a source than the one that was named. */
  otherRevision({ kind, id, revision }: NamedSource): string | undefined {
    const other = this.#held
      .values()
      .find(({ ref }) => ref.kind === kind && ref.id === id && ref.revision !== revision);
    return other && formatSourceRef(other.ref);
  }

  add(item: EvidenceItem): void {
    const { kind, id, revision, cursor } = item;
    const ref = { kind, id, revision };
    this.#held.set(formatSourceRef(ref), {
      item,
      ref,
      deliveredTo: cursor,
      reviewedTo: cursor,
      claims: 0,
      misquotes: 0,
      wasCited: false,
      behindGap: [],
      fragments: [],
    });
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

  /** Sources that were cited with nothing but what they do not say, and not acknowledged. */
  rejected(): string[] {
    return [...this.#held.values()]
      .filter((held) => held.misquotes > 0 && !held.wasCited && held.reviewedTo === held.item.cursor)
      .map((held) => sourceKeyOf(held.ref));
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

/** How the pass stands to the source, for `planReview`. Fragments of one source follow each other without a gap. */
export function standingOf({ item, ref, deliveredTo, reviewedTo, fragments }: Held): Standing {
  return {
    source: formatSourceRef(ref),
    cursor: item.cursor,
    deliveredTo,
    reviewedTo,
    text: fragments.map(({ text }) => text).join(''),
    textStart: fragments[0]?.start ?? deliveredTo,
  };
}

/** What may be quoted: what was delivered and is not all acknowledged, and the overlap it begins with. */
export function quotable({ fragments }: Held): DeliveredText {
  const [first] = fragments;
  const start = (first?.start ?? 0) - (first?.reviewedChars ?? 0);
  return { start, text: `${first?.overlap ?? ''}${fragments.map(({ text }) => text).join('')}` };
}

/** Takes an acknowledged range; undefined when nothing new counts: it is empty, or stands behind a gap. */
export function acknowledge(held: Held, range: Range): Review | undefined {
  const { reviewedTo: from } = held;
  const { to, waiting } = joinRanges(from, [...held.behindGap, range]);
  held.behindGap = waiting;
  if (to <= from) return undefined;
  held.reviewedTo = to;
  held.fragments = held.fragments.filter((fragment) => fragment.end > to);
  const { claims } = held;
  held.claims = 0;
  return { sourceKey: sourceKeyOf(held.ref), from, to, length: held.item.length, claims };
}
