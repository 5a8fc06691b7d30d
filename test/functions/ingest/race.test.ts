import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IngestStore } from '../../../functions/ingest/deps.ts';
import type { Write } from '../../../schema/request.ts';
import { createIngestBench, type IngestBench, sortKeyOf } from './bench.ts';

const note = (text: string, day: number) => ({ kind: 'note', id: 'a', text, capturedAt: `2024-05-0${day}T00:00:00Z` });

type Change = (write: Write) => Write;

/** Each request waits for its turn, which the scheduler draws. */
function interleave({ store }: IngestBench, scheduler: fc.Scheduler, change: Change = (write) => write) {
  const turn = async <T>(label: string, act: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), label);
    return act();
  };
  const interleaved: IngestStore = {
    get: (read) => turn('get', () => store.get(read)),
    batchGet: (read) => turn('batchGet', () => store.batchGet(read)),
    write: (write) => turn(`write ${sortKeyOf(write).slice(0, 20)}`, () => store.write(change(write))),
  };
  return interleaved;
}

/** Runs calls at once, after others one by one; answers the pending captured texts by length, and the newest's. */
async function race(
  scheduler: fc.Scheduler,
  { before = [], calls, change }: { before?: unknown[]; calls: unknown[]; change?: Change },
) {
  const bench = createIngestBench();
  try {
    for (const source of before) await bench.ingest([source]);
    const store = interleave(bench, scheduler, change);
    const running = Promise.all(calls.map((source) => bench.ingest([source], store)));
    await scheduler.waitFor(running);
    const outcomes = (await running).map(({ results }) => results[0]?.outcome);
    const pending = bench.evidence().filter(({ state }) => state === 'pending');
    return {
      outcomes,
      pending: pending.map(({ length }) => length),
      newest: bench.sources().map(({ length }) => length),
    };
  } finally {
    bench.close();
  }
}

// A text's length names it: 1 for "x", 2 for "xx".
const text = (length: number) => 'x'.repeat(length);

describe('calls at the same moment', () => {
  it('with two revisions leave one pending: the newest', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { pending, newest } = await race(scheduler, { calls: [note(text(1), 1), note(text(2), 2)] });
        expect({ pending, newest }).toEqual({ pending: [2], newest: [2] });
      }),
      { numRuns: 25 },
    );
  });

  it('with four revisions on a known source leave one pending: the newest', async () => {
    const calls = [note(text(2), 2), note(text(4), 4), note(text(3), 3), note(text(5), 5)];
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { pending, newest } = await race(scheduler, { before: [note(text(1), 1)], calls });
        expect({ pending, newest }).toEqual({ pending: [5], newest: [5] });
      }),
      { numRuns: 25 },
    );
  });

  it('with the same text write one revision', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { pending, newest, outcomes } = await race(scheduler, { calls: [note(text(1), 1), note(text(1), 1)] });
        expect({ pending, newest }).toEqual({ pending: [1], newest: [1] });
        expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
      }),
      { numRuns: 25 },
    );
  });
});

/** Whether some order of requests breaks the property; a store that refuses the changed request does not count. */
async function isBroken(run: (scheduler: fc.Scheduler) => Promise<boolean>): Promise<boolean> {
  const { failed, errorInstance } = await fc.check(fc.asyncProperty(fc.scheduler(), run), {
    numRuns: 100,
    endOnFailure: true,
  });
  if (failed) expect(String(errorInstance)).toContain('returning false');
  return failed;
}

/** Takes a clause out of the conditions that hold it, with its name and value. */
function without(clause: string, value: string, name?: string): Change {
  return (write) => {
    if (write.kind === 'delete' || !write.input.ConditionExpression?.includes(clause)) return write;
    const { [value]: _, ...values } = write.input.ExpressionAttributeValues ?? {};
    const names = { ...write.input.ExpressionAttributeNames };
    if (name !== undefined) delete names[name];
    const ConditionExpression = write.input.ConditionExpression.replace(` AND (${clause})`, '');
    const changes = { ConditionExpression, ExpressionAttributeValues: values, ExpressionAttributeNames: names };
    return { ...write, input: { ...write.input, ...changes } } as Write;
  };
}

describe('a source that goes back to a text while another revision comes in', () => {
  const story = { before: [note(text(1), 1)], calls: [note(text(2), 2), note(text(3), 3), note(text(1), 4)] };
  const isKept = async (scheduler: fc.Scheduler, change?: Change) => {
    const { pending, newest } = await race(scheduler, { ...story, ...(change && { change }) });
    return pending.length === 1 && pending[0] === newest[0];
  };

  it('leaves pending what stands as the newest, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), (scheduler) => isKept(scheduler)),
      { numRuns: 40 },
    );
  });

  /** The call with Y stops before it takes X out of the queue; meanwhile X comes again, captured later. */
  async function comeBackMeanwhile(change: Change) {
    const bench = createIngestBench();
    try {
      await bench.ingest([note(text(1), 1)]);
      const reached = Promise.withResolvers<void>();
      const cameBack = Promise.withResolvers<void>();
      const slow: IngestStore = {
        get: (read) => bench.store.get(read),
        batchGet: (read) => bench.store.batchGet(read),
        async write(write) {
          if (write.kind === 'update' && sortKeyOf(write).startsWith('EVIDENCE#')) {
            reached.resolve();
            await cameBack.promise;
          }
          return bench.store.write(change(write));
        },
      };
      const withY = bench.ingest([note(text(2), 2)], slow);
      await reached.promise;
      await bench.ingest([note(text(1), 3)]);
      cameBack.resolve();
      await withY;
      return bench
        .evidence()
        .filter(({ state }) => state === 'pending')
        .map(({ length }) => length);
    } finally {
      bench.close();
    }
  }

  it('is protected by the bound on its place among the revisions, and lost without it', async () => {
    expect(await comeBackMeanwhile((write) => write)).toEqual([1]);
    const unbounded = without('attribute_not_exists(#newestKey) OR #newestKey < :newer', ':newer', '#newestKey');
    expect(await comeBackMeanwhile(unbounded)).toEqual([]);
  });
});

describe('a SOURCE row written whatever had been read', () => {
  it('would leave an older revision pending beside the newest', async () => {
    const blind: Change = (write) =>
      without('#newestKey = :seenKey', ':seenKey')(without('attribute_not_exists(#newestKey)', '')(write));
    const calls = [note(text(1), 1), note(text(2), 2)];
    const isKept = async (scheduler: fc.Scheduler) => {
      const { pending } = await race(scheduler, { calls, change: blind });
      return pending.length === 1 && pending[0] === 2;
    };
    expect(await isBroken(isKept)).toBe(true);
  });
});
