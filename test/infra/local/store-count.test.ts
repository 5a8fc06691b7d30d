import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { countStore, nameSource } from '../../../infra/local/store-count.ts';

const row = (sk: string, more: object = {}, pk = 'SCOPE#demo#1') =>
  marshall({ pk, sk, ...more }) as Parameters<typeof countStore>[0][number];
const evidence = (id: string, state: string, more: object = {}, pk?: string) =>
  row(`EVIDENCE#incremental#note#${id}#${state}`, { kind: 'note', id, state, ...more }, pk);
const names = new Set(['a', 'b', 'c'].map((id) => nameSource({ kind: 'note', id })));

describe('the count of a store', () => {
  it('counts sources whose text is not waited for, an older revision aside', () => {
    const rows = [
      evidence('a', 'settled'),
      evidence('a', 'obsolete'),
      evidence('b', 'obsolete'),
      evidence('d', 'settled'),
    ];
    expect(countStore(rows, 'demo', names)).toEqual({ settled: 2, leasesLeft: 0 });
  });

  it.each(['pending', 'quarantined'])(
    'does not count a source with a %s revision, even beside a settled one',
    (state) => {
      const rows = [evidence('a', 'settled'), evidence('a', state), evidence('b', 'settled')];
      expect(countStore(rows, 'demo', names).settled).toBe(1);
    },
  );

  it('counts leases on evidence and LEASE rows, of this scope alone', () => {
    const rows = [
      evidence('a', 'pending', { leasePass: 'p' }),
      row('PASS#p#LEASE#00001'),
      row('PASS#p#REVIEW#00001'),
      row('PASS#p'),
      evidence('a', 'pending', { leasePass: 'p' }, 'SCOPE#demo2#1'),
      row('PASS#p#LEASE#00001', {}, 'SCOPE#other#1'),
    ];
    expect(countStore(rows, 'demo', names)).toEqual({ settled: 0, leasesLeft: 2 });
  });
});
