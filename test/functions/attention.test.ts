/** Attention: one pass of a scope owns it at a time; alone it is reason enough for a pass. */
import { describe, expect, it } from 'vitest';
import { createCuratorApp } from '../../functions/curator/routes.ts';
import type { Store } from '../../functions/io/ports.ts';
import type { AttentionAnswer, AttentionPage, Executor, Tools } from '../../functions/worker/executor/executor.ts';
import { raiseAttention } from '../../schema/attention.ts';
import { getScope, noteBacklog } from '../../schema/scope.ts';
import { call } from '../support/api.ts';
import { type Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';
import { owingOf, scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const deploy = useDeployments();
const DECIDES = [{ name: 'stub', spends: false, needsProvider: false, decidesAttention: true }];

function raise(deployment: Deployment, subject: string, subjectKey = 'k1') {
  return deployment.tables.store.write(
    raiseAttention(
      { scope: 's', generation: 1 },
      {
        kind: 'contested',
        subject,
        subjectKey,
        details: { slot: { entity: 'ann', attribute: subject }, sides: [], because: 'same_time' },
        nowMs: deployment.clock.nowMs(),
        op: `raise ${subject} ${subjectKey}`,
      },
    ),
  );
}

interface Seen {
  readonly pages: AttentionPage[];
  readonly answers: AttentionAnswer[];
}

/** Lists attention, decides what it is told to, reads one page and thinks for as long as it is told. */
function deciding(seen: Seen, { waitMs = 0, decides = true } = {}): DeploymentOptions {
  const executor = {
    name: 'stub',
    async run(tools: Tools, { sleep }: { sleep: (ms: number) => Promise<void> }) {
      const page = await tools.listAttention();
      seen.pages.push(page);
      for (const { id, state } of decides ? page.items : []) {
        seen.answers.push(
          await tools.resolveAttention({ id, state, decision: 'declined', because: 'it is no question' }),
        );
      }
      const { items } = await tools.searchEvidence({ limit: 5 });
      await sleep(waitMs);
      if (items.length > 0) await tools.reviewEvidence(items);
    },
  };
  return { executor, executors: DECIDES, settings: { maxPassesPerScope: 3, maxConcurrentPasses: 6, maxWaitMs: 0 } };
}
const open = (deployment: Deployment) =>
  deployment.rows('ATTENTION#').filter((item) => item.resolvedAtMs === undefined);

describe('ownership', () => {
  it('is of one pass at a time; joiners see none, by list and by decision; the next to start takes it over', async () => {
    const seen: Seen = { pages: [], answers: [] };
    const deployment = deploy(deciding(seen, { waitMs: 20_000, decides: false }));
    await deployment.ingest('s', notes(40));
    await raise(deployment, 'home');
    await deployment.ask({ ...look, origin: 'drain', parallel: 3 });
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 5000 });
    expect(seen.pages.map(({ items }) => items.length).sort((a, b) => a - b)).toEqual([0, 0, 1]);
    expect(seen.pages.filter(({ note }) => note !== undefined)).toHaveLength(2);
    const owners = () => deployment.passes().filter((pass) => pass.attention !== undefined);
    expect(owners()).toHaveLength(1);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 40_000 });
    // One of those that followed owns it now, as the first has ended.
    expect(owners().length).toBeGreaterThan(1);
    const ended = owners().map((pass) => [
      Number(pass.startedAtMs),
      Number(pass.endedAtMs ?? Number.POSITIVE_INFINITY),
    ]);
    const sorted = ended.sort(([a = 0], [b = 0]) => a - b);
    for (const [k, [startedAtMs = 0]] of sorted.entries()) {
      if (k > 0) expect(startedAtMs).toBeGreaterThanOrEqual(sorted[k - 1]?.[1] ?? 0);
    }
  });

  it('a joiner that decides all the same is refused', async () => {
    const seen: Seen = { pages: [], answers: [] };
    const answers: AttentionAnswer[] = [];
    const executor = {
      name: 'stub',
      async run(tools: Tools, { sleep }: { sleep: (ms: number) => Promise<void> }) {
        answers.push(
          await tools.resolveAttention({ id: 'contested:home', state: 'k1', decision: 'resolved', because: 'so' }),
        );
        await sleep(5000);
      },
    };
    const deployment = deploy({ ...deciding(seen), executor });
    await deployment.ingest('s', notes(40));
    await raise(deployment, 'home');
    await deployment.ask({ ...look, origin: 'drain', parallel: 3 });
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 2000 });
    expect([answers.length, answers.filter(({ decided }) => decided).length]).toEqual([3, 1]);
    expect(open(deployment)).toEqual([]);
  });
});

describe('attention alone', () => {
  it('makes one pass, which closes it; then the scope rests', async () => {
    const seen: Seen = { pages: [], answers: [] };
    const deployment = deploy(deciding(seen));
    await deployment.ingest('s', notes(3));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 10_000 });
    await raise(deployment, 'home');
    await raise(deployment, 'job');
    const { body } = await call(deployment, 'GET /v1/scopes/s/status');
    expect(body).toMatchObject({ attention: { open: 2, more: false }, now: { verdict: 'admitted' } });
    await deployment.passTime(3 * MINUTE_MS);
    expect(
      deployment
        .passes()
        .map((pass) => String(pass.attention))
        .sort(),
    ).toEqual(['only', 'owned']);
    expect(seen.answers).toEqual([{ decided: true }, { decided: true }]);
    expect([open(deployment), owingOf(deployment), scopeRowOf(deployment)?.failures]).toEqual([[], [], 0]);
    await deployment.passTime(2 * HOUR_MS);
    expect(deployment.passes()).toHaveLength(2);
    expect(scopeRowOf(deployment)?.workPartition).toBe('idle#0');
  });

  it('that is declined stays closed until its subject changes', async () => {
    const seen: Seen = { pages: [], answers: [] };
    const deployment = deploy(deciding(seen));
    await deployment.ingest('s', notes(3));
    await raise(deployment, 'home');
    await deployment.ask(look);
    await deployment.passTime(2 * MINUTE_MS);
    await raise(deployment, 'home');
    expect(open(deployment)).toEqual([]);
    await raise(deployment, 'home', 'k2');
    expect(open(deployment)).toHaveLength(1);
    expect((await deployment.ask(look)).status).toBe(202);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(open(deployment)).toEqual([]);
  });

  it('that no pass decides does not loop: its scope backs off and halts', async () => {
    const deployment = deploy(deciding({ pages: [], answers: [] }, { decides: false }));
    await deployment.ingest('s', notes(3));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 10_000 });
    await raise(deployment, 'home');
    await deployment.passTime(24 * HOUR_MS);
    expect(deployment.passes().length).toBeLessThanOrEqual(7);
    expect(scopeRowOf(deployment)).toMatchObject({ workPartition: 'parked#0', lastFailure: { code: 'no_progress' } });
  });

  it('makes no pass of an executor that decides none', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(3));
    await raise(deployment, 'home');
    await deployment.ask(look);
    await deployment.passTime(HOUR_MS);
    expect(deployment.passes()).toHaveLength(1);
    expect(scopeRowOf(deployment)?.workPartition).toBe('idle#0');
  });
});

/** What a person does: a curator's routes over `store`, on the deployment's clock. */
async function contest({ clock }: Deployment, store: Store, statuses: readonly number[]): Promise<void> {
  const log = { info() {}, warn() {}, error() {}, count() {} };
  let ops = 0;
  const app = createCuratorApp({ store, clock, ids: { fresh: () => `person-${ops++}` }, log });
  for (const [k, value] of ['Oslo', 'Rome'].entries()) {
    const body = { entity: 'Ann', attribute: 'home', value, protect: false, event: '2025-05' };
    const init = { method: 'POST', body: JSON.stringify(body) };
    expect((await app.request('/v1/scopes/s/claims/correct', init)).status).toBe(statuses[k]);
  }
}

describe('attention that a person raises beside what a pass has left', () => {
  /** A pass reads one of two notes, and what it tells of the other is lost; then a person contests a claim. */
  async function contestBesideLeft(between: (store: Store, nowMs: number) => Store): Promise<Deployment> {
    const executor: Executor = {
      name: 'stub',
      async run(tools, { sleep }) {
        const { items } = await tools.searchEvidence({ limit: 1 });
        await sleep(5000);
        await tools.reviewEvidence(items);
      },
    };
    const deployment = deploy({ executor, executors: DECIDES, settings: { maxWaitMs: 15 * MINUTE_MS } });
    await deployment.ingest('s', notes(2));
    await deployment.ask(look);
    deployment.lost.add('triggers');
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 10_000 });
    expect([deployment.passes().length, settledOf(deployment)]).toEqual([1, 1]);
    await contest(deployment, between(deployment.tables.store, deployment.clock.nowMs()), [200, 200]);
    return deployment;
  }

  it('begins no wait for a batch: the next tick reads what has waited already', async () => {
    const deployment = await contestBesideLeft((store) => store);
    expect(scopeRowOf(deployment)).not.toHaveProperty('waitingSinceMs');
    await deployment.passTime(2 * MINUTE_MS);
    expect(settledOf(deployment)).toBe(2);
  });

  it('twin: where it begins one, what is left waits as if it had come just now', async () => {
    const deployment = await contestBesideLeft((store, nowMs) => ({
      ...store,
      write: (write) => {
        const isMark = write.kind === 'update' && write.input.Key?.sk === 'SCOPE';
        return store.write(isMark ? noteBacklog({ scope: 's', nowMs, op: 'waits' }) : write);
      },
    }));
    await deployment.passTime(2 * MINUTE_MS);
    expect([deployment.passes().length, settledOf(deployment)]).toEqual([1, 1]);
  });
});

describe('attention that a person raises in an idle scope', () => {
  /** Two words of a person for one time, of which order cannot choose; `between`: the store of the curator. */
  async function contestIdle(between: (store: Store) => Store, statuses = [200, 200]): Promise<Deployment> {
    const deployment = deploy(deciding({ pages: [], answers: [] }));
    await deployment.ingest('s', notes(3));
    await deployment.ask(look);
    await deployment.passTime(HOUR_MS);
    expect(scopeRowOf(deployment)?.workPartition).toBe('idle#0');
    await contest(deployment, between(deployment.tables.store), statuses);
    return deployment;
  }

  it('wakes it: one pass decides it, and the scope rests again', async () => {
    const deployment = await contestIdle((store) => store);
    expect(open(deployment)).toHaveLength(1);
    await deployment.passTime(2 * MINUTE_MS);
    expect(deployment.passes().map((pass) => String(pass.attention))).toContain('only');
    expect(open(deployment)).toEqual([]);
    await deployment.passTime(HOUR_MS);
    expect([deployment.passes().length, scopeRowOf(deployment)?.workPartition]).toEqual([2, 'idle#0']);
  });

  it('is found all the same when its finder died right after it was raised', async () => {
    let isRaised = false;
    const deployment = await contestIdle(
      (store) => ({
        ...store,
        async write(write) {
          if (isRaised) throw new Error('died');
          isRaised = String(write.kind === 'update' && write.input.Key?.sk).startsWith('ATTENTION#');
          return store.write(write);
        },
      }),
      [200, 500],
    );
    await deployment.passTime(2 * MINUTE_MS);
    expect([isRaised, open(deployment)]).toEqual([true, []]);
  });

  it('twin: where nobody marks the scope, nobody looks in a day', async () => {
    const deployment = await contestIdle((store) => ({
      ...store,
      async write(write) {
        const isMark = write.kind === 'update' && write.input.Key?.sk === 'SCOPE';
        if (!isMark) return store.write(write);
        return { kind: 'won', item: await store.get(getScope('s')) };
      },
    }));
    await deployment.passTime(24 * HOUR_MS);
    expect([open(deployment).length, deployment.passes().length]).toEqual([1, 1]);
  });
});
