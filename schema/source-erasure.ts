/**
 * The tombstone of an erased source, in the place of its SOURCE row: so that the write which makes a revision the newest
 * is the one that meets it. Written and lifted by the eraser; its record is in `schema/erasure.ts`.
 */
import * as z from 'zod';
import { keyPart, sourceKindSchema } from './ids.ts';
import type { Lane } from './kind.ts';
import { type Item, put, query, type Query, removeWhen, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { type SourceAddress, sourceKey } from './source.ts';
import { ITEM_VERSION } from './table.ts';

/** What is left of a source that was erased: that it was. No revision of it is taken in until that is lifted. */
export const erasedSourceSchema = z.object({
  v: z.literal(ITEM_VERSION),
  kind: sourceKindSchema,
  id: z.string(),
  erasedAtMs: z.number(),
});
export type ErasedSource = z.infer<typeof erasedSourceSchema>;

/** The tombstone that a SOURCE row as stored is; undefined for a source that stands. */
export function erasedSourceOf(item: Item | undefined): ErasedSource | undefined {
  return erasedSourceSchema.safeParse(item).data;
}

/** Greater than the place of any revision: whoever wants to make one the newest loses by the order alone. */
const ABOVE_ALL = '~';

/**
 * Puts a tombstone in the place of a source, so that no call, on its way or later, makes a revision of it the newest again.
 * Conditional on: no tombstone of this erasure or a later one stands. Loses when one does, which is the same outcome.
 */
export function eraseSource({ kind, id, ...rest }: SourceAddress, erasedAtMs: number, op: string): Write {
  return put({
    op,
    item: { ...sourceKey({ kind, id, ...rest }), v: ITEM_VERSION, kind, id, newestKey: ABOVE_ALL, erasedAtMs },
    when: ['attribute_not_exists(#erasedAtMs) OR #erasedAtMs < :at'],
    values: { ':at': erasedAtMs },
  });
}

/**
 * Takes the tombstone of a lifted erasure away. Conditional on: it is that erasure's. Loses when the source was erased
 * again, or stands.
 */
export function readmitSource(address: SourceAddress, erasedAtMs: number): Write {
  return removeWhen(sourceKey(address), { when: ['#erasedAtMs = :at'], values: { ':at': erasedAtMs } });
}

/** A source's evidence in one lane, of all its revisions. */
export function queryRevisions(
  { scope, generation, kind, id }: SourceAddress,
  lane: Lane,
  limit: number,
  startKey?: Item,
): Query {
  const beginsWith = `EVIDENCE#${lane}#${kind}#${keyPart(id)}#`;
  return query({ partition: scopePartition(scope, generation), beginsWith, limit, startKey });
}
