/**
 * What every conditional builder is tested for, so that each test names only its scene: a guard refuses and hands the
 * stored item back, its negative twin goes through and breaks the invariant, and a lost reply is recognised.
 */
import { expect, it } from 'vitest';
import { get, type Item, type Key, type Write } from '../../schema/request.ts';
import type { TestTables } from '../support/tables.ts';
import { withoutClause } from '../support/without-clause.ts';

/** Tables are made in `beforeAll`, after the tests were declared. */
export type OpenTables = () => TestTables;

export interface Guard {
  /** What the clause keeps out; completes "<builder> refuses …". */
  readonly refuses: string;
  /** The clause as it stands in the condition. */
  readonly clause: string;
  /** Sets a fresh scene and answers the write that must lose in it. */
  readonly arrange: () => Promise<Write>;
  /** Holds of the item only when the invariant is broken. `before` is empty when there was no item. */
  readonly broken: (after: Item, before: Item) => boolean;
}

export function keyOf(write: Write): Key {
  const { pk, sk } = write.kind === 'put' ? (write.input.Item ?? {}) : (write.input.Key ?? {});
  return { pk: String(pk), sk: String(sk) };
}

/** The item a write is about, as it stands. */
export function readItem({ store }: TestTables, write: Write): Promise<Item | undefined> {
  return store.get(get(keyOf(write), write.table));
}

/** Sends writes that must win, in order. */
export async function winAll({ store }: TestTables, writes: readonly Write[]): Promise<void> {
  for (const write of writes) {
    const outcome = await store.write(write);
    if (outcome.kind !== 'won') throw new Error(`a write of the scene lost to ${JSON.stringify(outcome.stored)}`);
  }
}

/** Two tests a guard: it refuses, and its twin without the clause breaks the invariant. */
export function itRefuses(open: OpenTables, builder: string, guards: readonly Guard[]): void {
  for (const { refuses, clause, arrange, broken } of guards) {
    it(`${builder} refuses ${refuses}, hands the stored item back and changes nothing`, async () => {
      const write = await arrange();
      const before = await readItem(open(), write);
      expect(await open().store.write(write)).toEqual({ kind: 'held', stored: before });
      const after = await readItem(open(), write);
      expect(after).toEqual(before);
      expect(broken(after ?? {}, before ?? {})).toBe(false);
    });

    it(`twin: without (${clause}), ${builder} lets through ${refuses}`, async () => {
      const write = withoutClause(await arrange(), clause);
      const before = await readItem(open(), write);
      expect(await open().store.write(write)).toMatchObject({ kind: 'won' });
      expect(broken((await readItem(open(), write)) ?? {}, before ?? {})).toBe(true);
    });
  }
}

interface LostReply {
  /**
   * `op`: the condition refuses the second sending, and the stored `op` tells that it was this write. `condition`: the
   * condition still holds and the same values are written again.
   */
  readonly recognisedBy: 'op' | 'condition';
  readonly arrange: () => Promise<Write>;
}

/** The same write sent twice is won twice and changes the item once. */
export function itSurvivesLostReply(open: OpenTables, builder: string, { recognisedBy, arrange }: LostReply): void {
  it(`${builder} is won again when its reply was lost`, async () => {
    const write = await arrange();
    expect(await open().store.write(write)).toMatchObject({ kind: 'won' });
    const once = await readItem(open(), write);
    expect(await open().store.write(write)).toMatchObject({ kind: 'won' });
    expect(await readItem(open(), write)).toEqual(once);
    const stranger = await open().store.write({ ...write, isMine: () => false });
    expect(stranger.kind).toBe(recognisedBy === 'op' ? 'held' : 'won');
  });
}
