/** What fences the moves of a pass: each clause, its negative twin, and the reply that was lost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item, Write } from '../../schema/request.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { type Guard, itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { arrangePass, BEAT_MS, PASS_MOVES, type PassMove, type Standing } from './pass-moves.ts';
import { NOW_MS } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;
const passIn = (standing: Standing) => arrangePass(tables, standing);

describe('lost replies', () => {
  const at = (move: PassMove, from: Standing) => async (): Promise<Write> => PASS_MOVES[move](await passIn(from));
  const cases: readonly (readonly [PassMove, Standing, 'op' | 'condition'])[] = [
    ['putPass', 'none', 'op'],
    ['noteInvoked', 'admitted', 'condition'],
    ['startPass', 'admitted', 'op'],
    ['heartbeatPass', 'running', 'condition'],
    ['endPass', 'running', 'op'],
    ['expireRunningPass', 'running', 'op'],
    ['expireAttempt', 'running', 'op'],
    ['expireUnstartedPass', 'admitted', 'op'],
    ['cancelPass', 'running', 'op'],
    ['cancelPass', 'admitted', 'op'],
    ['finalizePass', 'completed', 'op'],
  ];
  for (const [move, from, recognisedBy] of cases) {
    itSurvivesLostReply(open, move, { recognisedBy, arrange: at(move, from) });
  }

  it('a doubled invocation is not taken for a lost reply: its op and attempt are its own', async () => {
    const pass = await passIn('admitted');
    await winAll(tables, [PASS_MOVES.startPass(pass, 'attempt-1')]);
    const second = await tables.store.write(PASS_MOVES.startPass(pass, 'attempt-2'));
    expect(second).toMatchObject({ kind: 'held', stored: { attempt: 'attempt-1' } });
  });

  it('a pass that the sweep expired is not taken for this worker’s success, though it bears its attempt', async () => {
    const pass = await passIn('expired');
    const ended = await tables.store.write(PASS_MOVES.endPass(pass));
    expect(ended).toMatchObject({ kind: 'held', stored: { status: 'expired', attempt: 'attempt-1' } });
  });
});

describe('fences', () => {
  const guard = (
    move: PassMove,
    rest: Pick<Guard, 'refuses' | 'clause' | 'broken'> & { from: Standing; attempt?: string; heartbeatAtMs?: number },
  ): void => {
    const { from, attempt, heartbeatAtMs, ...named } = rest;
    const arrange = async (): Promise<Write> => {
      const pass = await passIn(from);
      if (move === 'expireRunningPass') return PASS_MOVES.expireRunningPass(pass, attempt, heartbeatAtMs);
      if (move === 'finalizePass') return PASS_MOVES.finalizePass(pass, 7);
      if (move === 'heartbeatPass' || move === 'endPass' || move === 'expireAttempt') {
        return PASS_MOVES[move](pass, attempt);
      }
      return PASS_MOVES[move](pass);
    };
    itRefuses(open, move, [{ ...named, arrange }]);
  };
  const becomes = (from: string, to: string) => (after: Item, before: Item) =>
    before['status'] === from && after['status'] === to;
  const RUNNING = '#status = :running';
  const MY_ATTEMPT = '#attempt = :attempt';
  const TERMINAL = '#status IN (:completed, :failed, :cancelled, :expired)';
  const NOT_FINALIZED = 'attribute_not_exists(#finalizedAtMs)';
  const ADMITTED = '#status = :admitted';

  guard('putPass', {
    refuses: 'a pass that runs already',
    clause: 'attribute_not_exists(#pk)',
    from: 'running',
    broken: becomes('running', 'admitted'),
  });
  guard('noteInvoked', {
    refuses: 'a pass that started',
    clause: ADMITTED,
    from: 'running',
    broken: (after) => after['invokedAtMs'] !== NOW_MS,
  });
  guard('startPass', {
    refuses: 'a pass that ended',
    clause: ADMITTED,
    from: 'completed',
    broken: becomes('completed', 'running'),
  });
  guard('heartbeatPass', {
    refuses: 'a pass that was expired',
    clause: RUNNING,
    from: 'expired',
    broken: (after) => after['heartbeatAtMs'] === BEAT_MS + 10_000,
  });
  guard('heartbeatPass', {
    refuses: 'another attempt',
    clause: MY_ATTEMPT,
    from: 'running',
    attempt: 'attempt-2',
    broken: (after) => after['heartbeatAtMs'] === BEAT_MS + 10_000,
  });
  guard('endPass', {
    refuses: 'a pass that was expired',
    clause: RUNNING,
    from: 'expired',
    broken: becomes('expired', 'completed'),
  });
  guard('endPass', {
    refuses: 'another attempt',
    clause: MY_ATTEMPT,
    from: 'running',
    attempt: 'attempt-2',
    broken: becomes('running', 'completed'),
  });
  guard('expireRunningPass', {
    refuses: 'a pass that ended in the millisecond of its last beat',
    clause: RUNNING,
    from: 'completed',
    broken: becomes('completed', 'expired'),
  });
  guard('expireRunningPass', {
    refuses: 'another attempt than was judged',
    clause: MY_ATTEMPT,
    from: 'running',
    attempt: 'attempt-2',
    broken: becomes('running', 'expired'),
  });
  guard('expireRunningPass', {
    refuses: 'a pass that beat after it was judged',
    clause: '#heartbeatAtMs = :heartbeat',
    from: 'running',
    heartbeatAtMs: BEAT_MS - 30_000,
    broken: becomes('running', 'expired'),
  });
  guard('expireAttempt', {
    refuses: 'a pass that ended before its invocation failed',
    clause: RUNNING,
    from: 'completed',
    broken: becomes('completed', 'expired'),
  });
  guard('expireAttempt', {
    refuses: 'the failure of a doubled invocation that never ran the pass',
    clause: MY_ATTEMPT,
    from: 'running',
    attempt: 'attempt-2',
    broken: becomes('running', 'expired'),
  });
  guard('expireUnstartedPass', {
    refuses: 'a pass that started at last',
    clause: ADMITTED,
    from: 'running',
    broken: becomes('running', 'expired'),
  });
  guard('cancelPass', {
    refuses: 'a pass that ended before',
    clause: '#status IN (:admitted, :running)',
    from: 'completed',
    broken: becomes('completed', 'cancelled'),
  });
  guard('startPass', {
    refuses: 'a pass that was cancelled before it started',
    clause: ADMITTED,
    from: 'cancelled',
    broken: becomes('cancelled', 'running'),
  });
  guard('finalizePass', {
    refuses: 'a pass that still runs',
    clause: TERMINAL,
    from: 'running',
    broken: (after) => after['status'] === 'running' && after['finalizedAtMs'] !== undefined,
  });
  guard('finalizePass', {
    refuses: 'a pass that is finalized, whose counts stay',
    clause: NOT_FINALIZED,
    from: 'finalized',
    broken: (after, before) => before['settled'] === 20 && after['settled'] === 7,
  });
  guard('kickPass', {
    refuses: 'a pass that still runs',
    clause: TERMINAL,
    from: 'running',
    broken: (after) => after['kicks'] === 1,
  });
  guard('kickPass', {
    refuses: 'a pass that is finalized',
    clause: NOT_FINALIZED,
    from: 'finalized',
    broken: (after) => after['kicks'] === 1,
  });
});
