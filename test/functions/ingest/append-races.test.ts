/** Goal: of appends at the same moment nothing is left in the queue that does not stand. Method: one met by another. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendTurns } from '../../../functions/ingest/append-turns.ts';
import type { IngestStore } from '../../../functions/ingest/deps.ts';
import { ingestSources } from '../../../functions/ingest/run.ts';
import { readStoredText } from '../../../functions/ingest/stored-text.ts';
import type { Item } from '../../../schema/request.ts';
import { createIngestBench, type IngestBench, SCOPE, sortKeyOf } from './bench.ts';

let bench: IngestBench;
beforeEach(() => {
  bench = createIngestBench();
});
afterEach(() => bench.close());

const turn = (id: string, text = `text ${id}`) => ({ id, speaker: 'Maya', text });
type Turns = ReturnType<typeof turn>[];

function append(turns: Turns, { store = bench.store as IngestStore, on = bench } = {}) {
  return appendTurns({ ...on.deps, store }, { scope: SCOPE, id: 's', body: { turns, completed: false } });
}

async function textOf(on = bench): Promise<string> {
  const [source] = on.sources();
  if (!source) throw new Error('there is no source');
  return await readStoredText(on.deps, { scope: SCOPE, generation: 1, ref: source }, source.length);
}
const pending = (on = bench) => on.evidence().filter(({ state }) => state === 'pending');
const linesOf = (...ids: string[]) => ids.map((id) => `Maya: text ${id}`).join('\n');

/** A store that does something else right before the first write that makes a revision the newest. */
function meeting(store: IngestStore, act: () => Promise<unknown>): IngestStore {
  let isMet = false;
  return {
    ...store,
    async write(write) {
      if (sortKeyOf(write).startsWith('SOURCE#') && !isMet) {
        isMet = true;
        await act();
      }
      return store.write(write);
    },
  };
}

describe('a call that loses to one whose clock is behind', () => {
  it('takes what it had queued out of the queue again, whatever the hashes of the two', async () => {
    for (let n = 0; n < 8; n++) {
      const on = createIngestBench();
      try {
        await append([turn('a')], { on, store: on.store });
        on.nowMs += 60_000;
        const behind = { ...on, deps: { ...on.deps, clock: { nowMs: () => on.nowMs - 5_000 } } };
        const other = () => append([turn(`b${n}`)], { on: behind, store: on.store });
        await append([turn('c')], { on, store: meeting(on.store, other) });
        expect(await textOf(on)).toBe(linesOf('a', `b${n}`, 'c'));
        expect(pending(on).map(({ revision }) => revision)).toEqual([on.sources()[0]?.revision]);
      } finally {
        on.close();
      }
    }
  });
});

describe('a call whose turns stand already when it loses', () => {
  /** Of eight such races: those in which something waits that does not stand. */
  async function left(wrap: (store: IngestStore) => IngestStore = (store) => store): Promise<number> {
    let races = 0;
    for (let n = 0; n < 8; n++) {
      const on = createIngestBench();
      try {
        await append([turn('a')], { on, store: on.store });
        // Another client brings the same turn behind one of its own, in the same millisecond: the places differ by a hash.
        const other = () => append([turn(`b${n}`), turn('c')], { on, store: on.store });
        const outcome = append([turn('c')], { on, store: wrap(meeting(on.store, other)) });
        expect(await outcome).toMatchObject({ outcome: 'unchanged', known: 1 });
        if (pending(on).some(({ revision }) => revision !== on.sources()[0]?.revision)) races++;
      } finally {
        on.close();
      }
    }
    return races;
  }

  it('leaves nothing of its own in the queue, whatever the hashes of the two', async () => {
    expect(await left()).toBe(0);
  });

  it('twin: taken out under the place of what stands, some would be read', async () => {
    const undercut = (store: IngestStore): IngestStore => ({
      ...store,
      write(write) {
        const values = write.input.ExpressionAttributeValues ?? {};
        const newer = String(values[':newer'] ?? '');
        const input = {
          ...write.input,
          ExpressionAttributeValues: { ...values, ':newer': newer.replace(/[^|]*~$/, '') },
        };
        return store.write(newer.endsWith('~') ? ({ ...write, input } as typeof write) : write);
      },
    });
    expect(await left(undercut)).toBeGreaterThan(0);
  });
});

describe('a call that completes a session which grows meanwhile', () => {
  /** It stands still before its first write of evidence, and another brings a turn in between. */
  async function complete(wrap: (store: IngestStore) => IngestStore = (store) => store) {
    await append([turn('a')]);
    let isMet = false;
    const slow: IngestStore = {
      ...bench.store,
      async write(write) {
        if (sortKeyOf(write).startsWith('EVIDENCE#') && !isMet) {
          isMet = true;
          await append([turn('b')]);
        }
        return bench.store.write(write);
      },
    };
    const deps = { ...bench.deps, store: wrap(slow) };
    return appendTurns(deps, { scope: SCOPE, id: 's', body: { turns: [], completed: true } });
  }

  it('completes what stands by then, and leaves that alone in the queue', async () => {
    await complete();
    expect(bench.sources()).toMatchObject([{ completed: true }]);
    expect(await textOf()).toBe(linesOf('a', 'b'));
    expect(pending().map(({ revision }) => revision)).toEqual([bench.sources()[0]?.revision]);
  });

  it('twin: with the loss of its place overheard, the session is never complete', async () => {
    await complete((store) => ({
      ...store,
      async write(write) {
        const outcome = await store.write(write);
        const isCompletion = write.kind === 'update' && sortKeyOf(write).startsWith('SOURCE#');
        return isCompletion && outcome.kind === 'held' ? { kind: 'won', item: outcome.stored } : outcome;
      },
    }));
    expect(bench.sources()).toMatchObject([{ completed: false }]);
  });
});

describe('a call that completes a session whose next turn is there already', () => {
  /** What it puts back into the queue; `wrap`: how it sees evidence. */
  async function putBack(see: (item: Item) => Item = (item) => item) {
    await append([turn('a'), turn('b')]);
    let isMet = false;
    const back: string[] = [];
    const store: IngestStore = {
      ...bench.store,
      async write(write) {
        const isEvidence = sortKeyOf(write).startsWith('EVIDENCE#');
        if (isEvidence && !isMet) {
          isMet = true;
          await append([turn('c')]);
        }
        const outcome = await bench.store.write(write);
        if (isEvidence && write.kind === 'update' && outcome.kind === 'won') back.push(sortKeyOf(write));
        return outcome.kind === 'held' && isEvidence && outcome.stored
          ? { kind: 'held', stored: see(outcome.stored) }
          : outcome;
      },
    };
    await appendTurns({ ...bench.deps, store }, { scope: SCOPE, id: 's', body: { turns: [], completed: true } });
    return back.filter((key) => !key.endsWith(bench.sources()[0]?.revision ?? ''));
  }

  it('leaves out of the queue what was replaced, which would be read again from its beginning', async () => {
    expect(await putBack()).toEqual([]);
  });

  it('twin: with evidence that does not say that it is obsolete, that is put back', async () => {
    const waiting = { state: 'pending', homeKey: '3#999999999999999#x' };
    expect((await putBack((item) => ({ ...item, ...waiting }))).length).toBeGreaterThan(0);
  });
});

describe('a call that dies between making its revision stand and taking out the one before', () => {
  const isObsoleting = (write: { readonly input: object }) => JSON.stringify(write.input).includes('"obsolete"');
  const dying: IngestStore = {
    write: (write) => (isObsoleting(write) ? Promise.reject(new Error('it died')) : bench.store.write(write)),
    get: (read) => bench.store.get(read),
    batchGet: (read) => bench.store.batchGet(read),
  };
  const die = () => expect(append([turn('b')], { store: dying })).rejects.toThrow('it died');

  /** What waits after another call came, before it is sent again; and what stands. */
  async function outlived(next: () => Promise<unknown>) {
    await append([turn('a')]);
    await next();
    return { waits: pending().map(({ revision }) => revision), stands: bench.sources()[0]?.revision };
  }

  /** What was replaced is never looked for. */
  const blind: IngestStore['get'] = async (read) => {
    const item = await bench.store.get(read);
    return item?.state === 'pending' && item.length === linesOf('a').length ? undefined : item;
  };

  const whole = async (store: IngestStore) => {
    const sources = [{ kind: 'transcript', id: 's', turns: [turn('a'), turn('x')], completed: false }];
    await ingestSources({ ...bench.deps, store }, { scope: SCOPE, body: { sources } });
  };

  it.each<[string, () => Promise<unknown>]>([
    ['turns are appended', () => die().then(() => append([turn('c')]))],
    ['the session comes whole', () => die().then(() => whole(bench.store))],
    ['turns are appended that had lost to it', () => append([turn('c')], { store: meeting(bench.store, die) })],
    ['the session comes whole that had lost to it', () => whole(meeting(bench.store, die))],
  ])('leaves nothing to be read of the one before once %s', async (_, next) => {
    const { waits, stands } = await outlived(next);
    expect(waits).toEqual([stands]);
  });

  it('twin: not looked for, it would be read for nothing', async () => {
    const { waits } = await outlived(() =>
      die().then(() => append([turn('c')], { store: { ...bench.store, get: blind } })),
    );
    expect(waits).toHaveLength(2);
  });
});

describe('a revision that two calls at once brought, and that is replaced right after by a clock that is behind', () => {
  const note = (text: string, clock: { nowMs: () => number }, store: IngestStore) => {
    const sources = [{ kind: 'note', id: 's', format: 'text', text }];
    return ingestSources({ ...bench.deps, clock, store }, { scope: SCOPE, body: { sources } });
  };
  const turns = (text: string, clock: { nowMs: () => number }, store: IngestStore) => {
    const body = { turns: [turn(text)], completed: true };
    return appendTurns({ ...bench.deps, clock, store }, { scope: SCOPE, id: 's', body });
  };

  it.each([
    ['a session', turns],
    ['a note of inferred time', note],
  ])('leaves the queue, though the later of the two put it behind the place of what stands: %s', async (_, bring) => {
    await bring('a', bench.deps.clock, bench.store);
    bench.nowMs += 60_000;
    const behind = { nowMs: () => bench.nowMs - 59_000 };
    const ahead = { nowMs: () => bench.nowMs + 5 };
    // Both bring "b": the one that is ahead puts it into the queue, and finds that the other made it stand.
    await bring(
      'b',
      ahead,
      meeting(bench.store, () => bring('b', bench.deps.clock, bench.store)),
    );
    await bring('c', behind, bench.store);
    expect(bench.sources()).toHaveLength(1);
    expect(pending().map(({ revision }) => revision)).toEqual([bench.sources()[0]?.revision]);
  });
});

describe('two calls at the same moment that contradict each other', () => {
  /** Answers which revisions wait to be read after one was refused. */
  async function contradict(wrap: (store: IngestStore) => IngestStore = (store) => store): Promise<unknown[]> {
    await append([turn('a')]);
    const store = wrap(meeting(bench.store, () => append([turn('b')])));
    const late = append([turn('b', 'other words')], { store });
    await expect(late).rejects.toMatchObject({ status: 409, code: 'turn_differs' });
    expect(await textOf()).toBe(linesOf('a', 'b'));
    return pending().map(({ revision }) => revision);
  }

  it('leave nothing in the queue of the one that was refused', async () => {
    expect(await contradict()).toEqual([bench.sources()[0]?.revision]);
  });

  it('twin: not taken out of it again, the refused turn would be read', async () => {
    const keeping = (store: IngestStore): IngestStore => ({
      ...store,
      write: async (write) =>
        JSON.stringify(write.input).includes('obsolete') ? { kind: 'held', stored: undefined } : store.write(write),
    });
    expect(await contradict(keeping)).toHaveLength(2);
  });
});
