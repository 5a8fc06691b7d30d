/** Goal: what passes wrote can be taken back, seen, repaired, merged and carried elsewhere. Method: the routes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { putCitation } from '../../../schema/citation.ts';
import { putEntity } from '../../../schema/entity.ts';
import { raiseRegister } from '../../../schema/head.ts';
import { startPass } from '../../../schema/pass.ts';
import { putPass } from '../../../schema/pass.ts';
import { cite, dayMs, onDay, type Said } from '../../core/citation-samples.ts';
import { passIdAt, samplePass } from '../../schema/samples.ts';
import { type ClaimScene, countRepairs, createClaimScene } from '../claim-scene.ts';

const AUSTIN: Said = { value: 'Austin', captured: '2024-03-01' };
const DENVER: Said = { value: 'Denver', captured: '2024-06-01', event: onDay('2024-05-01') };
const [FIRST, SECOND] = [passIdAt(0), passIdAt(1)];

let scene: ClaimScene;
beforeEach(async () => {
  scene = await createClaimScene(dayMs('2025-01-01'));
});
afterEach(() => scene.close());

async function tell(passId: string, ...said: Said[]): Promise<void> {
  for (const one of said) {
    const citation = cite(one);
    await scene.store.write(putEntity(scene.address, citation.entityName, `entity-${one.value}`));
    await recordCitation(scene.deps(), { address: scene.address, citation, passId });
  }
}
async function claims(query = 'state=all'): Promise<string[]> {
  const { claims: found } = await scene.get(`claims?${query}`);
  return (found as { value: string; state: string }[]).map(({ value, state }) => `${value} ${state}`);
}

describe('undoing a pass', () => {
  it('takes back what it alone said; what another said too stays', async () => {
    await tell(FIRST, AUSTIN, DENVER);
    await tell(SECOND, AUSTIN);
    const { body } = await scene.post(`passes/${FIRST}/undo`, {});
    expect(body).toMatchObject({ withdrawn: 1, kept: 1, headsChanged: 1 });
    expect(await claims()).toEqual(['Austin active', 'Denver retracted']);
    expect((await scene.post(`passes/${FIRST}/undo`, {})).body).toMatchObject({ withdrawn: 0, headsChanged: 0 });
    expect(await countRepairs(scene)).toBe(0);
  });

  it('is itself undone by another pass that finds the same', async () => {
    await tell(FIRST, DENVER);
    await scene.post(`passes/${FIRST}/undo`, {});
    expect(await claims('state=active')).toEqual([]);
    await tell(SECOND, DENVER);
    expect(await claims('state=active')).toEqual(['Denver active']);
  });

  it('was not known before', async () => {
    await tell(FIRST, DENVER);
    scene.nowMs = dayMs('2025-03-01');
    await scene.post(`passes/${FIRST}/undo`, {});
    expect(await claims('knownAt=2025-02-28T23:59:59Z')).toEqual(['Denver active']);
  });

  it('that runs is refused', async () => {
    const pass = samplePass(scene.address.scope, FIRST);
    await scene.store.write(putPass(pass, 'put'));
    const start = { attempt: 'a', requestId: 'r', nowMs: scene.nowMs, deadlineAtMs: scene.nowMs, op: 'start' };
    await scene.store.write(startPass(pass, start));
    expect((await scene.post(`passes/${FIRST}/undo`, {})).status).toBe(409);
    expect((await scene.post('passes/none/undo', {})).status).toBe(400);
  });

  it('goes on where a call ended, for as many claim slots as there are', async () => {
    for (let k = 0; k < 260; k++) {
      const citation = cite({ ...AUSTIN, start: k });
      const slot = { entity: 'maya', attribute: 'likes', key: `v${k}` };
      await scene.store.write(putCitation(scene.address, { ...citation, slot }, FIRST, `put-${k}`));
    }
    const first = await scene.post(`passes/${FIRST}/undo`, {});
    expect(first.body).toMatchObject({ withdrawn: 250, cursor: expect.any(String) });
    const second = await scene.post(`passes/${FIRST}/undo`, { cursor: first.body['cursor'] });
    expect(second.body).toMatchObject({ withdrawn: 10 });
    expect(second.body).not.toHaveProperty('cursor');
  });

  it('stops when its time is up, and says where to go on', async () => {
    await tell(FIRST, AUSTIN, { ...AUSTIN, value: 'Oslo' });
    const slot = { entity: 'tom', attribute: 'lives_in' };
    await scene.store.write(putCitation(scene.address, { ...cite(AUSTIN), slot }, FIRST, 'put-tom'));
    const { store, ids } = scene.deps();
    let nowMs = scene.nowMs;
    const clock = { nowMs: () => (nowMs += 3_000), sleep: () => Promise.resolve() };
    const { undoPass } = await import('../../../functions/curator/withdraw.ts');
    const log = { info() {}, warn() {}, error() {}, count() {} };
    const answer = await undoPass({ store, ids, clock, log }, scene.address.scope, { passId: FIRST });
    expect(answer).toMatchObject({ withdrawn: 2, cursor: expect.any(String) });
  });
});

describe('withdrawing a source', () => {
  it('takes back its citations in every revision, for good', async () => {
    await tell(FIRST, AUSTIN, { ...DENVER, in: 'gone' });
    const source = { kind: 'transcript', id: 'gone' };
    expect((await scene.post('claims/withdraw', { source })).body).toMatchObject({ withdrawn: 1, headsChanged: 1 });
    await tell(SECOND, { ...DENVER, in: 'gone' });
    expect(await claims()).toEqual(['Austin active', 'Denver retracted']);
    expect(await countRepairs(scene)).toBe(0);
  });
});

describe('the changes of a pass', () => {
  it('are listed against what stands without it', async () => {
    await tell(FIRST, AUSTIN);
    await tell(SECOND, DENVER, { value: 'Oslo', captured: '2024-01-01' }, AUSTIN);
    const { changes } = await scene.get(`passes/${SECOND}/changes`);
    expect((changes as { says: string }[]).map(({ says }) => says)).toEqual([
      'Maya lives_in: "Denver" instead of "Austin"',
      'Maya lives_in: "Oslo" was so, and something newer stands',
    ]);
    const first = await scene.get(`passes/${FIRST}/changes`);
    expect(first['changes']).toEqual([]);
    await scene.post(`passes/${SECOND}/undo`, {});
    expect((await scene.get(`passes/${SECOND}/changes`))['changes']).toEqual([]);
    expect((await scene.get(`passes/${FIRST}/changes`))['changes']).toMatchObject([
      { change: 'adds', value: 'Austin' },
    ]);
  });
});

describe('a repair', () => {
  it('finds nothing to change in a healthy scope, and mends one that is not', async () => {
    await tell(FIRST, AUSTIN, DENVER);
    expect((await scene.post('claims/repair', {})).body).toMatchObject({ slots: 1, headsChanged: 0 });
    const phantom = cite({ value: 'Oslo', captured: '2030-01-01', event: onDay('2029-01-01') });
    await scene.store.write(raiseRegister(scene.address, phantom, 'dated', 'phantom'));
    expect((await scene.post('claims/repair', {})).body).toMatchObject({ slots: 1, headsChanged: 1 });
    expect((await scene.post('claims/repair', {})).body).toMatchObject({ headsChanged: 0 });
  });
});

describe('merging entities', () => {
  const maria: Said = { value: 'Oslo', captured: '2024-09-01' };
  async function tellOf(entity: string, said: Said): Promise<void> {
    const slug = entity.toLowerCase();
    const citation = { ...cite(said), slot: { entity: slug, attribute: 'lives_in' }, entityName: entity };
    await scene.store.write(putEntity(scene.address, entity, `entity-${entity}`));
    await recordCitation(scene.deps(), { address: scene.address, citation, passId: FIRST });
  }

  it('reads follow, whichever name is asked for, and one claim is current', async () => {
    await tellOf('Maya', DENVER);
    await tellOf('Mary', AUSTIN);
    await tellOf('Maria', maria);
    for (const body of [
      { from: 'Mary', into: 'Maya' },
      { from: 'Maria', into: 'Mary' },
    ]) {
      expect((await scene.post('entities/merge', body)).body).toMatchObject({ changed: true, root: 'maya' });
    }
    const expected = ['Oslo active', 'Denver superseded', 'Austin superseded'];
    for (const query of ['', '&entity=Maya', '&entity=maria', '&entity=Mary', '&limit=1']) {
      expect(await claims(`state=all${query}`)).toEqual(expected);
    }
    const { claims: found } = await scene.get('claims');
    expect(found).toMatchObject([{ entity: 'Maya' }]);
    expect((await scene.get('entities'))['entities']).toMatchObject([
      { slug: 'maria', mergedInto: 'maya' },
      { slug: 'mary', mergedInto: 'maya' },
      { slug: 'maya', aliases: ['maria', 'mary'] },
    ]);
  });

  it('in the other order, and the other way round, ends the same', async () => {
    await tellOf('Mary', AUSTIN);
    await scene.post('entities/merge', { from: 'Maria', into: 'Mary' });
    await scene.post('entities/merge', { from: 'Mary', into: 'Maya' });
    expect((await scene.post('entities/merge', { from: 'Maya', into: 'Maria' })).body).toMatchObject({
      root: 'maria',
      slugs: ['maria', 'mary', 'maya'],
    });
    expect(await claims('entity=maya')).toEqual(['Austin active']);
  });

  it('is taken back; claims were never moved', async () => {
    await tellOf('Maya', DENVER);
    await tellOf('Mary', AUSTIN);
    await scene.post('entities/merge', { from: 'Mary', into: 'Maya' });
    expect((await scene.post('entities/unmerge', { from: 'Mary', into: 'Maya' })).body).toMatchObject({
      changed: true,
      slugs: ['mary'],
    });
    expect(await claims('entity=Mary')).toEqual(['Austin active']);
    // Within the millisecond, as by a clock that is behind: who asks for it last has it so.
    for (const [verb, changed] of [
      ['merge', true],
      ['merge', false],
      ['unmerge', true],
      ['merge', true],
    ] as const)
      expect((await scene.post(`entities/${verb}`, { from: 'Mary', into: 'Maya' })).body).toMatchObject({ changed });
    expect((await scene.post('entities/unmerge', { from: 'Tom', into: 'Maya' })).status).toBe(404);
    expect((await scene.post('entities/merge', { from: 'maya', into: 'MAYA' })).status).toBe(400);
  });

  it('of a name that nothing is known of waits for its claims, and says so', async () => {
    await tellOf('Maya', DENVER);
    const merge = async () => (await scene.post('entities/merge', { from: 'Mary', into: 'Maya' })).body;
    expect(await merge()).toMatchObject({ changed: true, root: 'maya', unknown: ['mary'] });
    await tellOf('Mary', { ...maria, captured: '2025-06-01' });
    expect(await claims('entity=Maya')).toEqual(['Oslo active']);
    expect(await merge()).not.toHaveProperty('unknown');
  });

  it('what a person says of one name holds for all', async () => {
    await tellOf('Maya', DENVER);
    await tellOf('Mary', AUSTIN);
    await scene.post('entities/merge', { from: 'Mary', into: 'Maya' });
    await scene.post('claims/retract', { entity: 'Mary', attribute: 'lives_in', value: 'Denver' });
    expect(await claims('entity=Maya')).toEqual(['Austin active']);
    await scene.post('claims/protect', { entity: 'Maya', attribute: 'lives_in' });
    await tellOf('Mary', { ...maria, captured: '2025-06-01' });
    expect(await claims('entity=Maya')).toEqual(['Austin active']);
    await scene.post('claims/unprotect', { entity: 'Mary', attribute: 'lives_in' });
    expect(await claims('entity=Maya')).toEqual(['Oslo active']);
  });
});

describe('export and import', () => {
  async function exported(from: ClaimScene, limit: number): Promise<string[]> {
    const pages: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Response = await from.fetch(`export?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.headers.get('content-type')).toContain('ndjson');
      pages.push(await page.text());
      cursor = page.headers.get('nightjar-cursor');
    }
    return pages;
  }

  it('an import of all pages, in whatever order, exports the same bytes, and its heads are right', async () => {
    await tell(FIRST, AUSTIN, DENVER, { value: '', captured: '2024-08-01' });
    await tell(SECOND, DENVER);
    await scene.post('claims/correct', { entity: 'Maya', attribute: 'lives_in', value: 'Oslo', reason: 'ünï 🦉' });
    await scene.post(`passes/${FIRST}/undo`, {});
    await scene.post('entities/merge', { from: 'Mary', into: 'Maya' });
    const pages = await exported(scene, 2);
    expect(pages.length).toBeGreaterThan(3);
    const all = (await exported(scene, 500)).join('');
    expect(pages.join('')).toBe(all);
    const copy = await createClaimScene(scene.nowMs + 1_000_000);
    for (const page of pages.toReversed()) {
      const { status, body } = await copy.post('import', page);
      expect([status, body['refused']]).toEqual([200, []]);
    }
    expect((await exported(copy, 500)).join('')).toBe(all);
    expect((await copy.get('claims?state=all'))['claims']).toEqual((await scene.get('claims?state=all'))['claims']);
    expect(await countRepairs(copy)).toBe(0);
    expect((await copy.post('import', all)).body).toMatchObject({ written: 0 });
    copy.close();
  });

  it.each([
    ['not JSON', () => '{', 'not JSON'],
    ['another value', (line: string) => line.replace('"value":"Denver"', '"value":"Oslo"'), 'was changed'],
    ['another source', (line: string) => line.replace('"id":"session', '"id":"session9'), 'was changed'],
    [
      'another normalization',
      (line: string) => line.replace('"normalization":1', '"normalization":2'),
      'normalization',
    ],
    ['a missing quote', (line: string) => line.replace('"quote"', '"quoted"'), 'quote'],
  ])('a line with %s is refused by its number, and the others are taken', async (_, change, reason) => {
    await tell(FIRST, DENVER);
    const lines = (await exported(scene, 500)).join('').split('\n');
    const citation = lines.find((line) => line.includes('"type":"citation"')) ?? '';
    expect(change(citation)).not.toBe(citation);
    const copy = await createClaimScene(scene.nowMs);
    const { body } = await copy.post('import', `${change(citation)}\n${lines.at(-2)}\n`);
    expect(body).toMatchObject({ written: 1, refused: [{ line: 1, message: expect.stringContaining(reason) }] });
    copy.close();
  });

  it('more lines than one call takes are refused', async () => {
    expect((await scene.post('import', '{}\n'.repeat(501))).status).toBe(400);
  });
});
