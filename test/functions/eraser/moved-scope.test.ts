/**
 * Goal: an erased scope stands where somebody looks, whoever moves its row meanwhile, and no call takes longer than it may.
 * Method: the move, met by another; texts that take their time.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { eraseWholeScope } from '../../../functions/eraser/order.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type ScopeItem, scopeItemSchema } from '../../../schema/scope.ts';
import { listText } from '../../../schema/text-list.ts';
import { countOf } from '../../schema/scope-scenes.ts';
import { clausesOf, withoutClause } from '../../support/without-clause.ts';
import { ErasingScene, keyTextOf, OTHER, SCOPE } from './scene.ts';

const scenes: ErasingScene[] = [];
async function open(): Promise<ErasingScene> {
  const scene = new ErasingScene();
  scenes.push(scene);
  await scene.take(OTHER);
  return scene;
}
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.close();
});
const rowOf = (scene: ErasingScene): ScopeItem => scopeItemSchema.parse(scene.rows('SCOPE')[0]);

describe('a scope that is halted while it is erased', () => {
  /** It is halted right before it moves on; answers where it stands then. */
  async function haltMidMove(wrap: (store: Store) => Store = (store) => store) {
    const scene = await open();
    const { store } = scene.tables;
    let isMet = false;
    const meeting: Store = {
      ...store,
      async write(write) {
        if (keyTextOf(write) === 'SCOPE#alice / SCOPE' && !isMet) {
          isMet = true;
          const { statsVersion } = rowOf(scene);
          await store.write(
            countOf(SCOPE, { statsVersion, failures: 5, move: { kind: 'halt', atMs: scene.clock.nowMs() } }),
          );
        }
        return store.write(write);
      },
    };
    await scene.erase('DELETE', '', undefined, { store: wrap(meeting) });
    const { generation, workPartition, haltedAtMs } = rowOf(scene);
    return { generation, workPartition, haltedAtMs };
  }

  it('is looked at again: that was about what is gone', async () => {
    expect(await haltMidMove()).toEqual({ generation: 2, workPartition: 'due#0', haltedAtMs: undefined });
  });

  it('twin: moved on by what was read before, it would stand parked for ever, without being halted', async () => {
    const clause = 'attribute_not_exists(#statsVersion) OR #statsVersion = :statsVersion';
    const blind = (store: Store): Store => ({
      ...store,
      write: (write) => store.write(clausesOf(write).includes(clause) ? withoutClause(write, clause) : write),
    });
    expect(await haltMidMove(blind)).toEqual({ generation: 2, workPartition: 'parked#0', haltedAtMs: undefined });
  });
});

describe('an eraser started with another number of pools', () => {
  it('moves nothing and removes nothing', async () => {
    const scene = await open();
    const deps = { ...scene.eraserDeps(), pools: 3 };
    await expect(eraseWholeScope(deps, SCOPE, 'Ann')).rejects.toThrow('made with 1 pools');
    expect(rowOf(scene)).toMatchObject({ generation: 1 });
    expect(await scene.values()).toEqual(['Denver']);
    expect(scene.erasures()).toMatchObject([{ looks: 0 }]);
  });
});

describe('a scope of many texts', () => {
  /** Each look at a text takes a second. Answers how many one call looks at, and what is left in the end. */
  async function eraseSlowly(passesTime: boolean) {
    const scene = await open();
    const address = { scope: SCOPE, generation: 1 };
    for (let k = 0; k < 60; k++) {
      const ref = { kind: 'note', id: `note-${k}`, revision: '0123456789abcdef' } as const;
      await scene.tables.store.write(listText({ ...address, ref }, 0, `op-list-${k}`));
    }
    const { store } = scene.tables;
    let looks = 0;
    const slow: Store = {
      ...store,
      async query(read) {
        if (read.table === 'text') looks++;
        if (read.table === 'text' && passesTime) scene.clock.advanceTo(scene.clock.nowMs() + 1_000);
        return store.query(read);
      },
    };
    await scene.erase('DELETE', '', undefined, { store: slow });
    const first = looks;
    await scene.untilFinished();
    return { first, left: scene.rows('TEXTLIST#').length };
  }

  it('is erased for as long as a call has time, in the middle of a page too', async () => {
    const { first, left } = await eraseSlowly(true);
    expect(first).toBeLessThanOrEqual(LIMITS.erasedForCallerMs / 1_000 + 1);
    expect(left).toBe(0);
  });

  it('twin: by a clock that stands still, one call goes through all of the page', async () => {
    expect((await eraseSlowly(false)).first).toBeGreaterThan(60);
  });
});
