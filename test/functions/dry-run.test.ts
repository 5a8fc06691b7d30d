/**
 * Goal: a dry run tells what a pass would write, and nothing but its own rows changes by it.
 * Method: the tables before and after, row by row; and what it lists beside what a pass that writes then did. Twins: the
 * same by a pass that writes.
 */
import { describe, expect, it } from 'vitest';
import type { Tools } from '../../functions/worker/executor/executor.ts';
import { type EvidenceItem, evidenceAddress, leaseEvidence } from '../../schema/evidence.ts';
import { releaseEvidence } from '../../schema/evidence-return.ts';
import { LIMITS } from '../../schema/limits.ts';
import { call } from '../support/api.ts';
import { type Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';
import { deliveredOf, owingOf, runningOf, scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const deploy = useDeployments();
const rehearse = { scope: 's', origin: 'trigger', kind: 'dry-run' } as const;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
type Look = typeof rehearse | typeof look;

const note = (id: string, capturedAt: string, text: string) => ({ kind: 'note', id, format: 'text', capturedAt, text });

/** What stands before. */
const OLD = [
  note('old-1', '2024-01-10T09:00:00Z', '@claim Maya | lives_in | Austin | 2023-05'),
  note('old-2', '2024-01-11T09:00:00Z', '@claim Maya | works_as | baker\n@claim Tom | lives_in | Rome | 2023-01'),
];
/** A claim of each sort: new, newer, older, said again, planned, ended, contested. */
const NEW = [
  note('new-1', '2024-06-01T09:00:00Z', '@claim Maya | lives_in | Denver | 2024-05\n@claim Ada | likes | chess'),
  note('new-2', '2024-06-02T09:00:00Z', '@claim Maya | lives_in | Boston | 2020-05\n@claim Maya | works_as | Baker'),
  note('new-3', '2024-06-03T09:00:00Z', '@claim Maya | lives_in | Oslo | 2031-05\n@claim Tom | lives_in |  | 2024-02'),
  note('new-4', '2024-06-01T09:00:00Z', '@claim Maya | lives_in | Lima | 2024-05'),
];

async function runOf(deployment: Deployment, request: Look): Promise<string> {
  const { body } = await deployment.ask(request);
  expect(body).toMatchObject({ status: 'admitted' });
  await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 3 * MINUTE_MS });
  expect(deployment.crashes).toEqual([]);
  return body.passIds?.[0] ?? '';
}

/** A memory with new evidence behind it. */
async function prepare(options: DeploymentOptions = {}): Promise<Deployment> {
  const deployment = deploy({ settings: { maxWaitMs: 0 }, ...options });
  await deployment.ingest('s', OLD);
  await runOf(deployment, look);
  await deployment.ingest('s', NEW);
  return deployment;
}

const NONE = 'none';

/** All rows but those of this pass and of having asked for it: its entry, its reservation, its trigger. */
function rowsBeside(deployment: Deployment, passId: string): string[] {
  const isOwn = (pk: string, sk: string) =>
    sk.startsWith(`PASS#${passId}`) || sk.startsWith('USAGE#') || sk === 'LEDGER' || pk.startsWith('TRIGGER#');
  return [...deployment.items(), ...deployment.items('text')]
    .filter(({ pk, sk }) => !isOwn(String(pk), String(sk)))
    .map((row) => JSON.stringify(row))
    .sort();
}

async function changesOf(deployment: Deployment, passId: string) {
  const { body } = await call(deployment, `GET /v1/scopes/s/passes/${passId}/changes`);
  const { pass: _, dryRun, ...told } = body;
  return { dryRun, told };
}

describe('a dry run', () => {
  it('changes no row but its own, and owes nothing', async () => {
    const deployment = await prepare();
    const before = rowsBeside(deployment, NONE);
    const passId = await runOf(deployment, rehearse);
    expect(rowsBeside(deployment, passId)).toEqual(before);
    expect(deployment.leasesLeft()).toBe(0);
    expect(owingOf(deployment)).toEqual([]);
    const own = deployment.rows(`PASS#${passId}`).map(({ sk }) => String(sk).slice(`PASS#${passId}`.length));
    expect(own).toContain('#PROPOSAL#00001');
    expect(own.filter((sk) => /LEASE|REVIEW/.test(sk))).toEqual([]);
    expect(deployment.passes().find((pass) => pass.passId === passId)).toMatchObject({
      status: 'completed',
      kind: 'dry-run',
      settled: 0,
      counters: { delivered: 4, claims: 7 },
    });
  });

  it('twin: a pass that writes changes other rows', async () => {
    const deployment = await prepare();
    const before = rowsBeside(deployment, NONE);
    expect(rowsBeside(deployment, await runOf(deployment, look))).not.toEqual(before);
    expect(settledOf(deployment)).toBe(OLD.length + NEW.length);
  });

  it('lists what a pass then writes, change by change', async () => {
    const deployment = await prepare();
    const dry = await changesOf(deployment, await runOf(deployment, rehearse));
    expect(dry.dryRun).toBe(true);
    const listed = dry.told.changes.map(({ change, value }: { change: string; value: string }) => `${change} ${value}`);
    expect(listed).toHaveLength(7);
    expect(listed).toEqual(
      expect.arrayContaining(['adds chess', 'adds_history Boston', 'confirms Baker', 'ends ', 'plans Oslo']),
    );
    expect(dry.told.contested).toMatchObject([{ entity: 'Maya', attribute: 'lives_in', because: 'same_time' }]);
    const wet = await changesOf(deployment, await runOf(deployment, look));
    expect(wet.dryRun).toBeUndefined();
    expect(dry.told).toEqual(wet.told);
  });

  it('of what a pass has written meanwhile has nothing left to list', async () => {
    const deployment = await prepare();
    const passId = await runOf(deployment, rehearse);
    await runOf(deployment, look);
    expect((await changesOf(deployment, passId)).told).toMatchObject({ changes: [], contested: [] });
  });
});

/** What a pass does that is given a source and cancelled. */
async function takeAndGiveBack({ tables, clock }: Deployment, item: EvidenceItem): Promise<void> {
  const address = evidenceAddress('s', 1, 'incremental', item);
  const nowMs = clock.nowMs();
  const lease = { passId: 'beside', seq: item.seq, nowMs, expiresAtMs: nowMs + MINUTE_MS, op: `lease ${item.seq}` };
  await tables.store.write(leaseEvidence(address, lease));
  await tables.store.write(releaseEvidence(address, { passId: 'beside', orderly: true, op: `release ${item.seq}` }));
}

/** Its tools, and what they answer. */
const pagesOf = (pages: number[]) => ({
  name: 'stub',
  async run(tools: Tools) {
    for (;;) {
      const { items } = await tools.searchEvidence({});
      pages.push(items.length);
      if (items.length === 0) return;
      await tools.reviewEvidence(items.map(({ source }) => ({ source })));
    }
  },
});
const failuresOf = (deployment: Deployment) => scopeRowOf(deployment)?.failures ?? 0;

describe('a dry run and its scope', () => {
  it('reads on through the queue without a lease, at most 50 sources', async () => {
    const pages: number[] = [];
    const deployment = deploy({ executor: pagesOf(pages), settings: { pageSources: 20, maxWaitMs: 0 } });
    await deployment.ingest('s', notes(60).slice(0, 50));
    await deployment.ingest('s', notes(60).slice(50));
    await runOf(deployment, rehearse);
    expect(pages).toEqual([20, 20, LIMITS.dryRunSourcesMax - 40, 0]);
    expect(deliveredOf(deployment)).toBe(LIMITS.dryRunSourcesMax);
    expect(settledOf(deployment)).toBe(0);
  });

  it('gives a source once, though a pass beside it takes it and gives it back', async () => {
    const given: string[] = [];
    const executor = {
      name: 'stub',
      async run(tools: Tools) {
        for (;;) {
          const { items } = await tools.searchEvidence({});
          if (items.length === 0) return;
          given.push(...items.map(({ source }) => source));
          for (const row of deployment.evidence()) await takeAndGiveBack(deployment, row as unknown as EvidenceItem);
        }
      },
    };
    const deployment: Deployment = deploy({ executor, settings: { pageSources: 1, maxWaitMs: 0 } });
    await deployment.ingest('s', notes(3));
    await runOf(deployment, rehearse);
    expect(given).toHaveLength(3);
    expect(new Set(given).size).toBe(3);
  });

  it.each([
    ['that fails is no failure of its scope', rehearse, 0],
    ['twin: a pass that fails is', look, 1],
  ])('%s', async (_, request, failures) => {
    const deployment = deploy({ stub: { behaviour: 'fail' }, settings: { maxWaitMs: 0 } });
    await deployment.ingest('s', notes(1));
    await runOf(deployment, request);
    expect(deployment.passes()).toMatchObject([{ status: 'failed' }]);
    expect(failuresOf(deployment)).toBe(failures);
    expect(owingOf(deployment)).toEqual([]);
  });

  it('that dies leaves its sources as they were, to be read by the next pass', async () => {
    const deployment = deploy({ stub: { behaviour: 'silent' }, workerTimeoutMs: 0, settings: { maxWaitMs: 0 } });
    await deployment.ingest('s', notes(2));
    const before = deployment.evidence();
    deployment.lost.add('work');
    await deployment.ask(rehearse);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 11 * MINUTE_MS });
    await deployment.tick();
    expect(deployment.passes()).toMatchObject([
      { kind: 'dry-run', status: 'expired' },
      { kind: 'incremental', status: 'admitted' },
    ]);
    expect(deployment.evidence()).toEqual(before);
    expect(failuresOf(deployment)).toBe(0);
    expect(owingOf(deployment)).toHaveLength(1);
  });

  it.each<[string, Look, Look, number]>([
    ['runs beside a pass of a scope that takes one', look, rehearse, 202],
    ['keeps no pass out of a scope that takes one', rehearse, look, 202],
    ['is alone among dry runs', rehearse, rehearse, 409],
    ['twin: a second pass that writes is kept out', look, look, 409],
  ])('%s', async (_, first, second, status) => {
    const deployment = deploy({ stub: { delayMs: MINUTE_MS, limit: 1 }, settings: { maxPassesPerScope: 1 } });
    await deployment.ingest('s', notes(8));
    await deployment.ask(first);
    expect((await deployment.ask(second)).status).toBe(status);
    expect(runningOf(deployment).map(({ slotNumber }) => slotNumber)).toEqual(status === 202 ? [0, 0] : [0]);
  });

  it('is bound by the budget of the day, and what it spent is counted', async () => {
    const executors = [{ name: 'stub', spends: true, needsProvider: false, decidesAttention: false }];
    const stub = { tokensIn: 700, tokensOut: 70 };
    const deployment = deploy({ stub, executors, settings: { budgetPasses: 1, maxWaitMs: 0 } });
    await deployment.ingest('s', notes(1));
    await runOf(deployment, rehearse);
    expect(deployment.rows('USAGE#')).toMatchObject([{ passes: 1, tokensIn: 1400, tokensOut: 140 }]);
    expect((await deployment.ask(look)).body.refused).toMatchObject([{ reason: 'budget' }]);
  });

  it('leaves the attention of its scope to a pass that may decide it', async () => {
    const executors = [{ name: 'stub', spends: false, needsProvider: false, decidesAttention: true }];
    const answers: (string | undefined)[] = [];
    const executor = {
      name: 'stub',
      async run(tools: Tools) {
        answers.push((await tools.listAttention()).note);
      },
    };
    const deployment = deploy({ executor, executors, settings: { maxWaitMs: 0 } });
    await deployment.ingest('s', notes(1));
    await runOf(deployment, rehearse);
    await runOf(deployment, look);
    expect(deployment.passes().map(({ attention }) => attention)).toEqual([undefined, 'owned']);
    expect(answers).toEqual(['A dry run decides no attention: there is none for you.', undefined]);
  });
});
