/** Claims and claim slots that are too large for one answer or one reading: what is shown, and what is said of the rest. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimBody } from '../../../functions/reader/claim-body.ts';
import { putCitation } from '../../../schema/citation.ts';
import { raiseRegister } from '../../../schema/head.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { ADDRESS, AUSTIN, citationOf, CLAIMS, createMemory, DENVER, type Memory, nextOp } from './memory.ts';

let memory: Memory;
beforeEach(async () => {
  memory = await createMemory();
});
afterEach(() => memory.close());

/** Stores copies of a citation under ids of their own, straight into the engine: by the client it would take a while. */
function storeCopies(prefix: string, count: number, change: Record<string, unknown> = {}): void {
  const row = memory.items('control').find(({ sk }) => String(sk).startsWith(prefix));
  for (let k = 0; k < count; k++) {
    const Item = marshall({ ...row, ...change, sk: `${String(row?.sk)}${String(k).padStart(5, '0')}` });
    memory.engine.dispatch('PutItem', { TableName: 'control', Item });
  }
}

describe('large claims', () => {
  // 2,000 characters of 4 bytes: 100 citations of one claim are 800 KB.
  const LONG = { quote: { text: '🦉'.repeat(2000), start: 0, end: 2000 } };

  it('end early when their claims are large', async () => {
    const entities = ['a', 'b', 'c', 'd'];
    await memory.cite(...entities.map((entity) => ({ ...AUSTIN, entity })));
    for (const entity of entities) storeCopies(`CLAIM#${entity}#`, 100, LONG);
    expect((await memory.pages('detail=full')).map((page) => page.length)).toEqual([3, 1]);
  });

  it('leave out the oldest claims of a claim slot that alone is too large for an answer, and say so', async () => {
    const captured = ['01', '02', '03', '04', '05', '06'].map((month) => `2024-${month}-01T00:00:00Z`);
    await memory.cite(...captured.map((at, k) => ({ ...AUSTIN, value: `v${k}`, captured: at })));
    const prefixes = memory.items('control').flatMap(({ sk }) => (String(sk).startsWith('CLAIM#') ? [String(sk)] : []));
    for (const prefix of prefixes) storeCopies(prefix, 100, LONG);
    const { body } = await memory.get(`${CLAIMS}?state=all&detail=full`);
    expect((body.claims as ClaimBody[]).map(({ value }) => value)).toEqual(['v5', 'v4', 'v3', 'v2']);
    expect(body.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(6_000_000);
  });

  it('one claim slot is read up to its bound, says so, and the rest of the scope is still reached', async () => {
    const many = LIMITS.claimRowsPerSlotMax + 5;
    await memory.cite(AUSTIN, { ...AUSTIN, entity: 'Tom', value: 'Oslo' });
    storeCopies('CLAIM#maya', many);
    const claims = await memory.claims(`limit=500`);
    expect(claims.map(({ value, truncated }) => [value, truncated])).toEqual([['Austin', true]]);
    const rest = await memory.pages('limit=500');
    expect(rest.flat().map(({ value }) => value)).toEqual(['Austin', 'Oslo']);
    expect((await memory.claims(`entity=Maya&attribute=lives_in&limit=500`))[0]?.truncated).toBe(true);
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
    expect(await memory.claims(`limit=500`)).toMatchObject([{ value: 'Austin', truncated: true }]);
    await memory.write(raiseRegister(ADDRESS, last, 'dated', nextOp()));
    expect(await memory.claims(`limit=500`)).toMatchObject([{ value, truncated: true }]);
  });
});
