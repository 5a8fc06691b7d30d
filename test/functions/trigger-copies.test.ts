/** Copies of one trigger message, at once or long apart, of which one finds that there is nothing to admit: one outcome. */
import { describe, expect, it } from 'vitest';
import { planAdmissions } from '../../functions/core/admission.ts';
import type { Store } from '../../functions/io/ports.ts';
import { runTrigger } from '../../functions/scheduler/run.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import type { Item, Write } from '../../schema/request.ts';
import { getTrigger, putTrigger, triggerItemSchema, type TriggerOutcome } from '../../schema/trigger.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { owingOf, useDeployments } from '../support/deployments.ts';
import { START_MS } from '../support/virtual-clock.ts';

const deploy = useDeployments();
const asked = { triggerId: triggerIdOf(START_MS, 'asked'), scope: 's', origin: 'drain', kind: 'incremental' } as const;

const textOf = ({ input }: Write): string => JSON.stringify(input);
const admits = (write: Write): boolean => textOf(write).includes(':entry0') || textOf(write).includes(':set_passes');
const announces = (write: Write): boolean => textOf(write).includes('"#refusal"') && write.kind === 'update';
const records = (write: Write): boolean => textOf(write).includes(':set_outcome');
const outdates = (write: Write): boolean => textOf(write).includes('#passes = if_not_exists');

type Send = (write: Write) => ReturnType<Store['write']>;

/** A deployment whose scheduler's requests a test may change. */
function deployWith(change: {
  readonly read?: (item: Item | undefined) => Item | undefined;
  readonly send?: (write: Write, pass: Send) => ReturnType<Store['write']>;
}): Deployment {
  return deploy({
    settings: { maxPassesPerScope: 4, maxConcurrentPasses: 10 },
    stub: { delayMs: 600_000 },
    wrapStore: (store, name) => {
      if (name !== 'scheduler') return store;
      const { read = (item) => item, send = (write, pass) => pass(write) } = change;
      return {
        ...store,
        get: async (one) => read(await store.get(one)),
        write: (write) => send(write, (it) => store.write(it)),
      };
    },
  });
}

async function ask(deployment: Deployment): Promise<void> {
  await deployment.tables.store.write(putTrigger({ ...asked, requestedAtMs: deployment.clock.nowMs() }, 'put'));
}

const deliver = (deployment: Deployment): Promise<TriggerOutcome> =>
  runTrigger(deployment.schedulerDeps(), { v: 1, ...asked, parallel: 2 });

/** A copy that finds the deployment paused, as it was a moment ago. */
function deliverPaused(deployment: Deployment): Promise<TriggerOutcome> {
  const deps = deployment.schedulerDeps();
  const refusing: typeof planAdmissions = (snapshot, ...given) =>
    planAdmissions({ ...snapshot, pausedAll: true }, ...given);
  return runTrigger({ ...deps, decide: { ...deps.decide, planAdmissions: refusing } }, { v: 1, ...asked, parallel: 2 });
}

async function toldOf(deployment: Deployment): Promise<readonly string[] | undefined> {
  return triggerItemSchema.parse(await deployment.tables.store.get(getTrigger(asked.triggerId))).outcome?.passIds;
}

describe('a copy that comes after the trigger was refused', () => {
  async function refusedThenDelivered(read: (item: Item | undefined) => Item | undefined): Promise<Deployment> {
    const deployment = deployWith({ read });
    await ask(deployment);
    expect((await deliver(deployment)).passIds).toEqual([]);
    await deployment.ingest('s', notes(40));
    await deliver(deployment);
    expect(await toldOf(deployment)).toEqual([]);
    return deployment;
  }

  it('admits nothing, though there is work by now', async () => {
    expect(owingOf(await refusedThenDelivered((item) => item))).toEqual([]);
  });

  it('[negative twin] that does not ask what was told admits for a trigger that was refused', async () => {
    const unasked = (item: Item | undefined) => (item?.sk === 'TRIGGER' ? undefined : item);
    expect(owingOf(await refusedThenDelivered(unasked))).toHaveLength(2);
  });
});

describe('a copy that has admitted, and tells so after another was refused', () => {
  class Died extends Error {}

  /** One is on the ledger, and dies before it tells; the other has planned before that, and finds nothing. */
  async function admittedMeanwhile(read: (item: Item | undefined) => Item | undefined): Promise<Deployment> {
    let [isFirst, dies, looksAgain] = [true, false, false];
    const deployment = deployWith({
      read: (item) => (looksAgain ? read(item) : item),
      async send(write, pass) {
        if (records(write) && dies) throw new Died();
        if (announces(write) && isFirst) {
          isFirst = false;
          dies = true;
          await expect(deliver(deployment)).rejects.toThrow(Died);
          dies = false;
          looksAgain = true;
        }
        return pass(write);
      },
    });
    await ask(deployment);
    await deployment.ingest('s', notes(40));
    await deliverPaused(deployment);
    expect(owingOf(deployment)).toHaveLength(2);
    return deployment;
  }

  it('has the trigger told as admitted, with all its passes', async () => {
    const deployment = await admittedMeanwhile((item) => item);
    expect([...((await toldOf(deployment)) ?? [])].sort()).toEqual(owingOf(deployment).sort());
  });

  it('[negative twin] without a look after the announcement it is told as refused, while its passes run', async () => {
    const before = (item: Item | undefined) =>
      item?.sk === 'LEDGER' ? { ...item, passes: {} } : String(item?.sk).startsWith('PASS#') ? undefined : item;
    expect(await toldOf(await admittedMeanwhile(before))).toEqual([]);
  });
});

describe('a copy that read the ledger before another admitted, and comes while that puts its rows', () => {
  class Died extends Error {}

  /** The other dies after its first row; `read` changes what the copy reads from then on. */
  async function halfWay(read: (item: Item | undefined) => Item | undefined): Promise<Deployment> {
    let [isFirst, dies, rows] = [true, false, 0];
    const deployment = deployWith({
      read: (item) => {
        if (item?.sk !== 'SCOPE' && item?.sk !== 'TRIGGER' && !isFirst && !dies) return read(item);
        return item;
      },
      async send(write, pass) {
        const isRow = write.kind === 'put' && String(write.input.Item?.sk).startsWith('PASS#');
        if (dies && isRow && ++rows > 1) throw new Died();
        if (admits(write) && isFirst) {
          isFirst = false;
          dies = true;
          await deliver(deployment).catch(() => undefined);
          dies = false;
        }
        return pass(write);
      },
    });
    await ask(deployment);
    await deployment.ingest('s', notes(40));
    await deliver(deployment);
    expect(owingOf(deployment)).toHaveLength(2);
    return deployment;
  }

  /** The ledger as it was before: at the first look alone, or at both. */
  const older = (looks: number) => (item: Item | undefined) =>
    item?.sk === 'LEDGER' && looks-- > 0 ? { ...item, passes: {} } : item;

  it('tells of all its passes, by a ledger that is newer than their rows', async () => {
    const deployment = await halfWay(older(1));
    expect([...((await toldOf(deployment)) ?? [])].sort()).toEqual(owingOf(deployment).sort());
  });

  it('[negative twin] by the ledger that it read before it tells of the one whose row is there', async () => {
    expect(await toldOf(await halfWay(older(2)))).toHaveLength(1);
  });
});

describe('a copy that has planned, and comes to the ledger after another was refused', () => {
  async function refusedMeanwhile(isOutdated: boolean): Promise<Deployment> {
    let isFirst = true;
    const deployment = deployWith({
      async send(write, pass) {
        if (outdates(write) && !isOutdated) return { kind: 'won', item: undefined };
        if (admits(write) && isFirst) {
          isFirst = false;
          await deliverPaused(deployment);
        }
        return pass(write);
      },
    });
    await ask(deployment);
    await deployment.ingest('s', notes(40));
    await deliver(deployment);
    expect(await toldOf(deployment)).toEqual([]);
    return deployment;
  }

  it('loses its commit, and admits nothing', async () => {
    expect(owingOf(await refusedMeanwhile(true))).toEqual([]);
  });

  it('[negative twin] admits for a trigger that was refused, where its plan is not outdated', async () => {
    expect(owingOf(await refusedMeanwhile(false))).toHaveLength(2);
  });
});
