/** Reads back what ingest stored of a revision: its text, and the ids of its turns. */
import { LIMITS } from '../../schema/limits.ts';
import type { SourceItem } from '../../schema/source.ts';
import { batchGetText, partsOf, type TextAddress, textItemSchema, textPartKey } from '../../schema/text.ts';
import { getTurnIds, type TurnIds, turnIdsItemSchema, unpackTurnIds } from '../../schema/turn-ids.ts';
import { sliceCharacters } from '../core/characters.ts';
import { decompressText } from '../io/text.ts';
import type { IngestDeps } from './deps.ts';

/** The first `characters` of a revision's text. Throws when a part is gone: an erase is on its way, or the store is broken. */
export async function readStoredText({ store }: IngestDeps, address: TextAddress, characters: number): Promise<string> {
  const keys = partsOf(0, characters).map((part) => textPartKey(address, part));
  const bodies = new Map<string, Uint8Array>();
  for (let from = 0; from < keys.length; from += LIMITS.batchGetKeysMax) {
    for (const stored of await store.batchGet(batchGetText(keys.slice(from, from + LIMITS.batchGetKeysMax)))) {
      const { sk, body } = textItemSchema.parse(stored);
      bodies.set(sk, body);
    }
  }
  const texts = keys.map(({ sk }) => {
    const body = bodies.get(sk);
    if (body === undefined) throw new Error(`part ${sk} of a stored text is gone: send the call again`);
    return decompressText(body);
  });
  return sliceCharacters(texts.join(''), 0, characters);
}

/** The ids of a revision's turns; none when it has none, or they are gone with it. */
export async function readTurnIds(
  { store }: IngestDeps,
  address: TextAddress,
  { turnIds }: SourceItem,
): Promise<TurnIds> {
  const stored = turnIds === undefined ? undefined : await store.get(getTurnIds(address, turnIds));
  return stored === undefined ? new Map() : unpackTurnIds(turnIdsItemSchema.parse(stored).body);
}
