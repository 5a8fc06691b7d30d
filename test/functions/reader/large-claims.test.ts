/** Claims and claim slots that are too large for one answer or one reading: what is shown, and what is said of the rest. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimBody } from '../../../functions/reader/claim-body.ts';
import { putCitation } from '../../../schema/citation.ts';
import { raiseRegister } from '../../../schema/head.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { inMonth } from '../../core/citation-samples.ts';
import { ADDRESS, citationOf, type ClaimRow, createMemory, type Memory, nextOp } from './memory.ts';

const AUSTIN: ClaimRow = { value: 'Austin', captured: '2024-03-01T10:00:00Z' };
const DENVER: ClaimRow = { value: 'Denver', captured: '2024-06-01T10:00:00Z', event: inMonth('2024-05') };
const PATH = '/v1/scopes/maya/claims';

let memory: Memory;
beforeEach(async () => {
  memory = await createMemory();
});
afterEach(() => memory.close());

async function claimsAt(path: string): Promise<readonly ClaimBody[]> {
  return (await memory.get(path)).body.claims as ClaimBody[];
}

/** Stores copies of a citation under ids of their own, straight into the engine: by the client it would take a while. */
function storeCopies(prefix: string, count: number, change: Record<string, unknown> = {}): void {
  const row = memory.items('control').find(({ sk }) => String(sk).startsWith(prefix));
  for (let k = 0; k < count; k++) {
    const Item = marshall({ ...row, ...change, sk: `${String(row?.sk)}${String(k).padStart(5, '0')}` });
    memory.engine.dispatch('PutItem', { TableName: 'control', Item });
  }
}

/** All pages, one after the other. */
async function pagesOf(query: string): Promise<ClaimBody[][]> {
  const pages: ClaimBody[][] = [];
  let cursor: string | undefined;
  do {
    const { body } = await memory.get(`${PATH}?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    pages.push(body.claims as ClaimBody[]);
    cursor = body.cursor;
  } while (cursor !== undefined && pages.length < 1000);
  return pages;
}

describe('large claims', () => {
  // 2,000 characters of 4 bytes: 100 citations of one claim are 800 KB.
  const LONG = { quote: { text: '🦉'.repeat(2000), start: 0, end: 2000 } };

  it('end early when their claims are large', async () => {
    const entities = ['a', 'b', 'c', 'd'];
    await memory.cite(...entities.map((entity) => ({ ...AUSTIN, entity })));
    for (const entity of entities) storeCopies(`CLAIM#${entity}#`, 100, LONG);
    expect((await pagesOf('detail=full')).map((page) => page.length)).toEqual([3, 1]);
  });

  it('leave out the oldest claims of a claim slot that alone is too large for an answer, and say so', async () => {
    const captured = ['01', '02', '03', '04', '05', '06'].map((month) => `2024-${month}-01T00:00:00Z`);
    await memory.cite(...captured.map((at, k) => ({ ...AUSTIN, value: `v${k}`, captured: at })));
    const prefixes = memory.items('control').flatMap(({ sk }) => (String(sk).startsWith('CLAIM#') ? [String(sk)] : []));
    for (const prefix of prefixes) storeCopies(prefix, 100, LONG);
    const { body } = await memory.get(`${PATH}?state=all&detail=full`);
    expect((body.claims as ClaimBody[]).map(({ value }) => value)).toEqual(['v5', 'v4', 'v3', 'v2']);
    expect(body.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(6_000_000);
  });

  it('one claim slot is read up to its bound, says so, and the rest of the scope is still reached', async () => {
    const many = LIMITS.claimRowsPerSlotMax + 5;
    await memory.cite(AUSTIN, { ...AUSTIN, entity: 'Tom', value: 'Oslo' });
    storeCopies('CLAIM#maya', many);
    const claims = await claimsAt(`${PATH}?limit=500`);
    expect(claims.map(({ value, truncated }) => [value, truncated])).toEqual([['Austin', true]]);
    const rest = await pagesOf('limit=500');
    expect(rest.flat().map(({ value }) => value)).toEqual(['Austin', 'Oslo']);
    expect((await claimsAt(`${PATH}?entity=Maya&attribute=lives_in&limit=500`))[0]?.truncated).toBe(true);
  });

  it('what is current is right in it all the same: the head names what the reading did not reach', async () => {
    await memory.cite(AUSTIN);
    storeCopies('CLAIM#maya', LIMITS.claimRowsPerSlotMax + 5);
    const [first] = memory.items('control').filter(({ sk }) => String(sk).startsWith('CLAIM#maya'));
    // A value whose claim sorts behind all that is read.
    const value = ['Denver', 'Oslo', 'Rome', 'Bonn', 'Lima', 'Kyiv'].find((other) => {
      const { claimId } = citationOf({ ...DENVER, value: other });
      return claimId > String(first?.['claimId']);
    });
    const last = citationOf({ ...DENVER, value: value ?? '' });
    await memory.write(putCitation(ADDRESS, last, 'pass-1', nextOp()));
    expect(await claimsAt(`${PATH}?limit=500`)).toMatchObject([{ value: 'Austin', truncated: true }]);
    await memory.write(raiseRegister(ADDRESS, last, 'dated', nextOp()));
    expect(await claimsAt(`${PATH}?limit=500`)).toMatchObject([{ value, truncated: true }]);
  });
});
