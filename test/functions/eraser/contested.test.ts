/**
 * Goal: what is contested without the erased side stays in view, whoever dies on the way. Method: three notes of one time
 * that say three things, one of which is erased; a death after each write.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../functions/io/ports.ts';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { attentionItemSchema } from '../../../schema/attention.ts';
import { citationItemSchema } from '../../../schema/citation.ts';
import type { Item, Query, Write } from '../../../schema/request.ts';
import { withoutClause } from '../../support/without-clause.ts';
import { Crash, crashAfter, ErasingScene, keyTextOf, note, SCOPE } from './scene.ts';

const PATH = '/sources/note/diary';
const CITIES = { diary: 'Denver', plain: 'Reykjavik', other: 'Bergen' };
const OTHERS = [CITIES.other, CITIES.plain];

const scenes: ErasingScene[] = [];
function open(): ErasingScene {
  const scene = new ErasingScene();
  scenes.push(scene);
  return scene;
}
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.close();
});

/** The values that each open attention names. */
function openIn(scene: ErasingScene): string[][] {
  return scene
    .rows('ATTENTION#contested#')
    .map((row) => attentionItemSchema.parse(row))
    .filter(({ resolvedAtMs }) => resolvedAtMs === undefined)
    .map(({ details }) => details.sides.map(({ value }) => value).sort());
}

const isOfContest = (write: Write): boolean => keyTextOf(write).includes('ATTENTION#contested#');

/** The erase of its source has died when it had taken the claim, and was about to tell of the others. */
async function halfErased(): Promise<ErasingScene> {
  const scene = open();
  await scene.take(...Object.entries(CITIES).map(([id, city]) => note(id, `@claim Maya | lives_in | ${city}`)));
  expect(openIn(scene)).toEqual([[CITIES.other, CITIES.diary]]);
  const { store } = scene.tables;
  const write: Store['write'] = async (request) => {
    if (isOfContest(request)) throw new Crash('before the attention');
    return store.write(request);
  };
  expect((await scene.erase('DELETE', PATH, undefined, { store: { ...store, write } })).status).toBe(500);
  expect(openIn(scene)).toEqual([[CITIES.other, CITIES.diary]]);
  return scene;
}

describe('a contest of which one side is erased', () => {
  it('goes on between the others after another death at any write', async () => {
    const half = await halfErased();
    const first = await open().copyOf(half);
    const whole = crashAfter(first.tables.store, Number.POSITIVE_INFINITY);
    await first.erase('DELETE', PATH, undefined, { store: whole });
    expect(openIn(first)).toEqual([OTHERS]);
    for (let n = 1; n <= whole.count(); n++) {
      const scene = await open().copyOf(half);
      const store = crashAfter(scene.tables.store, n);
      expect((await scene.erase('DELETE', PATH, undefined, { store })).status, `write ${n}`).toBe(500);
      await scene.untilFinished();
      expect(openIn(scene), `after write ${n}`).toEqual([OTHERS]);
      expect(scene.left([CITIES.diary])).toEqual([]);
      scenes.pop()?.close();
    }
  });

  it('twin: removed before the others are told of, its attention is raised by nobody when that run dies', async () => {
    const scene = await halfErased();
    const { store } = scene.tables;
    const removesFirst: Store = {
      ...store,
      async write(write) {
        if (!isOfContest(write)) return store.write(write);
        if (write.kind !== 'delete') return { kind: 'won', item: undefined };
        await store.write(write);
        throw new Crash('after the attention');
      },
      // It takes what stands for over.
      get: async (read) => {
        const item = await store.get(read);
        return item && String(item.sk).startsWith('ATTENTION#contested#') ? { ...item, resolvedAtMs: 1 } : item;
      },
    };
    await scene.erase('DELETE', PATH, undefined, { store: removesFirst });
    await scene.untilFinished();
    expect(openIn(scene)).toEqual([]);
  });
});

describe('a contest that is over without the erased side, and is raised again by another right then', () => {
  /** What stays in view when that comes between the last look at its attention and the removal. */
  async function left(rewrite: (write: Write) => Write = (write) => write): Promise<string[][]> {
    const scene = open();
    await scene.take(note('diary', `@claim Maya | lives_in | ${CITIES.diary}`));
    await scene.take(note('plain', `@claim Maya | lives_in | ${CITIES.plain}`));
    expect(openIn(scene)).toEqual([[CITIES.diary, CITIES.plain]]);
    const { store } = scene.tables;
    let isMet = false;
    const write: Store['write'] = async (request) => {
      if (!isOfContest(request) || request.kind !== 'delete') return store.write(request);
      if (!isMet) await scene.take(note('other', `@claim Maya | lives_in | ${CITIES.other}`));
      isMet = true;
      return store.write(rewrite(request));
    };
    expect((await scene.erase('DELETE', PATH, undefined, { store: { ...store, write } })).status).toBe(202);
    expect(isMet).toBe(true);
    await scene.untilFinished();
    expect(scene.left([CITIES.diary])).toEqual([]);
    return openIn(scene);
  }

  it('stays in view', async () => {
    expect(await left()).toEqual([OTHERS]);
  });

  it('twin: removed however it stands, the new contest is told to nobody', async () => {
    expect(await left((write) => withoutClause(write, '#op = :seen'))).toEqual([]);
  });
});

describe('a contest whose erased side comes back while a look is under way, behind its claims', () => {
  const isListing = (read: Query): boolean =>
    Object.values(read.input.ExpressionAttributeValues ?? {}).includes('ATTENTION#');

  /** What is in view when that look is over, and when the next has died behind the row that came back. */
  async function left(see: (item: Item) => Item = (item) => item) {
    const scene = open();
    await scene.take(...Object.entries(CITIES).map(([id, city]) => note(id, `@claim Maya | lives_in | ${city}`)));
    const row = scene.rows('CLAIM#').find((found) => JSON.stringify(found).includes(CITIES.diary));
    const citation = citationItemSchema.parse(row);
    const { store } = scene.tables;
    const deps = { store, clock: scene.clock, ids: scene.ids };
    let isBack = false;
    const query: Store['query'] = async (read) => {
      if (isListing(read) && !isBack) {
        isBack = true;
        const address = { scope: SCOPE, generation: 1 };
        await recordCitation(deps, { address, citation, passId: Object.keys(citation.passes)[0] ?? '' });
      }
      return store.query(read);
    };
    const get: Store['get'] = async (read) => {
      const item = await store.get(read);
      return isBack && item && String(item.sk).startsWith('ATTENTION#contested#') ? see(item) : item;
    };
    expect((await scene.erase('DELETE', PATH, undefined, { store: { ...store, query, get } })).status).toBe(202);
    const after = openIn(scene);
    let isDead = false;
    const write: Store['write'] = async (request) => {
      if (isDead) throw new Crash('dead already');
      const outcome = await store.write(request);
      isDead = request.kind === 'delete' && keyTextOf(request).includes('CLAIM#');
      if (isDead) throw new Crash('behind the row');
      return outcome;
    };
    await expect(scene.untilFinished({ store: { ...store, write } })).rejects.toThrow(Crash);
    await scene.untilFinished();
    expect(scene.left([CITIES.diary])).toEqual([]);
    return { after, atTheEnd: openIn(scene) };
  }

  it('stays in view, and goes on between the others whoever dies', async () => {
    expect(await left()).toEqual({ after: [[CITIES.other, CITIES.diary]], atTheEnd: [OTHERS] });
  });

  it('twin: one that is taken for over is dropped, and the others are told of by nobody', async () => {
    expect(await left((item) => ({ ...item, resolvedAtMs: 1 }))).toEqual({ after: [], atTheEnd: [] });
  });
});
