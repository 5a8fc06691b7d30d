/** Goal: what an entity is does not hang on who said it first, and a person has the last word. Method: routes and writer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeClaims } from '../../../functions/worker/claim-writer.ts';
import type { EntityType } from '../../../schema/entity.ts';
import { dayMs, draftOf, permutationsOf, sourceOf } from '../../core/citation-samples.ts';
import { passIdAt } from '../../schema/samples.ts';
import { type ClaimScene, createClaimScene } from '../claim-scene.ts';

let scene: ClaimScene;
beforeEach(async () => {
  scene = await createClaimScene(dayMs('2025-01-01'));
});
afterEach(() => scene.close());

/** A pass finds one claim in a source that calls Maya this. */
async function tell(entityType: EntityType | undefined, captured: string, into = scene): Promise<void> {
  const value = `city of ${captured}`;
  const draft = { ...draftOf({ value }), ...(entityType && { entityType }) };
  const { written } = await writeClaims(into.deps(), {
    address: into.address,
    passId: passIdAt(0),
    source: sourceOf(captured),
    capturedAtMs: dayMs(captured),
    executor: 'stub',
    drafts: [draft],
    delivered: { text: value, start: 0 },
    knownEntities: new Set(),
  });
  expect(written).toBe(1);
}

/** All pages of the export, put together. */
async function exportOf(of: ClaimScene): Promise<string> {
  let text = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Response = await of.fetch(`export${cursor === '' ? '' : `?cursor=${cursor}`}`);
    text += await page.text();
    cursor = page.headers.get('nightjar-cursor');
  }
  return text;
}

const entities = async (of = scene) => (await of.get('entities'))['entities'];
const say = (type: string, at?: string, entity = 'Maya') => scene.post('entities/type', { entity, type, at });

describe('the type of an entity', () => {
  it('is none while no source tells', async () => {
    await tell(undefined, '2024-01-01');
    expect(await entities()).toEqual([{ slug: 'maya', name: 'Maya' }]);
  });

  it('is what the source captured last tells, in whatever order they are read', async () => {
    const told = [
      ['person', '2024-01-01'],
      ['place', '2024-03-01'],
      ['pet', '2024-02-01'],
    ] as const;
    for (const order of permutationsOf(told)) {
      const other = await createClaimScene(dayMs('2025-01-01'));
      for (const [type, captured] of order) await tell(type, captured, other);
      expect(await entities(other)).toEqual([{ slug: 'maya', name: 'Maya', type: 'place' }]);
      other.close();
    }
  });

  it('is what a person says, before and after any source, until they say otherwise', async () => {
    await tell('person', '2024-01-01');
    expect(await say('pet')).toEqual({
      status: 200,
      body: { scope: scene.address.scope, entity: 'maya', type: 'pet', changed: true },
    });
    await tell('organization', '2025-06-01');
    expect(await entities()).toMatchObject([{ type: 'pet' }]);
    scene.nowMs += 1_000;
    await say('thing');
    expect(await entities()).toMatchObject([{ type: 'thing' }]);
    expect((await say('event', '2024-01-01T00:00:00Z')).body).toMatchObject({ type: 'thing', changed: false });
  });

  it.each([
    ['an entity that nobody made known', 'pet', undefined, 'Nobody', 404],
    ['a word that is no type', 'alien', undefined, 'Maya', 400],
    ['a time that has not come', 'pet', '2030-01-01T00:00:00Z', 'Maya', 400],
  ])('is refused for %s, and says what to do', async (_, type, at, entity, status) => {
    await tell('person', '2024-01-01');
    const answer = await say(type, at, entity);
    expect(answer.status).toBe(status);
    expect((answer.body['error'] as { message: string }).message).toMatch(/list them|one of person|leave it out/);
    expect(await entities()).toMatchObject([{ type: 'person' }]);
  });

  it('goes with the memory: an import gives the same export', async () => {
    await tell('person', '2024-01-01');
    await say('pet');
    const lines = await exportOf(scene);
    const other = await createClaimScene(dayMs('2025-02-01'));
    for (let again = 0; again < 2; again++) await other.post('import', lines);
    expect(lines).toContain('"entityType":"pet"');
    expect(await exportOf(other)).toBe(lines);
    const forged = lines.replace('"entityType":"pet"', '"entityType":"thing"');
    expect((await other.post('import', forged)).body['refused']).toMatchObject([
      { message: expect.stringContaining('typeKey') },
    ]);
    other.close();
  });
});
