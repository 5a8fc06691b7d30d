/** A scope that is new while a deployment is started with another number of pools than it was made with. */
import { describe, expect, it } from 'vitest';
import { createCuratorApp } from '../../functions/curator/routes.ts';
import { markBacklog } from '../../functions/io/backlog-mark.ts';
import { nameKeyOf } from '../../schema/entity.ts';
import { ledgerKey } from '../../schema/ledger.ts';
import { poolOf } from '../../schema/pool.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { settledOf, useDeployments } from '../support/deployments.ts';

const HOUR_MS = 60 * 60_000;
const POOLS = 3;
/** Scopes of the first pool, in which the wrong number would have every scope, and of another. */
const [first = '', other = ''] = [0, 2].map((number) =>
  Array.from({ length: 50 }, (_, k) => `scope-${k}`).find((scope) => poolOf(scope, POOLS).number === number),
);
const deploy = useDeployments();

/** Made with three pools: its first ledger says so. */
async function make(): Promise<Deployment> {
  const deployment = deploy({ pools: POOLS, settings: { maxConcurrentPasses: 3, maxWaitMs: 0 } });
  await deployment.ingest(first, notes(1));
  await deployment.passTime(HOUR_MS);
  return deployment;
}

const rowOf = (deployment: Deployment) =>
  deployment.items().find((item) => item.sk === 'SCOPE' && item.scope === other);

describe('a new scope', () => {
  it('is not made by who was told of another number, and is taken in once that is mended', async () => {
    const deployment = await make();
    const wrong = { ...deployment.schedulerDeps(), pools: 1 };
    await expect(markBacklog(wrong, other, undefined)).rejects.toThrow('made with 3 pools and is started with 1');
    expect(rowOf(deployment)).toBeUndefined();
    await deployment.ingest(other, notes(2));
    expect(rowOf(deployment)?.workPartition).toBe('due#2');
    await deployment.passTime(HOUR_MS);
    expect(settledOf(deployment)).toBe(3);
  });

  it('is not made by an import either', async () => {
    const deployment = await make();
    const { clock, tables } = deployment;
    const log = { info() {}, warn() {}, error() {}, count() {} };
    const app = createCuratorApp({ store: tables.store, clock, ids: { fresh: () => 'person' }, log, pools: 1 });
    const line = JSON.stringify({ type: 'entity', slug: 'ann', name: 'Ann', nameKey: nameKeyOf('Ann') });
    const { status } = await app.request(`/v1/scopes/${other}/import`, { method: 'POST', body: line });
    expect([status, rowOf(deployment)]).toEqual([500, undefined]);
  });

  it('twin: where the first ledger does not say so, it stands in the pool of others for ever', async () => {
    const deployment = await make();
    const { store, ...deps } = deployment.schedulerDeps();
    const silent: typeof store = {
      ...store,
      get: async (read) => (read.input.Key?.pk === ledgerKey().pk ? undefined : store.get(read)),
    };
    await markBacklog({ ...deps, store: silent, pools: 1 }, other, undefined);
    await deployment.ingest(other, notes(2));
    expect(rowOf(deployment)?.workPartition).toBe('due#0');
  });
});
