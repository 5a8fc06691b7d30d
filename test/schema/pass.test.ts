import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../schema/limits.ts';
import {
  getPass,
  type NewPass,
  PASS_STATUSES,
  passAddressOf,
  passItemSchema,
  passKey,
  TERMINAL_STATUSES,
  isTerminal,
} from '../../schema/pass.ts';
import { queryPasses } from '../../schema/pass-list.ts';
import type { Item } from '../../schema/request.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { winAll } from './guards.ts';
import { arrangePass, BEAT_MS, FAILURE, PASS_MOVES, type PassMove, type Standing } from './pass-moves.ts';
import { freshOp, passIdAt, samplePass } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());

const passIn = (standing: Standing) => arrangePass(tables, standing);
const stored = async (pass: NewPass): Promise<Item> => (await tables.store.get(getPass(pass))) ?? {};

/** From which standing each builder is accepted, and the status it leads to. Every other pair is refused. */
const MOVES: Record<PassMove, Partial<Record<Standing, string>>> = {
  putPass: { none: 'admitted' },
  noteInvoked: { admitted: 'admitted' },
  startPass: { admitted: 'running' },
  heartbeatPass: { running: 'running' },
  endPass: { running: 'completed' },
  expireRunningPass: { running: 'expired' },
  expireAttempt: { running: 'expired' },
  expireUnstartedPass: { admitted: 'expired' },
  cancelPass: { admitted: 'cancelled', running: 'cancelled' },
  finalizePass: { completed: 'completed', failed: 'failed', cancelled: 'cancelled', expired: 'expired' },
  kickPass: { completed: 'completed', failed: 'failed', cancelled: 'cancelled', expired: 'expired' },
};
const STANDINGS: readonly Standing[] = ['none', 'admitted', 'running', ...TERMINAL_STATUSES, 'finalized'];
const PAIRS = STANDINGS.flatMap((from) =>
  (Object.keys(MOVES) as PassMove[]).map((move) => [move, from, MOVES[move][from] ?? 'refused'] as const),
);

describe('moves of a pass', () => {
  it.each(PAIRS)('%s from %s: %s', async (move, from, to) => {
    const pass = await passIn(from);
    const before = await tables.store.get(getPass(pass));
    const outcome = await tables.store.write(PASS_MOVES[move](pass));
    if (to === 'refused') {
      expect(outcome).toEqual({ kind: 'held', stored: before });
      expect(await tables.store.get(getPass(pass))).toEqual(before);
    } else {
      expect(outcome.kind).toBe('won');
      expect(passItemSchema.parse(await stored(pass)).status).toBe(to);
    }
  });

  it('knows the terminal statuses as those that nothing leaves', () => {
    expect(PASS_STATUSES.filter(isTerminal)).toEqual(TERMINAL_STATUSES);
    const left = (Object.keys(MOVES) as PassMove[]).flatMap((move) =>
      TERMINAL_STATUSES.filter((status) => (MOVES[move][status as Standing] ?? status) !== status),
    );
    expect(left).toEqual([]);
  });
});

describe('what the moves write', () => {
  it('a started pass carries its attempt, request, heartbeat and deadline, and answers whole', async () => {
    const pass = await passIn('admitted');
    const outcome = await tables.store.write(PASS_MOVES.startPass(pass));
    const expected = { status: 'running', attempt: 'attempt-1', requestId: 'request-1', heartbeatAtMs: BEAT_MS };
    expect(outcome).toMatchObject({
      kind: 'won',
      item: { ...expected, deadlineAtMs: BEAT_MS + 300_000, slotNumber: 0 },
    });
  });

  it('a failed pass carries its failure, a completed one none', async () => {
    expect(await stored(await passIn('failed'))).toMatchObject({ failure: { code: 'executor' }, reviewRows: 1 });
    expect(await stored(await passIn('completed'))).not.toHaveProperty('failure');
    expect(await stored(await passIn('expired'))).toMatchObject({ failure: FAILURE, endedAtMs: BEAT_MS + 60_000 });
  });

  it('a finalized pass goes by TTL, in seconds, and not before', async () => {
    expect(await stored(await passIn('completed'))).not.toHaveProperty('ttl');
    expect(await stored(await passIn('finalized'))).toMatchObject({
      finalizedAtMs: BEAT_MS + 1000,
      settled: 20,
      released: 0,
      ttl: (BEAT_MS + 1000 + LIMITS.passKeepMs) / 1000,
    });
  });

  it('a kick changes the row each time, so that the stream carries it each time', async () => {
    const pass = await passIn('completed');
    await winAll(tables, [PASS_MOVES.kickPass(pass), PASS_MOVES.kickPass(pass)]);
    expect(await stored(pass)).toMatchObject({ kicks: 2 });
  });
});

describe('passAddressOf', () => {
  const pass = samplePass('team:a@b.c-1');
  const { pk, sk } = passKey(pass);

  it.each([sk, `${sk}#LEASE#00001`, `${sk}#REVIEW#00001`])('reads the address of %s', (row) => {
    const { scope, generation, passId } = pass;
    expect(passAddressOf(pk, row)).toEqual({ scope, generation, passId });
  });

  it.each([
    [pk, 'EVIDENCE#incremental#note#a#0000000000000000'],
    [pk, 'PASS#'],
    [`SCOPE#${pass.scope}`, sk],
    ['POOL#0', 'LEDGER'],
    ['TRIGGER#x', 'TRIGGER'],
    [`SCOPE#${pass.scope}#one`, sk],
    ['SCOPE##1', sk],
  ])('reads nothing from %s / %s', (partition, row) => {
    expect(passAddressOf(partition, row)).toBeUndefined();
  });
});

describe('queryPasses', () => {
  it('answers passes newest first and reads past rows that are no passes', async () => {
    const older = samplePass();
    const newer = { ...older, passId: `9${passIdAt(3).slice(1)}` };
    const leaseRow = { ...passKey(older), sk: `${passKey(older).sk}#LEASE#00001` };
    await winAll(tables, [
      PASS_MOVES.putPass(older),
      PASS_MOVES.putPass(newer),
      { kind: 'put', table: 'control', isMine: () => false, input: { Item: { ...leaseRow, op: freshOp() } } },
    ]);
    const { items } = await tables.store.query(queryPasses(older.scope, older.generation, 10));
    expect(items.map((item) => item['passId'])).toEqual([newer.passId, older.passId]);
  });
});
