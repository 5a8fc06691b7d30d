/**
 * TEXTLIST: names a text before any part of it is written, in `control`, so that whatever dies next can be found again:
 * the table `text` has neither index nor list of its own, and an erase has to reach also what a dead call left there.
 * Written by ingest, deleted by the eraser.
 *
 * Key: scope partition / `TEXTLIST#<kind>#<id>#<revision>`. Life: until erased. Stream reaction: none.
 */
import * as z from 'zod';
import { keyPart, type SourceKind, sourceKeyOf } from './ids.ts';
import { type Item, type Key, put, query, type Query, remove, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';
import type { TextAddress } from './text.ts';

export const textListItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  pk: z.string(),
  sk: z.string(),
  listedAtMs: z.number(),
});

/** Stands for a revision where the text is an upload that is not completed. */
export const UPLOAD = 'upload';

const PREFIX = 'TEXTLIST#';

export function textListKey({ scope, generation, ref }: TextAddress): Key {
  return { pk: scopePartition(scope, generation), sk: `${PREFIX}${sourceKeyOf(ref)}` };
}

/** Lists a text that is about to be written. Unconditional: what counts is the time of the latest call that writes it. */
export function listText(address: TextAddress, nowMs: number, op: string): Write {
  return put({ op, item: { ...textListKey(address), v: ITEM_VERSION, listedAtMs: nowMs }, when: [] });
}

interface SourceName {
  readonly scope: string;
  readonly generation: number;
  readonly kind: SourceKind;
  readonly id: string;
}

/** The texts of one source, in all its revisions. */
export function queryTextList({ scope, generation, kind, id }: SourceName, limit: number, startKey?: Item): Query {
  const beginsWith = `${PREFIX}${kind}#${keyPart(id)}#`;
  return query({ partition: scopePartition(scope, generation), beginsWith, limit, startKey });
}

/** All rows of one text, its parts and what stands beside them. `sourceKey` names it: `<kind>#<id>#<revision>` in key form. */
export function queryTextRows(
  { scope, generation }: Pick<SourceName, 'scope' | 'generation'>,
  sourceKey: string,
  limit: number,
): Query {
  return query({ table: 'text', partition: `${scope}#${generation}#${sourceKey}`, limit });
}

/** Removes one row of a text. Unconditional: its absence is the goal. */
export function removeTextRow(key: Key): Write {
  return remove(key, 'text');
}
