import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimBody } from '../../../functions/reader/claim-body.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { inMonth } from '../../core/citation-samples.ts';
import { AUSTIN, CLAIMS, createMemory, DENVER, type Memory } from './memory.ts';

let memory: Memory;
beforeEach(async () => {
  memory = await createMemory();
});
afterEach(() => memory.close());

const shown = (claims: readonly ClaimBody[]) => claims.map(({ value, state }) => `${value} ${state}`);

describe('claims', () => {
  it('current ones only, each with its time and the words it stands on', async () => {
    await memory.cite(DENVER, AUSTIN);
    const { status, body } = await memory.get(CLAIMS);
    expect(status).toBe(200);
    expect(body).toEqual({
      scope: 'maya',
      known: true,
      claims: [
        {
          id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
          entity: 'Maya',
          attribute: 'lives_in',
          value: 'Denver',
          state: 'active',
          since: '2024-05-01T00:00:00.000Z',
          precision: 'month',
          quotes: [
            {
              text: 'it is Denver',
              source: 'transcript:session 2024-06-01T10:00:00Z@0123456789abcdef',
              at: '2024-06-01T10:00:00.000Z',
            },
          ],
        },
      ],
    });
  });

  it('superseded ones with until when, and what replaced them', async () => {
    await memory.cite(AUSTIN, DENVER);
    const [denver] = await memory.claims('');
    expect(await memory.claims(`state=superseded`)).toMatchObject([
      {
        value: 'Austin',
        since: '2024-03-01T10:00:00.000Z',
        until: '2024-05-01T00:00:00.000Z',
        replacedBy: { id: denver?.id, value: 'Denver' },
      },
    ]);
  });

  it('planned, ended and all', async () => {
    await memory.cite(
      DENVER,
      { ...DENVER, value: 'Oslo', event: inMonth('2030-01') },
      { ...AUSTIN, attribute: 'works_at', value: 'Acme' },
      { value: '', attribute: 'works_at', captured: '2024-08-01T00:00:00Z' },
    );
    expect(shown(await memory.claims(`state=planned`))).toEqual(['Oslo planned']);
    expect(await memory.claims(`state=planned`)).toMatchObject([{ planned: true, since: '2030-01-01T00:00:00.000Z' }]);
    expect(shown(await memory.claims(''))).toEqual(['Denver active']);
    expect(shown(await memory.claims(`state=all`))).toEqual([
      'Denver active',
      'Oslo planned',
      ' ended',
      'Acme superseded',
    ]);
  });

  it('as of another time, and by what was known at another', async () => {
    await memory.cite(
      { ...AUSTIN, recordedAtMs: Date.UTC(2024, 2, 2) },
      { ...DENVER, recordedAtMs: Date.UTC(2024, 5, 2) },
    );
    expect(shown(await memory.claims(`asOf=2024-04-01T00:00:00Z`))).toEqual(['Austin active']);
    expect(shown(await memory.claims(`knownAt=2024-06-01T00:00:00%2B02:00`))).toEqual(['Austin active']);
    expect(shown(await memory.claims(`asOf=2024-05-01T00:00:00Z&knownAt=2024-06-03T00:00:00Z`))).toEqual([
      'Denver active',
    ]);
  });

  it('detail=full adds every citation with all that is recorded of it', async () => {
    await memory.cite(DENVER);
    const [claim] = await memory.claims(`detail=full`);
    expect(claim?.citations).toEqual([
      {
        id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
        value: 'Denver',
        text: 'it is Denver',
        source: 'transcript:session 2024-06-01T10:00:00Z@0123456789abcdef',
        start: 0,
        end: 12,
        event: { start: '2024-05-01T00:00:00.000Z', end: '2024-06-01T00:00:00.000Z', precision: 'month' },
        captured: '2024-06-01T10:00:00.000Z',
        recorded: '2025-01-01T00:00:00.000Z',
        executor: 'rules',
        rule: 'rules-en/lives-in@1',
        confidence: 0.9,
        passes: [{ id: 'pass-1', at: '2025-01-01T00:00:00.000Z' }],
      },
    ]);
  });

  it('shows the newest ten quotes of a claim, and says how many it left out', async () => {
    await memory.cite(
      ...Array.from({ length: 12 }, (_, k) => ({ ...AUSTIN, start: k, captured: `2024-03-${k + 10}T00:00:00Z` })),
    );
    const [claim] = await memory.claims('');
    expect(claim?.quotes).toHaveLength(10);
    expect(claim?.quotes[0]?.at).toBe('2024-03-21T00:00:00.000Z');
    expect(claim?.quotesLeftOut).toBe(2);
    expect((await memory.claims(`detail=full`))[0]?.citations).toHaveLength(12);
  });

  it('an unknown scope reads as empty', async () => {
    expect(await memory.get('/v1/scopes/nobody/claims')).toEqual({
      status: 200,
      body: { scope: 'nobody', known: false, claims: [] },
    });
  });

  it('another scope sees nothing of it', async () => {
    await memory.cite(DENVER);
    expect((await memory.get('/v1/scopes/maya2/claims')).body.claims).toEqual([]);
  });
});

describe('filters', () => {
  beforeEach(() =>
    memory.cite(
      DENVER,
      { ...AUSTIN, attribute: 'works_at', value: 'Acme' },
      { ...AUSTIN, entity: 'Tom', value: 'Oslo' },
      { ...AUSTIN, entity: "Maya's sister", value: 'Bonn' },
    ),
  );
  it.each([
    ['entity=Maya', ['Denver', 'Acme']],
    ['entity=%20MAYA', ['Denver', 'Acme']],
    ['entity=Maya&attribute=works_at', ['Acme']],
    ["entity=Maya's sister", ['Bonn']],
    ['attribute=lives_in', ['Denver', 'Bonn', 'Oslo']],
    ['entity=nobody', []],
  ])('%s', async (query, values) => {
    expect((await memory.claims(`${query}`)).map(({ value }) => value)).toEqual(values);
  });

  it.each([
    ['state=gone', 'state'],
    ['asOf=yesterday', 'a time is ISO 8601 with an offset'],
    ['asOf=2024-02-30', 'a day, such as 2024-05-03'],
    ['knownAt=2024-05', 'a day, such as 2024-05-03'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['detail=much', 'detail'],
    ['colour=red', 'colour'],
  ])('%s is refused by name', async (query, reason) => {
    const { status, body } = await memory.get(`${CLAIMS}?${query}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(reason);
  });
});

describe('a day', () => {
  it.each([
    ['asOf=2024-02-29', []],
    ['asOf=2024-03-01', ['Austin']],
    ['asOf=2024-03-01T00:00:00Z', []],
    ['asOf=2024-04-30', ['Austin']],
    ['asOf=2024-05-01', ['Denver']],
    ['knownAt=2024-06-30', []],
    ['knownAt=2024-07-01', ['Denver']],
    ['knownAt=2024-07-01T00:00:00Z', []],
  ])('is taken at its end: %s', async (query, values) => {
    const recordedAtMs = Date.UTC(2024, 6, 1, 12);
    await memory.cite({ ...AUSTIN, recordedAtMs }, { ...DENVER, recordedAtMs });
    expect((await memory.claims(query)).map(({ value }) => value)).toEqual(values);
    const history = `/v1/scopes/maya/claims/history?entity=Maya&attribute=lives_in&${query}`;
    const { claims } = (await memory.get(history)).body as { claims: { value: string; state: string }[] };
    expect(claims.flatMap(({ value, state }) => (state === 'active' ? [value] : []))).toEqual(values);
  });
});

describe('pages', () => {
  it('cover every claim slot once, whole, however small they are', async () => {
    const values = ['tea', 'green tea', 'ünï', 'a'.repeat(300), '~', '%', '|', 'Zebra', '0'];
    await memory.cite(
      DENVER,
      AUSTIN,
      ...values.map((value) => ({ ...AUSTIN, attribute: 'likes', cardinality: 'many' as const, value })),
      // The same attribute used for one value, as another executor may.
      ...['tea', 'coffee', 'milk', 'wine'].map((value, k) => ({
        ...AUSTIN,
        attribute: 'likes',
        value,
        captured: `2024-0${k + 1}-01T00:00:00Z`,
      })),
      { ...AUSTIN, entity: 'Tom', value: 'Oslo' },
    );
    const [all] = await memory.pages('state=all');
    expect(all).toHaveLength(2 + values.length + 4 + 1);
    for (const limit of [1, 2, 3, 5]) {
      const pages = await memory.pages(`state=all&limit=${limit}`);
      expect(pages.flat()).toEqual(all);
      expect(pages.length).toBeGreaterThan(1);
    }
    expect((await memory.pages('entity=Maya&attribute=likes&limit=1')).flat().map(({ value }) => value)).toHaveLength(
      1 + values.length,
    );
  });

  it('go on for as long as nothing matches, within bounds', async () => {
    const values = Array.from({ length: 60 }, (_, k) => `v${k}`);
    await memory.cite(
      ...values.map((value) => ({ ...AUSTIN, attribute: 'likes', cardinality: 'many' as const, value })),
      { ...AUSTIN, entity: 'Tom', value: 'Oslo' },
    );
    const { body } = await memory.get(`${CLAIMS}?attribute=lives_in&limit=1`);
    expect(body.claims).toMatchObject([{ value: 'Oslo' }]);
    // One for merges, then the claims.
    expect(memory.queries.map(({ input }) => input.Limit)).toEqual([LIMITS.aliasRowsPerScopeMax + 1, 50, 50]);
  });

  it('a cursor names a place behind a claim slot, so a citation that comes in between cuts nothing', async () => {
    await memory.cite(AUSTIN, { ...AUSTIN, entity: 'Tom', value: 'Oslo' });
    const { body } = await memory.get(`${CLAIMS}?limit=1`);
    await memory.cite({ ...DENVER, start: 5 }, { ...DENVER, value: 'Boston' });
    const next = await memory.get(`${CLAIMS}?limit=1&cursor=${body.cursor}`);
    expect(next.body.claims).toMatchObject([{ value: 'Oslo' }]);
    expect(next.body.cursor).toBeUndefined();
  });

  it.each([
    ['of another entity', async () => `entity=Tom&cursor=${(await memory.get(`${CLAIMS}?limit=1`)).body.cursor}`],
    ['made up', async () => 'cursor=%C3%A4'],
    ['too long', async () => `cursor=${'A'.repeat(2001)}`],
  ])('a cursor %s is refused', async (_, queryOf) => {
    await memory.cite(AUSTIN, { ...AUSTIN, entity: 'Nora', value: 'Oslo' });
    const { status } = await memory.get(`${CLAIMS}?${await queryOf()}`);
    expect(status).toBe(400);
  });
});
