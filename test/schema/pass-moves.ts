/** A pass in each of its statuses, reached by the builders themselves, and each builder that moves one. */
import {
  endPass,
  expireAttempt,
  expireRunningPass,
  expireUnstartedPass,
  heartbeatPass,
  type NewPass,
  NO_COUNTERS,
  noteInvoked,
  type PassStatus,
  putPass,
  startPass,
} from '../../schema/pass.ts';
import { cancelPass } from '../../schema/pass-cancel.ts';
import { finalizePass, kickPass } from '../../schema/pass-finalization.ts';
import type { Write } from '../../schema/request.ts';
import type { TestTables } from '../support/tables.ts';
import { winAll } from './guards.ts';
import { freshOp, NOW_MS, samplePass } from './samples.ts';

/** `finalized` is a terminal status that is marked; `none`: there is no row. */
export type Standing = 'none' | PassStatus | 'finalized';

export const ATTEMPT = 'attempt-1';
export const BEAT_MS = NOW_MS + 1000;
export const FAILURE = { code: 'silent', message: 'its heartbeat stopped' };

export const PASS_MOVES = {
  putPass: (pass: NewPass) => putPass(pass, freshOp()),
  noteInvoked: (pass: NewPass) => noteInvoked(pass, NOW_MS + 60_000, freshOp()),
  startPass: (pass: NewPass, attempt = ATTEMPT) =>
    startPass(pass, {
      attempt,
      requestId: 'request-1',
      nowMs: BEAT_MS,
      deadlineAtMs: BEAT_MS + 300_000,
      op: freshOp(),
    }),
  heartbeatPass: (pass: NewPass, attempt = ATTEMPT) =>
    heartbeatPass(pass, { attempt, nowMs: BEAT_MS + 10_000, counters: { ...NO_COUNTERS, pages: 1 }, op: freshOp() }),
  endPass: (pass: NewPass, attempt = ATTEMPT, status: 'completed' | 'failed' = 'completed') =>
    endPass(pass, {
      attempt,
      status,
      // The moment of the last beat: what ended then is told from what died then by its status alone.
      nowMs: BEAT_MS,
      counters: { ...NO_COUNTERS, pages: 1, delivered: 20, reviewed: 20 },
      reviewRows: 1,
      sawEmptyQueue: true,
      ...(status === 'failed' && { failure: { code: 'executor', message: 'it threw' } }),
      op: freshOp(),
    }),
  expireRunningPass: (pass: NewPass, attempt = ATTEMPT, heartbeatAtMs = BEAT_MS) =>
    expireRunningPass(pass, { attempt, heartbeatAtMs, nowMs: BEAT_MS + 60_000, failure: FAILURE, op: freshOp() }),
  expireAttempt: (pass: NewPass, attempt = ATTEMPT) =>
    expireAttempt(pass, { attempt, nowMs: BEAT_MS + 60_000, failure: FAILURE, op: freshOp() }),
  expireUnstartedPass: (pass: NewPass) =>
    expireUnstartedPass(pass, { nowMs: NOW_MS + 600_000, failure: FAILURE, op: freshOp() }),
  cancelPass: (pass: NewPass) => cancelPass(pass, BEAT_MS + 500, freshOp()),
  finalizePass: (pass: NewPass, settled = 20) =>
    finalizePass(pass, { nowMs: BEAT_MS + 1000, settled, released: 0, op: freshOp() }),
  kickPass: (pass: NewPass) => kickPass(pass, freshOp()),
} as const;

export type PassMove = keyof typeof PASS_MOVES;

/** The writes that bring a pass from nothing to a standing. */
function writesTo(standing: Standing, pass: NewPass): readonly Write[] {
  const admitted = [PASS_MOVES.putPass(pass)];
  const running = [...admitted, PASS_MOVES.startPass(pass)];
  const completed = [...running, PASS_MOVES.endPass(pass)];
  const paths: Record<Standing, readonly Write[]> = {
    none: [],
    admitted,
    running,
    completed,
    failed: [...running, PASS_MOVES.endPass(pass, ATTEMPT, 'failed')],
    expired: [...running, PASS_MOVES.expireRunningPass(pass)],
    cancelled: [...running, PASS_MOVES.cancelPass(pass)],
    finalized: [...completed, PASS_MOVES.finalizePass(pass)],
  };
  return paths[standing];
}

/** A fresh pass, in a scope of its own, brought to a standing. */
export async function arrangePass(tables: TestTables, standing: Standing): Promise<NewPass> {
  const pass = samplePass();
  await winAll(tables, writesTo(standing, pass));
  return pass;
}
