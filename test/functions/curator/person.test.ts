/** Goal: what a person says of a claim holds, whatever sources come before or after. Method: the curator's routes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { cite, dayMs, onDay, type Said } from '../../core/citation-samples.ts';
import { passIdAt } from '../../schema/samples.ts';
import { type ClaimScene, countRepairs, createClaimScene } from '../claim-scene.ts';

const AUSTIN: Said = { value: 'Austin', captured: '2024-03-01' };
const DENVER: Said = { value: 'Denver', captured: '2024-06-01', event: onDay('2024-05-01') };
const HOME = { entity: 'Maya', attribute: 'lives_in' };

let scene: ClaimScene;
beforeEach(async () => {
  scene = await createClaimScene(dayMs('2025-01-01'));
});
afterEach(async () => {
  expect(await countRepairs(scene)).toBe(0);
  scene.close();
});

async function tell(...said: Said[]): Promise<void> {
  for (const one of said) {
    await recordCitation(scene.deps(), { address: scene.address, citation: cite(one), passId: passIdAt(0) });
  }
}
async function claims(query = 'state=all'): Promise<string[]> {
  const { claims: found } = await scene.get(`claims?${query}`);
  return (found as { value: string; state: string; protected?: true }[]).map(
    ({ value, state, protected: held }) => `${value} ${state}${held ? ' protected' : ''}`,
  );
}
const current = () => claims('state=active');

describe('a correction', () => {
  it('stands above what sources say, older and newer', async () => {
    await tell(AUSTIN, DENVER);
    const { status, body } = await scene.post('claims/correct', { ...HOME, value: 'Boston', reason: 'I never moved' });
    expect([status, body['current']]).toEqual([200, { claim: expect.any(String), value: 'Boston' }]);
    await tell({ value: 'Oslo', captured: '2025-06-01' });
    expect(await claims()).toEqual([
      'Boston active protected',
      'Oslo superseded',
      'Denver superseded',
      'Austin superseded',
    ]);
    const { claims: found } = await scene.get('claims?state=superseded');
    expect((found as { replacedBy: { because: string } }[])[0]?.replacedBy.because).toBe('protected');
  });

  it('is quoted from the person, in their words', async () => {
    await scene.post('claims/correct', { ...HOME, value: 'Boston', reason: 'I never moved', author: 'maya' });
    const { claims: found } = await scene.get('claims');
    expect(found).toMatchObject([
      { quotes: [{ text: 'I never moved', source: expect.stringMatching(/^person:maya@[0-9a-f]{16}$/) }] },
    ]);
  });

  it('that does not protect is one claim among others', async () => {
    await tell(DENVER);
    await scene.post('claims/correct', { ...HOME, value: 'Boston', protect: false });
    expect(await current()).toEqual(['Boston active']);
    await tell({ value: 'Oslo', captured: '2025-06-01' });
    expect(await current()).toEqual(['Oslo active']);
  });

  it('sent again with the same time changes nothing; said again later it stands again', async () => {
    const body = { ...HOME, value: 'Boston', at: '2024-12-30T00:00:00Z' };
    expect((await scene.post('claims/correct', body)).body['changed']).toBe(true);
    scene.nowMs += 1_000;
    expect((await scene.post('claims/correct', body)).body['changed']).toBe(false);
    await scene.post('claims/correct', { ...HOME, value: 'Oslo', at: '2024-12-31T00:00:00Z' });
    expect(await current()).toEqual(['Oslo active protected']);
    await scene.post('claims/correct', { ...HOME, value: 'Boston' });
    expect(await current()).toEqual(['Boston active protected']);
  });

  it('to nothing ends the claim slot, until that is lifted', async () => {
    await tell(DENVER);
    await scene.post('claims/correct', { ...HOME, value: '' });
    await tell({ value: 'Oslo', captured: '2025-06-01' });
    expect(await current()).toEqual([]);
    expect((await scene.post('claims/unprotect', HOME)).body).toMatchObject({ lifted: 1 });
    expect(await current()).toEqual(['Oslo active']);
    expect((await scene.post('claims/unprotect', HOME)).body).toMatchObject({ lifted: 0 });
  });

  it.each([
    [{ value: 'Oslo', event: '2026-05' }, 'has not come yet'],
    [{ value: 'Oslo', event: 'soon' }, 'is no time'],
    [{ value: 'Oslo', at: '2025-02-01T00:00:00Z' }, 'has not come yet'],
    [{ value: '', cardinality: 'many' }, 'ends a claim slot'],
    [{ value: 'Oslo', attribute: 'Lives In' }, 'attribute'],
    [{ value: 'Oslo', entity: ' ' }, 'blank'],
  ])('%j is refused with a reason', async (change, reason) => {
    const { status, body } = await scene.post('claims/correct', { ...HOME, ...change });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe('a retraction', () => {
  it('takes a claim back, and what stood before is current again', async () => {
    await tell(AUSTIN, DENVER);
    await scene.post('claims/retract', { ...HOME, value: 'denver', reason: 'a joke' });
    expect(await claims()).toEqual(['Austin active', 'Denver retracted']);
  });

  it('holds against an older source that is read later, and not against a newer one', async () => {
    await tell(DENVER);
    await scene.post('claims/retract', { ...HOME, value: 'Denver' });
    await tell({ ...DENVER, captured: '2024-05-20' });
    expect(await current()).toEqual([]);
    await tell({ ...DENVER, captured: '2025-02-01' });
    expect(await current()).toEqual(['Denver active']);
  });

  it('is itself taken back by withdrawing it', async () => {
    await tell(DENVER);
    const { body } = await scene.post('claims/retract', { ...HOME, value: 'Denver' });
    expect(await current()).toEqual([]);
    await scene.post('claims/withdraw', { ...HOME, citation: body['citation'] });
    expect(await current()).toEqual(['Denver active']);
  });

  it('of a claim nobody made is refused', async () => {
    await tell(DENVER);
    const { status, body } = await scene.post('claims/retract', { ...HOME, value: 'Oslo' });
    expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining('there is no claim')]);
  });

  it('is not known before it was recorded', async () => {
    await tell(DENVER);
    scene.nowMs = dayMs('2025-03-01');
    await scene.post('claims/retract', { ...HOME, value: 'Denver' });
    expect(await claims('knownAt=2025-02-28T00:00:00Z')).toEqual(['Denver active']);
    expect(await claims('knownAt=2025-03-01T00:00:00Z')).toEqual([]);
  });
});

describe('protection', () => {
  it('keeps the current claim against newer sources', async () => {
    await tell(DENVER);
    await scene.post('claims/protect', HOME);
    await tell({ value: 'Oslo', captured: '2025-06-01' });
    expect(await current()).toEqual(['Denver active protected']);
    await scene.post('claims/unprotect', HOME);
    expect(await current()).toEqual(['Oslo active']);
  });

  it('closes what was contested', async () => {
    await tell(DENVER, { ...DENVER, value: 'Boston', in: 'other' });
    expect((await scene.get('attention'))['attention']).toMatchObject([
      { kind: 'contested', because: 'same_time', sides: [{ text: expect.any(String) }, { text: expect.any(String) }] },
    ]);
    await scene.post('claims/protect', { ...HOME, value: 'Boston' });
    expect((await scene.get('attention'))['attention']).toEqual([]);
    expect((await scene.get('attention?state=all'))['attention']).toHaveLength(1);
  });

  it('of nothing is refused', async () => {
    expect((await scene.post('claims/protect', HOME)).status).toBe(404);
    expect((await scene.post('claims/protect', { ...HOME, cardinality: 'many' })).status).toBe(400);
  });
});

it('nothing is written into a scope nobody knows', async () => {
  const { createCuratorApp } = await import('../../../functions/curator/routes.ts');
  const log = { info() {}, warn() {}, error() {}, count() {} };
  const { store, clock, ids } = scene.deps();
  const app = createCuratorApp({ store, clock, ids, log });
  const body = JSON.stringify({ ...HOME, value: 'Oslo' });
  const response = await app.request('/v1/scopes/nobody/claims/correct', { method: 'POST', body });
  expect(response.status).toBe(404);
});
