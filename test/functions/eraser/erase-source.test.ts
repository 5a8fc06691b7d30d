/** Goal: of an erased source nothing is left, and nothing brings it back. Method: the routes, and a search of all rows. */
import { afterEach, describe, expect, it } from 'vitest';
import { putPart } from '../../../functions/ingest/upload.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { citationItemSchema } from '../../../schema/citation.ts';
import { raiseEvidenceAttention } from '../../../schema/evidence-attention.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { proposalPageSchema, putProposalPage } from '../../../schema/proposal.ts';
import { crashAfter, ErasingScene, note, OTHER, SCOPE, SECRET, WORDS } from './scene.ts';

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

describe('erasing a source', () => {
  it('leaves none of its words in any row of either table, and what others say stands', async () => {
    const scene = await openTaken();
    expect(scene.left(WORDS)).toEqual(WORDS);
    expect(JSON.stringify(scene.rows('ATTENTION#'))).toContain('Reykjavik');
    const { status, body } = await scene.erase('DELETE', `${PATH}?author=Ann`);
    expect(status).toBe(202);
    expect(body).toMatchObject({ erasures: [{ kind: 'source', by: 'Ann', state: 'watching' }] });
    expect(scene.left(WORDS)).toEqual([]);
    expect(await scene.values()).toEqual(['Denver']);
    expect(await scene.read('sources/note/diary')).toMatchObject({ state: 'erased' });
    expect(await scene.read('sources/note/plain')).toMatchObject({ state: 'settled' });
  });

  it('tells who, when and how much, and ends by itself with a look that finds nothing', async () => {
    const scene = await openTaken();
    await scene.erase('DELETE', `${PATH}?author=Ann`);
    const removed = { citations: 3, textRows: 1, evidence: 1 };
    expect(await scene.read('erasures')).toMatchObject({
      known: true,
      erasures: [{ kind: 'source', source: { kind: 'note', id: 'diary' }, by: 'Ann', state: 'watching', removed }],
    });
    const beganMs = scene.clock.nowMs();
    await scene.untilFinished();
    expect(scene.clock.nowMs() - beganMs).toBeGreaterThanOrEqual(LIMITS.erasureLookLastMs);
    expect(await scene.read('erasures')).toMatchObject({ erasures: [{ state: 'finished', removed }] });
    expect((await scene.erase('DELETE', PATH)).status).toBe(200);
    expect(scene.left(WORDS)).toEqual([]);
  });

  it('takes all its revisions, and parts of an upload that was never completed', async () => {
    const scene = await openTaken();
    await scene.ingest(SCOPE, [note('diary', 'Now it says walrus.', '2025-12-02T00:00:00Z')]);
    const upload = { pk: `${SCOPE}#1#note#diary#upload`, sk: 'x#BYTES', body: Buffer.from('narwhal') };
    await scene.tables.store.write({
      kind: 'put',
      table: 'text',
      input: { Item: upload },
      isMine: () => false,
    });
    expect(scene.left(['walrus', 'narwhal'])).toEqual(['walrus', 'narwhal']);
    await scene.erase('DELETE', PATH);
    await scene.untilFinished();
    expect(scene.left([...WORDS, 'walrus', 'narwhal'])).toEqual([]);
    expect(scene.items('text')).toHaveLength(1);
  });

  /** When its erasure is over a part of it comes in. Answers how many of its words stand then. */
  async function uploadAfterwards(wrap: (store: Store) => Store): Promise<string[]> {
    const scene = await openTaken();
    await scene.erase('DELETE', PATH);
    await scene.untilFinished();
    const { store } = scene.tables;
    const log = { info() {}, warn() {}, error() {}, count() {} };
    const deps = { store: wrap(store), clock: scene.clock, ids: scene.ids, log, pools: 1, deploymentSettings: {} };
    const bytes = Buffer.from('narwhal');
    const part = { scope: SCOPE, kind: 'note', id: 'diary', sha256: 'a'.repeat(64), part: 0, bytes } as const;
    await putPart(deps, part).catch((error: Error) => expect(error.name).toBe('SourceErasedError'));
    return scene.left(['narwhal']);
  }

  it('keeps parts of an upload out when it is over', async () => {
    expect(await uploadAfterwards((store) => store)).toEqual([]);
  });

  it('twin: taking the tombstone for nothing, a part would come in that nobody looks for', async () => {
    const blind = (store: Store): Store => ({
      ...store,
      async get(read) {
        const item = await store.get(read);
        return item?.erasedAtMs === undefined ? item : undefined;
      },
    });
    expect(await uploadAfterwards(blind)).toEqual(['narwhal']);
  });

  /** Its text has rows that are too large together for one answer of the table. Answers how many rows are left. */
  async function eraseLarge(wrap: (store: Store) => Store): Promise<number> {
    const scene = await openTaken();
    const pk = scene.items('text').find((row) => String(row.pk).includes('#diary#'))?.pk;
    for (let part = 1; part <= 9; part++) {
      const input = { Item: { pk, sk: `0000${part}`, body: Buffer.alloc(300_000, 'narwhal ') } };
      await scene.tables.store.write({ kind: 'put', table: 'text', input, isMine: () => false });
    }
    await scene.erase('DELETE', PATH, undefined, { store: wrap(scene.tables.store) });
    await scene.untilFinished();
    return scene.items('text').length;
  }

  it('takes all rows of a text that does not fit into one answer', async () => {
    expect(await eraseLarge((store) => store)).toBe(1);
  });

  it('twin: taking an answer of fewer rows than were asked for to be the last, it would leave some that nothing names', async () => {
    const blind = (store: Store): Store => ({
      ...store,
      async query(read) {
        const page = await store.query(read);
        return read.table === 'text' ? { ...page, lastKey: undefined } : page;
      },
    });
    expect(await eraseLarge(blind)).toBeGreaterThan(1);
  });

  it('keeps the names of a text that has more rows than one run takes, until the last of them is gone', async () => {
    const scene = await openTaken();
    const pk = scene.items('text').find((row) => String(row.pk).includes('#diary#'))?.pk;
    const rows = LIMITS.erasedTextPagesMax * 4;
    for (let part = 1; part <= rows; part++) {
      const input = { Item: { pk, sk: `1${String(part).padStart(5, '0')}`, body: Buffer.from('narwhal') } };
      await scene.tables.store.write({ kind: 'put', table: 'text', input, isMine: () => false });
    }
    const { store } = scene.tables;
    // As if each row were large: an answer holds one.
    const oneByOne: Store = {
      ...store,
      async query(read) {
        if (read.table !== 'text') return store.query(read);
        return store.query({ ...read, input: { ...read.input, Limit: 1 } });
      },
    };
    await scene.erase('DELETE', PATH, undefined, { store: oneByOne });
    expect(scene.left(['narwhal'])).toEqual(['narwhal']);
    await scene.untilFinished({ store: oneByOne });
    expect(scene.items('text')).toHaveLength(1);
  });

  it('takes what a dry run proposed of it, and the attention about the source itself', async () => {
    const scene = await openTaken();
    const address = { scope: SCOPE, generation: 1 };
    const nowMs = scene.clock.nowMs();
    for (const [k, row] of scene.rows('CLAIM#').entries()) {
      const page = { n: k + 1, citations: [citationItemSchema.parse(row)], nowMs, op: `op-${k}` };
      await scene.tables.store.write(putProposalPage({ ...address, passId: 'dry' }, page));
    }
    const details = { source: 'note:diary@0', state: 'stalled', cursor: 0, length: 9, stalls: 3 } as const;
    const sourceKey = 'note#diary#0123456789abcdef';
    await scene.tables.store.write(
      raiseEvidenceAttention(address, { sourceKey, stateKey: '1', details, nowMs, op: 'op-attention' }),
    );
    expect(scene.rows('PASS#dry#PROPOSAL#')).toHaveLength(4);
    await scene.erase('DELETE', PATH);
    const left = scene.rows('PASS#dry#PROPOSAL#').flatMap((row) => proposalPageSchema.parse(row).citations);
    expect(left.map(({ source }) => source.id)).toEqual(['plain']);
    expect(scene.rows('ATTENTION#evidence#')).toEqual([]);
  });

  it('goes on where a run died, and takes what that one removed for something found', async () => {
    const scene = await openTaken();
    const store = crashAfter(scene.tables.store, 6);
    expect((await scene.erase('DELETE', PATH, undefined, { store })).status).toBe(500);
    expect(scene.erasures()).toMatchObject([{ isUnderWay: true, looks: 0 }]);
    const { body } = await scene.erase('DELETE', PATH);
    expect(body).toMatchObject({ erasures: [{ state: 'watching', looks: 1 }] });
    const [{ quietSinceMs } = { quietSinceMs: 0 }] = scene.erasures();
    expect(quietSinceMs).toBe(scene.clock.nowMs());
  });

  it('keeps out every revision until it is lifted by hand, and lifts only when its last look is over', async () => {
    const scene = await openTaken();
    await scene.erase('DELETE', PATH);
    for (const text of [SECRET.text, 'Something new.']) {
      const { results } = await scene.ingest(SCOPE, [note('diary', text, '2025-12-05T00:00:00Z'), OTHER]);
      expect(results).toMatchObject([
        { outcome: 'refused', error: { code: 'source_erased' } },
        { outcome: 'unchanged' },
      ]);
    }
    expect(scene.left([...WORDS, 'something new'])).toEqual([]);
    const lift = { source: { kind: 'note', id: 'diary' } };
    expect(await scene.erase('POST', '/erasures/lift', lift)).toMatchObject({
      status: 409,
      body: { error: { code: 'erasure_running' } },
    });
    await scene.untilFinished();
    expect(await scene.erase('POST', '/erasures/lift', lift)).toMatchObject({
      status: 200,
      body: { erasures: [{ state: 'lifted' }] },
    });
    const { results } = await scene.ingest(SCOPE, [note('diary', 'Something new.', '2025-12-05T00:00:00Z')]);
    expect(results).toMatchObject([{ outcome: 'created' }]);
    expect((await scene.erase('DELETE', PATH)).body).toMatchObject({ erasures: [{ state: 'watching' }] });
    expect(scene.left(['something new'])).toEqual([]);
  });

  it('keeps it out from the answer on, also while another run is at the record', async () => {
    const scene = await openTaken();
    const { store } = scene.tables;
    // The run of this call finds the record taken by another, which has done nothing yet.
    const late: Store = {
      ...store,
      write: async (write) =>
        write.input && JSON.stringify(write.input).includes('#isUnderWay = :set_isUnderWay')
          ? { kind: 'held', stored: undefined }
          : store.write(write),
    };
    expect((await scene.erase('DELETE', PATH, undefined, { store: late })).status).toBe(202);
    expect(scene.erasures()).toMatchObject([{ looks: 0 }]);
    const { results } = await scene.ingest(SCOPE, [note('diary', 'Something new.', '2025-12-05T00:00:00Z')]);
    expect(results).toMatchObject([{ outcome: 'refused', error: { code: 'source_erased' } }]);
  });

  it('takes one that nobody sent for an order that it stays out, and says that it knew none', async () => {
    const scene = open();
    await scene.take(OTHER);
    const { status, body } = await scene.erase('DELETE', PATH);
    expect({ status, body }).toMatchObject({ status: 202, body: { erasures: [{ known: false }] } });
    const { results } = await scene.ingest(SCOPE, [SECRET]);
    expect(results).toMatchObject([{ outcome: 'refused', error: { code: 'source_erased' } }]);
    // Also when it is sent again, and its tombstone stands.
    expect((await scene.erase('DELETE', PATH)).body).toMatchObject({ erasures: [{ known: false }] });
    const known = await scene.erase('DELETE', '/sources/note/plain');
    expect((known.body.erasures as object[])[0]).not.toHaveProperty('known');
  });

  it('answers 404 for a scope and for a lift that name nothing', async () => {
    const scene = open();
    expect((await scene.erase('DELETE', PATH)).status).toBe(404);
    await scene.ingest(SCOPE, [OTHER]);
    const { status, body } = await scene.erase('POST', '/erasures/lift', { source: { kind: 'note', id: 'no' } });
    expect({ status, body }).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it('keeps an export made before from bringing it back', async () => {
    const scene = await openTaken();
    const lines = await (await scene.fetchText('export')).text();
    await scene.erase('DELETE', PATH);
    expect(await scene.curate('import', lines)).toMatchObject({ status: 200, body: { erased: 3, refused: [] } });
    await scene.untilFinished();
    expect(scene.left(['timbuktu', 'marzipan', 'reykjavik'])).toEqual([]);
  });
});
