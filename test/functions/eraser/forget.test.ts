/**
 * Goal: a claim that a person had forgotten stays out, whoever says it again and whenever. Method: the routes and the
 * writer of claims.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadForgotten } from '../../../functions/io/forgotten.ts';
import { claimErasureKey, liftErasure, openErasure, saveErasure } from '../../../schema/erasure.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { PROGRESS } from '../../schema/erasure-samples.ts';
import { DIARY, LIKES, LIVES, WORDS, write } from './forgetting.ts';
import { ErasingScene, note, SCOPE } from './scene.ts';

let scene: ErasingScene;
beforeEach(async () => {
  scene = new ErasingScene();
  await scene.take(note('plain', '@claim Maya | lives_in | Denver'));
});
afterEach(() => scene.close());

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
    expect(await write(scene)).toEqual({ written: 0, refused: [], forgotten: 2 });
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
    await write(scene);
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

  it('is kept out also where calls that made room at once forgot more than there are to be', async () => {
    const address = { scope: SCOPE, generation: 1 };
    const { store } = scene.tables;
    await scene.erase('POST', '/claims/forget', LIVES);
    const [{ hash } = { hash: undefined }] = scene.erasures();
    for (let n = 0; n < LIMITS.forgottenPerScopeMax; n++) {
      // Before all hashes: the one that was ordered first is read last.
      const key = claimErasureKey(address, `!${n}`);
      const order = { kind: 'claim', ...address, hash: `!${n}`, by: 'Ann', requestedAtMs: 0 } as const;
      await store.write(openErasure(key, order, `op-${n}`));
    }
    expect(await loadForgotten(store, address)).toContain(hash);
    const query: typeof store.query = (read) =>
      store.query({ ...read, input: { ...read.input, Limit: LIMITS.forgottenPerScopeMax } });
    expect(await loadForgotten({ query }, address)).not.toContain(hash);
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
