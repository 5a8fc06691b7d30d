/** The ledger under contention: however many schedulers plan at once, no limit is ever passed. */
import { describe, expect, it } from 'vitest';
import { runTrigger } from '../../functions/scheduler/run.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import { ledgerItemSchema } from '../../schema/ledger.ts';
import type { TriggerMessage } from '../../schema/messages.ts';
import type { Write } from '../../schema/request.ts';
import type { Deployment, DeploymentOptions } from '../support/deployment.ts';
import { notes } from '../support/deployment.ts';
import { owingOf, scopeRowOf, useDeployments } from '../support/deployments.ts';
import { START_MS } from '../support/virtual-clock.ts';
import { withoutClause } from '../support/without-clause.ts';

const deploy = useDeployments();
const SCHEDULERS = 50;

const isLedger = (write: Write) => write.kind === 'update' && write.input.Key?.pk === 'POOL#0';
const messageFor = (scope: string, k: number, parallel?: number): TriggerMessage => ({
  v: 1,
  triggerId: triggerIdOf(START_MS, `${scope} ${k}`),
  scope,
  origin: parallel === undefined ? 'trigger' : 'drain',
  kind: 'incremental',
  ...(parallel !== undefined && { parallel }),
});

/** Every message to a scheduler of its own, all at once; those that stay contended are delivered again, as SQS does. */
async function deliverAtOnce(deployment: Deployment, messages: readonly TriggerMessage[]): Promise<number> {
  let left = [...messages];
  let rounds = 0;
  for (; left.length > 0 && rounds < 20; rounds++) {
    const outcomes = await Promise.allSettled(left.map((it) => runTrigger(deployment.schedulerDeps(), it)));
    left = left.filter((_, k) => outcomes[k]?.status === 'rejected');
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect((outcome.reason as Error).name).toBe('ContendedLedgerError');
    }
  }
  expect(left).toEqual([]);
  return rounds;
}

/** Most passes of all, and of one scope, that the ledger ever listed. */
function watched(change: (write: Write) => Write = (write) => write) {
  const most = { all: 0, scope: 0 };
  const deployment: { current?: Deployment } = {};
  const options: DeploymentOptions = {
    settings: { maxConcurrentPasses: 10, maxPassesPerScope: 3 },
    wrapStore: (store) => ({
      ...store,
      async write(write) {
        if (!isLedger(write)) return store.write(write);
        const outcome = await store.write(change(write));
        const item = deployment.current?.items().find((it) => it.sk === 'LEDGER');
        const scopes = Object.values(ledgerItemSchema.parse(item).passes).map(({ scope }) => scope);
        most.all = Math.max(most.all, scopes.length);
        for (const of of Map.groupBy(scopes, (it) => it).values()) most.scope = Math.max(most.scope, of.length);
        return outcome;
      },
    }),
  };
  deployment.current = deploy(options);
  return { deployment: deployment.current, most };
}

async function fiftyScopes(deployment: Deployment): Promise<TriggerMessage[]> {
  const scopes = Array.from({ length: SCHEDULERS }, (_, k) => `scope-${k}`);
  for (const scope of scopes) await deployment.ingest(scope, notes(1));
  return scopes.map((scope) => messageFor(scope, 0));
}

describe('50 schedulers at once', () => {
  it('admit as many passes as all scopes may have, never one more', async () => {
    const { deployment, most } = watched();
    await deliverAtOnce(deployment, await fiftyScopes(deployment));
    expect([most.all, owingOf(deployment).length, deployment.passes().length]).toEqual([10, 10, 10]);
  });

  it('admit as many as one scope may have, each with a slot number of its own', async () => {
    const { deployment, most } = watched();
    await deployment.ingest('s', notes(50));
    const messages = Array.from({ length: SCHEDULERS }, (_, k) => messageFor('s', k, 2));
    await deliverAtOnce(deployment, messages);
    expect([most.scope, owingOf(deployment).length]).toEqual([3, 3]);
    expect(
      deployment
        .passes()
        .map((pass) => Number(pass.slotNumber))
        .sort((a, b) => a - b),
    ).toEqual([0, 1, 2]);
  });

  it('with one and the same message admit its passes once', async () => {
    const { deployment } = watched();
    await deployment.ingest('s', notes(50));
    await deliverAtOnce(
      deployment,
      Array.from({ length: SCHEDULERS }, () => messageFor('s', 0, 2)),
    );
    expect(new Set(deployment.passes().map((pass) => pass.triggerId)).size).toBe(1);
    expect(deployment.passes()).toHaveLength(2);
  });

  it('twin: without the version in the condition they admit far more', async () => {
    const { deployment, most } = watched((write) => {
      const condition = write.kind === 'update' ? (write.input.ConditionExpression ?? '') : '';
      return condition.includes('#version = :seenVersion') ? withoutClause(write, '#version = :seenVersion') : write;
    });
    const messages = await fiftyScopes(deployment);
    // The first makes the item: from then on the version is all that holds.
    await deliverAtOnce(deployment, messages.slice(0, 1));
    await deliverAtOnce(deployment, messages.slice(1));
    expect(most.all).toBeGreaterThan(10);
  });
});

describe('entries that hold capacity for nothing', () => {
  it('of a pass whose finalizer died at its last write are taken off by the next tick', async () => {
    let dies = true;
    const deployment = deploy({
      settings: { maxConcurrentPasses: 1 },
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          if (name === 'finalizer' && isLedger(write) && dies) throw new Error('the finalizer died');
          return store.write(write);
        },
      }),
    });
    await deployment.ingest('s', notes(3));
    await deployment.ingest('t', notes(3));
    await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' });
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 10_000 });
    dies = false;
    expect(deployment.passes()).toMatchObject([{ status: 'completed', finalizedAtMs: expect.any(Number) }]);
    expect(owingOf(deployment)).toHaveLength(1);
    await deployment.tick();
    expect(owingOf(deployment)).toEqual([]);
    expect(scopeRowOf(deployment)?.failures).toBe(0);
    expect((await deployment.ask({ scope: 't', origin: 'trigger', kind: 'incremental' })).status).toBe(202);
  });
});
