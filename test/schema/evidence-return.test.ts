import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EvidenceAddress,
  getEvidence,
  leaseEvidence,
  type NewEvidence,
  obsoleteEvidence,
  putEvidence,
  settleEvidence,
} from '../../schema/evidence.ts';
import { quarantineEvidence, releaseEvidence } from '../../schema/evidence-return.ts';
import { continuationKey, freshKey, queryLeased, queryTakeable, stalledKey } from '../../schema/queue.ts';
import type { Item } from '../../schema/request.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, ME, NOW_MS, OTHER, sampleEvidence } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

async function pending(change: Partial<NewEvidence> = {}): Promise<EvidenceAddress> {
  const { address, evidence } = sampleEvidence();
  await winAll(tables, [putEvidence(address, { ...evidence, ...change }, freshOp())]);
  return address;
}

const lease = (address: EvidenceAddress, passId: string, seq = 1) =>
  leaseEvidence(address, { passId, seq, nowMs: NOW_MS, expiresAtMs: NOW_MS + 310_000, op: freshOp() });

async function leasedBy(passId: string, change: Partial<NewEvidence> = {}): Promise<EvidenceAddress> {
  const address = await pending(change);
  await winAll(tables, [lease(address, passId)]);
  return address;
}

const settle = (address: EvidenceAddress, passId: string, from: number, to: number, length = 1000) =>
  settleEvidence(address, { passId, from, to, length, nowMs: NOW_MS + 5, op: freshOp() });

/** Read up to 400 of 1,000 characters by `passId`, and unleased. */
async function partlyRead(passId = OTHER): Promise<EvidenceAddress> {
  const address = await leasedBy(passId);
  await winAll(tables, [settle(address, passId, 0, 400)]);
  return address;
}

const stored = async (address: EvidenceAddress): Promise<Item> => (await tables.store.get(getEvidence(address))) ?? {};
const takeable = async (address: EvidenceAddress) =>
  (await tables.store.query(queryTakeable(address, 5))).items.map((row) => row['queueKey']);
const leased = async (address: EvidenceAddress) => (await tables.store.query(queryLeased(address, 5))).items;

describe('releaseEvidence', () => {
  it('brings a continuation back to where it stood, and an orderly end clears the attempts', async () => {
    const address = await partlyRead();
    await winAll(tables, [
      lease(address, ME, 3),
      releaseEvidence(address, { passId: ME, orderly: true, op: freshOp() }),
    ]);
    const item = await stored(address);
    expect(item).toMatchObject({ state: 'pending', cursor: 400, seq: 5, attempts: 0 });
    expect(item).not.toHaveProperty('leasePass');
    await expect.poll(() => takeable(address)).toEqual([continuationKey(NOW_MS + 5, address.sourceKey)]);
    expect(await leased(address)).toEqual([]);
  });

  it('leaves the count of attempts standing when the pass died', async () => {
    const address = await leasedBy(ME);
    await winAll(tables, [releaseEvidence(address, { passId: ME, orderly: false, op: freshOp() })]);
    expect(await stored(address)).toMatchObject({ attempts: 1, queueKey: freshKey(NOW_MS, address.sourceKey) });
  });

  it('sends a source elsewhere when its pass says so, with what it says of it', async () => {
    const address = await leasedBy(ME);
    const homeKey = stalledKey(NOW_MS, address.sourceKey);
    const marks = { stalls: 3, crashesAlone: 1, homeKey };
    await winAll(tables, [releaseEvidence(address, { passId: ME, orderly: false, marks, op: freshOp() })]);
    expect(await stored(address)).toMatchObject({ ...marks, queueKey: homeKey, attempts: 1, state: 'pending' });
    await expect.poll(() => takeable(address)).toEqual([homeKey]);
  });

  itSurvivesLostReply(open, 'releaseEvidence', {
    recognisedBy: 'op',
    arrange: async () => releaseEvidence(await leasedBy(ME), { passId: ME, orderly: true, op: freshOp() }),
  });

  itRefuses(open, 'releaseEvidence', [
    {
      refuses: 'a pass whose lease another pass has taken over',
      clause: '#leasePass = :me',
      arrange: async () => releaseEvidence(await leasedBy(OTHER), { passId: ME, orderly: true, op: freshOp() }),
      broken: (after, before) => before['leasePass'] === OTHER && after['leasePass'] === undefined,
    },
  ]);
});

describe('quarantineEvidence', () => {
  const quarantine = (address: EvidenceAddress) =>
    quarantineEvidence(address, { passId: ME, crashesAlone: 3, nowMs: NOW_MS + 9, op: freshOp() });

  it('takes the source off its pass and out of the index', async () => {
    const address = await leasedBy(ME);
    await winAll(tables, [quarantine(address)]);
    const item = await stored(address);
    expect(item).toMatchObject({ state: 'quarantined', crashesAlone: 3, quarantinedAtMs: NOW_MS + 9, seq: 3 });
    expect(item).not.toHaveProperty('leasePass');
    await expect.poll(() => leased(address)).toEqual([]);
    expect(await takeable(address)).toEqual([]);
    expect(await tables.store.write(lease(address, OTHER, 3))).toMatchObject({ kind: 'held' });
  });

  itSurvivesLostReply(open, 'quarantineEvidence', {
    recognisedBy: 'op',
    arrange: async () => quarantine(await leasedBy(ME)),
  });

  itRefuses(open, 'quarantineEvidence', [
    {
      refuses: 'a pass whose lease another pass has taken over',
      clause: '#leasePass = :me',
      arrange: async () => quarantine(await leasedBy(OTHER)),
      broken: (after, before) => before['leasePass'] === OTHER && after['state'] === 'quarantined',
    },
    {
      refuses: 'a revision that a newer one replaced meanwhile',
      clause: '#state = :pending',
      arrange: async () => {
        const address = await leasedBy(ME);
        await winAll(tables, [obsoleteEvidence(address, freshOp())]);
        return quarantine(address);
      },
      broken: (after, before) => before['state'] === 'obsolete' && after['state'] === 'quarantined',
    },
  ]);
});
