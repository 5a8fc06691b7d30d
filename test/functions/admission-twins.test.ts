/** Cases of who is admitted that no other file holds, and twins of those that others hold: see `admission-cases.ts`. */
import { describe, expect, it } from 'vitest';
import { planAdmissions } from '../../functions/core/admission.ts';
import { runTrigger } from '../../functions/scheduler/run.ts';
import type { Tools } from '../../functions/worker/executor/executor.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import type { Item, Write } from '../../schema/request.ts';
import { call } from '../support/api.ts';
import { type Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';
import { runningOf, settledOf, useDeployments } from '../support/deployments.ts';
import { START_MS } from '../support/virtual-clock.ts';

const MINUTE_MS = 60_000;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const WIDE = { maxPassesPerScope: 8, maxConcurrentPasses: 20, maxWaitMs: 0 };
const SLOW = { stub: { delayMs: 10_000 }, settings: WIDE };
const DRAIN = 'POST /v1/scopes/s/dream/drain';
const deploy = useDeployments();

const ingestSixty = async (deployment: Deployment): Promise<void> => {
  for (const from of [0, 50]) await deployment.ingest('s', notes(Math.min(from + 50, 60)).slice(from));
};
const start = (deployment: Deployment, triggerId: string, over: object = {}) =>
  runTrigger(deployment.schedulerDeps(), { v: 1, triggerId, ...look, ...over });
/** A store whose writes by the scheduler are changed on their way. */
const changing = (change: (write: Write) => Write): Pick<DeploymentOptions, 'wrapStore'> => ({
  wrapStore: (store, name) => ({
    ...store,
    write: (write) => store.write(name === 'scheduler' ? change(write) : write),
  }),
});

describe('a scope', () => {
  it('of sixty small sources has three passes, though its tokens are few', async () => {
    const deployment = deploy({ ...SLOW, settings: { ...WIDE, maxPassesPerScope: 3 } });
    await ingestSixty(deployment);
    await deployment.ask(look);
    expect(runningOf(deployment)).toHaveLength(3);
  });

  it('twin: by its tokens alone it would have one', async () => {
    const byTokens: typeof planAdmissions = ({ candidates, ...snapshot }, ...given) => {
      const uncapped = candidates.map((it) => ({ ...it, backlog: { ...it.backlog, capped: false } }));
      return planAdmissions({ ...snapshot, candidates: uncapped }, ...given);
    };
    const deployment = deploy({ ...SLOW, decide: { planAdmissions: byTokens } });
    await ingestSixty(deployment);
    await deployment.ask(look);
    expect(runningOf(deployment)).toHaveLength(1);
  });
});

describe('two triggers', () => {
  it('of the same millisecond are two passes with ids of their own', async () => {
    const deployment = deploy(SLOW);
    await deployment.ingest('s', notes(40));
    await Promise.all([deployment.ask(look), deployment.ask(look)]);
    expect(new Set(deployment.passes().map((pass) => [pass.passId, pass.admittedAtMs].join(' '))).size).toBe(2);
  });

  it('twin: named by their time alone they would be one', async () => {
    const deployment = deploy(SLOW);
    await deployment.ingest('s', notes(40));
    const named = triggerIdOf(deployment.clock.nowMs(), '');
    expect((await start(deployment, named)).passIds).toEqual((await start(deployment, named)).passIds);
    expect(deployment.passes()).toHaveLength(1);
  });

  it('right after the last has ended is a pass of its own', async () => {
    const deployment = deploy();
    for (const id of ['first', 'second']) {
      await deployment.ingest('s', [{ ...(notes(1)[0] as object), id, text: `Note of ${id}.` }]);
      expect((await deployment.ask(look)).status).toBe(202);
      await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 10_000 });
    }
    expect(deployment.passes()).toHaveLength(2);
    expect([settledOf(deployment), deployment.passes().filter((pass) => pass.ttl === undefined)]).toEqual([2, []]);
  });

  const [LONG, LONGER] = ['a', 'b'].map((last) => `${'x'.repeat(127)}${last}`) as [string, string];

  it('of scopes whose names differ in their last character alone are two passes', async () => {
    const deployment = deploy(SLOW);
    for (const scope of [LONG, LONGER]) await deployment.ingest(scope, notes(1));
    await deployment.tick();
    expect(new Set(deployment.passes().map((pass) => pass.passId)).size).toBe(2);
  });

  it('twin: cut to 63 characters their names would be one', () => {
    const [one, other] = [LONG, LONGER].map((scope) => triggerIdOf(START_MS, `tick ${scope}`.slice(0, 63)));
    expect(one).toBe(other);
  });
});

describe('a deployment', () => {
  const unknown = (deployment: Deployment) => ({ ...deployment.schedulerDeps(), executor: undefined });

  it('whose executor nobody knows refuses with 503, and writes nothing', async () => {
    const deployment = deploy({ settings: WIDE });
    await deployment.ingest('s', notes(3));
    const before = JSON.stringify(deployment.items());
    const message = { v: 1, triggerId: triggerIdOf(START_MS, 'x'), ...look } as const;
    expect(await runTrigger(unknown(deployment), message)).toMatchObject({
      passIds: [],
      refused: [{ reason: 'executor_not_configured' }],
    });
    expect(JSON.stringify(deployment.items())).toBe(before);
  });

  it('twin: with one it admits', async () => {
    const deployment = deploy({ settings: WIDE });
    await deployment.ingest('s', notes(3));
    expect((await start(deployment, triggerIdOf(START_MS, 'x'))).passIds).toHaveLength(1);
  });
});

describe('a pass', () => {
  /** Its first invocation never arrives; then it thinks for most of its time. */
  async function startedLate(options: Pick<DeploymentOptions, 'wrapStore'> = {}): Promise<Item | undefined> {
    const settings = { maxWaitMs: 0, passTimeoutMs: 60_000 };
    const deployment = deploy({ settings, stub: { delayMs: 14_000 }, ...options });
    await deployment.ingest('s', notes(5));
    deployment.lost.add('work');
    await deployment.ask(look);
    deployment.lost.clear();
    await deployment.passTime(4 * MINUTE_MS);
    return deployment.passes()[0];
  }

  it('that waited for its worker has its whole time all the same', async () => {
    const pass = await startedLate();
    expect(Number(pass?.startedAtMs) - Number(pass?.admittedAtMs)).toBeGreaterThanOrEqual(60_000);
    expect(Number(pass?.deadlineAtMs) - Number(pass?.startedAtMs)).toBe(60_000);
    expect(pass).toMatchObject({ status: 'completed', counters: { reviewed: 5 } });
  });

  it('twin: counted from its admission it would have none left', async () => {
    const fromAdmission: DeploymentOptions['wrapStore'] = (store, name) => ({
      ...store,
      async get(read) {
        const item = await store.get(read);
        const isAdmitted = name === 'worker' && item?.status === 'admitted';
        return isAdmitted ? { ...item, passTimeoutMs: 0 } : item;
      },
    });
    expect(await startedLate({ wrapStore: fromAdmission })).toMatchObject({ counters: { reviewed: 0 } });
  });
});

describe('a backlog of more than its passes take', () => {
  const onePage: DeploymentOptions = {
    settings: { maxWaitMs: 0 },
    executor: {
      name: 'stub',
      async run(tools: Tools) {
        const { items } = await tools.searchEvidence({ limit: 5 });
        await tools.reviewEvidence(items);
      },
    },
  };

  it('goes on by itself, without a tick, as long as each pass gets somewhere', async () => {
    const deployment = deploy(onePage);
    await deployment.ingest('s', notes(40));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect([settledOf(deployment), deployment.passes().length]).toEqual([40, 8]);
  });

  it('twin: without the trigger of its finalizer it stops after the first', async () => {
    const deployment = deploy(onePage);
    await deployment.ingest('s', notes(40));
    await start(deployment, triggerIdOf(START_MS, 'x'));
    deployment.lost.add('triggers');
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect([settledOf(deployment), deployment.passes().length]).toEqual([5, 1]);
  });
});

describe('8 starts of one drain', () => {
  const unreserved = changing((write) => {
    const { ExpressionAttributeValues: values } = write.input;
    if (values?.[':room_passes'] === undefined) return write;
    return {
      ...write,
      input: { ...write.input, ExpressionAttributeValues: { ...values, ':room_passes': 99 } },
    } as Write;
  });
  const unweighed: typeof planAdmissions = ({ candidates, ...snapshot }, ...given) =>
    planAdmissions({ ...snapshot, candidates: candidates.map((it) => ({ ...it, budget: undefined })) }, ...given);

  async function startEight(options: DeploymentOptions): Promise<number> {
    const deployment = deploy({ ...SLOW, settings: { ...WIDE, budgetPasses: 3 }, ...options });
    await deployment.ingest('s', notes(40));
    await call(deployment, DRAIN, { body: { parallel: 8 } });
    expect(deployment.crashes).toEqual([]);
    return deployment.passes().length;
  }

  it('with 3 left start 3 by the plan alone, and by the reservation alone', async () => {
    expect(await startEight(unreserved)).toBe(3);
    expect(await startEight({ decide: { planAdmissions: unweighed } })).toBe(3);
  });

  it('twin: with neither they would start all 8', async () => {
    expect(await startEight({ ...unreserved, decide: { planAdmissions: unweighed } })).toBe(8);
  });

  it('twin: asking for slot 0 alone it would start none', async () => {
    const slotZero: typeof planAdmissions = (snapshot, limits, nowMs) => {
      const plan = planAdmissions(snapshot, limits, nowMs);
      return snapshot.running.length > 0 ? { ...plan, admitted: [], verdicts: plan.verdicts.map(emptied) } : plan;
    };
    const emptied = (verdict: ReturnType<typeof planAdmissions>['verdicts'][number]) => ({ ...verdict, admitted: [] });
    const deployment = deploy({ ...SLOW, decide: { planAdmissions: slotZero } });
    await deployment.ingest('s', notes(40));
    for (const parallel of [1, 7]) await call(deployment, DRAIN, { body: { parallel } });
    expect(deployment.passes()).toHaveLength(1);
  });
});

describe('the slots of a drain', () => {
  /** Three run, the one in the middle is cancelled, two more are asked for. */
  async function slotsAfterHole(decide: DeploymentOptions['decide']): Promise<number[]> {
    const settings = { ...WIDE, maxPassesPerScope: 4, passTimeoutMs: 600_000 };
    const deployment = deploy({ stub: { delayMs: 200_000 }, settings, ...(decide && { decide }) });
    await deployment.ingest('s', notes(50));
    const first = await call(deployment, DRAIN, { body: { parallel: 3 } });
    const middle = deployment.passes().find((pass) => pass.slotNumber === 1);
    expect(first.body.passIds).toContain(middle?.passId);
    await call(deployment, `POST /v1/scopes/s/passes/${String(middle?.passId)}/cancel`);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 20_000 });
    await call(deployment, DRAIN, { body: { parallel: 2 } });
    return runningOf(deployment)
      .map((pass) => Number(pass.slotNumber))
      .sort((a, b) => a - b);
  }

  it('are the free ones, the hole first', async () => {
    expect(await slotsAfterHole(undefined)).toEqual([0, 1, 2, 3]);
  });

  it('twin: counted on from those that run, two passes would have one', async () => {
    const counted: typeof planAdmissions = (snapshot, limits, nowMs) => {
      const plan = planAdmissions(snapshot, limits, nowMs);
      const verdicts = plan.verdicts.map((verdict) => ({
        ...verdict,
        admitted: verdict.admitted.map((pass, k) => ({ ...pass, slotNumber: snapshot.running.length + k })),
      }));
      return { admitted: verdicts.flatMap(({ admitted }) => admitted), verdicts };
    };
    expect(await slotsAfterHole({ planAdmissions: counted })).toEqual([0, 2, 2, 3]);
  });
});
