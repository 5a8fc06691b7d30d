/**
 * Goal: what a pass writes is checked, idempotent and repaired by writing it again.
 * Method: the writer on the embedded engine, over a store that dies before or after its n-th write.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimDraft } from '../../../functions/core/claim-draft.ts';
import { makeCitation } from '../../../functions/core/claims.ts';
import { currentRegister } from '../../../functions/core/registers.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { type ClaimBatch, type ClaimsWritten, writeClaims } from '../../../functions/worker/claim-writer.ts';
import { citationItemSchema, citationKey } from '../../../schema/citation.ts';
import { headItemSchema } from '../../../schema/head.ts';
import type { Item, Write } from '../../../schema/request.ts';
import { inMonth, sourceOf } from '../../core/citation-samples.ts';
import { createTestStore, type TestStore } from '../../support/tables.ts';

const NOW_MS = Date.UTC(2025, 0, 1);
const CAPTURED_MS = Date.UTC(2024, 5, 1);
const TEXT = 'Maya: I moved to Denver in May. I like green tea. I plan to visit Oslo next year.';

function draft(text: string, change: Partial<ClaimDraft>): ClaimDraft {
  const start = TEXT.indexOf(text);
  return {
    entity: 'Maya',
    attribute: 'lives_in',
    cardinality: 'one',
    value: 'Denver',
    quote: { text, start, end: start + text.length },
    ...change,
  };
}

const MOVED = draft('I moved to Denver in May', { event: inMonth('2024-05') });
const TEA = draft('I like green tea', { attribute: 'likes', cardinality: 'many', value: 'green tea' });
const OSLO = draft('I plan to visit Oslo', { attribute: 'plan', value: 'visit Oslo', event: inMonth('2025-06') });

let tables: TestStore;
beforeEach(() => {
  tables = createTestStore();
});
afterEach(() => tables.close());

let ops = 0;
function write(change: Partial<ClaimBatch> = {}, store: Store = tables.store, nowMs = NOW_MS): Promise<ClaimsWritten> {
  const deps = {
    store,
    clock: { nowMs: () => nowMs, sleep: () => Promise.resolve() },
    ids: { fresh: () => `op-${ops++}` },
  };
  return writeClaims(deps, {
    address: { scope: 'maya', generation: 1 },
    passId: 'pass-1',
    source: sourceOf('session-1'),
    capturedAtMs: CAPTURED_MS,
    executor: 'rules',
    drafts: [MOVED, TEA, OSLO],
    delivered: { text: TEXT, start: 0 },
    knownEntities: new Set(),
    ...change,
  });
}

const rowsWithout = (...left: readonly string[]): Item[] =>
  tables
    .items('control')
    .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !left.includes(name))));
/** The table without the ids of its writes. */
const rows = (): Item[] => rowsWithout('op');
/** … and without the versions of heads, which count from a number that such an id gives. */
const unversioned = (): Item[] => rowsWithout('op', 'version');
const rowsOf = (prefix: string): Item[] => rows().filter(({ sk }) => String(sk).startsWith(prefix));
const headOf = (attribute: string) => headItemSchema.parse(rowsOf(`HEAD#maya#${attribute}`)[0]);

describe('writing', () => {
  it('one entity, a citation each, and a register for all but the plan', async () => {
    expect(await write()).toEqual({ written: 3, refused: [] });
    expect(rows().map(({ sk }) => String(sk).split('#').slice(0, 3).join('#'))).toEqual([
      'CLAIM#maya#likes',
      'CLAIM#maya#lives_in',
      'CLAIM#maya#plan',
      'ENTITY#maya',
      'HEAD#maya#likes',
      'HEAD#maya#lives_in',
    ]);
    expect(headOf('lives_in').dated?.value).toBe('Denver');
    expect(headOf('likes').undated?.value).toBe('green tea');
    expect(citationItemSchema.parse(rowsOf('CLAIM#maya#plan')[0])).toMatchObject({
      planned: true,
      passes: { 'pass-1': NOW_MS },
      recordedAtMs: NOW_MS,
    });
  });

  it('asks for each spelling of an entity once a pass', async () => {
    const sent: string[] = [];
    const store = spy((one) => sent.push(one.kind === 'update' ? String(one.input.Key?.['sk']) : ''));
    const knownEntities = new Set<string>();
    await write({ knownEntities }, store);
    await write({ knownEntities, drafts: [TEA, { ...TEA, entity: 'MAYA ' }] }, store);
    expect(sent.filter((sk) => sk.startsWith('ENTITY#'))).toEqual(['ENTITY#maya', 'ENTITY#maya']);
    expect([...knownEntities]).toEqual(['Maya', 'MAYA']);
    expect(rowsOf('ENTITY#')).toMatchObject([{ name: 'Maya' }]);
  });

  it('says once a pass what an entity is, and again only by what was captured later', async () => {
    const sent: string[] = [];
    const store = spy((one) => {
      const type = one.kind === 'update' ? one.input.ExpressionAttributeValues?.[':typeKey'] : undefined;
      if (type !== undefined) sent.push(String(type).slice(-6));
    });
    const knownTypes = new Map<string, string>();
    const drafts = [{ ...TEA, entityType: 'person' as const }];
    for (const [id, capturedAtMs] of [
      ['a', CAPTURED_MS],
      ['b', CAPTURED_MS - 1],
      ['c', CAPTURED_MS + 1],
    ] as const) {
      await write({ knownTypes, drafts, source: sourceOf(id), capturedAtMs }, store);
    }
    expect(sent).toEqual(['person', 'person']);
    expect(rowsOf('ENTITY#')).toMatchObject([{ name: 'Maya', entityType: 'person' }]);
  });

  it('the same again by the same pass changes nothing', async () => {
    await write();
    const before = rows();
    expect(await write({}, tables.store, NOW_MS + 1000)).toEqual({ written: 3, refused: [] });
    expect(rows()).toEqual(before);
  });

  it('the same again by another pass adds the pass, and nothing else', async () => {
    await write();
    const heads = rowsOf('HEAD#');
    await write({ passId: 'pass-2' }, tables.store, NOW_MS + 1000);
    const citations = rowsOf('CLAIM#').map((row) => citationItemSchema.parse(row));
    expect(citations).toHaveLength(3);
    for (const { passes, passCount, recordedAtMs } of citations) {
      expect({ passes, passCount, recordedAtMs }).toEqual({
        passes: { 'pass-1': NOW_MS, 'pass-2': NOW_MS + 1000 },
        passCount: 2,
        recordedAtMs: NOW_MS,
      });
    }
    expect(rowsOf('HEAD#')).toEqual(heads);
  });

  it('an older claim written later leaves the head alone', async () => {
    await write();
    await write({
      source: sourceOf('session-0'),
      capturedAtMs: CAPTURED_MS - 1,
      drafts: [draft('I moved to Denver', { value: 'Austin' })],
    });
    const { dated, undated } = headOf('lives_in');
    expect(undated?.value).toBe('Austin');
    expect(currentRegister(dated, undated)?.value).toBe('Denver');
  });

  it('a citation found withdrawn leaves head and passes alone', async () => {
    await write({ drafts: [MOVED] });
    const citation = makeCitation({
      draft: MOVED,
      source: sourceOf('session-1'),
      capturedAtMs: CAPTURED_MS,
      executor: 'rules',
      recordedAtMs: NOW_MS,
    });
    const stored = rowsOf('CLAIM#')[0];
    await tables.store.write({
      kind: 'put',
      table: 'control',
      isMine: () => false,
      input: { Item: { ...stored, ...citationKey({ scope: 'maya', generation: 1 }, citation), withdrawnAtMs: NOW_MS } },
    });
    await tables.store.write({
      kind: 'delete',
      table: 'control',
      isMine: () => false,
      input: { Key: { pk: stored?.pk, sk: 'HEAD#maya#lives_in' } },
    });
    await write({ drafts: [MOVED], passId: 'pass-2' });
    expect(rowsOf('HEAD#')).toEqual([]);
    expect(citationItemSchema.parse(rowsOf('CLAIM#')[0]).passCount).toBe(1);
  });
});

describe('refusing', () => {
  it('names each refused draft by its index, and writes the others', async () => {
    const drafts = [
      draft('I moved', { quote: { text: 'I moved to Boston', start: 6, end: 23 } }),
      MOVED,
      draft('I like', { quote: { text: 'next year. And', start: 71, end: 85 } }),
      draft('I like', { attribute: 'Not an attribute' }),
      draft('I like', { event: { startMs: 2, endMs: 1, precision: 'day' } }),
    ];
    const { written, refused } = await write({ drafts });
    expect(written).toBe(1);
    expect(refused.map(({ index, reason }) => [index, reason])).toEqual([
      [0, 'quote_mismatch'],
      [2, 'quote_not_delivered'],
      [3, 'invalid_draft'],
      [4, 'invalid_draft'],
    ]);
    expect(refused[2]?.message).toContain('attribute: an attribute is 1 to 64 characters');
    expect(rowsOf('CLAIM#')).toHaveLength(1);
  });

  it.each([
    ['half a character', 'Den\ud83dver'],
    ['NUL', 'Den\u0000ver'],
    ['what a terminal obeys', '\u001b[2JDenver'],
  ])('%s in a name or in any value', async (_what, odd) => {
    const drafts = [
      draft('I moved', { value: odd }),
      draft('I moved', { entity: odd }),
      draft('I moved', { contradicts: odd }),
      draft('I moved', { attribute: 'likes', cardinality: 'many', value: '', ends: odd }),
      draft('I moved', { rule: odd }),
    ];
    const { written, refused } = await write({ drafts });
    expect([written, rows()]).toEqual([0, []]);
    expect(refused.map(({ reason }) => reason)).toEqual(drafts.map(() => 'invalid_draft'));
    expect(refused[0]?.message).toContain('value: ');
  });

  it('text of the source that was not delivered to this pass cannot be quoted', async () => {
    const delivered = { text: TEXT.slice(30), start: 30 };
    const { refused } = await write({ delivered });
    expect(refused).toMatchObject([{ index: 0, reason: 'quote_not_delivered' }]);
  });

  it('the 101st draft of a call', async () => {
    const drafts = Array.from({ length: 101 }, (_, k) => ({ ...TEA, value: `tea ${k}` }));
    const { written, refused } = await write({ drafts });
    expect(written).toBe(100);
    expect(refused).toMatchObject([{ index: 100, reason: 'too_many_claims' }]);
  });
});

/** Calls `before` with each write, then sends it; `after` once it is done. */
function spy(before: (one: Write) => void, after = () => {}): Store {
  return {
    ...tables.store,
    async write(one) {
      before(one);
      const outcome = await tables.store.write(one);
      after();
      return outcome;
    },
  };
}

describe('a crash between any two writes', () => {
  /** Dies at the n-th write: before it reached the table, or after, when only the reply is lost. */
  function dyingAt(n: number, moment: 'before' | 'after'): Store {
    let count = 0;
    const die = () => {
      throw new Error('died');
    };
    return spy(
      () => {
        if (++count === n && moment === 'before') die();
      },
      () => {
        if (count === n && moment === 'after') die();
      },
    );
  }

  it.each(['before', 'after'] as const)(
    '%s any write, then the same call again, ends in the same table',
    async (moment) => {
      const drafts = [MOVED, TEA, OSLO, { ...TEA, entity: 'Tom' }];
      let sent = 0;
      await write(
        { drafts },
        spy(() => sent++),
      );
      const expected = unversioned();
      expect(sent).toBe(2 + 4 + 3);
      for (let n = 1; n <= sent; n++) {
        tables.close();
        tables = createTestStore();
        await expect(write({ drafts }, dyingAt(n, moment))).rejects.toThrow('died');
        const isComplete = n === sent && moment === 'after';
        if (!isComplete) expect(unversioned()).not.toEqual(expected);
        await write({ drafts });
        expect(unversioned()).toEqual(expected);
      }
    },
  );

  it('a citation written without its head gets it from the next who writes the same', async () => {
    await expect(write({ drafts: [MOVED] }, dyingAt(3, 'before'))).rejects.toThrow('died');
    expect(rowsOf('HEAD#')).toEqual([]);
    await write({ drafts: [MOVED], passId: 'pass-2' });
    expect(headOf('lives_in').dated?.value).toBe('Denver');
  });
});
