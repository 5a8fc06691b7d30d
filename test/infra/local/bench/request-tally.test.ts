import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { RequestTally } from '../../../../infra/local/bench/request-tally.ts';
import type { Observation } from '../../../../infra/local/runtime/request-counts.ts';

const seen = (operation: string, sk: string, more: Partial<Observation> = {}): Observation => ({
  service: 'dynamodb',
  operation,
  input: operation === 'PutItem' ? { Item: marshall({ pk: 'p', sk }) } : { Key: marshall({ pk: 'p', sk }) },
  status: 200,
  output: {},
  consumed: [{ TableName: 't', CapacityUnits: 2 }],
  functionName: 'worker',
  environment: 1,
  ...more,
});

function tallyOf(observations: readonly Observation[]) {
  const tally = new RequestTally();
  tally.begin();
  for (const observation of observations) tally.see(observation);
  return tally.tally;
}

describe('the tally of requests', () => {
  it('counts writes and their units, whoever makes them', () => {
    const finalizer = { functionName: 'finalizer' };
    expect(tallyOf([seen('UpdateItem', 'EVIDENCE#x'), seen('DeleteItem', 'PASS#p#LEASE#1', finalizer)])).toEqual({
      writes: 2,
      writeUnits: 4,
      workerReads: 0,
      pages: 0,
    });
  });

  it('counts a refused write as a request of one unit', () => {
    expect(tallyOf([seen('UpdateItem', 'EVIDENCE#x', { status: 400, consumed: [] })])).toMatchObject({
      writes: 1,
      writeUnits: 1,
    });
  });

  it.each(['CLAIM#maya#lives_in#a#b', 'HEAD#maya#lives_in', 'ENTITY#maya'])('leaves %s out', (sk) => {
    expect(tallyOf([seen('PutItem', sk)])).toMatchObject({ writes: 0, writeUnits: 0 });
  });

  it('counts the reads of workers alone, and a page for each REVIEW row', () => {
    const others = { functionName: 'reader' };
    const observations = [seen('Query', ''), seen('BatchGetItem', ''), seen('GetItem', 'SCOPE', others)];
    expect(tallyOf([...observations, seen('PutItem', 'PASS#p#REVIEW#00001')])).toMatchObject({
      workerReads: 2,
      pages: 1,
    });
  });

  it('counts nothing before it is told to', () => {
    const tally = new RequestTally();
    tally.see(seen('UpdateItem', 'EVIDENCE#x'));
    expect(tally.tally.writes).toBe(0);
  });
});
