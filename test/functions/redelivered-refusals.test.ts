/**
 * A trigger whose scheduler died behind the ledger entry, whose pass the sweep then refused for want of budget, and whose
 * message comes again when there is room: the pass was planned, and is not planned a second time under the same id.
 */
import { describe, expect, it } from 'vitest';
import { runTrigger } from '../../functions/scheduler/run.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import type { Item, Write } from '../../schema/request.ts';
import type { TriggerOutcome } from '../../schema/trigger.ts';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { owingOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const deploy = useDeployments();
const reserves = ({ input }: Write) => JSON.stringify(input).includes('"USAGE#');
const admits = ({ input }: Write) =>
  JSON.stringify(input).includes('"LEDGER"') && JSON.stringify(input).includes(':entry0');

/** The day's row as it would be if a refusal left no mark on it. */
function withoutRefusals(item: Item | undefined): Item | undefined {
  if (!item || !String(item.sk).startsWith('USAGE#')) return item;
  const reserved = Object.entries(item.reserved as Record<string, { closed?: string }>);
  return { ...item, reserved: Object.fromEntries(reserved.filter(([, { closed }]) => closed !== 'refused')) };
}

class Died extends Error {}

interface Scene {
  readonly deployment: Deployment;
  /** Runs a trigger, or delivers it again. */
  readonly trigger: (name: string) => Promise<TriggerOutcome>;
  /** How often entries were written to the ledger. */
  readonly admissions: () => number;
}

/** The first scheduler dies before its reservation; another takes the one pass of the day's budget. */
async function refuseByTheSweep(read: (item: Item | undefined) => Item | undefined): Promise<Scene> {
  let hasDied = false;
  let admissions = 0;
  const deployment = deploy({
    settings: { budgetPasses: 1, maxPassesPerScope: 4, maxConcurrentPasses: 10 },
    stub: { delayMs: 600_000 },
    wrapStore: (store, name) => ({
      ...store,
      async get(one) {
        const item = await store.get(one);
        return name === 'scheduler' ? read(item) : item;
      },
      async write(write) {
        if (name === 'scheduler' && reserves(write) && !hasDied) {
          hasDied = true;
          throw new Died();
        }
        const outcome = await store.write(write);
        if (admits(write) && outcome.kind === 'won') admissions++;
        return outcome;
      },
    }),
  });
  await deployment.ingest('s', notes(40));
  const requestedAtMs = deployment.clock.nowMs();
  const trigger = (name: string) =>
    runTrigger(deployment.schedulerDeps(), {
      v: 1,
      triggerId: triggerIdOf(requestedAtMs, name),
      scope: 's',
      origin: 'drain',
      kind: 'incremental',
      parallel: 1,
    });
  await expect(trigger('a')).rejects.toThrow(Died);
  expect((await trigger('b')).passIds).toHaveLength(1);
  await deployment.passTime(MINUTE_MS);
  expect(owingOf(deployment)).toHaveLength(1);
  await call(deployment, 'PATCH /v1/scopes/s/settings', { body: { budgetPasses: 9 } });
  return { deployment, trigger, admissions: () => admissions };
}

describe('a trigger delivered again after the budget refused its pass', () => {
  it('is answered as refused, and its pass is not planned again', async () => {
    const { trigger, admissions } = await refuseByTheSweep((item) => item);
    const before = admissions();
    const again = await trigger('a');
    expect(again).toMatchObject({ passIds: [], refused: [{ reason: 'budget' }] });
    expect(admissions()).toBe(before);
    // Another trigger has the room.
    expect((await trigger('c')).passIds).toHaveLength(1);
  });

  it('[negative twin] without a look at the refusal, the pass that was taken off the ledger stands on it again', async () => {
    const { trigger, admissions } = await refuseByTheSweep(withoutRefusals);
    const before = admissions();
    await trigger('a');
    expect(admissions()).toBe(before + 1);
  });
});
