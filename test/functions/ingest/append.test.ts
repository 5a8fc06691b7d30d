import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendTurns } from '../../../functions/ingest/append-turns.ts';
import type { IngestStore } from '../../../functions/ingest/deps.ts';
import { createIngestApp } from '../../../functions/ingest/routes.ts';
import { readStoredText } from '../../../functions/ingest/stored-text.ts';
import { type EvidenceItem, evidenceAddress, leaseEvidence, settleEvidence } from '../../../schema/evidence.ts';
import { tierOf, timeOfQueueKey } from '../../../schema/queue.ts';
import type { Write } from '../../../schema/request.ts';
import { SETTING_RANGES } from '../../../schema/settings.ts';
import { clausesOf, withoutClause } from '../../support/without-clause.ts';
import { createIngestBench, type IngestBench, SCOPE, sortKeyOf } from './bench.ts';

let bench: IngestBench;
beforeEach(() => {
  bench = createIngestBench();
});
afterEach(() => bench.close());

const turn = (id: string, text = `text ${id}`) => ({ id, speaker: 'Maya', text });
type Given = ReturnType<typeof turn>[];

function append(turns: Given, { completed = false, store = bench.store as IngestStore, on = bench } = {}) {
  return appendTurns({ ...on.deps, store }, { scope: SCOPE, id: 's', body: { turns, completed } });
}

async function textOf(on = bench): Promise<string> {
  const [source] = on.sources();
  if (!source) throw new Error('there is no source');
  return await readStoredText(on.deps, { scope: SCOPE, generation: 1, ref: source }, source.length);
}
const pending = (on = bench) => on.evidence().filter(({ state }) => state === 'pending');
const linesOf = (...ids: string[]) => ids.map((id) => `Maya: text ${id}`).join('\n');

/** A pass reads the pending revision up to here, or to its end. */
async function read(to?: number): Promise<void> {
  const [item] = pending() as [EvidenceItem];
  const address = evidenceAddress(SCOPE, 1, 'incremental', item);
  const pass = { passId: 'p', nowMs: bench.nowMs };
  await bench.store.write(leaseEvidence(address, { ...pass, seq: item.seq, expiresAtMs: bench.nowMs + 1, op: 'l' }));
  const move = { from: item.cursor, to: to ?? item.length, length: item.length, claims: 0 };
  expect(await bench.store.write(settleEvidence(address, { ...pass, ...move, op: 's' }))).toMatchObject({
    kind: 'won',
  });
}

describe('turns appended to a session', () => {
  it('stand behind one another, each once, and the same again writes nothing', async () => {
    expect(await append([turn('a')])).toMatchObject({ outcome: 'created', added: 1, known: 0 });
    expect(await append([turn('b'), turn('c')])).toMatchObject({ outcome: 'revised', added: 2, known: 0 });
    expect(await append([turn('a'), turn('d')])).toMatchObject({ outcome: 'revised', added: 1, known: 1 });
    expect(await textOf()).toBe(linesOf('a', 'b', 'c', 'd'));
    bench.writes.length = 0;
    expect(await append([turn('c'), turn('b')])).toMatchObject({ outcome: 'unchanged', added: 0, known: 2 });
    expect(bench.writes).toEqual([]);
  });

  it('contradicting what is known are refused by name, and nothing is written', async () => {
    await append([turn('a')]);
    bench.writes.length = 0;
    await expect(append([turn('b'), turn('a', 'other')])).rejects.toMatchObject({ status: 409, code: 'turn_differs' });
    expect(bench.writes).toEqual([]);
  });

  it('wait until the session is quiet, each call anew, or is said to be complete', async () => {
    const idleMs = SETTING_RANGES.completeAfterIdleMs.default;
    const waitsUntil = () => pending().map(({ homeKey }) => tierOf(homeKey) === 3 && timeOfQueueKey(homeKey));
    await append([turn('a')]);
    expect(waitsUntil()).toEqual([bench.nowMs + idleMs]);
    bench.nowMs += 60_000;
    await append([turn('b')]);
    expect(waitsUntil()).toEqual([bench.nowMs + idleMs]);
    expect(await append([], { completed: true })).toMatchObject({ outcome: 'unchanged' });
    expect(pending().map(({ homeKey }) => tierOf(homeKey))).toEqual([1]);
    expect(bench.sources()).toMatchObject([{ completed: true, length: linesOf('a', 'b').length }]);
  });

  it('are appended to a session that was sent whole, whose own ids are known', async () => {
    await bench.ingest([{ kind: 'transcript', id: 's', turns: [turn('a'), { speaker: 'Sam', text: 'Hm.' }] }]);
    expect(await append([turn('a'), turn('b')])).toMatchObject({ added: 1, known: 1 });
    expect(await textOf()).toBe(`Maya: text a\nSam: Hm.\nMaya: text b`);
  });

  it('keep their ids when the session is then sent whole, longer and without ids', async () => {
    await append([turn('a'), turn('b')]);
    const turns = ['a', 'b', 'c'].map((id) => ({ speaker: 'Maya', text: `text ${id}` }));
    await bench.ingest([{ kind: 'transcript', id: 's', turns }]);
    expect(await append([turn('b')])).toMatchObject({ outcome: 'unchanged', known: 1 });
  });
});

describe('turns that bear a time', () => {
  const timed = (id: string, at: string) => ({ ...turn(id), at });
  const LONG_AGO = '2023-01-01T00:00:00Z';

  it.each([
    ['turns without a time', () => append([turn('a')])],
    [
      'a whole file, captured later by its own word',
      () =>
        bench.ingest([
          { kind: 'transcript', id: 's', turns: [turn('a')], capturedAt: '2024-05-30T00:00:00Z', completed: false },
        ]),
    ],
    ['turns of a later time', () => append([timed('a', '2024-05-30T00:00:00Z')])],
  ])('before %s are appended behind them all the same', async (_, begin) => {
    await begin();
    expect(await append([timed('b', LONG_AGO)])).toMatchObject({ outcome: 'revised', added: 1 });
    expect((await textOf()).split('\n')).toEqual([
      expect.stringContaining('text a'),
      expect.stringContaining('text b'),
    ]);
    expect(await append([timed('b', LONG_AGO), turn('c')])).toMatchObject({ outcome: 'revised', added: 1, known: 1 });
    expect(pending()).toMatchObject([{ revision: bench.sources()[0]?.revision }]);
  });
});

describe('a session that goes on', () => {
  it('is read from where it was read to', async () => {
    await append([turn('a'), turn('b')], { completed: true });
    await read();
    await append([turn('c')], { completed: true });
    const cursor = linesOf('a', 'b').length + 1;
    expect(pending()).toMatchObject([{ cursor, beganAt: cursor, length: linesOf('a', 'b', 'c').length }]);
    // Nobody has read the third: the fourth takes its place, and begins where it began.
    await append([turn('d')], { completed: true });
    expect(pending()).toMatchObject([{ cursor, beganAt: cursor, length: linesOf('a', 'b', 'c', 'd').length }]);
  });

  it('sent whole, too; and read in part, from there', async () => {
    const whole = (...ids: string[]) => ({ kind: 'transcript', id: 's', turns: ids.map((id) => turn(id)) });
    await bench.ingest([whole('a', 'b')]);
    await read(7);
    await bench.ingest([whole('a', 'b', 'c')]);
    expect(pending()).toMatchObject([{ cursor: 7, beganAt: 7, length: linesOf('a', 'b', 'c').length }]);
  });

  it('whose unread end was rewritten goes on behind what was read', async () => {
    const whole = (last: string) => ({
      kind: 'transcript',
      id: 's',
      turns: [turn('a'), { speaker: 'Maya', text: last }],
    });
    await bench.ingest([whole('one')]);
    await read(linesOf('a').length);
    await bench.ingest([whole('two, and more')]);
    expect(pending()).toMatchObject([{ cursor: linesOf('a').length + 1 }]);
  });

  it('whose beginning was rewritten is read anew', async () => {
    await append([turn('a'), turn('b')], { completed: true });
    await read();
    await bench.ingest([{ kind: 'transcript', id: 's', turns: [turn('x'), turn('b'), turn('c')] }]);
    expect(pending()).toMatchObject([{ cursor: 0 }]);
  });

  it('keeps its place when it is then said to be complete', async () => {
    await append([turn('a')], { completed: true });
    await read();
    await append([turn('b')]);
    await append([], { completed: true });
    expect(pending()).toMatchObject([{ cursor: linesOf('a').length + 1 }]);
    expect(tierOf(pending()[0]?.homeKey ?? '')).toBe(1);
  });
});

/** Two calls whose requests are interleaved as drawn; answers the turns that stand, in any order. */
async function race(scheduler: fc.Scheduler, change: (write: Write) => Write = (write) => write) {
  const on = createIngestBench();
  try {
    await append([turn('a')], { store: on.store, on });
    const inTurn = async <T>(label: string, act: () => Promise<T>): Promise<T> => {
      await scheduler.schedule(Promise.resolve(), label);
      return await act();
    };
    const store: IngestStore = {
      get: (request) => inTurn('get', () => on.store.get(request)),
      batchGet: (request) => inTurn('batchGet', () => on.store.batchGet(request)),
      write: (write) => inTurn(`write ${sortKeyOf(write).slice(0, 12)}`, () => on.store.write(change(write))),
    };
    // Two of three bring the same words under ids of their own.
    const calls = [[turn('b')], [turn('c')], [turn('d', 'text c')]].map((turns) => append(turns, { store, on }));
    await scheduler.waitFor(Promise.all(calls));
    const text = await textOf(on);
    const again = await Promise.all(
      [[turn('b')], [turn('c')], [turn('d', 'text c')]].map((turns) => append(turns, { store: on.store, on })),
    );
    return {
      lines: text.split('\n').toSorted(),
      outcomes: again.map(({ outcome }) => outcome),
      pending: pending(on).map(({ revision }) => revision),
      newest: on.sources().map(({ revision }) => revision),
    };
  } finally {
    on.close();
  }
}

const ALL = ['Maya: text a', 'Maya: text b', 'Maya: text c', 'Maya: text c'];

describe('calls at the same moment', () => {
  it('lose no turn, know each again, and leave one revision pending: the newest', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { lines, outcomes, pending: left, newest } = await race(scheduler);
        expect(lines).toEqual(ALL);
        expect(outcomes).toEqual(['unchanged', 'unchanged', 'unchanged']);
        expect(left).toEqual(newest);
      }),
      { numRuns: 25 },
    );
  });

  it('twin: a SOURCE row written whatever had been read loses one', async () => {
    const blind = (write: Write): Write =>
      ['#newestKey = :seenKey', 'attribute_not_exists(#newestKey)'].reduce(
        (changed, clause) => (clausesOf(changed).includes(clause) ? withoutClause(changed, clause) : changed),
        write,
      );
    const { failed } = await fc.check(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { lines } = await race(scheduler, blind);
        return lines.length === ALL.length;
      }),
      { numRuns: 100, endOnFailure: true },
    );
    expect(failed).toBe(true);
  });
});

describe('POST …/turns', () => {
  const post = async (path: string, body: unknown) => {
    const url = `/v1/scopes/${SCOPE}/sources/${path}`;
    const response = await createIngestApp(bench.deps).request(url, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('takes an id with slashes, even one that ends as the path does', async () => {
    expect(await post('transcript/2024/turns/turns', { turns: [turn('a')] })).toMatchObject({
      status: 200,
      body: { kind: 'transcript', id: '2024/turns', outcome: 'created', added: 1 },
    });
  });

  it.each([
    ['a turn without an id', 'transcript/s/turns', { turns: [{ speaker: 'Maya', text: 'x' }] }, 400, 'invalid_request'],
    ['no turn', 'transcript/s/turns', { turns: [] }, 400, 'invalid_request'],
    ['a note', 'note/s/turns', { turns: [turn('a')] }, 400, 'not_turns'],
    [
      'turns of this system',
      'transcript/s/turns',
      { turns: [{ ...turn('a'), speaker: 'nightjar:x' }] },
      422,
      'own_memory',
    ],
  ])('refuses %s', async (_, path, body, status, code) => {
    expect(await post(path, body)).toMatchObject({ status, body: { error: { code } } });
    expect(bench.writes).toEqual([]);
  });
});
