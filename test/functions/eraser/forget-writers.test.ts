/**
 * Goal: a claim stays out whatever a writer does at the same time. Method: the one let in between any two requests of the
 * other, and a death in between.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../functions/io/ports.ts';
import { LIKES, LIVES, WORDS, write } from './forgetting.ts';
import { Crash, ErasingScene, interrupted, keyTextOf, note, ONE_LOOK } from './scene.ts';

let scene: ErasingScene;
beforeEach(async () => {
  scene = new ErasingScene();
  await scene.take(note('plain', '@claim Maya | lives_in | Denver'));
});
afterEach(() => scene.close());

describe('a writer at the same time', () => {
  const forgetBoth = async (on: ErasingScene) => {
    for (const claim of [LIVES, LIKES]) await on.erase('POST', '/claims/forget', claim, { planNextLook: ONE_LOOK });
  };

  /** The writer, with the claims forgotten right before its n-th request. One look alone: the writer's is at stake. */
  async function forgetMidWrite(n: number, wrap: (store: Store) => Store = (store) => store) {
    const one = await new ErasingScene().copyOf(scene);
    const writtenAtMs = one.clock.nowMs();
    const store = interrupted(wrap(one.tables.store), n, async () => {
      one.clock.advanceTo(writtenAtMs + 1_000);
      await forgetBoth(one);
    });
    await write(one, store);
    const values = await one.values();
    // What was known when it was written, and had not been taken back.
    const before = await one.values(`?knownAt=${new Date(writtenAtMs).toISOString()}`);
    const requests = store.count();
    await one.untilFinished();
    const left = one.left(WORDS);
    const rows = one.rows('CLAIM#').length;
    one.close();
    return { values, before, requests, left, rows };
  }

  it('ends without the claim, whoever comes first, and with none of its words after the next look', async () => {
    const { requests } = await forgetMidWrite(Number.POSITIVE_INFINITY);
    expect(requests).toBeGreaterThan(8);
    for (let n = 1; n <= requests; n++) {
      const { values, before, left, rows } = await forgetMidWrite(n);
      expect([values, before], `at request ${n}`).toEqual([['Denver'], ['Denver']]);
      expect([left, rows], `at request ${n}`).toEqual([[], 1]);
    }
    await write(scene);
    await forgetBoth(scene);
    expect(await scene.values()).toEqual(['Denver']);
  });

  /** It dies after its first citation, right before which the claims were forgotten. Answers the words left in the end. */
  async function dieBeforeSecondLook(parts: { readonly planNextLook?: typeof ONE_LOOK } = {}): Promise<string[]> {
    const one = await new ErasingScene().copyOf(scene);
    const { store } = one.tables;
    const dying: Store = {
      ...store,
      async write(request) {
        if (!keyTextOf(request).includes('CLAIM#')) return store.write(request);
        for (const claim of [LIVES, LIKES]) await one.erase('POST', '/claims/forget', claim, parts);
        await store.write(request);
        throw new Crash('after its first citation');
      },
    };
    await expect(write(one, dying)).rejects.toThrow(Crash);
    expect(one.left(WORDS)).toEqual(WORDS);
    await one.untilFinished(parts);
    const left = one.left(WORDS);
    one.close();
    return left;
  }

  it('that dies before its second look leaves it to the next look of the erasure', async () => {
    expect(await dieBeforeSecondLook()).toEqual([]);
  });

  it('twin: after one look alone, what it wrote would stay', async () => {
    expect(await dieBeforeSecondLook({ planNextLook: ONE_LOOK })).toEqual(WORDS);
  });

  it('twin: without its second look, what it wrote after the look of the other stands', async () => {
    /** A store that shows the tombstones as they were when the writer first looked. */
    const firstLookOnly = (store: Store): Store => {
      let looked: Awaited<ReturnType<Store['query']>> | undefined;
      return {
        ...store,
        async query(read) {
          if (!JSON.stringify(read.input).includes('ERASURE#CLAIM#')) return store.query(read);
          looked ??= await store.query(read);
          return looked;
        },
      };
    };
    const stands: string[] = [];
    for (let n = 2; n <= 9; n++) stands.push(...(await forgetMidWrite(n, firstLookOnly)).values);
    expect(stands).toContain('Reykjavik');
    expect(stands).toContain('marzipan');
  });

  it('twin: that took a row that is gone for one that stands would leave the head at it', async () => {
    const heads: boolean[] = [];
    for (const isBlind of [false, true]) {
      const one = await new ErasingScene().copyOf(scene);
      const { store } = one.tables;
      let isForgotten = false;
      const writer: Store = {
        ...store,
        async write(request) {
          const sk = String((request.kind === 'update' ? request.input.Key : {})?.sk);
          if (sk.startsWith('HEAD#') && !isForgotten) {
            isForgotten = true;
            await forgetBoth(one);
          }
          return store.write(request);
        },
        async get(read) {
          const item = await store.get(read);
          const isCitation = String(read.input.Key?.sk).startsWith('CLAIM#');
          return isBlind && isCitation ? { v: 0 } : item;
        },
        query: async (read) =>
          isBlind && JSON.stringify(read.input).includes('ERASURE#CLAIM#')
            ? { items: [], lastKey: undefined }
            : store.query(read),
      };
      await write(one, writer);
      heads.push(JSON.stringify(one.rows('HEAD#')).includes('Reykjavik'));
      one.close();
    }
    expect(heads).toEqual([false, true]);
  });
});
