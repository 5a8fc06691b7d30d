/**
 * Goal: a claim slot that an erase emptied keeps a head exactly when somebody told something of it meanwhile. Method: a
 * writer between the reading of its rows and the dropping of its head.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planNextLook } from '../../../functions/core/erasing.ts';
import { settleHead } from '../../../functions/eraser/erase-slot.ts';
import { Step } from '../../../functions/eraser/step.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { citationKey } from '../../../schema/citation.ts';
import type { ErasureItem } from '../../../schema/erasure.ts';
import { remove } from '../../../schema/request.ts';
import { cite, dayMs } from '../../core/citation-samples.ts';
import { passIdAt } from '../../schema/samples.ts';
import { type ClaimScene, countRepairs, createClaimScene } from '../claim-scene.ts';

const ERASED = cite({ value: 'Reykjavik', captured: '2024-09-01' });
const LOWER = cite({ value: 'Denver', captured: '2024-06-01' });
const HIGHER = cite({ value: 'Oslo', captured: '2024-12-01' });

let scene: ClaimScene;
beforeEach(async () => {
  scene = await createClaimScene(dayMs('2025-01-01'));
});
afterEach(() => scene.close());

const write = (citation: typeof ERASED) =>
  recordCitation(scene.deps(), { address: scene.address, citation, passId: passIdAt(0) });

describe('the head of a claim slot that was emptied', () => {
  it.each([
    ['goes', undefined],
    ['stays for a claim that raised it', HIGHER],
    ['comes back for a claim that lost to what it held', LOWER],
  ])('%s', async (_, meanwhile) => {
    await write(ERASED);
    await scene.store.write(remove(citationKey(scene.address, ERASED)));
    const store: Store = {
      ...scene.store,
      async write(one) {
        if (one.kind === 'delete' && meanwhile) await write(meanwhile);
        return scene.store.write(one);
      },
    };
    const log = { info() {}, warn() {}, error() {}, count() {} };
    const erasure = { ...scene.address } as unknown as ErasureItem;
    const step = new Step({ ...scene.deps(store), log, decide: { planNextLook } }, erasure, scene.nowMs + 1_000);
    await settleHead(step, ERASED.slot);
    expect(scene.rowsOf('HEAD#').map((row) => (row.undated as { value: string }).value)).toEqual(
      meanwhile ? [meanwhile.value] : [],
    );
    expect(await countRepairs(scene)).toBe(0);
    expect(step.left).toBe(0);
  });
});
