import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evidenceAddress, leaseEvidence, putEvidence } from '../../../schema/evidence.ts';
import { passIdOf, revisionOf, type SourceRef, triggerIdOf } from '../../../schema/ids.ts';
import { admitPasses, type LedgerEntry } from '../../../schema/ledger.ts';
import { idleScope, noteEmptyProbe } from '../../../schema/scope.ts';
import { countOutcome, type WorkMove } from '../../../schema/scope-outcome.ts';
import { ADDRESS, createMemory, type Memory, nextOp, NOW_MS } from './memory.ts';

const PATH = '/v1/scopes/maya/status';
const TRIGGER = triggerIdOf(NOW_MS, 'a');
const addressOf = (ref: SourceRef) => evidenceAddress(ADDRESS.scope, ADDRESS.generation, 'incremental', ref);
const refOf = (k: number): SourceRef => ({ kind: 'note', id: `n${k}`, revision: revisionOf(String(k)) });

let memory: Memory;
beforeEach(async () => {
  memory = await createMemory({ maxConcurrentPasses: 5 });
});
afterEach(() => memory.close());

/** One piece of evidence of 100 characters and 25 tokens. */
const give = (k: number, waitUntilMs?: number) =>
  memory.write(
    putEvidence(
      addressOf(refOf(k)),
      {
        ref: refOf(k),
        length: 100,
        tokens: 25,
        capturedAtMs: NOW_MS,
        ...(waitUntilMs !== undefined && { waitUntilMs }),
      },
      nextOp(),
    ),
  );
const lease = (k: number, expiresAtMs: number) =>
  memory.write(
    leaseEvidence(addressOf(refOf(k)), {
      passId: passIdOf(TRIGGER, 0),
      seq: 1,
      nowMs: NOW_MS,
      expiresAtMs,
      op: nextOp(),
    }),
  );
const entry = (scope: string, slotNumber: number): LedgerEntry => ({
  scope,
  generation: 1,
  kind: 'incremental',
  slotNumber,
  triggerId: TRIGGER,
  origin: 'drain',
  admittedAtMs: NOW_MS,
  op: 'admission',
});
const admit = (scopes: readonly string[]) =>
  memory.write(
    admitPasses({
      seenVersion: 0,
      entries: Object.fromEntries(scopes.map((scope, k) => [passIdOf(TRIGGER, k), entry(scope, scopes.length - k)])),
      op: nextOp(),
    }),
  );
const fail = (times: number, move: WorkMove) =>
  memory.write(
    countOutcome({
      scope: 'maya',
      op: nextOp(),
      passId: passIdOf(TRIGGER, 0),
      statsVersion: 0,
      failures: times,
      failureTimesMs: [NOW_MS],
      counted: {},
      lastPassAtMs: NOW_MS,
      move,
    }),
  );

describe('the status of a scope', () => {
  it('quiet: nothing waits, nothing runs, every setting with where it comes from', async () => {
    const { body } = await memory.get(PATH);
    expect(body).toMatchObject({
      scope: 'maya',
      known: true,
      backlog: { sources: 0, tokens: 0, capped: false, held: false },
      running: [],
      failures: 0,
      workState: 'due',
      dueAt: '2025-01-01T00:00:00.000Z',
      settings: {
        maxConcurrentPasses: { value: 5, from: 'deployment' },
        maxPassesPerScope: { value: 1, from: 'default' },
      },
      executor: 'rules',
    });
    for (const absent of ['backOffUntil', 'haltedAt', 'lastPassAt', 'paused']) expect(body).not.toHaveProperty(absent);
  });

  it('what waits', async () => {
    await give(1);
    await give(2);
    await give(3, NOW_MS + 60_000);
    expect((await memory.get(PATH)).body.backlog).toEqual({ sources: 2, tokens: 50, capped: false, held: false });
  });
  it('only what waits until a time: nothing now, and when', async () => {
    await give(3, NOW_MS + 60_000);
    expect((await memory.get(PATH)).body.backlog).toMatchObject({ sources: 0, nextAtMs: NOW_MS + 60_000 });
  });
  it('more than a probe reads: at least fifty', async () => {
    for (let k = 0; k < 51; k++) await give(k);
    expect((await memory.get(PATH)).body.backlog).toMatchObject({ sources: 50, capped: true });
  });
  it('fifty are not more', async () => {
    for (let k = 0; k < 50; k++) await give(k);
    expect((await memory.get(PATH)).body.backlog).toMatchObject({ sources: 50, capped: false });
  });
  it('what passes hold, also when more waits', async () => {
    await give(1);
    await lease(1, NOW_MS + 60_000);
    expect((await memory.get(PATH)).body.backlog).toMatchObject({ sources: 0, held: true });
    await give(2);
    expect((await memory.get(PATH)).body.backlog).toMatchObject({ sources: 1, held: true });
  });
  it('what a dead pass held can be taken again', async () => {
    await give(1);
    await lease(1, NOW_MS - 60_000);
    expect((await memory.get(PATH)).body.backlog).toMatchObject({ sources: 1, held: false });
  });

  it('its own passes only, by slot number', async () => {
    await admit(['maya', 'tom', 'maya']);
    expect((await memory.get(PATH)).body.running).toEqual([
      { passId: passIdOf(TRIGGER, 2), kind: 'incremental', slotNumber: 1, admittedAt: '2025-01-01T00:00:00.000Z' },
      { passId: passIdOf(TRIGGER, 0), kind: 'incremental', slotNumber: 3, admittedAt: '2025-01-01T00:00:00.000Z' },
    ]);
  });

  it('backing off after a failure, until that is over', async () => {
    await fail(1, { kind: 'due', atMs: NOW_MS + 600_000 });
    expect((await memory.get(PATH)).body).toMatchObject({
      failures: 1,
      backOffUntil: '2025-01-01T00:10:00.000Z',
      lastPassAt: '2025-01-01T00:00:00.000Z',
      dueAt: '2025-01-01T00:10:00.000Z',
    });
    await memory.clock.sleep(600_000);
    expect((await memory.get(PATH)).body.backOffUntil).toBeUndefined();
  });
  it('halted', async () => {
    await fail(5, { kind: 'halt', atMs: NOW_MS });
    const { body } = await memory.get(PATH);
    expect(body).toMatchObject({ failures: 5, haltedAt: '2025-01-01T00:00:00.000Z', workState: 'parked' });
    expect(body.dueAt).toBeUndefined();
  });
  it('idle', async () => {
    const seen = { scope: 'maya', nowMs: NOW_MS, backlogVersion: 1 };
    await memory.write(noteEmptyProbe({ ...seen, op: nextOp() }), idleScope({ ...seen, op: nextOp() }));
    expect((await memory.get(PATH)).body.workState).toBe('idle');
  });

  it('an unknown scope reads as empty, with the settings it would have', async () => {
    expect((await memory.get('/v1/scopes/nobody/status')).body).toMatchObject({
      known: false,
      backlog: { sources: 0 },
      workState: 'none',
      settings: { maxConcurrentPasses: { value: 5 } },
    });
    expect(memory.queries).toEqual([]);
  });
  it('a scope that is none is refused', async () => {
    const { status, body } = await memory.get('/v1/scopes/a%20b/status');
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'invalid_request' } });
  });
});

describe('the status of the deployment', () => {
  it('before anything ran', async () => {
    expect((await memory.get('/v1/status')).body).toMatchObject({
      paused: false,
      executor: 'rules',
      passes: { running: 0, capacity: 5, byScope: [] },
      settings: { maxConcurrentPasses: { value: 5, from: 'deployment' } },
    });
  });
  it('passes by scope, the busiest first', async () => {
    await admit(['tom', 'maya', 'nora', 'maya']);
    expect((await memory.get('/v1/status')).body.passes).toEqual({
      running: 4,
      capacity: 5,
      byScope: [
        { scope: 'maya', passes: 2 },
        { scope: 'nora', passes: 1 },
        { scope: 'tom', passes: 1 },
      ],
    });
  });
  it('a route there is not: the one error shape', async () => {
    expect(await memory.get('/v1/nothing')).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'no such route: GET /v1/nothing' } },
    });
  });
});
