/** Goal: of an erased scope nothing is left, and the scope goes on empty. Method: the routes, and a search of all rows. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../functions/io/ports.ts';
import { putEntity } from '../../../schema/entity.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { crashAfter, ErasingScene, interrupted, keyTextOf, note, ONE_LOOK, readingExecutor, SCOPE } from './scene.ts';

const SECRET = note(
  'diary',
  ['The quiet word is xylophone.', '@claim Zebulon | lives_in | Timbuktu', '@claim Maya | likes | marzipan'].join('\n'),
);
const WORDS = ['xylophone', 'zebulon', 'timbuktu', 'marzipan'];
/** With little to erase, so that each of the writes that erase it can be the last. */
const SMALL = note('diary', 'The quiet word is xylophone. @claim Zebulon | lives_in | Timbuktu');
const LATER = note('later', '@claim Maya | lives_in | Denver');

const scenes: ErasingScene[] = [];
function open(...options: ConstructorParameters<typeof ErasingScene>): ErasingScene {
  const scene = new ErasingScene(...options);
  scenes.push(scene);
  return scene;
}
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.close();
});
/** Its texts stood for long enough that what names them goes at once. */
async function openTaken(): Promise<ErasingScene> {
  const scene = open();
  await scene.take(SECRET);
  await scene.passTime(LIMITS.textListGraceMs);
  return scene;
}

/** Rows of the generation that went, in either table. */
function oldRows(scene: ErasingScene): string[] {
  const rows = [...scene.items(), ...scene.items('text')].map(({ pk, sk }) => `${String(pk)} / ${String(sk)}`);
  return rows.filter((row) => /^(SCOPE#)?alice#1[# ]/.test(row));
}

describe('erasing a scope', () => {
  it('leaves no row of it in either table, and the scope goes on empty', async () => {
    const scene = await openTaken();
    expect(scene.left(WORDS)).toEqual(WORDS);
    const { status, body } = await scene.erase('DELETE', '?author=Ann');
    expect(status).toBe(202);
    expect(body).toMatchObject({ erasures: [{ kind: 'scope', generation: 1, by: 'Ann', state: 'watching' }] });
    expect(scene.left(WORDS)).toEqual([]);
    expect(oldRows(scene)).toEqual([]);
    expect(await scene.values()).toEqual([]);
    await scene.take(LATER);
    expect(await scene.values()).toEqual(['Denver']);
    await scene.untilFinished();
    expect(oldRows(scene)).toEqual([]);
    expect(await scene.values()).toEqual(['Denver']);
    expect(await scene.read('erasures')).toMatchObject({ erasures: [{ kind: 'scope', by: 'Ann', state: 'finished' }] });
  });

  it('is done once, however often it is asked, until something came in', async () => {
    const scene = await openTaken();
    for (let k = 0; k < 3; k++) {
      const { body } = await scene.erase('DELETE', '');
      expect(body).toMatchObject({ erasures: [{ generation: 1 }] });
    }
    expect(scene.rows('SCOPE')).toMatchObject([{ generation: 2 }]);
    await scene.take(LATER);
    expect((await scene.erase('DELETE', '')).body).toMatchObject({ erasures: [{ generation: 2 }] });
    expect(await scene.values()).toEqual([]);
    await scene.untilFinished();
    expect((await scene.erase('DELETE', '')).status).toBe(200);
    expect((await open().erase('DELETE', '')).status).toBe(404);
  });

  it('keeps settings and a pause, and forgets how passes ended', async () => {
    const scene = open({ executor: failing() });
    await scene.take(SECRET);
    await scene.passTime(60_000);
    expect(scene.rows('SCOPE')[0]).toMatchObject({ failures: 1, lastFailure: { code: 'Error' } });
    await scene.erase('DELETE', '');
    expect(scene.rows('SCOPE')[0]).toMatchObject({ failures: 0, counted: {} });
    expect(scene.left(WORDS)).toEqual([]);
  });

  it('goes through many rows in bounded steps, each telling where the next goes on', async () => {
    const scene = await openTaken();
    const address = { scope: SCOPE, generation: 1 };
    const rows = 3 * LIMITS.erasedRowsPerPageMax;
    for (let k = 0; k < rows; k++) await scene.tables.store.write(putEntity(address, `Someone ${k}`, `op-${k}`));
    let mostRead = 0;
    const { store } = scene.tables;
    const slow: Store = {
      ...store,
      async query(read) {
        const page = await store.query(read);
        mostRead = Math.max(mostRead, page.items.length);
        if (page.items.length > 100) scene.clock.advanceTo(scene.clock.nowMs() + LIMITS.erasedByScheduleMs);
        return page;
      },
    };
    const { body } = await scene.erase('DELETE', '', undefined, { store: slow });
    expect(body).toMatchObject({ erasures: [{ state: 'removing', looks: 0 }] });
    expect(oldRows(scene).length).toBeGreaterThan(2 * LIMITS.erasedRowsPerPageMax - 50);
    await scene.untilFinished({ store: slow });
    expect(mostRead).toBe(LIMITS.erasedRowsPerPageMax);
    expect(oldRows(scene)).toEqual([]);
  });
});

/** An executor whose failure tells what it read. */
function failing() {
  return {
    name: 'stub',
    async run() {
      throw new Error('it said timbuktu');
    },
  };
}

describe('a pass of the scope', () => {
  it('that runs on writes into what is removed, settles nothing, and frees its place', async () => {
    let isErased = false;
    const meanwhile = async () => {
      if (isErased) return;
      isErased = true;
      await scene.erase('DELETE', '');
      await scene.ingest(SCOPE, [LATER]);
    };
    const scene = open({ executor: readingExecutor(meanwhile), settings: { batchTokens: 0, maxPassesPerScope: 1 } });
    await scene.take(SECRET);
    await scene.passTime(3 * 60_000);
    expect(scene.rows('LEDGER')).toMatchObject([{ passes: {} }]);
    expect(await scene.values()).toEqual(['Denver']);
    await scene.untilFinished();
    expect(scene.left(WORDS)).toEqual([]);
    expect(oldRows(scene)).toEqual([]);
    expect(scene.rows('SCOPE')[0]).toMatchObject({ failures: 0 });
  });

  it('that is on the ledger keeps its rows until it is off it, or the sweep would begin it anew', async () => {
    const scene = open();
    await scene.ingest(SCOPE, [SECRET]);
    scene.lost.add('work');
    scene.lost.add('stream');
    await scene.tick();
    expect(Object.keys(scene.rows('LEDGER')[0]?.passes as object)).toHaveLength(1);
    await scene.erase('DELETE', '');
    expect(scene.passes()).toMatchObject([{ status: 'cancelled' }]);
    expect(scene.left(WORDS)).toEqual([]);
    scene.lost.clear();
    await scene.passTime(3 * 60_000);
    expect(scene.rows('LEDGER')).toMatchObject([{ passes: {} }]);
    expect(scene.invocations).toBe(0);
    await scene.untilFinished();
    expect(oldRows(scene)).toEqual([]);
  });
});

describe('a message that comes again after the scope was erased', () => {
  it('names a pass of an id of its own: one that still ends would take the entry of its id off the ledger', async () => {
    const scene = open();
    await scene.ingest(SCOPE, [SECRET]);
    const atMs = scene.clock.nowMs();
    await scene.tickAt(atMs);
    const [before] = scene.passes();
    await scene.quiesce({ untilMs: atMs + 30_000 });
    expect(scene.rows('LEDGER')).toMatchObject([{ passes: {} }]);
    await scene.erase('DELETE', '');
    await scene.ingest(SCOPE, [LATER]);
    await scene.tickAt(atMs);
    const after = scene.passes().find(({ generation }) => generation === 2);
    expect(after).toBeDefined();
    expect(after?.passId).not.toBe(before?.passId);
  });
});

describe('a pass of the scope that could not be cancelled in time', () => {
  /** It ends as completed, and would be counted for its scope, if that were still the same. */
  async function endAfterErase(isBlind: boolean): Promise<ErasingScene> {
    let isErased = false;
    const meanwhile = async () => {
      if (isErased) return;
      isErased = true;
      const { store } = scene.tables;
      const deafToCancels: Store = {
        ...store,
        write: async (write) =>
          JSON.stringify(write.input).includes('"cancelled"')
            ? { kind: 'held', stored: undefined }
            : store.write(write),
      };
      await scene.erase('DELETE', '', undefined, { store: deafToCancels });
    };
    const scene = open({
      executor: readingExecutor(meanwhile),
      wrapStore: (store, name) => ({
        ...store,
        async get(read) {
          const item = await store.get(read);
          return isBlind && name === 'finalizer' && item?.sk === 'SCOPE' ? { ...item, generation: 1 } : item;
        },
      }),
    });
    await scene.take(SECRET);
    await scene.passTime(2 * 60_000);
    expect(scene.rows('LEDGER')).toMatchObject([{ passes: {} }]);
    return scene;
  }

  it('does not count for the scope as it goes on, and its claims are gone', async () => {
    const scene = await endAfterErase(false);
    expect(scene.rows('SCOPE')[0]).toMatchObject({ generation: 2, failures: 0, counted: {} });
    await scene.untilFinished();
    expect(scene.left(WORDS)).toEqual([]);
    expect(oldRows(scene)).toEqual([]);
  });

  it('twin: by a finalizer that does not compare generations it is counted', async () => {
    const [row] = (await endAfterErase(true)).rows('SCOPE');
    expect(row?.generation).toBe(2);
    expect(Object.keys(row?.counted as object)).toHaveLength(1);
  });
});

describe('an erase of a scope that dies', () => {
  it('after any of its writes is taken up by the schedule', async () => {
    const taken = open();
    await taken.take(SMALL);
    const first = await open().copyOf(taken);
    const whole = crashAfter(first.tables.store, Number.POSITIVE_INFINITY);
    await first.erase('DELETE', '', undefined, { store: whole });
    expect(whole.count()).toBeGreaterThan(10);
    for (let n = 1; n <= whole.count(); n++) {
      const scene = await open().copyOf(taken);
      const store = crashAfter(scene.tables.store, n);
      expect((await scene.erase('DELETE', '', undefined, { store })).status).toBe(500);
      await scene.untilFinished();
      expect(scene.left(WORDS), `after write ${n}`).toEqual([]);
      expect(oldRows(scene), `after write ${n}`).toEqual([]);
      expect(scene.rows('SCOPE')).toMatchObject([{ generation: 2 }]);
      for (const one of scenes.splice(1)) one.close();
    }
  });

  it('twin: with the generation moved before the order is written, a death between leaves everything', async () => {
    const scene = await openTaken();
    const { store } = scene.tables;
    let isHeld = true;
    const orderLast: Store = {
      ...store,
      async write(write) {
        if (isHeld && keyTextOf(write).includes('ERASURE#')) return { kind: 'won', item: undefined };
        return store.write(write);
      },
    };
    await scene.erase('DELETE', '', undefined, { store: orderLast });
    isHeld = false;
    await scene.untilFinished();
    expect(scene.left(WORDS)).toEqual(WORDS);
  });
});

describe('an ingest that is on its way while its scope is erased', () => {
  const sent = [note('diary', 'Now it says walrus.', '2025-12-09T00:00:00Z')];

  async function ingestLate(taken: ErasingScene, n: number, parts: { planNextLook?: typeof ONE_LOOK } = {}) {
    const scene = await open().copyOf(taken);
    const store = interrupted(scene.tables.store, n, () => scene.erase('DELETE', '', undefined, parts));
    const late = open({ wrapStore: (own, name) => (name === 'ingest' ? store : own) });
    await late.ingest(SCOPE, sent);
    await scene.untilFinished(parts);
    const isNew = scene.items('text').some(({ pk }) => String(pk).startsWith('alice#2#'));
    const isOld = oldRows(scene).length > 0;
    for (const one of scenes.splice(1)) one.close();
    return { requests: store.count(), isNew, isOld };
  }

  it('writes wholly into the old generation, which goes, or into the new one', async () => {
    const taken = await openTaken();
    const { requests } = await ingestLate(taken, Number.POSITIVE_INFINITY);
    expect(requests).toBeGreaterThan(6);
    const outcomes = new Set<boolean>();
    for (let n = 1; n <= requests; n++) {
      const { isNew, isOld } = await ingestLate(taken, n);
      expect(isOld, `at request ${n}`).toBe(false);
      outcomes.add(isNew);
    }
    expect(outcomes).toEqual(new Set([true, false]));
  });

  it('twin: with one look alone, what it writes into the old one stays', async () => {
    const taken = await openTaken();
    const left: boolean[] = [];
    for (let n = 1; n <= 9; n++) left.push((await ingestLate(taken, n, { planNextLook: ONE_LOOK })).isOld);
    expect(left).toContain(true);
  });
});
