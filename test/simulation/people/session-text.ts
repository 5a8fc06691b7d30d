/** The text of a session as it is stored, and what stands in it. */
import { decompressText } from '../../../functions/io/text.ts';
import type { SourceItem } from '../../../schema/source.ts';
import { textPartKey } from '../../../schema/text.ts';
import type { PlannedTurn } from '../plans/session-plan.ts';
import type { Tables } from '../engine/tables.ts';

/** The text of a revision of a session in the generation of this partition: one part, as no planned one is longer. */
export function textOf(
  tables: Tables,
  partition: string,
  { id, revision }: Pick<SourceItem, 'id' | 'revision'>,
): string {
  const [, scope = '', generation] = partition.split('#');
  const ref = { kind: 'transcript', id, revision } as const;
  const { pk, sk } = textPartKey({ scope, generation: Number(generation), ref }, 0);
  const part = tables.peek(pk, sk, 'text');
  return part ? decompressText(part.body as Uint8Array) : '';
}

/** How often a rendered text holds a turn. A line that begins with two spaces goes on with the turn before it. */
export function countTurn(text: string, { speaker, text: words, at }: PlannedTurn): number {
  const rendered = `${speaker}${at === undefined ? '' : ` (${at})`}: ${words.replaceAll('\n', '\n  ')}`;
  return text.split(/\n(?! {2})/).filter((turn) => turn === rendered).length;
}

/** The SOURCE row of a session that stands; undefined also where a tombstone does. */
export function standingOf(tables: Tables, partition: string, id: string): SourceItem | undefined {
  const row = tables.peek(partition, `SOURCE#transcript#${id}`);
  return row?.erasedAtMs === undefined ? (row as SourceItem | undefined) : undefined;
}
