import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimDraft } from '../../../functions/core/claim-draft.ts';
import type { HistoryAnswer } from '../../../functions/reader/read-history.ts';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { putEntity } from '../../../schema/entity.ts';
import { cite, dayMs, inMonth, onDay, type Said } from '../../core/citation-samples.ts';
import { passIdAt } from '../../schema/samples.ts';
import { type ClaimScene, createClaimScene } from '../claim-scene.ts';

const AUSTIN: Said = { value: 'Austin', captured: '2024-03-01' };
const DENVER: Said = { value: 'Denver', captured: '2024-06-01', event: onDay('2024-05-01') };
const PATH = 'claims/history?entity=Maya&attribute=lives_in';
const ME = passIdAt(0);

let scene: ClaimScene;
beforeEach(async () => {
  scene = await createClaimScene(dayMs('2025-01-01'));
});
afterEach(() => scene.close());

async function tell(...said: Said[]): Promise<void> {
  for (const one of said) {
    const citation = cite(one);
    await scene.store.write(putEntity(scene.address, citation.entityName, `entity-${one.value}`));
    await recordCitation(scene.deps(), { address: scene.address, citation, passId: ME });
  }
}
const history = async (query = '') => (await scene.get(`${PATH}${query}`)) as unknown as HistoryAnswer;

describe('the history of a claim slot', () => {
  it('tells what replaced what and why, and of every citation what became of it', async () => {
    await tell(
      AUSTIN,
      DENVER,
      { value: 'Oslo', captured: '2024-01-01' },
      { value: 'Rome', captured: '2024-01-02', event: inMonth('2030-01') },
    );
    await scene.post('claims/retract', { entity: 'Maya', attribute: 'lives_in', value: 'Oslo', reason: 'never' });
    const { claims, citations } = await history();
    expect(
      claims.map(({ value, state, replacedBy }) => [value, state, replacedBy?.value, replacedBy?.because]),
    ).toEqual([
      ['Denver', 'active', undefined, undefined],
      ['Rome', 'planned', undefined, undefined],
      ['Austin', 'superseded', 'Denver', 'later_event'],
      ['Oslo', 'retracted', undefined, undefined],
    ]);
    expect(citations.map(({ value, standing, reason }) => [value, standing, reason])).toEqual([
      ['Oslo', 'retraction', 'never'],
      ['Denver', 'current', undefined],
      ['Austin', 'counts', undefined],
      ['Rome', 'planned', undefined],
      ['Oslo', 'retracted', undefined],
    ]);
    await scene.post(`passes/${ME}/undo`, {});
    expect((await history()).citations.map(({ standing }) => standing)).toEqual([
      'retraction',
      'taken_back',
      'taken_back',
      'taken_back',
      'taken_back',
    ]);
    expect((await history('&knownAt=2024-12-31T00:00:00Z')).citations).toEqual([]);
  });

  it('pages over all citations once, whatever is written in between', async () => {
    await tell(...Array.from({ length: 7 }, (_, k) => ({ ...AUSTIN, captured: `2024-03-0${k + 1}` })));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await history(`&limit=3${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.citations.map(({ captured }) => captured.slice(8, 10)));
      cursor = page.cursor;
      await tell({ ...AUSTIN, captured: '2024-12-01', start: seen.length });
    } while (cursor !== undefined);
    expect(seen).toEqual(['07', '06', '05', '04', '03', '02', '01']);
    expect(await scene.fetch(`${PATH}&cursor=bm90LW9uZQ`)).toMatchObject({ status: 400 });
  });

  it('of one value of a many-valued attribute; an unknown scope and slot read as empty', async () => {
    const slot = { entity: 'maya', attribute: 'likes', key: 'green tea' };
    const citation = { ...cite({ ...AUSTIN, value: 'Green Tea' }), slot };
    await recordCitation(scene.deps(), { address: scene.address, citation, passId: ME });
    const answer = await scene.get('claims/history?entity=Maya&attribute=likes&value=GREEN%20tea');
    expect(answer).toMatchObject({ key: 'green tea', claims: [{ value: 'Green Tea' }] });
    expect(await history()).toMatchObject({ known: true, claims: [], citations: [] });
  });
});

describe('an ETag', () => {
  it.each(['claims', PATH, 'entities', 'attention', 'recall?q=Maya', 'export'])(
    'stays while the memory does, and answers 304: %s',
    async (path) => {
      await tell(AUSTIN);
      const first = await scene.fetch(path);
      const tag = first.headers.get('etag') ?? '';
      expect([first.status, tag]).toEqual([200, expect.stringMatching(/^"[0-9a-f]+"$/)]);
      const again = await scene.fetch(path, { 'if-none-match': tag });
      expect([again.status, await again.text()]).toEqual([304, '']);
      await tell({ ...DENVER, value: 'Oslo' }, { ...DENVER, value: 'Rome', in: 'other' });
      await scene.store.write(putEntity(scene.address, 'Tom', 'entity-tom'));
      expect((await scene.fetch(path, { 'if-none-match': tag })).status).toBe(200);
    },
  );
});

describe('recall', () => {
  it('gives current claims with date and quote id, within the budget', async () => {
    await tell(AUSTIN, DENVER);
    const answer = await scene.get('recall?q=Where%20does%20Maya%20live&tokens=50');
    expect(answer).toMatchObject({
      known: true,
      claims: [
        { text: expect.stringMatching(/^Maya lives_in: Denver \(since 2024-05-01\) \[[\w-]{8}\]$/), value: 'Denver' },
      ],
    });
    const { quote } = (answer['claims'] as { quote: string }[])[0] ?? { quote: '' };
    expect((await history()).citations.map(({ id }) => id)).toContain(quote);
    expect((await scene.get('recall?q=Maya&tokens=5'))['claims']).toEqual([]);
    expect((await scene.fetch('recall?q=Maya&tokens=0')).status).toBe(400);
  });
});

describe('entities', () => {
  it('are paged in the order of their slugs', async () => {
    for (const name of ['Tom', 'Ada', 'Zoë', 'Maya']) await scene.store.write(putEntity(scene.address, name, name));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await scene.get(`entities?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      seen.push(...(page['entities'] as { name: string }[]).map(({ name }) => name));
      cursor = page['cursor'] as string | undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(['Ada', 'Maya', 'Tom', 'Zoë']);
    expect((await scene.fetch('entities?cursor=Q0xBSU0j')).status).toBe(400);
  });
});

describe('a preview', () => {
  const text = 'Maya: I moved to Oslo. I live in Rome now.';
  const draft = (value: string, quote: string): ClaimDraft => ({
    entity: 'Maya',
    attribute: 'lives_in',
    cardinality: 'one',
    value,
    quote: { text: quote, start: text.indexOf(quote), end: text.indexOf(quote) + quote.length },
  });
  const preview = async (claims: readonly unknown[]) => {
    const body = { source: { id: 'session-9' }, text, capturedAt: '2024-09-01T00:00:00Z', claims };
    const { createReaderApp } = await import('../../../functions/reader/app.ts');
    const { store, clock } = scene.deps();
    const log = { info() {}, warn() {}, error() {}, count() {} };
    const app = createReaderApp({ store, clock, log, deploymentSettings: {}, executor: 'rules' });
    const path = `/v1/scopes/${scene.address.scope}/claims/preview`;
    const response = await app.request(path, { method: 'POST', body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };

  it('tells what would be written and what that would change, and writes nothing', async () => {
    await tell(AUSTIN);
    const before = scene.items('control');
    const answer = await preview([
      draft('Oslo', 'I moved to Oslo'),
      { ...draft('Paris', 'I moved to Oslo'), quote: { text: 'I moved to Paris', start: 6, end: 22 } },
      draft('Rome', 'I live in Rome now'),
      { entity: 'Maya' },
    ]);
    expect(answer).toMatchObject({
      would: 2,
      stand: 0,
      refused: [
        { index: 1, reason: 'quote_mismatch' },
        { index: 3, reason: 'invalid_draft' },
      ],
    });
    const says = (answer['changes'] as { says: string }[]).map((change) => change.says).sort();
    expect(says).toHaveLength(2);
    expect(says.join()).toMatch(/instead of "Austin"/);
    expect(scene.items('control')).toEqual(before);
  });

  it('of what stands already changes nothing', async () => {
    await tell(AUSTIN);
    expect(await preview([draft('Oslo', 'I moved to Oslo')])).toMatchObject({ changes: [{ change: 'replaces' }] });
  });
});
