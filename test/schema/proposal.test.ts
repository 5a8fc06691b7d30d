import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../schema/limits.ts';
import { type Proposed, proposalPageSchema, putProposalPage, queryProposalPages } from '../../schema/proposal.ts';
import { cite } from '../core/citation-samples.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, freshScope, ME, NOW_MS } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const freshAddress = () => ({ scope: freshScope(), generation: 1, passId: ME });
const OSLO = cite({ value: 'Oslo', captured: '2024-05-01' });
const put = (address: ReturnType<typeof freshAddress>, n: number, citations: readonly Proposed[] = [OSLO]) =>
  putProposalPage(address, { n, citations, nowMs: NOW_MS, op: freshOp() });

describe('PROPOSAL rows', () => {
  it('are read in their order, and go by TTL after a day', async () => {
    const address = freshAddress();
    await winAll(tables, [put(address, 2), put(address, 1)]);
    const { items } = await tables.store.query(queryProposalPages(address));
    expect(items.map((item) => proposalPageSchema.parse(item).n)).toEqual([1, 2]);
    expect(items[0]?.['ttl']).toBe((NOW_MS + LIMITS.proposalKeepMs) / 1000);
    expect(proposalPageSchema.parse(items[0]).citations).toEqual([OSLO]);
  });

  it('fit an item, and so many an answer as the reader counts on, when all they say is as long as it can be', () => {
    const long = (characters: number) => '🦉'.repeat(characters);
    const citation = {
      ...OSLO,
      slot: {
        entity: long(LIMITS.entityCharactersMax),
        attribute: 'a'.repeat(64),
        key: long(LIMITS.valueCharactersMax),
      },
      entityName: long(LIMITS.entityCharactersMax),
      value: long(LIMITS.valueCharactersMax),
      quote: { text: long(LIMITS.quoteCharactersMax), start: 0, end: LIMITS.quoteCharactersMax },
      source: { ...OSLO.source, id: 's'.repeat(300) },
    };
    const write = put(
      freshAddress(),
      1,
      Array.from({ length: LIMITS.citationsPerProposalMax }, () => citation),
    );
    const bytes = Buffer.byteLength(JSON.stringify(write.kind === 'put' && write.input.Item));
    expect(bytes).toBeLessThan(LIMITS.proposalRowBytesMax);
    expect(bytes).toBeGreaterThan(LIMITS.proposalRowBytesMax / 2);
  });

  itSurvivesLostReply(open, 'putProposalPage', { recognisedBy: 'op', arrange: async () => put(freshAddress(), 1) });

  itRefuses(open, 'putProposalPage', [
    {
      refuses: 'another row under the same number',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [put(address, 1)]);
        return put(address, 1, []);
      },
      broken: (after) => (after['citations'] as unknown[]).length === 0,
    },
  ]);
});
