/** What a pass decides of an attention: once, on what it saw, and for good unless the subject changes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAttention, raiseAttention } from '../../schema/attention.ts';
import { decideAttention } from '../../schema/attention-decision.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, freshScope, ME, NOW_MS, OTHER } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const NAMED = { kind: 'contested', subject: 'ada#home' } as const;
type Address = { scope: string; generation: number };
const raise = (address: Address, subjectKey: string) =>
  raiseAttention(address, {
    ...NAMED,
    subjectKey,
    details: { slot: { entity: 'ada', attribute: 'home' }, sides: [], because: 'same_time' },
    nowMs: NOW_MS,
    op: freshOp(),
  });
const decide = (address: Address, seenKey = 'k1', passId = ME) =>
  decideAttention(address, {
    ...NAMED,
    seenKey,
    resolution: 'declined: it is no question',
    passId,
    nowMs: NOW_MS,
    op: freshOp(),
  });
async function raised(): Promise<Address> {
  const address = { scope: freshScope(), generation: 1 };
  await winAll(tables, [raise(address, 'k1')]);
  return address;
}
const stored = (address: Address) => tables.store.get(getAttention(address, NAMED));

describe('decideAttention', () => {
  it('closes it with what was decided and by which pass; raised again at that state, it stays closed', async () => {
    const address = await raised();
    await winAll(tables, [decide(address)]);
    expect(await tables.store.write(raise(address, 'k1'))).toMatchObject({ kind: 'held' });
    expect(await stored(address)).toMatchObject({
      resolvedAtMs: NOW_MS,
      resolution: 'declined: it is no question',
      resolvedBy: ME,
    });
  });

  it('is open again once its subject changes', async () => {
    const address = await raised();
    await winAll(tables, [decide(address), raise(address, 'k2')]);
    expect(await stored(address)).not.toHaveProperty('resolvedAtMs');
  });

  itSurvivesLostReply(open, 'decideAttention', { recognisedBy: 'op', arrange: async () => decide(await raised()) });

  itRefuses(open, 'decideAttention', [
    {
      refuses: 'one whose subject changed since it was seen: that is another question',
      clause: '#subjectKey = :seenKey',
      arrange: async () => {
        const address = await raised();
        await winAll(tables, [raise(address, 'k2')]);
        return decide(address);
      },
      broken: (after) => after['subjectKey'] === 'k2' && after['resolvedAtMs'] !== undefined,
    },
    {
      refuses: 'one that another pass has decided',
      clause: 'attribute_not_exists(#resolvedAtMs)',
      arrange: async () => {
        const address = await raised();
        await winAll(tables, [decide(address, 'k1', OTHER)]);
        return decide(address);
      },
      broken: (after) => after['resolvedBy'] === ME,
    },
  ]);
});
