/** Budgets of a scope and UTC day: reserved before a pass begins, settled when it ends, however it ends. */
import { describe, expect, it } from 'vitest';
import { runTrigger } from '../../functions/scheduler/run.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { usageItemSchema } from '../../schema/usage.ts';
import { call } from '../support/api.ts';
import { type Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';
import { owingOf, scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const deploy = useDeployments();
const MODEL = [{ name: 'stub', spends: true, needsProvider: false, decidesAttention: false }];

const usageOf = (deployment: Deployment) => deployment.rows('USAGE#').map((item) => usageItemSchema.parse(item));
/** Reservations that stand. */
const openOf = (deployment: Deployment) =>
  usageOf(deployment).flatMap(({ reserved }) => Object.values(reserved).filter(({ closed }) => !closed));
const WIDE = { maxPassesPerScope: 16, maxConcurrentPasses: 100 };

describe('budgets', () => {
  it('8 starts at once with 3 passes left start exactly 3; the others occupy nothing', async () => {
    const deployment = deploy({ settings: { ...WIDE, budgetPasses: 3 }, stub: { delayMs: 10_000 } });
    await deployment.ingest('s', notes(40));
    const at = deployment.clock.nowMs();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, k) =>
        runTrigger(deployment.schedulerDeps(), {
          v: 1,
          triggerId: triggerIdOf(at, `start ${k}`),
          scope: 's',
          origin: 'drain',
          kind: 'incremental',
          parallel: 1,
        }).catch(() => undefined),
      ),
    );
    expect(outcomes.flatMap((outcome) => outcome?.passIds ?? [])).toHaveLength(3);
    expect([deployment.passes().length, owingOf(deployment).length]).toEqual([3, 3]);
    expect(usageOf(deployment)).toMatchObject([{ passes: 3 }]);
  });

  it('one drain of 8 with 3 left starts 3 and says so; the next is 429 until midnight, and rolls with the day', async () => {
    const deployment = deploy({ settings: { ...WIDE, budgetPasses: 3 } });
    await deployment.ingest('s', notes(40));
    const drain = () => call(deployment, 'POST /v1/scopes/s/dream/drain', { body: { parallel: 8 } });
    const first = await drain();
    expect(first).toMatchObject({ status: 202, body: { requested: 8, refused: [{ reason: 'budget' }] } });
    expect(first.body.passIds).toHaveLength(3);
    await deployment.passTime(2 * MINUTE_MS);
    await deployment.ingest('s', [{ ...(notes(1)[0] as object), id: 'more' }]);
    const next = await drain();
    expect(next).toMatchObject({ status: 429, body: { error: { code: 'budget' } } });
    const midnightMs = Math.ceil(deployment.clock.nowMs() / (24 * HOUR_MS)) * 24 * HOUR_MS;
    expect(Number(next.headers.get('retry-after'))).toBeCloseTo((midnightMs - deployment.clock.nowMs()) / 1000, -1);
    // The schedule does not ask before the day is over: the scope is due at midnight.
    await deployment.passTime(20 * MINUTE_MS);
    expect(scopeRowOf(deployment)?.workDueAtMs).toBe(midnightMs);
    expect(deployment.passes()).toHaveLength(3);
    await deployment.quiesce({ untilMs: midnightMs - MINUTE_MS });
    await deployment.passTime(2 * MINUTE_MS);
    expect(settledOf(deployment)).toBe(41);
    expect(usageOf(deployment).map(({ day, passes }) => [day, passes])).toEqual([
      ['2026-01-01', 3],
      ['2026-01-02', 1],
    ]);
  });

  it('are told by status: what is left, what binds, and until when', async () => {
    const deployment = deploy({ settings: { budgetPasses: 2 }, stub: { delayMs: 5000 } });
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    const { body } = await call(deployment, 'GET /v1/scopes/s/status');
    expect(body.budget).toEqual({
      passesLeft: 1,
      tightest: '1 of 2 passes used or reserved today',
      resetAt: '2026-01-02T00:00:00.000Z',
    });
  });

  it('rest with an executor that spends nothing, but for its number', async () => {
    const deployment = deploy({ settings: { budgetTokensIn: 1000 } });
    await deployment.ingest('s', notes(5));
    expect((await deployment.ask(look)).status).toBe(202);
  });
});

describe('what a pass used is counted in place of what it reserved', () => {
  const spending: DeploymentOptions = {
    executors: MODEL,
    stub: { tokensIn: 1000, tokensOut: 100, limit: 5, delayMs: 500 },
  };

  it('when it completed', async () => {
    const deployment = deploy(spending);
    await deployment.ingest('s', notes(12));
    await deployment.ask(look);
    expect(usageOf(deployment)).toMatchObject([{ tokensIn: LIMITS.reservedTokensIn }]);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    // Three pages and the empty one.
    expect(usageOf(deployment)).toMatchObject([{ passes: 1, tokensIn: 4000, tokensOut: 400 }]);
    expect(openOf(deployment)).toEqual([]);
  });

  it('when it failed, and when it was cancelled', async () => {
    const failing = deploy({ ...spending, stub: { ...spending.stub, behaviour: 'fail', failAfterPages: 2 } });
    await failing.ingest('s', notes(30));
    await failing.ask(look);
    await failing.quiesce({ untilMs: failing.clock.nowMs() + MINUTE_MS });
    expect(usageOf(failing)).toMatchObject([{ passes: 1, tokensIn: 2000 }]);
    expect(openOf(failing)).toEqual([]);
    const cancelled = deploy({ ...spending, stub: { ...spending.stub, delayMs: 20_000 } });
    await cancelled.ingest('s', notes(30));
    const { body } = await cancelled.ask(look);
    await cancelled.quiesce({ untilMs: cancelled.clock.nowMs() + 30_000 });
    await call(cancelled, `POST /v1/scopes/s/passes/${body.passIds?.[0]}/cancel`);
    await cancelled.quiesce({ untilMs: cancelled.clock.nowMs() + MINUTE_MS });
    expect(usageOf(cancelled)).toMatchObject([{ passes: 1, tokensIn: 1000 }]);
    expect(openOf(cancelled)).toEqual([]);
  });

  it('when it was killed: by its last beat', async () => {
    let killed = false;
    const deployment: Deployment = deploy({
      ...spending,
      stub: { ...spending.stub, delayMs: 12_000 },
      wrapStore: (store, name) => ({
        ...store,
        write: (write) => (name === 'worker' && killed ? new Promise(() => undefined) : store.write(write)),
      }),
    });
    await deployment.ingest('s', notes(30));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 25_000 });
    killed = true;
    await deployment.passTime(3 * MINUTE_MS);
    expect(deployment.passes()).toMatchObject([{ status: 'expired' }]);
    expect(usageOf(deployment)).toMatchObject([{ passes: 1, tokensIn: 1000 }]);
    expect(openOf(deployment)).toEqual([]);
  });

  it('not at all when it never ran: it does not count as a pass either', async () => {
    const deployment = deploy(spending);
    await deployment.ingest('s', notes(5));
    deployment.lost.add('work');
    const { body } = await deployment.ask(look);
    await call(deployment, `POST /v1/scopes/s/passes/${body.passIds?.[0]}/cancel`);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1000 });
    expect(usageOf(deployment)).toMatchObject([{ passes: 0, tokensIn: 0, tokensOut: 0 }]);
    expect(openOf(deployment)).toEqual([]);
  });
});

describe('a scheduler that dies', () => {
  /** The scheduler's first write of a kind never comes back, whether it was made or not. */
  function dying(isIt: (input: string) => boolean, made: boolean): DeploymentOptions {
    let dies = true;
    return {
      settings: { budgetPasses: 1 },
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          if (name !== 'scheduler' || !dies || !isIt(JSON.stringify(write.input))) return store.write(write);
          dies = false;
          if (made) await store.write(write);
          throw new Error('the scheduler died');
        },
      }),
    };
  }

  it.each([
    ['before its reservation', (input: string) => input.includes('USAGE#'), false],
    ['after its reservation', (input: string) => input.includes('USAGE#'), true],
    ['before the PASS row', (input: string) => input.includes('"status":"admitted"'), false],
    ['after the PASS row', (input: string) => input.includes('"status":"admitted"'), true],
  ])('%s: the sweep goes on, and one reservation is made', async (_, isIt, made) => {
    const deployment = deploy(dying(isIt, made));
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    expect(owingOf(deployment)).toHaveLength(1);
    await deployment.passTime(3 * MINUTE_MS);
    expect([settledOf(deployment), owingOf(deployment).length]).toEqual([5, 0]);
    expect(usageOf(deployment)).toMatchObject([{ passes: 1 }]);
    expect(openOf(deployment)).toEqual([]);
  });

  it('between an entry and a budget that is spent meanwhile: the sweep takes the entry off', async () => {
    const deployment = deploy(dying((input) => input.includes('USAGE#'), false));
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await call(deployment, 'PATCH /v1/settings', { body: { budgetPasses: 1, maxPassesPerScope: 2 } });
    await deployment.ask({ ...look, origin: 'drain', parallel: 1 });
    await deployment.passTime(2 * MINUTE_MS);
    expect([deployment.passes().length, owingOf(deployment).length]).toEqual([1, 0]);
    expect(usageOf(deployment)).toMatchObject([{ passes: 1 }]);
    expect(openOf(deployment)).toEqual([]);
  });

  it('an orphaned reservation is given back once no pass can be behind it', async () => {
    const deployment = deploy({ settings: { budgetPasses: 2 } });
    await deployment.ingest('s', notes(1));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    const [row] = deployment.rows('USAGE#');
    const orphan = {
      tokensIn: 0,
      tokensOut: 0,
      costMicroUsd: 0,
      expiresAtMs: deployment.clock.nowMs() + HOUR_MS,
      op: 'o',
    };
    await deployment.tables.store.write({
      kind: 'put',
      table: 'control',
      isMine: () => true,
      input: { Item: { ...row, passes: 2, reserved: { orphan } } },
    });
    await deployment.ingest('s', [{ ...(notes(1)[0] as object), id: 'more' }]);
    expect(await deployment.ask(look)).toMatchObject({ status: 429 });
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + HOUR_MS + 1 });
    expect((await deployment.ask(look)).status).toBe(202);
    expect(usageOf(deployment)[0]?.reserved).toHaveProperty('orphan.closed', 'settled');
  });
});
