/** Which revision of a source is the newest, and that it is the one that is read. */
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IngestStore } from '../../../functions/ingest/deps.ts';
import { type EvidenceItem, leaseEvidence, settleEvidence, sourceKeyOfEvidence } from '../../../schema/evidence.ts';
import { releaseEvidence } from '../../../schema/evidence-return.ts';
import { queryTakeable } from '../../../schema/queue.ts';
import { Crash, crashAfter, createIngestBench, type IngestBench, SCOPE, sortKeyOf } from './bench.ts';

let bench: IngestBench;
beforeEach(() => {
  bench = createIngestBench();
});
afterEach(() => bench.close());

const MAY = '2024-05-03T00:00:00Z';
const dated = (text: string) => ({ kind: 'document', id: 'a', text: `---\ndate: 2024-05-03\n---\n${text}` });
const outcomeOf = async (source: unknown) => (await bench.ingest([source])).results[0]?.outcome;
const pendingOf = (of = bench) => of.evidence().filter(({ state }) => state === 'pending');
/** One revision is pending, and it is the newest. */
const expectNewestPending = (of = bench) => {
  const [{ revision, length }] = of.sources() as [ReturnType<IngestBench['sources']>[number]];
  expect(pendingOf(of)).toMatchObject([{ revision, length }]);
};

const addressOf = ({ sk }: EvidenceItem) =>
  ({ scope: SCOPE, generation: 1, lane: 'incremental', sourceKey: sourceKeyOfEvidence(sk, 'incremental') }) as const;
async function hold(passId: string): Promise<EvidenceItem> {
  const [item] = pendingOf() as [EvidenceItem];
  const lease = { passId, seq: item.seq, nowMs: bench.nowMs, expiresAtMs: bench.nowMs + 1000, op: `lease ${passId}` };
  await bench.store.write(leaseEvidence(addressOf(item), lease));
  return item;
}
async function settle(item: EvidenceItem, passId: string, to = item.length): Promise<void> {
  const move = { from: 0, to, length: item.length, claims: 0 };
  const settlement = { passId, ...move, nowMs: bench.nowMs, op: `settle ${passId}` };
  expect(await bench.store.write(settleEvidence(addressOf(item), settlement))).toMatchObject({ kind: 'won' });
}
const read = async (passId: string) => settle(await hold(passId), passId);

describe('a revision of the same captured time', () => {
  it('is the newest when it came in last, whatever it hashes to', async () => {
    for (let edit = 0; edit < 12; edit++) {
      expect(await outcomeOf(dated(`edit ${edit}`))).toBe(edit === 0 ? 'created' : 'revised');
      expectNewestPending();
      bench.nowMs += 1000;
    }
  });

  it('is the newest also when the clock of its call is behind, and the one before was read', async () => {
    for (let edit = 0; edit < 6; edit++) {
      await bench.ingest([dated(`edit ${edit}`)]);
      expectNewestPending();
      await read(`p${edit}`);
      bench.nowMs -= 5000;
    }
  });

  it('of a session that grows by turns without a time is read as a whole', async () => {
    const turns = (count: number) =>
      Array.from({ length: count }, (_, k) => ({ speaker: 'Maya', text: `turn ${k}`, ...(k === 0 && { at: MAY }) }));
    for (let count = 1; count <= 12; count++) {
      await bench.ingest([{ kind: 'transcript', id: 's', completed: count === 12, turns: turns(count) }]);
      bench.nowMs += 5000;
    }
    expectNewestPending();
    expect(pendingOf()).toMatchObject([{ length: Math.max(...bench.evidence().map(({ length }) => length)) }]);
  });

  it('that was the newest before is a late repetition', async () => {
    await bench.ingest([dated('one')]);
    await bench.ingest([dated('two')]);
    bench.writes.length = 0;
    expect(await outcomeOf(dated('one'))).toBe('older');
    expect(bench.writes).toEqual([]);
    expectNewestPending();
  });

  it('of two calls at once leaves one pending: the newest', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const raced = createIngestBench();
        try {
          await raced.ingest([dated('one')]);
          const turn = async <T>(act: () => Promise<T>): Promise<T> => {
            await scheduler.schedule(Promise.resolve());
            return act();
          };
          const store: IngestStore = {
            get: (request) => turn(() => raced.store.get(request)),
            batchGet: (request) => turn(() => raced.store.batchGet(request)),
            write: (write) => turn(() => raced.store.write(write)),
          };
          const calls = ['two', 'three', 'two', 'four'].map((text) => raced.ingest([dated(text)], store));
          await scheduler.waitFor(Promise.all(calls));
          expectNewestPending(raced);
        } finally {
          raced.close();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('stands after its call died at any write and was sent again', async () => {
    for (let n = 1; n <= 6; n++) {
      const crashed = createIngestBench();
      await crashed.ingest([dated('one')]);
      await expect(crashed.ingest([dated('two')], crashAfter(crashed.store, n))).rejects.toThrow(Crash);
      crashed.nowMs += 1000;
      await crashed.ingest([dated('two')]);
      expectNewestPending(crashed);
      const length = crashed.sources()[0]?.length;
      expect(length, `after write ${n}`).toBe(dated('two').text.length);
      crashed.close();
    }
  });
});

describe('a revision of inferred time', () => {
  const note = (text: string, modifiedAt?: string) => ({
    kind: 'note',
    id: 'a',
    text,
    ...(modifiedAt && { modifiedAt }),
  });

  it('is the newest when it came in last: clocks differ, and files are put back', async () => {
    await bench.ingest([note('one')]);
    bench.nowMs -= 5000;
    expect(await outcomeOf(note('two'))).toBe('revised');
    expectNewestPending();
    expect(await outcomeOf(note('three', MAY))).toBe('revised');
    expectNewestPending();
  });

  it('is answered with the captured time that stands', async () => {
    const { results: first } = await bench.ingest([note('one')]);
    bench.nowMs -= 5000;
    const { results: second } = await bench.ingest([note('two')]);
    expect(Date.parse(second[0]?.capturedAt ?? '')).toBe(Date.parse(first[0]?.capturedAt ?? '') + 1);
  });
});

describe('a source that goes back to a text', () => {
  const at = (text: string, day: number) => ({ kind: 'note', id: 'a', text, capturedAt: `2024-05-0${day}T00:00:00Z` });

  it.each([
    ['that was read', () => read('p1')],
    ['that was read in part', async () => settle(await hold('p1'), 'p1', 1)],
    ['that was not', async () => {}],
    ['that a pass holds', async () => void (await hold('p1'))],
  ])('%s has it read anew, from the beginning and under the later captured time', async (_, meanwhile) => {
    await bench.ingest([at('one', 1)]);
    await meanwhile();
    await bench.ingest([at('two', 2)]);
    expect(await outcomeOf(at('one', 3))).toBe('revised');
    expectNewestPending();
    expect(pendingOf()).toMatchObject([{ cursor: 0, capturedAtMs: Date.parse('2024-05-03T00:00:00Z') }]);
    expect(pendingOf()[0]).not.toHaveProperty('leasePass');
    await read('p2');
  });

  it('and is sent again once it was read has nothing to write', async () => {
    await bench.ingest([at('one', 1)]);
    await read('p1');
    await bench.ingest([at('two', 2)]);
    await bench.ingest([at('one', 3)]);
    await read('p2');
    bench.writes.length = 0;
    expect(await outcomeOf(at('one', 4))).toBe('unchanged');
    expect(bench.writes).toEqual([]);
  });

  it('ends in the same table after its call died at any write', async () => {
    const tell = async (n: number) => {
      bench.close();
      bench = createIngestBench();
      await bench.ingest([at('one', 1)]);
      await read('p1');
      await bench.ingest([at('two', 2)]);
      if (n > 0) await expect(bench.ingest([at('one', 3)], crashAfter(bench.store, n))).rejects.toThrow(Crash);
      await bench.ingest([at('one', 3)]);
      return bench.snapshot();
    };
    const undisturbed = await tell(0);
    for (let n = 1; n <= 6; n++) expect(await tell(n), `after write ${n}`).toEqual(undisturbed);
  });
});

describe('an older revision that a pass holds', () => {
  const queue = { scope: SCOPE, generation: 1, lane: 'incremental' } as const;
  const at = (text: string, day: number) => ({ kind: 'note', id: 'a', text, capturedAt: `2024-05-0${day}T00:00:00Z` });
  const takeable = async () => (await bench.store.query(queryTakeable(queue, 10))).items.map(({ sk }) => sk);

  it.each([
    [
      'unread',
      (item: EvidenceItem) =>
        bench.store.write(releaseEvidence(addressOf(item), { passId: 'p', orderly: true, op: 'r' })),
    ],
    ['read in part', (item: EvidenceItem) => settle(item, 'p', 1)],
  ])('and gives back %s is not read on after a newer one stands', async (_, giveBack) => {
    await bench.ingest([at('one', 1)]);
    const item = await hold('p');
    await bench.ingest([at('two', 2)]);
    await giveBack(item);
    const newest = bench.evidence().find(({ revision }) => revision === bench.sources()[0]?.revision);
    expect(await takeable()).toEqual([newest?.sk]);
    expectNewestPending();
  });

  it('is made obsolete by the next call when the one that replaced it died before', async () => {
    await bench.ingest([at('one', 1)]);
    await hold('p');
    const dying: IngestStore = {
      get: (request) => bench.store.get(request),
      batchGet: (request) => bench.store.batchGet(request),
      async write(write) {
        if (write.kind === 'update' && sortKeyOf(write).startsWith('EVIDENCE#')) throw new Crash('before it');
        return bench.store.write(write);
      },
    };
    await expect(bench.ingest([at('two', 2)], dying)).rejects.toThrow(Crash);
    expect(pendingOf()).toHaveLength(2);
    expect(await outcomeOf(at('two', 2))).toBe('unchanged');
    expectNewestPending();
  });
});
