import { describe, expect, it } from 'vitest';
import { PassObserver } from '../../../infra/local/observer.ts';
import type { Observation } from '../../../infra/local/runtime/request-counts.ts';
import { evidenceAddress, leaseEvidence, settleEvidence } from '../../../schema/evidence.ts';
import { releaseEvidence } from '../../../schema/evidence-return.ts';
import { endPass, expireAttempt, heartbeatPass, NO_COUNTERS, startPass } from '../../../schema/pass.ts';
import type { Write } from '../../../schema/request.ts';
import { marshall } from '@aws-sdk/util-dynamodb';

/** The writes are those of the code under test, so that a change in them shows here and not as a silent zero. */
const NOW_MS = 1_700_000_000_000;
const pass = (passId: string) => ({ scope: 'demo', generation: 1, passId });
const evidence = (id: string) =>
  evidenceAddress('demo', 1, 'incremental', { kind: 'note', id, revision: '0123456789abcdef' });

function observe(write: Write, status = 200): Observation {
  if (write.kind !== 'update') throw new Error('only updates are watched');
  const { Key, ExpressionAttributeValues, ...rest } = write.input;
  const input = {
    ...rest,
    Key: marshall(Key),
    ExpressionAttributeValues: marshall(ExpressionAttributeValues ?? {}, { removeUndefinedValues: true }),
  };
  return {
    service: 'dynamodb',
    operation: 'UpdateItem',
    input,
    status,
    output: {},
    consumed: [],
    functionName: 'worker',
    environment: 1,
  };
}

const start = (id: string) =>
  observe(startPass(pass(id), { attempt: 'a', requestId: 'r', nowMs: NOW_MS, deadlineAtMs: NOW_MS, op: 'o' }));
const beat = (id: string) =>
  observe(heartbeatPass(pass(id), { attempt: 'a', nowMs: NOW_MS, counters: NO_COUNTERS, op: 'o' }));
const end = (id: string, status: 'completed' | 'failed' = 'completed') =>
  observe(
    endPass(pass(id), {
      attempt: 'a',
      nowMs: NOW_MS,
      counters: NO_COUNTERS,
      op: 'o',
      status,
      reviewRows: 1,
      sawEmptyQueue: false,
    }),
  );
const expire = (id: string) =>
  observe(expireAttempt(pass(id), { attempt: 'a', nowMs: NOW_MS, op: 'o', failure: { code: 'c', message: 'm' } }));
const lease = (id: string, source: string, status = 200) =>
  observe(leaseEvidence(evidence(source), { passId: id, seq: 1, nowMs: NOW_MS, expiresAtMs: NOW_MS, op: 'o' }), status);
const settle = (id: string, source: string, to = 9) =>
  observe(settleEvidence(evidence(source), { passId: id, from: 0, to, length: 9, nowMs: NOW_MS, op: 'o' }));
const release = (id: string, source: string) =>
  observe(releaseEvidence(evidence(source), { passId: id, orderly: true, op: 'o' }));

function figuresOf(observations: readonly Observation[]) {
  const observer = new PassObserver();
  for (const observation of observations) observer.see(observation);
  return observer.figures;
}

describe('the observer of passes', () => {
  it('counts a healthy drain', () => {
    const seen = [
      start('p'),
      lease('p', 'x'),
      beat('p'),
      lease('p', 'y'),
      end('p'),
      settle('p', 'x'),
      settle('p', 'y'),
    ];
    expect(figuresOf(seen)).toEqual({
      deliveries: 2,
      doubleDeliveries: 0,
      delivered: 2,
      settled: 2,
      passes: 1,
      running: 0,
      peakPasses: 1,
    });
  });

  it.each([
    ['the same source to two live passes', [start('p'), start('q'), lease('p', 'x'), lease('q', 'x')], 1],
    [
      '… also when the first gave it back',
      [start('p'), start('q'), lease('p', 'x'), release('p', 'x'), lease('q', 'x')],
      1,
    ],
    ['… and again to the first', [start('p'), start('q'), lease('p', 'x'), lease('q', 'x'), lease('p', 'x')], 2],
    ['two sources to two passes', [start('p'), start('q'), lease('p', 'x'), lease('q', 'y')], 0],
    ['the same source to one pass twice', [start('p'), lease('p', 'x'), lease('p', 'x')], 0],
    [
      'the same source after the first pass ended',
      [start('p'), lease('p', 'x'), end('p', 'failed'), start('q'), lease('q', 'x')],
      0,
    ],
    [
      'the same source after the first pass expired',
      [start('p'), lease('p', 'x'), expire('p'), start('q'), lease('q', 'x')],
      0,
    ],
    ['a lease that lost its race', [start('p'), start('q'), lease('p', 'x'), lease('q', 'x', 400)], 0],
  ])('judges %s', (_, seen, doubles) => {
    expect(figuresOf(seen).doubleDeliveries).toBe(doubles);
  });

  it('knows how many ran at once, and does not take a refused or other write for a start', () => {
    const refused = { ...start('z'), status: 400 };
    const seen = [start('p'), start('q'), end('p'), start('r'), refused, beat('s')];
    expect(figuresOf(seen)).toMatchObject({ passes: 3, running: 2, peakPasses: 2 });
  });

  it('counts a source as settled only when its cursor is at the end', () => {
    expect(figuresOf([start('p'), lease('p', 'x'), settle('p', 'x', 5)]).settled).toBe(0);
  });

  it('takes up what a killed run left: its pass lives until it is expired, and never ran here', () => {
    const rows = [
      marshall({ pk: 'SCOPE#demo#1', sk: 'PASS#dead', status: 'running' }),
      marshall({ pk: 'SCOPE#demo#1', sk: `EVIDENCE#incremental#${evidence('x').sourceKey}`, leasePass: 'dead' }),
    ];
    const observer = new PassObserver();
    observer.seed(rows as Parameters<PassObserver['seed']>[0]);
    expect(observer.figures).toMatchObject({ running: 0, passes: 0, deliveries: 0 });
    for (const seen of [start('p'), lease('p', 'x')]) observer.see(seen);
    expect(observer.figures).toMatchObject({ doubleDeliveries: 1, peakPasses: 1 });
    for (const seen of [expire('dead'), start('q'), end('p'), lease('q', 'x')]) observer.see(seen);
    expect(observer.figures.doubleDeliveries).toBe(1);
  });
});
