/**
 * TURNIDS: which turns a revision of a transcript holds, by their ids, so that a turn that is sent again is known. In the
 * table `text` beside the revision's text, and written before its SOURCE row, which names it. Written and read by ingest.
 *
 * Key: partition of the text / `TURNIDS#<hash of what it holds>`. Life: as the text. Two calls may bring the same words as
 * turns of two ids; under one key the later would take the other's id away before the SOURCE row decides between them.
 * An entry is 24 bytes, 12 each of the SHA-256 of the id and of the turn: 10,000 fit one item, and among those the chance
 * that two ids meet is below 1e-20.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { sha256Of } from './ids.ts';
import { get, type Get, type Key, put, type Write } from './request.ts';
import { ITEM_VERSION } from './table.ts';
import { type TextAddress, textPartition } from './text.ts';

export const turnIdsItemSchema = z.object({ v: z.literal(ITEM_VERSION), body: z.instanceof(Uint8Array) });

const HASH_BYTES = 12;
export const TURN_ENTRY_BYTES = 2 * HASH_BYTES;

function turnIdsKey(address: TextAddress, name: string): Key {
  return { pk: textPartition(address), sk: `TURNIDS#${name}` };
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest().subarray(0, HASH_BYTES);

/** Ids of turns with the hash of what each turn says, in hexadecimal. */
export type TurnIds = ReadonlyMap<string, string>;

/** The key of a turn in `TurnIds`, and what stands there for its content. */
export function turnEntryOf(id: string, content: string): readonly [string, string] {
  return [hashOf(id).toString('hex'), hashOf(content).toString('hex')];
}

export function packTurnIds(ids: TurnIds): Uint8Array {
  return Buffer.from([...ids].map(([id, content]) => `${id}${content}`).join(''), 'hex');
}

export function unpackTurnIds(body: Uint8Array): TurnIds {
  const text = Buffer.from(body).toString('hex');
  const ids = new Map<string, string>();
  for (let at = 0; at < text.length; at += 2 * TURN_ENTRY_BYTES) {
    ids.set(text.slice(at, at + TURN_ENTRY_BYTES), text.slice(at + TURN_ENTRY_BYTES, at + 2 * TURN_ENTRY_BYTES));
  }
  return ids;
}

/** The name under which ids stand: the SOURCE row holds it. */
export function nameTurnIds(ids: TurnIds): string {
  return sha256Of([packTurnIds(ids)]).slice(0, 2 * HASH_BYTES);
}

/** Stores the ids of a revision's turns. Unconditional: the same key always holds the same ids. */
export function putTurnIds(address: TextAddress, ids: TurnIds, op: string): Write {
  const item = { ...turnIdsKey(address, nameTurnIds(ids)), v: ITEM_VERSION, body: packTurnIds(ids) };
  return put({ table: 'text', op, item, when: [] });
}

export function getTurnIds(address: TextAddress, name: string): Get {
  return get(turnIdsKey(address, name), 'text');
}
