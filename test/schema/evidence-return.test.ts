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
import { raiseEvidenceAttention } from '../../schema/evidence-attention.ts';
import { reopenEvidence } from '../../schema/evidence-requeue.ts';
import { quarantineEvidence, releaseEvidence } from '../../schema/evidence-return.ts';
import {
  continuationKey,
  freshKey,
  quarantinedKey,
  queryLeased,
  queryQuarantined,
  queryTakeable,
  stalledKey,
} from '../../schema/queue.ts';
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
    quarantineEvidence(address, {
      passId: ME,
      why: 'broke_off',
      marks: { crashesAlone: 3 },
      nowMs: NOW_MS + 9,
      op: freshOp(),
    });

  it('takes the source off its pass, and behind everything that can be taken', async () => {
    const address = await leasedBy(ME);
    await winAll(tables, [quarantine(address)]);
    const item = await stored(address);
    expect(item).toMatchObject({
      state: 'quarantined',
      quarantineClass: 'broke_off',
      crashesAlone: 3,
      quarantinedAtMs: NOW_MS + 9,
      seq: 3,
    });
    expect(item).not.toHaveProperty('leasePass');
    await expect.poll(() => leased(address)).toEqual([]);
    expect(await takeable(address)).toEqual([]);
    const { items } = await tables.store.query(queryQuarantined(address, 5));
    expect(items).toMatchObject([{ queueKey: quarantinedKey(NOW_MS + 9, address.sourceKey) }]);
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

describe('reopenEvidence', () => {
  async function quarantined(): Promise<EvidenceAddress> {
    const address = await leasedBy(ME);
    const quarantine = { passId: ME, why: 'stalled', marks: { stalls: 6 }, nowMs: NOW_MS + 9, op: freshOp() } as const;
    await winAll(tables, [quarantineEvidence(address, quarantine)]);
    return address;
  }
  const reopen = (address: EvidenceAddress, seq = 3) =>
    reopenEvidence(address, { seq, homeKey: freshKey(NOW_MS, address.sourceKey), op: freshOp() });

  it('puts the source among what can be taken, as if no pass had failed at it', async () => {
    const address = await quarantined();
    await winAll(tables, [reopen(address)]);
    const item = await stored(address);
    expect(item).toMatchObject({ state: 'pending', stalls: 0, attempts: 0, crashesAlone: 0, rejections: 0, seq: 4 });
    expect(item).not.toHaveProperty('quarantinedAtMs');
    await expect.poll(() => takeable(address)).toEqual([freshKey(NOW_MS, address.sourceKey)]);
    await winAll(tables, [lease(address, OTHER, 4)]);
  });

  itSurvivesLostReply(open, 'reopenEvidence', {
    recognisedBy: 'op',
    arrange: async () => reopen(await quarantined()),
  });

  itRefuses(open, 'reopenEvidence', [
    {
      refuses: 'a source that was requeued and read since it was looked at',
      clause: '#seq = :seq',
      arrange: async () => {
        const address = await quarantined();
        await winAll(tables, [reopen(address), lease(address, OTHER, 4), settle(address, OTHER, 0, 1000)]);
        return reopen(address);
      },
      broken: (after, before) => before['state'] === 'settled' && after['state'] === 'pending',
    },
    {
      refuses: 'a source that a pass holds',
      clause: 'attribute_not_exists(#leasePass)',
      arrange: async () => reopen(await leasedBy(OTHER), 2),
      broken: (after, before) => before['leasePass'] === OTHER && String(after['queueKey']).startsWith('1#'),
    },
  ]);
});

describe('raiseEvidenceAttention', () => {
  const raise = (address: EvidenceAddress, stateKey: string) =>
    raiseEvidenceAttention(address, {
      sourceKey: address.sourceKey,
      stateKey,
      details: { source: 'transcript:a@0', state: 'stalled', cursor: 0, length: 9, stalls: 3 },
      nowMs: NOW_MS,
      op: freshOp(),
    });

  itSurvivesLostReply(open, 'raiseEvidenceAttention', {
    recognisedBy: 'op',
    arrange: async () => raise(await pending(), '2'),
  });

  itRefuses(open, 'raiseEvidenceAttention', [
    {
      refuses: 'an earlier state of the source, raised late',
      clause: 'attribute_not_exists(#subjectKey) OR #subjectKey < :stateKey',
      arrange: async () => {
        const address = await pending();
        await winAll(tables, [raise(address, '2')]);
        return raise(address, '1');
      },
      broken: (after, before) => before['subjectKey'] === '2' && after['subjectKey'] === '1',
    },
  ]);
});
