/** Goal: a lift answers for what it lifted, and for no order that came since. Method: an order right behind its write. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../functions/io/ports.ts';
import { getErasure } from '../../../schema/erasure.ts';
import { ErasingScene, OTHER, SCOPE, SECRET } from './scene.ts';

const PATH = '/sources/note/diary';
const LIFT = { source: { kind: 'note', id: 'diary' } };
const isLift = (write: { readonly input: object }) => JSON.stringify(write.input).includes('#liftedAtMs = :set_');

let scene: ErasingScene | undefined;
afterEach(() => scene?.close());

/** A lift whose write is followed at once by an order; `readAgain`: it takes what stands then for what it wrote. */
async function liftBefore(order: () => Promise<unknown>, readAgain = false) {
  const { store } = (scene as ErasingScene).tables;
  const met: Store = {
    ...store,
    get: (read) => store.get(read),
    query: (read) => store.query(read),
    batchGet: (read) => store.batchGet(read),
    async write(write) {
      const outcome = await store.write(write);
      if (!isLift(write)) return outcome;
      await order();
      const key = (write.input as { Key: { pk: string; sk: string } }).Key;
      return readAgain ? { kind: 'won', item: await store.get(getErasure(key)) } : outcome;
    },
  };
  return (scene as ErasingScene).erase('POST', '/erasures/lift', LIFT, { store: met });
}
const order = () => (scene as ErasingScene).erase('DELETE', PATH);

async function open(): Promise<void> {
  scene = new ErasingScene();
  await scene.ingest(SCOPE, [SECRET, OTHER]);
}

describe('a lift of what was never erased, and is ordered erased right then', () => {
  it('is a 404: it found nothing to lift', async () => {
    await open();
    expect(await liftBefore(order)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it('twin: by a reading after its write it answers for the order, which stands', async () => {
    await open();
    const { status, body } = await liftBefore(order, true);
    expect(status).toBe(409);
    expect(body).toMatchObject({ error: { code: 'erasure_running' } });
  });
});

describe('a lift of what is ordered erased anew right then', () => {
  it('says that it is lifted, as it was, and leaves the tombstone of the new order', async () => {
    await open();
    await order();
    await (scene as ErasingScene).untilFinished();
    expect(await liftBefore(order)).toMatchObject({ status: 200, body: { erasures: [{ state: 'lifted' }] } });
    expect(await (scene as ErasingScene).read('sources/note/diary')).toMatchObject({ state: 'erased' });
  });

  it('twin: by a reading after its write it says that it is not', async () => {
    await open();
    await order();
    await (scene as ErasingScene).untilFinished();
    expect((await liftBefore(order, true)).status).toBe(409);
  });
});
