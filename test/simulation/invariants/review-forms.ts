/** What an executor handed over of its sources, and what became of it, item by item. */
import type { ReviewAnswer, ReviewItem } from '../../../functions/worker/executor/executor.ts';
import { parseSourceRef, type SourceRef, sourceKeyOf } from '../../../schema/ids.ts';
import type { Review } from '../../../schema/review-page.ts';
import type { Heard } from './record-forms.ts';

const MISQUOTES: readonly string[] = ['quote_mismatch', 'quote_not_delivered'];

export function noteStart({ starts }: Heard, source: string, start: number): void {
  if (!starts.has(source)) starts.set(source, start);
}

/** Where every item was taken: each of its claims is written, or refused. Undefined: that is so, or nothing can be said. */
export function noteReview({ cited }: Heard, items: readonly ReviewItem[], answer: ReviewAnswer): string | undefined {
  const { progress, refused, claimsWritten } = answer;
  if (progress.length !== items.length || new Set(progress.map(({ source }) => source)).size < items.length)
    return undefined;
  for (const { source, through } of progress) {
    const own = refused.filter((it) => it.source === source);
    const claims = items.find((it) => it.source === source)?.claims?.length ?? 0;
    const known = cited.get(source) ?? { misquotes: 0, taken: 0, through };
    const misquotes = own.filter(({ reason }) => MISQUOTES.includes(reason)).length;
    cited.set(source, {
      misquotes: known.misquotes + misquotes,
      taken: known.taken + claims - own.length,
      through: Math.max(known.through, through),
    });
  }
  const asked = items.reduce((sum, { claims = [] }) => sum + claims.length, 0);
  const owed = asked - refused.length;
  return claimsWritten === owed ? undefined : `was answered ${claimsWritten} claims, of ${owed}`;
}

/** Sources cited with nothing but what they do not say, and not acknowledged. */
export function rejectedIn({ cited, starts }: Heard): string[] {
  return [...cited]
    .filter(([source, { misquotes, taken, through }]) => misquotes > 0 && taken === 0 && through === starts.get(source))
    .map(([source]) => source);
}

/**
 * An acknowledgement that tells of other claims than were written of its source; undefined: none. `hasGaps`: what was said
 * behind a gap that stayed open is told of nowhere.
 */
export function miscountedIn(
  { cited, starts }: Heard,
  reviews: readonly Review[],
  hasGaps: boolean,
): string | undefined {
  for (const [source, { taken, through }] of cited) {
    if (through === starts.get(source)) continue;
    const sourceKey = sourceKeyOf(parseSourceRef(source) as SourceRef);
    const told = reviews.filter((it) => it.sourceKey === sourceKey).reduce((sum, { claims = 0 }) => sum + claims, 0);
    if (told > taken || (told < taken && !hasGaps)) return `wrote ${taken} claims of ${source}, and tells of ${told}`;
  }
  return undefined;
}
