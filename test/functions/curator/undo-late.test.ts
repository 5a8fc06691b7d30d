/** Undoing a pass whose worker may still be heard of: just admitted, or over while a write of it is on its way. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { undoPass } from '../../../functions/curator/withdraw.ts';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { WORK } from '../../../schema/edges.ts';
import { putEntity } from '../../../schema/entity.ts';
import { admitPasses } from '../../../schema/ledger.ts';
import { endPass, expireAttempt, NO_COUNTERS, putPass, startPass } from '../../../schema/pass.ts';
import { cite, dayMs, onDay, type Said } from '../../core/citation-samples.ts';
import { passIdAt, samplePass } from '../../schema/samples.ts';
import { type ClaimScene, createClaimScene } from '../claim-scene.ts';

const AUSTIN: Said = { value: 'Austin', captured: '2024-03-01' };
const DENVER: Said = { value: 'Denver', captured: '2024-06-01', event: onDay('2024-05-01') };
const PASS = passIdAt(0);

let scene: ClaimScene;
beforeEach(async () => {
  scene = await createClaimScene(dayMs('2025-01-01'));
});
afterEach(() => scene.close());

async function tell(said: Said): Promise<void> {
  const citation = cite(said);
  await scene.store.write(putEntity(scene.address, citation.entityName, `entity-${said.value}`));
  await recordCitation(scene.deps(), { address: scene.address, citation, passId: PASS });
}

async function claims(): Promise<string[]> {
  const { claims: found } = await scene.get('claims?state=all');
  return (found as { value: string; state: string }[]).map(({ value, state }) => `${value} ${state}`);
}

async function start(): Promise<void> {
  const pass = samplePass(scene.address.scope, PASS);
  await scene.store.write(putPass(pass, 'put'));
  const run = { attempt: 'a', requestId: 'r', nowMs: scene.nowMs, deadlineAtMs: scene.nowMs + 60_000, op: 'start' };
  await scene.store.write(startPass(pass, run));
}

async function end(leftBehind = false): Promise<void> {
  const ending = { leftBehind, attempt: 'a', status: 'completed', counters: NO_COUNTERS, reviewRows: 0 } as const;
  const write = endPass(samplePass(scene.address.scope, PASS), {
    ...ending,
    sawEmptyQueue: true,
    nowMs: scene.nowMs,
    op: 'end',
  });
  await scene.store.write(write);
}

const undo = () => scene.post(`passes/${PASS}/undo`, {});

describe('undoing a pass', () => {
  it('that stands in the ledger alone is refused, as one that runs', async () => {
    const { scope, generation } = scene.address;
    const about = { scope, generation, kind: 'incremental', slotNumber: 1, triggerId: 't', origin: 'trigger' } as const;
    const entries = { [PASS]: { ...about, admittedAtMs: scene.nowMs, op: 'admit' } };
    await scene.store.write(admitPasses({ seenVersion: 0, entries, op: 'admit' }));
    expect(await undo()).toMatchObject({ status: 409, body: { error: { code: 'pass_running' } } });
  });

  it('that was expired says until when its worker may write, and takes the rest when it is sent again', async () => {
    await start();
    await tell(AUSTIN);
    const pass = samplePass(scene.address.scope, PASS);
    const failure = { code: 'silent', message: 'its heartbeat stopped' };
    await scene.store.write(expireAttempt(pass, { attempt: 'a', nowMs: scene.nowMs, failure, op: 'expire' }));
    const startedAtMs = scene.nowMs;
    const { body } = await undo();
    const againAtMs = startedAtMs + WORK.functionTimeoutS * 1000;
    expect(body).toMatchObject({ withdrawn: 1, againAt: new Date(againAtMs).toISOString() });
    // Its worker stood still: what it had sent arrives now.
    await tell(DENVER);
    expect(await claims()).toContain('Denver active');
    scene.nowMs = againAtMs;
    const again = (await undo()).body;
    expect(again).toMatchObject({ withdrawn: 1 });
    expect(again).not.toHaveProperty('againAt');
    expect(await claims()).not.toContain('Denver active');
  });

  it('that ended by itself is done with one call', async () => {
    await start();
    await tell(AUSTIN);
    await end();
    expect((await undo()).body).not.toHaveProperty('againAt');
  });

  it('that left a request behind says until when that may arrive', async () => {
    const startedAtMs = scene.nowMs;
    await start();
    await tell(AUSTIN);
    await end(true);
    const againAtMs = startedAtMs + WORK.functionTimeoutS * 1000;
    expect((await undo()).body).toMatchObject({ withdrawn: 1, againAt: new Date(againAtMs).toISOString() });
    await tell(DENVER);
    scene.nowMs = againAtMs;
    expect((await undo()).body).toMatchObject({ withdrawn: 1 });
    expect(await claims()).not.toContain('Denver active');
  });

  it('that had no row, and is over when the ledger is read, is looked for once more', async () => {
    await start();
    await scene.store.write(
      expireAttempt(samplePass(scene.address.scope, PASS), {
        attempt: 'a',
        nowMs: scene.nowMs,
        failure: { code: 'silent', message: 'its heartbeat stopped' },
        op: 'expire',
      }),
    );
    const deps = scene.deps();
    let looks = 0;
    const get: typeof deps.store.get = (read) => {
      const isFirst = read.input.Key?.['sk'] === `PASS#${PASS}` && looks++ === 0;
      return isFirst ? Promise.resolve(undefined) : deps.store.get(read);
    };
    const log = { info() {}, warn() {}, error() {}, count() {} };
    const answer = await undoPass({ ...deps, log, store: { ...deps.store, get } }, scene.address.scope, {
      passId: PASS,
    });
    expect(answer).toHaveProperty('againAt');
  });
});
