import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  evidenceKey,
  getEvidence,
  leaseEvidence,
  obsoleteEvidence,
  putEvidence,
  settleEvidence,
} from '../../schema/evidence.ts';
import { releaseEvidence } from '../../schema/evidence-return.ts';
import { LIMITS } from '../../schema/limits.ts';
import {
  freshKey,
  holderOfQueueKey,
  leasedKey,
  queryLeased,
  queryTakeable,
  queryWaitingUntil,
  tierOf,
  timeOfQueueKey,
  waitingKey,
} from '../../schema/queue.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, ME, NOW_MS, OTHER, sampleEvidence } from './samples.ts';

const EXPIRES_MS = NOW_MS + 310_000;

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const lease = (passId: string, seq: number, nowMs = NOW_MS, expiresAtMs = EXPIRES_MS) => ({
  passId,
  seq,
  nowMs,
  expiresAtMs,
  op: freshOp(),
});

/** Fresh evidence, put and then moved by `moves`. */
async function arrangeEvidence(
  ...moves: ((sample: ReturnType<typeof sampleEvidence>) => ReturnType<typeof leaseEvidence>)[]
): Promise<ReturnType<typeof sampleEvidence>> {
  const sample = sampleEvidence();
  await winAll(tables, [putEvidence(sample.address, sample.evidence, freshOp()), ...moves.map((move) => move(sample))]);
  return sample;
}

const leasedBy = (passId: string) => arrangeEvidence(({ address }) => leaseEvidence(address, lease(passId, 1)));

describe('putEvidence', () => {
  it('puts a revision among the fresh, with what the index shows of it', async () => {
    const { address, evidence } = await arrangeEvidence();
    await expect
      .poll(() => tables.store.query(queryTakeable(address, 5)).then(({ items }) => items))
      .toEqual([
        {
          ...evidenceKey(address),
          queuePartition: `${address.scope}#1#incremental`,
          queueKey: freshKey(NOW_MS, address.sourceKey),
          cursor: 0,
          seq: 1,
          length: evidence.length,
          tokens: evidence.tokens,
          attempts: 0,
        },
      ]);
  });

  it('puts an unfinished session among the waiting, under the time it waits for', async () => {
    const { address, evidence } = sampleEvidence();
    const waitUntilMs = NOW_MS + 1000;
    await winAll(tables, [putEvidence(address, { ...evidence, waitUntilMs }, freshOp())]);
    const waiting = async (nowMs: number) =>
      (await tables.store.query(queryWaitingUntil(address, nowMs, 5))).items.map((row) => row['queueKey']);
    await expect.poll(() => waiting(waitUntilMs)).toEqual([waitingKey(waitUntilMs, address.sourceKey)]);
    expect(await waiting(waitUntilMs - 1)).toEqual([]);
    expect((await tables.store.query(queryTakeable(address, 5))).items).toEqual([]);
  });

  itSurvivesLostReply(open, 'putEvidence', {
    recognisedBy: 'op',
    arrange: async () => {
      const { address, evidence } = sampleEvidence();
      return putEvidence(address, evidence, freshOp());
    },
  });

  itRefuses(open, 'putEvidence', [
    {
      refuses: 'a revision that is known and leased',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => {
        const { address, evidence } = await leasedBy(OTHER);
        return putEvidence(address, evidence, freshOp());
      },
      broken: (after) => after['leasePass'] === undefined,
    },
  ]);
});

describe('leaseEvidence', () => {
  it('takes an unleased row: the row moves to tier 4 under its expiry and answers with its new seq', async () => {
    const { address } = await arrangeEvidence();
    const outcome = await tables.store.write(leaseEvidence(address, lease(ME, 1)));
    expect(outcome).toMatchObject({
      kind: 'won',
      item: { state: 'pending', leasePass: ME, leaseExpiresAtMs: EXPIRES_MS, seq: 2, attempts: 1, cursor: 0 },
    });
    const leased = async () => (await tables.store.query(queryLeased(address, 5))).items.map((row) => row['queueKey']);
    await expect.poll(leased).toEqual([leasedKey(EXPIRES_MS, ME, address.sourceKey)]);
    await expect.poll(async () => (await tables.store.query(queryTakeable(address, 5))).items).toEqual([]);
    const [queueKey] = (await leased()) as [string];
    expect([tierOf(queueKey), timeOfQueueKey(queueKey), holderOfQueueKey(queueKey)]).toEqual([4, EXPIRES_MS, ME]);
  });

  it('takes a row that this pass holds already', async () => {
    const { address } = await leasedBy(ME);
    expect(await tables.store.write(leaseEvidence(address, lease(ME, 2)))).toMatchObject({ kind: 'won' });
  });

  it('takes an expired lease over only when the margin is over as well', async () => {
    const { address } = await leasedBy(OTHER);
    const atMargin = EXPIRES_MS + LIMITS.leaseMarginMs;
    const early = await tables.store.write(leaseEvidence(address, lease(ME, 2, atMargin)));
    expect(early).toMatchObject({ kind: 'held', stored: { leasePass: OTHER } });
    const late = await tables.store.write(leaseEvidence(address, lease(ME, 2, atMargin + 1, EXPIRES_MS * 2)));
    expect(late).toMatchObject({ kind: 'won', item: { leasePass: ME, attempts: 2 } });
  });

  it('lets one of two passes that read the same row win', async () => {
    const { address } = await arrangeEvidence();
    const outcomes = await Promise.all(
      [ME, OTHER].map((passId) => tables.store.write(leaseEvidence(address, lease(passId, 1)))),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['held', 'won']);
    const winner = [ME, OTHER][outcomes.findIndex(({ kind }) => kind === 'won')];
    expect(outcomes.find(({ kind }) => kind === 'held')).toMatchObject({ stored: { leasePass: winner } });
  });

  itSurvivesLostReply(open, 'leaseEvidence', {
    recognisedBy: 'op',
    arrange: async () => leaseEvidence((await arrangeEvidence()).address, lease(ME, 1)),
  });

  itRefuses(open, 'leaseEvidence', [
    {
      refuses: 'a revision that left the queue, although its seq is known',
      clause: '#state = :pending',
      arrange: async () => {
        const { address } = await arrangeEvidence((sample) => obsoleteEvidence(sample.address, freshOp()));
        return leaseEvidence(address, lease(ME, 2));
      },
      broken: (after) => after['state'] === 'obsolete' && after['leasePass'] === ME,
    },
    {
      refuses: 'a row that moved since it was read',
      clause: '#seq = :seq',
      arrange: async () => {
        const { address } = await arrangeEvidence(
          (sample) => leaseEvidence(sample.address, lease(OTHER, 1)),
          (sample) => releaseEvidence(sample.address, { passId: OTHER, orderly: true, op: freshOp() }),
        );
        return leaseEvidence(address, lease(ME, 1));
      },
      broken: (after) => after['leasePass'] === ME,
    },
    {
      refuses: 'a row that another live pass holds',
      clause: 'attribute_not_exists(#leasePass) OR #leasePass = :me OR #leaseExpiresAtMs < :expiredBefore',
      arrange: async () => leaseEvidence((await leasedBy(OTHER)).address, lease(ME, 2)),
      broken: (after, before) => before['leasePass'] === OTHER && after['leasePass'] === ME,
    },
  ]);
});

describe('getEvidence', () => {
  it('reads the row itself, not an index of it', async () => {
    const { address } = await leasedBy(ME);
    expect(getEvidence(address).input).toMatchObject({ ConsistentRead: true });
    expect(await tables.store.get(getEvidence(address))).toMatchObject({ leasePass: ME, seq: 2 });
    expect(await tables.store.get(getEvidence(sampleEvidence().address))).toBeUndefined();
  });

  it('shows a settled row without any key of the queue', async () => {
    const { address } = await arrangeEvidence(
      (sample) => leaseEvidence(sample.address, lease(ME, 1)),
      (sample) =>
        settleEvidence(sample.address, { passId: ME, from: 0, to: 1000, length: 1000, nowMs: NOW_MS, op: freshOp() }),
    );
    const item = (await tables.store.get(getEvidence(address))) ?? {};
    expect(item).toMatchObject({ state: 'settled', cursor: 1000 });
    expect(item).not.toHaveProperty('queueKey');
    expect(item).not.toHaveProperty('queuePartition');
  });
});
