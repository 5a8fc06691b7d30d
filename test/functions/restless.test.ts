/** A source that breaks off its passes in one revision after the other waits, and all such sources share fifty tries an hour. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../functions/io/ports.ts';
import { LIMITS } from '../../schema/limits.ts';
import { tierOf, timeOfQueueKey } from '../../schema/queue.ts';
import type { Item, Write } from '../../schema/request.ts';
import { hourStartMs } from '../../schema/retry-hour.ts';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { settledOf, useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';
import { withoutClause } from '../support/without-clause.ts';

const deploy = useDeployments();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const sortKeyOf = (write: Write): string =>
  String((write.kind === 'put' ? write.input.Item : write.input.Key)?.['sk'] ?? '');
const sourcesOf = (deployment: Deployment) => deployment.rows('SOURCE#');
const pendingOf = (deployment: Deployment) => deployment.evidence().filter((item) => item.state === 'pending');
const revise = (deployment: Deployment, n: number) =>
  deployment.ingest(
    's',
    notes(1, () => `The text of revision ${n}.`),
  );

/** Reads a page, then breaks off, or acknowledges it when it is told to. */
function breaking() {
  const state = { breaks: true, passes: 0 };
  const executor = scripted(async (tools) => {
    const { items } = await tools.searchEvidence({});
    if (items.length === 0) return;
    state.passes++;
    if (state.breaks) throw new Error('this text breaks its reader');
    await tools.reviewEvidence(items);
  });
  return { state, executor };
}

/** What a finalizer without the rule does: no source remembers a crash. */
const forgetful = (store: Store, name: string): Store => ({
  ...store,
  write: async (write) =>
    name === 'finalizer' && sortKeyOf(write).startsWith('SOURCE#')
      ? { kind: 'won', item: undefined }
      : store.write(write),
});

async function crashedIn(revisions: number, wrapStore?: (store: Store, name: string) => Store) {
  const { state, executor } = breaking();
  const deployment = deploy({ executor, ...(wrapStore && { wrapStore }) });
  for (let n = 0; n < revisions; n++) {
    await revise(deployment, n);
    await look(deployment, { forMs: 5000 });
  }
  expect(state.passes).toBe(revisions);
  const lastMs = Math.max(...deployment.passes().map(({ endedAtMs }) => Number(endedAtMs)));
  await revise(deployment, revisions);
  return { deployment, state, lastMs, waits: pendingOf(deployment)[0] };
}

describe('a source whose revisions broke off three passes within an hour', () => {
  it('begins without blame in the next revision, and waits a minute after the last', async () => {
    const { deployment, state, lastMs, waits } = await crashedIn(3);
    expect(waits).toMatchObject({ attempts: 0, stalls: 0 });
    expect([tierOf(String(waits?.queueKey)), timeOfQueueKey(String(waits?.queueKey))]).toEqual([3, lastMs + MINUTE_MS]);
    const { body } = await call(deployment, 'GET /v1/scopes/s/sources/note/note-0');
    expect(body).toMatchObject({ state: 'waiting', nextLookAt: new Date(lastMs + MINUTE_MS).toISOString() });
    expect((await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' })).status).toBe(409);
    expect(state.passes).toBe(3);
    state.breaks = false;
    await deployment.quiesce({ untilMs: lastMs + MINUTE_MS + 1000 });
    await look(deployment);
    expect(settledOf(deployment)).toBe(1);
  });

  it('twin: one that nobody remembers it of is read at once, and breaks off the next pass', async () => {
    const { deployment, state } = await crashedIn(3, forgetful);
    await look(deployment, { forMs: 5000 });
    expect(state.passes).toBe(4);
  });

  it.each([1, 2])('after %i it is read at once', async (revisions) => {
    const { waits } = await crashedIn(revisions);
    expect(tierOf(String(waits?.queueKey))).toBe(1);
  });

  it('is read at once again when the last of them is an hour ago', async () => {
    const { deployment } = await crashedIn(3);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + HOUR_MS });
    await revise(deployment, 9);
    expect(tierOf(String(pendingOf(deployment)[0]?.queueKey))).toBe(1);
  });

  it('is put back at once by a person', async () => {
    const { deployment } = await crashedIn(3);
    const [source] = sourcesOf(deployment);
    const row = pendingOf(deployment)[0] as Item;
    const { store } = deployment.tables;
    const item = { ...row, state: 'quarantined', stalls: 6 };
    await store.write({ kind: 'put', table: 'control', input: { Item: item }, isMine: () => true } as Write);
    const body = { kind: 'note', id: 'note-0', revision: source?.revision };
    expect(await call(deployment, 'POST /v1/scopes/s/sources/requeue', { body })).toMatchObject({ status: 200 });
    expect(tierOf(String(pendingOf(deployment)[0]?.queueKey))).toBe(1);
  });

  it('is noted once for each pass, though its finalizer died right after and ran again', async () => {
    let dies = true;
    const { executor } = breaking();
    const deployment = deploy({
      executor,
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          if (name === 'finalizer' && sortKeyOf(write).startsWith('EVIDENCE#') && dies) throw new Error('it died');
          return store.write(write);
        },
      }),
    });
    await revise(deployment, 0);
    await look(deployment, { forMs: 5000 });
    expect(sourcesOf(deployment)).toMatchObject([{ crashSeq: 1 }]);
    expect(deployment.leasesLeft()).toBeGreaterThan(0);
    dies = false;
    await deployment.passTime(2 * MINUTE_MS);
    const crashes = sourcesOf(deployment)[0]?.crashes as { passId: string }[];
    expect(new Set(crashes.map(({ passId }) => passId)).size).toBe(crashes.length);
    expect(crashes[0]?.passId).toBe(deployment.passes()[0]?.passId);
  });
});

describe('a session that is edited every minute and breaks off whoever reads it', () => {
  /** Passes in an hour of edits, each followed by a trigger. */
  async function passesInAnHour(wrapStore?: (store: Store, name: string) => Store): Promise<number> {
    const { state, executor } = breaking();
    const deployment = deploy({ executor, settings: { budgetPasses: 10_000 }, ...(wrapStore && { wrapStore }) });
    const startMs = deployment.clock.nowMs();
    for (let minute = 0; minute < 60; minute++) {
      await deployment.quiesce({ untilMs: startMs + minute * MINUTE_MS });
      await revise(deployment, minute);
      await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' });
    }
    return state.passes;
  }

  it('is tried eight times or nine in an hour, and is not put off by its edits', async () => {
    const passes = await passesInAnHour();
    expect(passes).toBeGreaterThanOrEqual(7);
    expect(passes).toBeLessThanOrEqual(LIMITS.retryCrashes + LIMITS.retryExponentMax + 1);
  }, 60_000);

  it('twin: a pass a minute, were it not remembered', async () => {
    expect(await passesInAnHour(forgetful)).toBe(60);
  }, 60_000);
});

describe('of all such sources together', () => {
  const SOURCES = 60;
  const half = (scope: string, text: string) =>
    notes(SOURCES / 2, (k) => `${text} ${k}`).map((note) => ({
      ...(note as object),
      id: `${scope}-${(note as { id: string }).id}`,
    }));

  /** Sixty in two scopes, each of which broke off three passes ten minutes ago; then a new revision of each. */
  async function revised(wrapStore?: (store: Store, name: string) => Store) {
    const deployment = deploy({ settings: { maxConcurrentPasses: 4 }, ...(wrapStore && { wrapStore }) });
    const nowMs = deployment.clock.nowMs();
    for (const scope of ['s', 't']) await deployment.ingest(scope, half(scope, 'old'));
    for (const row of sourcesOf(deployment)) {
      const crashes = [1, 2, 3].map((k) => ({ passId: `p${k}`, atMs: nowMs - 10 * MINUTE_MS - k }));
      const item = { ...row, crashes, crashSeq: 3 };
      const { store } = deployment.tables;
      await store.write({ kind: 'put', table: 'control', input: { Item: item }, isMine: () => true } as Write);
    }
    for (const scope of ['s', 't']) await deployment.ingest(scope, half(scope, 'new'));
    const tiers = Map.groupBy(pendingOf(deployment), ({ queueKey }) => tierOf(String(queueKey)));
    return { deployment, nowMs, now: tiers.get(1)?.length ?? 0, later: tiers.get(3) ?? [] };
  }

  it('fifty are let through in an hour of the clock, the rest in the next; none is lost', async () => {
    const { deployment, nowMs, now, later } = await revised();
    expect([now, later.length]).toEqual([LIMITS.retriesPerHourMax, SOURCES - LIMITS.retriesPerHourMax]);
    for (const { queueKey } of later) expect(timeOfQueueKey(String(queueKey))).toBe(hourStartMs(nowMs, 1));
    expect(deployment.rows('RETRIES#').map(({ retries }) => retries)).toEqual([50, 10]);
    await deployment.passTime(2 * HOUR_MS);
    expect(settledOf(deployment)).toBe(SOURCES);
  }, 60_000);

  it('twin: without that bound all are let through at once', async () => {
    const boundless = (store: Store, name: string): Store => ({
      ...store,
      write: (write) =>
        store.write(
          name === 'ingest' && sortKeyOf(write).startsWith('RETRIES#')
            ? withoutClause(write, 'attribute_not_exists(#retries) OR #retries < :most')
            : write,
        ),
    });
    expect(await revised(boundless)).toMatchObject({ now: SOURCES, later: [] });
  }, 60_000);
});

describe('any other source', () => {
  it('costs nothing more: a revision asks and writes what it did', async () => {
    const requests: string[] = [];
    const deployment = deploy({
      wrapStore: (store, name) => ({
        ...store,
        async get(read) {
          if (name === 'ingest') requests.push(`get ${String(read.input.Key?.sk).split('#')[0]}`);
          return store.get(read);
        },
        async write(write) {
          if (name === 'ingest') requests.push(`${write.kind} ${sortKeyOf(write).split('#')[0]}`);
          return store.write(write);
        },
      }),
    });
    await revise(deployment, 0);
    requests.length = 0;
    await revise(deployment, 1);
    expect(requests.filter((request) => !request.includes('SCOPE'))).toEqual([
      'get SOURCE',
      // Asked because both have one captured time: it may be a late repetition.
      'get EVIDENCE',
      'put TEXTLIST',
      'put 00000',
      'put EVIDENCE',
      'put SOURCE',
      'update EVIDENCE',
    ]);
  });
});
