import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EvidenceAddress,
  getEvidence,
  leaseEvidence,
  type NewEvidence,
  obsoleteEvidence,
  parseEvidence,
  putEvidence,
  settleEvidence,
} from '../../schema/evidence.ts';
import { requeueEvidence } from '../../schema/evidence-requeue.ts';
import { quarantineEvidence, releaseEvidence } from '../../schema/evidence-return.ts';
import {
  continuationKey,
  freshKey,
  queryLeased,
  queryQuarantined,
  queryTakeable,
  waitingKey,
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

describe('settleEvidence', () => {
  it('settles a whole text: cursor at the end, lease gone, out of the index', async () => {
    const address = await leasedBy(ME);
    await winAll(tables, [settle(address, ME, 0, 1000)]);
    const item = await stored(address);
    expect(item).toMatchObject({ state: 'settled', cursor: 1000, seq: 3, attempts: 0, settledBy: ME });
    expect(item).not.toHaveProperty('leasePass');
    expect(item).not.toHaveProperty('leaseExpiresAtMs');
    await expect.poll(() => leased(address)).toEqual([]);
    expect(await takeable(address)).toEqual([]);
  });

  it('settles a part: the rest stands among the continuations from this moment', async () => {
    const address = await leasedBy(ME);
    await winAll(tables, [settle(address, ME, 0, 400)]);
    expect(await stored(address)).toMatchObject({ state: 'pending', cursor: 400, seq: 3, attempts: 0 });
    await expect.poll(() => takeable(address)).toEqual([continuationKey(NOW_MS + 5, address.sourceKey)]);
    expect(await leased(address)).toEqual([]);
  });

  itSurvivesLostReply(open, 'settleEvidence', {
    recognisedBy: 'op',
    arrange: async () => settle(await leasedBy(ME), ME, 0, 400),
  });

  itRefuses(open, 'settleEvidence', [
    {
      refuses: 'a pass whose lease another pass has taken over',
      clause: '#leasePass = :me',
      arrange: async () => settle(await leasedBy(OTHER), ME, 0, 1000),
      broken: (after, before) => before['leasePass'] === OTHER && after['settledBy'] === ME,
    },
    {
      refuses: 'a pass that began to read elsewhere than at the cursor',
      clause: '#cursor = :from',
      arrange: async () => settle(await leasedBy(ME), ME, 400, 1000),
      broken: (after, before) => before['cursor'] === 0 && after['cursor'] === 1000,
    },
  ]);
});

const UNREAD_OR_HELD =
  '#cursor <= :start OR #cursor = #beganAt OR attribute_exists(#leasePass) OR #state = :quarantined';

describe('obsoleteEvidence', () => {
  it('takes an unread revision out of the index', async () => {
    const address = await pending();
    await winAll(tables, [obsoleteEvidence(address, freshOp())]);
    expect(await stored(address)).toMatchObject({ state: 'obsolete', seq: 2 });
    await expect.poll(() => takeable(address)).toEqual([]);
  });

  it.each([
    ['one that is older than what its caller knows of', { newestKey: 'a' }],
    ['one of the time before its place among revisions was written down', {}],
  ])('takes %s', async (_, change) => {
    const address = await pending(change);
    expect(await tables.store.write(obsoleteEvidence(address, freshOp(), 'b'))).toMatchObject({ kind: 'won' });
  });

  it.each([0, 400])('takes one that is quarantined, read to %i, out of what is counted as such', async (cursor) => {
    const address = cursor === 0 ? await pending() : await partlyRead();
    const quarantine = { passId: ME, why: 'broke_off', marks: {}, nowMs: NOW_MS, op: freshOp() } as const;
    await winAll(tables, [
      lease(address, ME, cursor === 0 ? 1 : 3),
      quarantineEvidence(address, quarantine),
      obsoleteEvidence(address, freshOp()),
    ]);
    expect(await stored(address)).toMatchObject({ state: 'obsolete', cursor });
    await expect.poll(async () => (await tables.store.query(queryQuarantined(address, 9))).items).toEqual([]);
  });

  it.each([0, 400])('leaves one that a pass holds, read to %i, to its holder: it may settle it', async (cursor) => {
    const address = cursor === 0 ? await pending() : await partlyRead();
    await winAll(tables, [
      lease(address, ME, cursor === 0 ? 1 : 3),
      obsoleteEvidence(address, freshOp()),
      settle(address, ME, cursor, 1000),
    ]);
    expect(await stored(address)).toMatchObject({ state: 'settled', cursor: 1000 });
  });

  it('never brings back one that its holder gives back, in part or whole', async () => {
    for (const giveBack of [
      (address: EvidenceAddress) => settle(address, ME, 0, 400),
      (address: EvidenceAddress) => releaseEvidence(address, { passId: ME, orderly: true, op: freshOp() }),
    ]) {
      const address = await leasedBy(ME);
      await winAll(tables, [obsoleteEvidence(address, freshOp())]);
      await expect.poll(() => leased(address)).toEqual([]);
      await winAll(tables, [giveBack(address)]);
      expect(await stored(address)).toMatchObject({ state: 'obsolete' });
      expect(await stored(address)).not.toHaveProperty('leasePass');
      expect(await takeable(address)).toEqual([]);
    }
  });

  it('takes out one that was read as far as the newer one begins, and one that nobody read where it began itself', async () => {
    const read = await partlyRead();
    const unread = await pending({ beganAt: 300 });
    await winAll(tables, [obsoleteEvidence(read, freshOp(), 'b', 400), obsoleteEvidence(unread, freshOp())]);
    for (const address of [read, unread]) expect(await stored(address)).toMatchObject({ state: 'obsolete' });
  });

  itSurvivesLostReply(open, 'obsoleteEvidence', {
    recognisedBy: 'op',
    arrange: async () => obsoleteEvidence(await pending(), freshOp()),
  });

  itRefuses(open, 'obsoleteEvidence', [
    {
      refuses: 'a settled revision, though it is so empty that its cursor never moved',
      clause: '#state IN (:pending, :quarantined)',
      arrange: async () => {
        const address = await leasedBy(ME, { length: 0, tokens: 0 });
        await winAll(tables, [settle(address, ME, 0, 0, 0)]);
        return obsoleteEvidence(address, freshOp());
      },
      broken: (after, before) => before['state'] === 'settled' && after['state'] === 'obsolete',
    },
    {
      refuses: 'a revision that was read in part, and is held by nobody',
      clause: UNREAD_OR_HELD,
      arrange: async () => obsoleteEvidence(await partlyRead(), freshOp()),
      broken: (after) => after['state'] === 'obsolete' && after['cursor'] === 400,
    },
    {
      refuses: 'a revision that was read further than where the newer one begins',
      clause: UNREAD_OR_HELD,
      arrange: async () => obsoleteEvidence(await partlyRead(), freshOp(), undefined, 399),
      broken: (after) => after['state'] === 'obsolete' && after['cursor'] === 400,
    },
    {
      refuses: 'a revision that its source has gone back to since',
      clause: 'attribute_not_exists(#newestKey) OR #newestKey < :newer',
      arrange: async () => obsoleteEvidence(await pending({ newestKey: 'b' }), freshOp(), 'b'),
      broken: (after) => after['state'] === 'obsolete',
    },
  ]);
});

describe('requeueEvidence', () => {
  const requeue = (address: EvidenceAddress, seq: number, waitUntilMs?: number) =>
    requeueEvidence(address, {
      seq,
      capturedAtMs: NOW_MS + 60,
      op: freshOp(),
      ...(waitUntilMs !== undefined && { waitUntilMs }),
    });

  it('brings an obsolete revision back among the fresh, as captured now', async () => {
    const address = await pending();
    await winAll(tables, [obsoleteEvidence(address, freshOp()), requeue(address, 2)]);
    expect(await stored(address)).toMatchObject({ state: 'pending', seq: 3, capturedAtMs: NOW_MS + 60 });
    await expect.poll(() => takeable(address)).toEqual([freshKey(NOW_MS + 60, address.sourceKey)]);
    expect(parseEvidence(await stored(address))?.homeKey).toBe(freshKey(NOW_MS + 60, address.sourceKey));
  });

  it.each([
    [
      'settled',
      async () => {
        const address = await leasedBy(ME);
        await winAll(tables, [settle(address, ME, 0, 1000)]);
        return address;
      },
      3,
    ],
    ['read in part', () => partlyRead(), 3],
    [
      'held, and obsolete',
      async () => {
        const address = await leasedBy(ME);
        await winAll(tables, [obsoleteEvidence(address, freshOp())]);
        return address;
      },
      3,
    ],
  ] as const)('brings back one that is %s, from its beginning and held by nobody', async (_, arrange, seq) => {
    const address = await arrange();
    await winAll(tables, [requeue(address, seq)]);
    const item = await stored(address);
    expect(item).toMatchObject({ state: 'pending', cursor: 0, capturedAtMs: NOW_MS + 60 });
    for (const name of ['leasePass', 'leaseExpiresAtMs', 'settledAtMs', 'settledBy'])
      expect(item).not.toHaveProperty(name);
    await expect.poll(() => takeable(address)).toEqual([freshKey(NOW_MS + 60, address.sourceKey)]);
    expect(await tables.store.write(settle(address, ME, 0, 1000))).toMatchObject({ kind: 'held' });
  });

  it('leaves a session that is complete where it stood, and one that is read anew without a beginning of its own', async () => {
    const address = await pending({ beganAt: 300, waitUntilMs: NOW_MS + 1000 });
    await winAll(tables, [
      requeueEvidence(address, { seq: 1, capturedAtMs: NOW_MS, cursor: 300, beganAt: 300, op: freshOp() }),
    ]);
    expect(await stored(address)).toMatchObject({ cursor: 300, beganAt: 300, seq: 2 });
    await winAll(tables, [requeue(address, 2)]);
    expect(await stored(address)).toMatchObject({ cursor: 0, beganAt: 0 });
  });

  it('moves a waiting session: to the fresh when it is complete, to a later time when it went on', async () => {
    const address = await pending({ waitUntilMs: NOW_MS + 1000 });
    await winAll(tables, [requeue(address, 1, NOW_MS + 2000)]);
    expect(await stored(address)).toMatchObject({ queueKey: waitingKey(NOW_MS + 2000, address.sourceKey) });
    await winAll(tables, [requeue(address, 2)]);
    await expect.poll(() => takeable(address)).toEqual([freshKey(NOW_MS + 60, address.sourceKey)]);
  });

  itSurvivesLostReply(open, 'requeueEvidence', {
    recognisedBy: 'op',
    arrange: async () => requeue(await pending(), 1),
  });

  itRefuses(open, 'requeueEvidence', [
    {
      refuses: 'a revision that was made obsolete after it was read',
      clause: '#seq = :seq',
      arrange: async () => {
        const address = await pending();
        await winAll(tables, [obsoleteEvidence(address, freshOp())]);
        return requeue(address, 1);
      },
      broken: (after, before) => before['state'] === 'obsolete' && after['state'] === 'pending',
    },
  ]);
});

describe('parseEvidence', () => {
  it('reads what a builder wrote, and nothing of a version it does not know', async () => {
    const item = await stored(await pending());
    expect(parseEvidence(item)).toMatchObject({ state: 'pending', seq: 1, stalls: 0 });
    expect(parseEvidence({ ...item, v: 99 })).toBeUndefined();
    expect(parseEvidence(undefined)).toBeUndefined();
  });
});
