/** Goal: an erase leaves known whom claims are about. Method: an erase before each request of a writer of another source. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../functions/io/ports.ts';
import { writeClaims } from '../../../functions/worker/claim-writer.ts';
import { entityItemSchema } from '../../../schema/entity.ts';
import { sourceOf } from '../../core/citation-samples.ts';
import { ErasingScene, interrupted, keyTextOf, OTHER, SCOPE, SMALL } from './scene.ts';

const scenes: ErasingScene[] = [];
function open(): ErasingScene {
  const scene = new ErasingScene();
  scenes.push(scene);
  return scene;
}
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.close();
});

const TEXT = 'Yorick lives in Elsinore.';

function write(scene: ErasingScene, store: Store) {
  return writeClaims(
    { store, clock: scene.clock, ids: scene.ids },
    {
      address: { scope: SCOPE, generation: 1 },
      passId: 'pass-late',
      source: sourceOf('session-late'),
      capturedAtMs: scene.clock.nowMs(),
      executor: 'rules',
      drafts: [
        {
          entity: 'Yorick',
          attribute: 'lives_in',
          cardinality: 'one',
          value: 'Elsinore',
          quote: { text: TEXT, start: 0, end: TEXT.length },
        },
      ],
      delivered: { text: TEXT, start: 0 },
      knownEntities: new Set(),
    },
  );
}

/** Erases before the n-th request of the writer; answers the entities that are known when the erasure is finished. */
async function eraseMidWrite(taken: ErasingScene, n: number, wrap: (store: Store) => Store = (store) => store) {
  const scene = await open().copyOf(taken);
  const store = interrupted(scene.tables.store, n, () => scene.erase('DELETE', '/sources/note/diary'));
  await write(scene, store);
  await scene.untilFinished({ store: wrap(scene.tables.store) });
  const names = scene.rows('ENTITY#').map((row) => entityItemSchema.parse(row).name);
  scenes.pop()?.close();
  return { names: names.sort(), requests: store.count() };
}

describe('an entity that is made known while another source is erased', () => {
  it('is known in the end, whenever its first claim comes', async () => {
    const taken = open();
    await taken.take(SMALL, OTHER);
    const { requests } = await eraseMidWrite(taken, Number.POSITIVE_INFINITY);
    expect(requests).toBeGreaterThan(4);
    for (let n = 1; n <= requests; n++) {
      expect((await eraseMidWrite(taken, n)).names, `at request ${n}`).toEqual(['Maya', 'Yorick']);
    }
  });

  it('twin: not made known again by the next look, it would stay unknown beside its claims', async () => {
    const taken = open();
    await taken.take(SMALL, OTHER);
    const keeping = (store: Store): Store => ({
      ...store,
      write: async (request) =>
        request.kind === 'update' && keyTextOf(request).includes('ENTITY#')
          ? { kind: 'held', stored: undefined }
          : store.write(request),
    });
    const seen: string[][] = [];
    for (let n = 1; n <= 4; n++) seen.push((await eraseMidWrite(taken, n, keeping)).names);
    expect(seen).toContainEqual(['Maya']);
  });
});
