import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IngestStore } from '../../../functions/ingest/deps.ts';
import { leaseEvidence, type EvidenceItem, sourceKeyOfEvidence } from '../../../schema/evidence.ts';
import { releaseEvidence } from '../../../schema/evidence-return.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { idleScope, noteEmptyProbe } from '../../../schema/scope.ts';
import { countOutcome } from '../../../schema/scope-outcome.ts';
import type { SourceItem } from '../../../schema/source.ts';
import { Crash, crashAfter, createIngestBench, type IngestBench, SCOPE, sortKeyOf } from './bench.ts';

const MAY = '2024-05-03T00:00:00Z';
const JUNE = '2024-06-03T00:00:00Z';
const note = (text: string, capturedAt: string, id = 'a') => ({ kind: 'note', id, text, capturedAt });
const session = (completed: boolean) => ({ kind: 'transcript', id: 's', text: 'Maya: hi', capturedAt: MAY, completed });

const benches: IngestBench[] = [];
const createBench = () => {
  const bench = createIngestBench();
  benches.push(bench);
  return bench;
};
afterEach(() => {
  for (const bench of benches.splice(0)) bench.close();
});

interface Story {
  readonly before: readonly unknown[][];
  readonly call: readonly unknown[];
}

const STORIES: Record<string, Story> = {
  'new sources': { before: [], call: [note('one', MAY), note('two', MAY, 'b')] },
  'a revision': { before: [[note('one', MAY)]], call: [note('two', JUNE)] },
  'a second revision': {
    before: [[note('one', MAY)], [note('two', JUNE)]],
    call: [note('three', '2024-07-03T00:00:00Z')],
  },
  'an older revision': { before: [[note('two', JUNE)]], call: [note('one', MAY)] },
  'two revisions in one call': { before: [], call: [note('one', MAY), note('two', JUNE)] },
  'a way back': { before: [[note('one', MAY)], [note('two', JUNE)]], call: [note('one', '2024-07-03T00:00:00Z')] },
  'an unfinished session': { before: [], call: [session(false)] },
  'its completion': { before: [[session(false)]], call: [session(true)] },
};

describe.each(Object.entries(STORIES))('a call with %s that dies', (_, { before, call }) => {
  const tell = async () => {
    const bench = createBench();
    for (const sources of before) await bench.ingest(sources);
    bench.writes.length = 0;
    return bench;
  };

  it('after any of its writes and is sent again ends in the table of an undisturbed one', async () => {
    const undisturbed = await tell();
    await undisturbed.ingest(call);
    const writesTotal = undisturbed.writes.length;
    expect(writesTotal).toBeGreaterThanOrEqual(4);
    for (let n = 1; n <= writesTotal; n++) {
      const bench = await tell();
      await expect(bench.ingest(call, crashAfter(bench.store, n))).rejects.toThrow(Crash);
      expect(bench.isDue(), `due after write ${n}`).toBe(true);
      await bench.ingest(call);
      expect(bench.snapshot(), `after write ${n}`).toEqual(undisturbed.snapshot());
    }
  });

  it('leaves at every moment the newest revision where it will be read', async () => {
    const { writes } = await (async () => {
      const bench = await tell();
      await bench.ingest(call);
      return bench;
    })();
    for (let n = 1; n <= writes.length; n++) {
      const bench = await tell();
      await expect(bench.ingest(call, crashAfter(bench.store, n))).rejects.toThrow(Crash);
      for (const source of bench.sources()) {
        const evidence = bench.evidence().find(({ id, revision }) => id === source.id && revision === source.revision);
        expect(evidence?.state, `after write ${n}`).toBe('pending');
      }
    }
  });
});

describe('a call with a source of inferred time that dies', () => {
  it('and is sent again later has one revision pending: the newest, captured when the SOURCE row says', async () => {
    const untimed = (text: string) => [{ kind: 'note', id: 'a', text }];
    for (let n = 1; n <= 6; n++) {
      const bench = createBench();
      await bench.ingest(untimed('one'));
      bench.nowMs += 1000;
      await expect(bench.ingest(untimed('two'), crashAfter(bench.store, n))).rejects.toThrow(Crash);
      // Another revision comes between: newer than the first try, older than the second.
      bench.nowMs += 1000;
      await bench.ingest(untimed('three'));
      bench.nowMs += 1000;
      await bench.ingest(untimed('two'));
      const [{ revision, capturedAtMs }] = bench.sources() as [SourceItem];
      const pending = bench.evidence().filter(({ state }) => state === 'pending');
      expect(pending, `after write ${n}`).toMatchObject([{ revision, capturedAtMs }]);
      expect(capturedAtMs).toBe(bench.nowMs);
    }
  });
});

describe('with the SOURCE row written first', () => {
  /** Holds every other write of a source back until its SOURCE row is written. */
  function sourceFirst(store: IngestStore): IngestStore {
    const held: (() => Promise<unknown>)[] = [];
    return {
      get: (read) => store.get(read),
      batchGet: (read) => store.batchGet(read),
      async write(write) {
        const sk = sortKeyOf(write);
        if (sk === 'SCOPE') return store.write(write);
        if (!sk.startsWith('SOURCE#')) {
          held.push(() => store.write(write));
          return { kind: 'won', item: undefined };
        }
        const outcome = await store.write(write);
        for (const send of held.splice(0)) await send();
        return outcome;
      },
    };
  }

  it('the same crash loses a source: "unchanged", and nothing in the queue', async () => {
    const bench = createBench();
    const call = [note('one', MAY)];
    const dying = sourceFirst({ ...bench.store, ...crashAfter(bench.store, 2) });
    await expect(bench.ingest(call, dying)).rejects.toThrow(Crash);
    expect((await bench.ingest(call)).results).toMatchObject([{ outcome: 'unchanged' }]);
    expect(bench.evidence()).toEqual([]);
  });
});

describe('a call so slow that two probes find nothing meanwhile', () => {
  let bench: IngestBench;
  beforeEach(() => {
    bench = createBench();
  });

  /** Both phases of clearing, before the first evidence is written. */
  function probedMeanwhile(): IngestStore {
    let probed = false;
    return {
      get: (read) => bench.store.get(read),
      batchGet: (read) => bench.store.batchGet(read),
      async write(write) {
        if (!probed && sortKeyOf(write).startsWith('EVIDENCE#')) {
          probed = true;
          const { backlogVersion } = bench.scopeRow();
          const seen = { scope: SCOPE, backlogVersion, op: 'probe' };
          await bench.store.write(noteEmptyProbe({ ...seen, nowMs: bench.nowMs }));
          bench.nowMs += LIMITS.emptyProbeAgainMs;
          await bench.store.write(idleScope(seen));
          expect(bench.isDue()).toBe(false);
        }
        return bench.store.write(write);
      },
    };
  }

  it('leaves the scope due, by its second mark', async () => {
    await bench.ingest([note('one', MAY)], probedMeanwhile());
    expect(bench.isDue()).toBe(true);
  });

  it('would leave evidence in an idle scope without it', async () => {
    const slow = probedMeanwhile();
    let marks = 0;
    const withoutSecond: IngestStore = {
      ...slow,
      async write(write) {
        if (sortKeyOf(write) !== 'SCOPE' || ++marks === 1) return slow.write(write);
        return { kind: 'won', item: { ...bench.scopeRow(), workPartition: 'due#0', workDueAtMs: 0 } };
      },
    };
    await bench.ingest([note('one', MAY)], withoutSecond);
    expect(bench.isDue()).toBe(false);
    expect(bench.evidence()).toMatchObject([{ state: 'pending' }]);
  });

  describe('and that dies before its second mark', () => {
    beforeEach(async () => {
      const slow = probedMeanwhile();
      let hasWritten = false;
      const dying: IngestStore = {
        ...slow,
        async write(write) {
          hasWritten ||= sortKeyOf(write).startsWith('SOURCE#');
          if (hasWritten && sortKeyOf(write) === 'SCOPE') throw new Crash();
          return slow.write(write);
        },
      };
      await expect(bench.ingest([note('one', MAY)], dying)).rejects.toThrow(Crash);
      expect(bench.isDue()).toBe(false);
    });

    it('leaves the scope due once it is sent again, though all is written', async () => {
      expect((await bench.ingest([note('one', MAY)])).results).toMatchObject([{ outcome: 'unchanged' }]);
      expect(bench.isDue()).toBe(true);
    });

    it('would leave it idle, did the call that is sent again not look for what is still to be read', async () => {
      const get: IngestStore['get'] = async (read) =>
        String(read.input.Key?.sk).startsWith('EVIDENCE#') ? undefined : bench.store.get(read);
      await bench.ingest([note('one', MAY)], { ...bench.store, get });
      expect(bench.isDue()).toBe(false);
      expect(bench.evidence()).toMatchObject([{ state: 'pending' }]);
    });
  });
});

describe('the mark', () => {
  it('is made again when a probe makes the scope idle between the read and the write', async () => {
    const bench = createBench();
    await bench.ingest([note('one', MAY)]);
    bench.nowMs += 1000;
    const { backlogVersion } = bench.scopeRow();
    await bench.store.write(
      noteEmptyProbe({ scope: SCOPE, backlogVersion, op: 'probe', nowMs: bench.nowMs - LIMITS.emptyProbeAgainMs - 1 }),
    );
    let scopeWrites = 0;
    const probed: IngestStore = {
      get: (read) => bench.store.get(read),
      batchGet: (read) => bench.store.batchGet(read),
      async write(write) {
        if (sortKeyOf(write) === 'SCOPE' && ++scopeWrites === 1) {
          await bench.store.write(idleScope({ scope: SCOPE, backlogVersion, op: 'idle' }));
          expect(bench.isDue()).toBe(false);
        }
        return bench.store.write(write);
      },
    };
    await expect(bench.ingest([note('two', JUNE)], crashAfter({ ...bench.store, ...probed }, 2))).rejects.toThrow(
      Crash,
    );
    expect(scopeWrites).toBe(2);
    expect(bench.isDue()).toBe(true);
  });

  it('counts a backlog version of a scope that is parked, and leaves it parked', async () => {
    const bench = createBench();
    await bench.ingest([note('one', MAY)]);
    const halted = { failures: 5, failureTimesMs: [], counted: {}, lastPassAtMs: 0, statsVersion: 0 };
    const move = { kind: 'halt', atMs: bench.nowMs } as const;
    await bench.store.write(countOutcome({ scope: SCOPE, op: 'halt', passId: 'p', ...halted, move }));
    const { backlogVersion } = bench.scopeRow();
    await bench.ingest([note('two', JUNE)]);
    expect(bench.scopeRow()).toMatchObject({ workPartition: 'parked#0', backlogVersion: backlogVersion + 2 });
  });
});

describe('a revision that a pass holds', () => {
  const addressOf = ({ sk }: EvidenceItem) =>
    ({ scope: SCOPE, generation: 1, lane: 'incremental', sourceKey: sourceKeyOfEvidence(sk, 'incremental') }) as const;

  it('is left to its holder, and is not in the queue any more when it is given back', async () => {
    const bench = createBench();
    await bench.ingest([note('one', MAY)]);
    const [held] = bench.evidence() as [EvidenceItem];
    const lease = { passId: 'p', seq: held.seq, nowMs: bench.nowMs, expiresAtMs: bench.nowMs + 1000, op: 'lease' };
    await bench.store.write(leaseEvidence(addressOf(held), lease));
    await bench.ingest([note('two', JUNE)]);
    const stateOf = () => bench.evidence().find(({ revision }) => revision === held.revision)?.state;
    expect(bench.evidence()).toContainEqual(expect.objectContaining({ state: 'obsolete', leasePass: 'p' }));
    await bench.store.write(releaseEvidence(addressOf(held), { passId: 'p', orderly: true, op: 'release' }));
    expect((await bench.ingest([note('two', JUNE)])).results).toMatchObject([{ outcome: 'unchanged' }]);
    expect(stateOf()).toBe('obsolete');
  });
});
