/**
 * Goal: whoever dies while a source is erased, or comes between, leaves nothing of it. Method: a death after each write,
 * and the erase before each request of an ingest.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../functions/io/ports.ts';
import { runDueErasures } from '../../../functions/eraser/run.ts';
import { WORK } from '../../../schema/edges.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Write } from '../../../schema/request.ts';
import { markScopeDue } from '../../../schema/scope.ts';
import { removeTextRow } from '../../../schema/text-list.ts';
import {
  Crash,
  crashAfter,
  ErasingScene,
  interrupted,
  keyTextOf,
  note,
  OTHER,
  SCOPE,
  SECRET,
  SMALL,
  WORDS,
} from './scene.ts';

const PATH = '/sources/note/diary';

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
  await scene.take(SECRET, OTHER);
  await scene.passTime(LIMITS.textListGraceMs);
  return scene;
}

describe('an erase that dies', () => {
  it('after any of its writes is taken up by the schedule, and by the call sent again', async () => {
    const taken = open();
    await taken.take(SMALL);
    const first = await open().copyOf(taken);
    const whole = crashAfter(first.tables.store, Number.POSITIVE_INFINITY);
    await first.erase('DELETE', PATH, undefined, { store: whole });
    expect(whole.count()).toBeGreaterThan(9);
    for (let n = 1; n <= whole.count(); n++) {
      const scene = await open().copyOf(taken);
      const store = crashAfter(scene.tables.store, n);
      expect((await scene.erase('DELETE', PATH, undefined, { store })).status, `write ${n}`).toBe(500);
      if (n % 2 === 0) expect((await scene.erase('DELETE', PATH)).status).toBe(202);
      await scene.untilFinished();
      expect(scene.left(WORDS), `after write ${n}`).toEqual([]);
      scene.close();
      scenes.pop();
    }
  });

  it('twin: with the rows that name a text gone before it, a text is left that nothing names', async () => {
    const scene = await openTaken();
    const { store } = scene.tables;
    const namesFirst: Store = {
      ...store,
      async write(write) {
        if (write.kind !== 'delete') return store.write(write);
        if (write.table === 'text') return { kind: 'won', item: undefined };
        const outcome = await store.write(write);
        if (keyTextOf(write).includes('TEXTLIST#')) throw new Crash('before the text');
        return outcome;
      },
    };
    await scene.erase('DELETE', PATH, undefined, { store: namesFirst });
    await scene.untilFinished();
    expect(scene.left(WORDS)).toEqual(WORDS);
    expect(scene.items('text')).toHaveLength(2);
  });
});

describe('an ingest that dies', () => {
  async function ingestDying(isListed: boolean): Promise<ErasingScene> {
    let isDead = false;
    const scene = open({
      wrapStore: (store, name) =>
        name !== 'ingest' || isDead
          ? store
          : {
              ...store,
              async write(write) {
                const key = keyTextOf(write);
                if (key.includes('TEXTLIST#') && !isListed) return { kind: 'won', item: undefined };
                const outcome = await store.write(write);
                if (write.table === 'text') throw new Crash('after the text');
                return outcome;
              },
            },
    });
    await expect(scene.ingest(SCOPE, [SECRET])).rejects.toThrow(Crash);
    isDead = true;
    await scene.take(OTHER);
    expect(scene.left(['xylophone'])).toEqual(['xylophone']);
    await scene.erase('DELETE', PATH);
    await scene.untilFinished();
    return scene;
  }

  it('before anything but the text stood is found by the list of texts', async () => {
    expect((await ingestDying(true)).left(WORDS)).toEqual([]);
  });

  it('twin: without that list its text stays', async () => {
    expect((await ingestDying(false)).left(['xylophone'])).toEqual(['xylophone']);
  });

  /** The erase comes between the list and the text, and the ingest dies after the text. */
  async function eraseBetween(isYoung: boolean): Promise<ErasingScene> {
    let isErased = false;
    const scene = open({
      wrapStore: (store, name) =>
        name !== 'ingest'
          ? store
          : {
              ...store,
              async write(write) {
                if (write.table === 'text' && !isErased) {
                  isErased = true;
                  const eraser: Store = {
                    ...store,
                    async query(read) {
                      const page = await store.query(read);
                      return isYoung
                        ? page
                        : {
                            ...page,
                            items: page.items.map((row) => ('listedAtMs' in row ? { ...row, listedAtMs: 0 } : row)),
                          };
                    },
                  };
                  await scene.erase('DELETE', PATH, undefined, { store: eraser });
                  await store.write(write);
                  throw new Crash('after the text');
                }
                return store.write(write);
              },
            },
    });
    await scene.tables.store.write(markScopeDue({ scope: SCOPE, nowMs: scene.clock.nowMs(), op: 'op-scope' }));
    await expect(scene.ingest(SCOPE, [SECRET])).rejects.toThrow(Crash);
    expect(scene.left(['xylophone'])).toEqual(['xylophone']);
    await scene.untilFinished();
    return scene;
  }

  it('after its source was erased, between the list and the text, is found by the list: it stays while it is young', async () => {
    expect((await eraseBetween(true)).left(WORDS)).toEqual([]);
  });

  it('is found by it, too, when its text was on its way as long as a process may live', async () => {
    let late: Write | undefined;
    const scene = open({
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          if (name !== 'ingest' || write.table !== 'text') return store.write(write);
          late = write;
          throw new Crash('with the text on its way');
        },
      }),
    });
    await scene.tables.store.write(markScopeDue({ scope: SCOPE, nowMs: scene.clock.nowMs(), op: 'op-scope' }));
    await expect(scene.ingest(SCOPE, [SECRET])).rejects.toThrow(Crash);
    await scene.erase('DELETE', PATH);
    for (let minute = 0; minute < WORK.functionTimeoutS / 60 - 1; minute++) {
      await scene.quiesce({ untilMs: scene.clock.nowMs() + 60_000 });
      await runDueErasures(scene.eraserDeps());
    }
    await scene.tables.store.write(late as Write);
    expect(scene.left(['xylophone'])).toEqual(['xylophone']);
    await scene.untilFinished();
    expect(scene.left(WORDS)).toEqual([]);
  });

  it('twin: with the list removed at once, its text stays', async () => {
    expect((await eraseBetween(false)).left(['xylophone'])).toEqual(['xylophone']);
  });

  it('or is on its way while its source is erased, at any of its requests, brings nothing back', async () => {
    const revised = [note('diary', 'Now it says walrus. @claim Yorick | lives_in | Elsinore', '2025-12-09T00:00:00Z')];
    const words = [...WORDS, 'walrus', 'yorick'];
    const taken = await openTaken();
    const ingestLate = async (n: number) => {
      const scene = await open().copyOf(taken);
      const store = interrupted(scene.tables.store, n, () => scene.erase('DELETE', PATH));
      const late = open({ wrapStore: (own, name) => (name === 'ingest' ? store : own) });
      await late.ingest(SCOPE, revised);
      return { scene, requests: store.count() };
    };
    const { requests } = await ingestLate(Number.POSITIVE_INFINITY);
    expect(requests).toBeGreaterThan(6);
    for (let n = 1; n <= requests; n++) {
      const { scene } = await ingestLate(n);
      await scene.untilFinished();
      expect(scene.left(words), `at request ${n}`).toEqual([]);
      for (const one of scenes.splice(1)) one.close();
    }
  });
});

describe('a pass that meets evidence of which no text stands', () => {
  it('reads what comes after it, and is no failure of its scope', async () => {
    const scene = open({ settings: { batchTokens: 0, pageSources: 1, maxConcurrentPasses: 1 } });
    await scene.ingest(SCOPE, [SECRET, OTHER]);
    for (const { pk, sk } of scene.items('text').filter((row) => String(row.pk).includes('#diary#'))) {
      await scene.tables.store.write(removeTextRow({ pk: String(pk), sk: String(sk) }));
    }
    await scene.tick();
    await scene.quiesce({ untilMs: scene.clock.nowMs() + 10_000 });
    expect(await scene.values()).toEqual(['Denver']);
    expect(scene.rows('SCOPE')[0]?.failures ?? 0).toBe(0);
  });
});
