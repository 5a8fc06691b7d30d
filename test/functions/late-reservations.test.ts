/** Two schedulers that reserve for one pass: the one that admitted it and stood still, and the sweep that went on for it. */
import { describe, expect, it } from 'vitest';
import { runTrigger } from '../../functions/scheduler/run.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import type { Outcome, Write } from '../../schema/request.ts';
import { usageItemSchema } from '../../schema/usage.ts';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { owingOf, runningOf, settledOf, useDeployments } from '../support/deployments.ts';
import { withoutClause } from '../support/without-clause.ts';

const MINUTE_MS = 60_000;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const deploy = useDeployments();
const MODEL = [{ name: 'stub', spends: true, needsProvider: false, decidesAttention: false }];
const usageOf = (deployment: Deployment) => deployment.rows('USAGE#').map((item) => usageItemSchema.parse(item));
const isOfUsage = ({ input }: Write) => JSON.stringify(input).includes('"USAGE#');
const isRefusal = (write: Write) => isOfUsage(write) && JSON.stringify(write.input).includes('"refused"');
const removesEntry = ({ input }: Write) => JSON.stringify(input).includes('REMOVE #passes');

/** Holds back the first write of each kind named, until it is let go. */
class Gate {
  readonly #held: { isIt: (write: Write) => boolean; go?: () => void; isUsed: boolean }[];

  constructor(...kinds: ((write: Write) => boolean)[]) {
    this.#held = kinds.map((isIt) => ({ isIt, isUsed: false }));
  }

  async pass(write: Write): Promise<void> {
    const held = this.#held.find(({ isIt, isUsed }) => !isUsed && isIt(write));
    if (!held) return;
    held.isUsed = true;
    await new Promise<void>((resolve) => (held.go = resolve));
  }

  open(k: number): void {
    const go = this.#held[k]?.go;
    if (!go) throw new Error(`no write stands before gate ${k}`);
    go();
  }
}

describe('a reservation that comes when its pass was settled', () => {
  async function sleepThroughPass(change: (write: Write) => Write): Promise<Deployment> {
    const gate = new Gate(isOfUsage);
    const deployment = deploy({
      settings: { budgetPasses: 5 },
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          if (name === 'scheduler') await gate.pass(write);
          return store.write(isOfUsage(write) ? change(write) : write);
        },
      }),
    });
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.passTime(3 * MINUTE_MS);
    expect([settledOf(deployment), owingOf(deployment).length]).toEqual([5, 0]);
    gate.open(0);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    return deployment;
  }

  it('is met by the closed entry: the pass counts once', async () => {
    const deployment = await sleepThroughPass((write) => write);
    expect(usageOf(deployment)).toMatchObject([{ passes: 1 }]);
    expect([deployment.passes().length, runningOf(deployment).length]).toEqual([1, 0]);
  });

  it('[negative twin] a reservation that does not ask counts it twice', async () => {
    const clause = 'attribute_not_exists(#reserved.#pass)';
    const reserves = (write: Write) => JSON.stringify(write.input).includes(clause) && !isRefusal(write);
    const deployment = await sleepThroughPass((write) => (reserves(write) ? withoutClause(write, clause) : write));
    expect(usageOf(deployment)).toMatchObject([{ passes: 2 }]);
  });
});

describe('a pass that was refused, and whose entry is still on the ledger when there is room again', () => {
  /** A's scheduler stands still before its reservation, B takes the budget, A is refused and stands still again. */
  async function refuseLate(
    answer: (write: Write) => Outcome | undefined,
    standsStillBefore = removesEntry,
  ): Promise<Deployment> {
    const gate = new Gate(isOfUsage, standsStillBefore);
    const deployment = deploy({
      settings: { budgetTokensIn: 30_000, maxPassesPerScope: 4, maxConcurrentPasses: 10 },
      executors: MODEL,
      stub: { delayMs: 600_000 },
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          if (name === 'scheduler') await gate.pass(write);
          return answer(write) ?? store.write(write);
        },
      }),
    });
    await deployment.ingest('s', notes(40));
    const nowMs = deployment.clock.nowMs();
    const drain = (name: string) =>
      runTrigger(deployment.schedulerDeps(), {
        v: 1,
        triggerId: triggerIdOf(nowMs, name),
        scope: 's',
        origin: 'drain',
        kind: 'incremental',
        parallel: 1,
      });
    const a = drain('a');
    await deployment.quiesce({ untilMs: nowMs });
    deployment.lost.add('work');
    const b = await drain('b');
    expect(b?.passIds).toHaveLength(1);
    gate.open(0);
    await deployment.quiesce({ untilMs: nowMs });
    expect(owingOf(deployment)).toHaveLength(2);
    // B ends unstarted: all it had reserved is free.
    await call(deployment, `POST /v1/scopes/s/passes/${b?.passIds[0]}/cancel`);
    await deployment.quiesce({ untilMs: nowMs + 15_000 });
    deployment.lost.clear();
    await deployment.passTime(MINUTE_MS);
    gate.open(1);
    await a;
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() });
    return deployment;
  }

  it('is begun by nobody: every pass that runs is on the ledger', async () => {
    const deployment = await refuseLate(() => undefined);
    const running = runningOf(deployment).map(({ passId }) => passId);
    expect(owingOf(deployment)).toEqual(running);
  });

  it('stays on it when the sweep reserved for it before it was refused', async () => {
    const deployment = await refuseLate(() => undefined, isRefusal);
    const running = runningOf(deployment).map(({ passId }) => passId);
    expect(running).toHaveLength(1);
    expect(owingOf(deployment)).toEqual(running);
  });

  it('[negative twin] a refusal that does not ask what was reserved takes off a pass that runs', async () => {
    const blind = (write: Write): Outcome | undefined =>
      isRefusal(write) ? { kind: 'won', item: undefined } : undefined;
    const deployment = await refuseLate(blind, isRefusal);
    expect([runningOf(deployment).length, owingOf(deployment).length]).toEqual([1, 0]);
  });

  it('[negative twin] without the refusal on the row of the day, the sweep begins what is then taken off', async () => {
    const deployment = await refuseLate((write) => (isRefusal(write) ? { kind: 'won', item: undefined } : undefined));
    expect([runningOf(deployment).length, owingOf(deployment).length]).toEqual([1, 0]);
  });
});
