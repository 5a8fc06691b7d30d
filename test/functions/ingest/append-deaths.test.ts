/** Goal: an append that died at any point is made good by sending it again. Method: a store that fails at a chosen write. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendTurns } from '../../../functions/ingest/append-turns.ts';
import type { IngestStore } from '../../../functions/ingest/deps.ts';
import { readStoredText } from '../../../functions/ingest/stored-text.ts';
import { type EvidenceItem, evidenceAddress, leaseEvidence, settleEvidence } from '../../../schema/evidence.ts';
import type { Write } from '../../../schema/request.ts';
import { Crash, crashAfter, createIngestBench, type IngestBench, SCOPE, sortKeyOf } from './bench.ts';

let bench: IngestBench;
beforeEach(() => {
  bench = createIngestBench();
});
afterEach(() => bench.close());

const turn = (id: string) => ({ id, speaker: 'Maya', text: `text ${id}` });

function append(
  turns: ReturnType<typeof turn>[],
  { completed = false, store = bench.store as IngestStore, on = bench } = {},
) {
  return appendTurns({ ...on.deps, store }, { scope: SCOPE, id: 's', body: { turns, completed } });
}

async function textOf(on: IngestBench): Promise<string> {
  const [source] = on.sources();
  if (!source) throw new Error('there is no source');
  return await readStoredText(on.deps, { scope: SCOPE, generation: 1, ref: source }, source.length);
}
const pending = (on = bench) => on.evidence().filter(({ state }) => state === 'pending');
const linesOf = (...ids: string[]) => ids.map((id) => `Maya: text ${id}`).join('\n');

/** A pass reads the pending revision to its end. */
async function read(): Promise<void> {
  const [item] = pending() as [EvidenceItem];
  const address = evidenceAddress(SCOPE, 1, 'incremental', item);
  const pass = { passId: 'p', nowMs: bench.nowMs };
  await bench.store.write(leaseEvidence(address, { ...pass, seq: item.seq, expiresAtMs: bench.nowMs + 1, op: 'l' }));
  const move = { from: item.cursor, to: item.length, length: item.length, claims: 0 };
  const settled = await bench.store.write(settleEvidence(address, { ...pass, ...move, op: 's' }));
  expect(settled).toMatchObject({ kind: 'won' });
}

describe('a call that dies', () => {
  /** Dies right before it makes its turn stand, behind two that were read, and is sent again later. */
  async function again(change: (write: Write) => Write = (write) => write): Promise<void> {
    await append([turn('a'), turn('b')], { completed: true });
    await read();
    const dying: IngestStore = {
      ...bench.store,
      write: (write) =>
        sortKeyOf(write).startsWith('SOURCE#') ? Promise.reject(new Crash()) : bench.store.write(write),
    };
    await expect(append([turn('c')], { completed: true, store: dying })).rejects.toThrow(Crash);
    bench.nowMs += 20_000;
    const store = { ...bench.store, write: (write: Write) => bench.store.write(change(write)) };
    await append([turn('c')], { completed: true, store });
  }

  it('and is sent again later has its turn read, and none that was read before', async () => {
    await again();
    expect(pending()).toMatchObject([{ cursor: linesOf('a', 'b').length + 1, capturedAtMs: bench.nowMs }]);
  });

  it('twin: put back as if nothing of it were known, the session would be read anew', async () => {
    await again((write) => {
      const values = write.input.ExpressionAttributeValues ?? {};
      if (write.kind !== 'update' || values[':set_beganAt'] === undefined) return write;
      const anew = { ...values, ':set_beganAt': 0, ':set_cursor': 0 };
      return { ...write, input: { ...write.input, ExpressionAttributeValues: anew } };
    });
    expect(pending()).toMatchObject([{ cursor: 0 }]);
  });

  it('after any of its writes is made good by sending it again', async () => {
    for (let n = 1; n <= 9; n++) {
      const on = createIngestBench();
      try {
        await append([turn('a')], { store: on.store, on });
        const dying = append([turn('b')], { store: crashAfter(on.store, n), on });
        const died = await dying.then(
          () => false,
          (error: unknown) => error instanceof Crash,
        );
        await append([turn('b')], { store: on.store, on });
        expect([n, await textOf(on)]).toEqual([n, linesOf('a', 'b')]);
        expect([n, pending(on).map(({ length }) => length)]).toEqual([n, [linesOf('a', 'b').length]]);
        expect(on.isDue()).toBe(true);
        if (!died) return;
      } finally {
        on.close();
      }
    }
    throw new Error('the call never came to its end');
  });
});
