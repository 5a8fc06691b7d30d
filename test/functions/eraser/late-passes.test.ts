/**
 * Goal: a pass of an erased scope that is over does not begin once more. Method: the row that its scheduler, which stood
 * still since, puts when the scope is erased.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../functions/io/ports.ts';
import { LIMITS } from '../../../schema/limits.ts';

import { type NewPass, putPass } from '../../../schema/pass.ts';
import type { Outcome } from '../../../schema/request.ts';
import { ErasingScene, SCOPE, SMALL } from './scene.ts';

const scenes: ErasingScene[] = [];
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.close();
});

/** A scope is erased when its pass was finalized a minute before; its PASS row is put once more after that. */
async function putLate(wrap: (store: Store) => Store) {
  const scene = new ErasingScene();
  scenes.push(scene);
  await scene.take(SMALL);
  const [pass] = scene.passes();
  expect(pass).toMatchObject({ status: 'completed', scope: SCOPE, generation: 1 });
  expect(pass?.finalizedAtMs).toBeDefined();
  await scene.erase('DELETE', '', undefined, { store: wrap(scene.tables.store) });
  await scene.passTime(60_000);
  const put: Outcome = await scene.tables.store.write(putPass(pass as unknown as NewPass, 'late'));
  return { scene, put };
}

const asItIs = (store: Store): Store => store;
/** The eraser takes passes for long over. */
const longOver = (store: Store): Store => ({
  ...store,
  async query(read) {
    const { items, lastKey } = await store.query(read);
    const aged = items.map((item) => (item.finalizedAtMs === undefined ? item : { ...item, finalizedAtMs: 0 }));
    return { items: aged, lastKey };
  },
});

describe('the row of a pass that is over, put once more after its scope was erased', () => {
  it('is refused, and what refuses it goes with a later look', async () => {
    const { scene, put } = await putLate(asItIs);
    expect(put.kind).toBe('held');
    await scene.untilFinished();
    expect(scene.passes()).toEqual([]);
    const [{ finishedAtMs = 0, requestedAtMs } = { requestedAtMs: 0 }] = scene.erasures();
    expect(finishedAtMs - requestedAtMs).toBeLessThan(LIMITS.textListGraceMs + 2 * LIMITS.erasureLookLastMs);
  });

  it('twin: without the row that is kept, it would begin anew', async () => {
    const { scene, put } = await putLate(longOver);
    expect(put.kind).toBe('won');
    expect(scene.passes()).toMatchObject([{ status: 'admitted', generation: 1 }]);
  });
});
