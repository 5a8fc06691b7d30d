/**
 * Goal: a claim that a person had forgotten stays out, whoever says it again and whenever. Method: the routes and the
 * writer of claims, with the one let in between any two requests of the other.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimDraft } from '../../../functions/core/claim-draft.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { type ClaimsWritten, writeClaims } from '../../../functions/worker/claim-writer.ts';
import { claimErasureKey, liftErasure, openErasure, saveErasure } from '../../../schema/erasure.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { sourceOf } from '../../core/citation-samples.ts';
import { PROGRESS } from '../../schema/erasure-samples.ts';
import { Crash, ErasingScene, interrupted, keyTextOf, note, ONE_LOOK, SCOPE } from './scene.ts';

const SAID = ['@claim Maya | lives_in | Reykjavik', '@claim Maya | likes | marzipan'].join('\n');
const DIARY = note('diary', SAID, '2025-12-02T00:00:00Z');
const LIVES = { entity: 'Maya', attribute: 'lives_in', value: ' REYKJAVIK ' };
const LIKES = { entity: 'maya', attribute: 'likes', value: 'Marzipan' };
const WORDS = ['reykjavik', 'marzipan'];

let scene: ErasingScene;
beforeEach(async () => {
  scene = new ErasingScene();
  await scene.take(note('plain', '@claim Maya | lives_in | Denver'));
});
afterEach(() => scene.close());

const TEXT = 'Maya moved to Reykjavik and likes marzipan.';
function draft(change: Partial<ClaimDraft>): ClaimDraft {
  return {
    entity: 'Maya',
    attribute: 'lives_in',
    cardinality: 'one',
    value: 'Reykjavik',
    quote: { text: TEXT, start: 0, end: TEXT.length },
    ...change,
  };
}
const DRAFTS = [draft({}), draft({ attribute: 'likes', cardinality: 'many', value: 'marzipan' })];

/** Writes as a pass that read another source. */
function write(store: Store = scene.tables.store, on: ErasingScene = scene): Promise<ClaimsWritten> {
  return writeClaims(
    { store, clock: on.clock, ids: on.ids },
    {
      address: { scope: SCOPE, generation: 1 },
      passId: 'pass-late',
      source: sourceOf('session-late'),
      capturedAtMs: on.clock.nowMs(),
      executor: 'rules',
      drafts: DRAFTS,
      delivered: { text: TEXT, start: 0 },
      knownEntities: new Set(),
    },
  );
}

describe('forgetting a claim', () => {
  it('removes its citations with value and quote, whoever said it, and leaves no word of it in the memory', async () => {
    await scene.take(DIARY);
    await scene.curate('claims/correct', { ...LIKES, cardinality: 'many' });
    expect(await scene.values()).toEqual(['Marzipan', 'Reykjavik']);
    for (const claim of [LIVES, LIKES]) {
      const { status, body } = await scene.erase('POST', '/claims/forget', { ...claim, author: 'Ann' });
      expect(status).toBe(202);
      expect(body).toMatchObject({ erasures: [{ kind: 'claim', by: 'Ann', state: 'watching' }] });
      expect(JSON.stringify(body).toLowerCase()).not.toMatch(/reykjavik|marzipan/);
    }
    expect(await scene.values()).toEqual(['Denver']);
    const memory = JSON.stringify(scene.items()).toLowerCase();
    expect(WORDS.filter((word) => memory.includes(word))).toEqual([]);
  });

  it('keeps it out when a pass finds it again, in a revision or another source', async () => {
    await scene.take(DIARY);
    for (const claim of [LIVES, LIKES]) await scene.erase('POST', '/claims/forget', claim);
    await scene.take(note('diary', `${DIARY.text}\nand more`, '2025-12-03T00:00:00Z'));
    await scene.take(note('other', '@claim Maya | lives_in | reykjavik', '2025-12-04T00:00:00Z'));
    expect(await write()).toEqual({ written: 0, refused: [], forgotten: 2 });
    const memory = JSON.stringify(scene.items()).toLowerCase();
    expect(WORDS.filter((word) => memory.includes(word))).toEqual([]);
    expect(await scene.values()).toEqual(['Denver']);
  });

  it('keeps it out when it is imported, and refuses a person who says it', async () => {
    await scene.take(DIARY);
    const lines = await (await scene.fetchText('export')).text();
    for (const claim of [LIVES, LIKES]) await scene.erase('POST', '/claims/forget', claim);
    expect(await scene.curate('import', lines)).toMatchObject({ status: 200, body: { erased: 2, refused: [] } });
    expect(await scene.curate('claims/correct', LIVES)).toMatchObject({
      status: 409,
      body: { error: { code: 'forgotten' } },
    });
    expect(await scene.values()).toEqual(['Denver']);
  });

  it('covers every name of an entity that was merged', async () => {
    await scene.take(note('nick', '@claim May | lives_in | Reykjavik'));
    await scene.curate('entities/merge', { from: 'May', into: 'Maya' });
    const { body } = await scene.erase('POST', '/claims/forget', LIVES);
    expect(body.erasures).toHaveLength(2);
    expect(await scene.values()).toEqual(['Denver']);
  });

  it('is lifted by hand, after its last look, and then it may come in again', async () => {
    await scene.erase('POST', '/claims/forget', LIVES);
    expect((await scene.erase('POST', '/erasures/lift', { claim: LIVES })).status).toBe(409);
    await scene.untilFinished();
    expect(await scene.erase('POST', '/erasures/lift', { claim: LIVES })).toMatchObject({ status: 200 });
    await write();
    expect(await scene.values()).toEqual(['Reykjavik', 'marzipan']);
  });

  it('is refused when more would be kept out than writers can look at, and what is forgotten already is not', async () => {
    const address = { scope: SCOPE, generation: 1 };
    const most = LIMITS.forgottenPerScopeMax;
    for (let n = 1; n < most; n++) {
      const hash = `hash-${n}`;
      const order = { kind: 'claim', ...address, hash, by: 'Ann', requestedAtMs: scene.clock.nowMs() } as const;
      await scene.tables.store.write(openErasure(claimErasureKey(address, hash), order, `op-${n}`));
    }
    expect((await scene.erase('POST', '/claims/forget', LIVES)).status).toBe(202);
    expect(await scene.erase('POST', '/claims/forget', LIKES)).toMatchObject({
      status: 409,
      body: { error: { code: 'too_many_forgotten' } },
    });
    expect((await scene.erase('POST', '/claims/forget', LIVES)).status).toBe(202);
    await scene.take(DIARY);
    expect(await scene.values()).toEqual(['Denver', 'marzipan']);
  });

  it('counts none that was lifted: the oldest of those gives way, and a standing one never does', async () => {
    const address = { scope: SCOPE, generation: 1 };
    const most = LIMITS.forgottenPerScopeMax;
    const { store } = scene.tables;
    for (let n = 0; n < most; n++) {
      const key = claimErasureKey(address, `hash-${n}`);
      const order = { kind: 'claim', ...address, hash: `hash-${n}`, by: 'Ann', requestedAtMs: 0 } as const;
      await store.write(openErasure(key, order, `op-${n}`));
      if (n >= 2) continue;
      await store.write(saveErasure(key, 1, { ...PROGRESS, looks: 9, finishedAtMs: 9 }, `op-end-${n}`));
      await store.write(liftErasure(key, 100 - n, `op-lift-${n}`));
    }
    const standing = () => scene.erasures().flatMap(({ hash, liftedAtMs }) => (liftedAtMs === undefined ? [hash] : []));
    const before = standing();
    expect((await scene.erase('POST', '/claims/forget', LIVES)).status).toBe(202);
    expect(scene.erasures()).toHaveLength(most);
    expect(scene.erasures().flatMap(({ hash, liftedAtMs }) => (liftedAtMs === undefined ? [] : [hash]))).toEqual([
      'hash-0',
    ]);
    expect((await scene.erase('POST', '/claims/forget', LIKES)).status).toBe(202);
    expect(standing()).toEqual(expect.arrayContaining(before));
    expect(standing()).toHaveLength(most);
    expect(await scene.erase('POST', '/claims/forget', { ...LIVES, value: 'Oslo' })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining(`${most} forgotten claims`) } },
    });
    await scene.take(DIARY);
    expect(await scene.values()).toEqual(['Denver']);
  });

  it('takes a claim as it is said, however often it is asked', async () => {
    await scene.erase('POST', '/claims/forget', LIVES);
    await scene.erase('POST', '/claims/forget', { ...LIVES, value: 'reykjavik' });
    expect(scene.erasures()).toHaveLength(1);
    expect((await scene.erase('POST', '/claims/forget', { ...LIVES, value: ' ' })).status).toBe(400);
  });
});

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
    await write(store, one);
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
    await write();
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
    await expect(write(dying, one)).rejects.toThrow(Crash);
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
      await write(writer, one);
      heads.push(JSON.stringify(one.rows('HEAD#')).includes('Reykjavik'));
      one.close();
    }
    expect(heads).toEqual([false, true]);
  });
});
