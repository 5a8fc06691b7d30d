/** Where there are pools, the first ledger says how many before any other holds a pass: everybody reads that one. */
import { describe, expect, it } from 'vitest';
import { ledgerKey } from '../../schema/ledger.ts';
import { poolOf } from '../../schema/pool.ts';
import type { Item } from '../../schema/request.ts';
import { call } from '../support/api.ts';
import { notes } from '../support/deployment.ts';
import { useDeployments } from '../support/deployments.ts';

const deploy = useDeployments();
const POOLS = 3;
const scope = ['a', 'b', 'c', 'd', 'e', 'f'].find((name) => poolOf(name, POOLS).number > 0) ?? '';

/** Its first pass is admitted; answers what the first ledger says then, which a scheduler is shown as told. */
async function admitAfterPause(show: (first: Item | undefined) => Item | undefined): Promise<Item | undefined> {
  const deployment = deploy({
    pools: POOLS,
    settings: { maxConcurrentPasses: POOLS, maxModelConcurrency: POOLS },
    wrapStore: (store, name) => ({
      ...store,
      async get(read) {
        const item = await store.get(read);
        return name === 'scheduler' && read.input.Key?.pk === 'POOL#0' ? show(item) : item;
      },
    }),
  });
  await call(deployment, `POST /v1/scopes/${scope}/pause`);
  await call(deployment, `POST /v1/scopes/${scope}/resume`);
  await deployment.ingest(scope, notes(1));
  expect((await deployment.ask({ scope, origin: 'trigger', kind: 'incremental' })).body.status).toBe('admitted');
  return deployment.items().find(({ pk, sk }) => pk === 'POOL#0' && sk === 'LEDGER');
}

describe('a scope of another pool that was paused before anything was admitted', () => {
  it('has its first pass admitted when the first ledger says how many pools there are', async () => {
    expect(await admitAfterPause((first) => first)).toMatchObject({ pools: POOLS });
  });

  it('[negative twin] admitted by who takes that for said, it leaves the first ledger unmade', async () => {
    const said = { ...ledgerKey(), v: 1, version: 0, passes: {}, pools: POOLS };
    expect(await admitAfterPause((first) => first ?? said)).toBeUndefined();
  });
});
