/** Goal: of appends at the same moment nothing is left in the queue that does not stand. Method: one met by another. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendTurns } from '../../../functions/ingest/append-turns.ts';
import type { IngestStore } from '../../../functions/ingest/deps.ts';
import { readStoredText } from '../../../functions/ingest/stored-text.ts';
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
