/** A tool that refuses changes nothing and says what to do. */
import { describe, expect, it } from 'vitest';
import { TOOL_ERROR_CODES } from '../../functions/core/tool-errors.ts';
import type { EvidencePage, ReviewAnswer, Tools } from '../../functions/worker/executor/executor.ts';
import type { Store } from '../../functions/io/ports.ts';
import type { Item, Write } from '../../schema/request.ts';
import { notes } from '../support/deployment.ts';
import { settledOf, useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';
import { withoutClause } from '../support/without-clause.ts';

const deploy = useDeployments();
const CLAIM = '@claim Ann | lives_in | Oslo';
const draft = (start: number) => ({
  entity: 'Ann',
  attribute: 'lives_in',
  cardinality: 'one' as const,
  value: 'Oslo',
  quote: { text: 'Ann', start, end: start + 3 },
});

interface Called {
  readonly answer: ReviewAnswer;
  readonly before: readonly Item[];
  readonly after: readonly Item[];
}

/** What the call changed but the beat of its pass. */
async function inOnePass(call: (tools: Tools, page: EvidencePage) => Promise<ReviewAnswer>): Promise<Called> {
  const called: Called[] = [];
  const rows = () => deployment.items().filter((item) => item.heartbeatAtMs === undefined);
  const executor = scripted(async (tools, nth) => {
    const page = await tools.searchEvidence({ limit: 2 });
    if (nth > 0 || page.items.length === 0) return;
    const before = rows();
    called.push({ answer: await call(tools, page), before, after: rows() });
    await tools.reviewEvidence(page.items);
  });
  const deployment = deploy({ executor });
  await deployment.ingest(
    's',
    notes(3, (k) => `Ann ${k}. ${CLAIM}`),
  );
  await deployment.ingest(
    't',
    notes(1, () => 'of another scope'),
  );
  await look(deployment);
  expect(deployment.crashes).toEqual([]);
  const [first] = called;
  if (!first) throw new Error('no pass called');
  return first;
}

const first = (page: EvidencePage): string => page.items[0]?.source ?? '';
const start = (page: EvidencePage): number => page.items[0]?.start ?? 0;

describe('review_evidence', () => {
  it.each<[string, (tools: Tools, page: EvidencePage) => Parameters<Tools['reviewEvidence']>[0], RegExp]>([
    ['unknown_source', () => [{ source: 'note:nobody@0123456789abcdef' }], /there is no source "note:nobody@/],
    ['unknown_source', () => [{ source: 'gibberish' }], /kind:id@revision/],
    ['unknown_source', () => [{ source: undefined as never }], /there is no source undefined: name one/],
    ['unknown_source', () => [{ source: { id: 7 } as never }], /there is no source {"id":7}: name one/],
    ['scope_mismatch', (_, page) => [{ source: first(page), scope: 't' }], /this pass reads scope s, not "t"/],
    [
      'source_changed',
      (_, page) => [{ source: first(page).replace(/@.*/, '@0123456789abcdef') }],
      /it is "note:note-\d@[0-9a-f]{16}" now/,
    ],
    ['quote_not_found', (_, page) => [{ source: first(page), through: 'Bob' }], /word by word/],
    ['offset_out_of_range', (_, page) => [{ source: first(page), through: 1_000 }], /which is 0 to \d+: ask within it/],
  ])('refuses with %s an item, its claims too', async (code, items, words) => {
    const { answer, before, after } = await inOnePass((tools, page) =>
      tools.reviewEvidence(items(tools, page).map((item) => ({ ...item, claims: [draft(start(page))] }))),
    );
    expect(answer).toMatchObject({ reviewed: 0, claimsWritten: 0, refused: [{ reason: code }] });
    expect(answer.refused[0]?.message).toMatch(words);
    expect(after).toEqual(before);
  });

  it('refuses with not_delivered what stands in the queue, and what was only looked up', async () => {
    const { answer, before, after } = await inOnePass(async (tools, page) => {
      const other = [0, 1, 2].find((k) => !page.items.some(({ source }) => source.startsWith(`note:note-${k}@`)));
      const found = await tools.searchEvidence({ source: `note:note-${other}` });
      return tools.reviewEvidence(found.items.map(({ source }) => ({ source, claims: [draft(0)] })));
    });
    expect(answer).toMatchObject({ reviewed: 0, refused: [{ reason: 'not_delivered' }] });
    expect(answer.refused[0]?.message).toMatch(/a look-up is no delivery/);
    expect(after).toEqual(before);
  });

  it('refuses with already_reviewed what is acknowledged, and writes its claims once', async () => {
    const { answer, before, after } = await inOnePass(async (tools, page) => {
      await tools.reviewEvidence(page.items);
      return tools.reviewEvidence([{ source: first(page), claims: [draft(start(page))] }]);
    });
    expect(answer).toMatchObject({ reviewed: 0, claimsWritten: 0, refused: [{ reason: 'already_reviewed' }] });
    expect(answer.refused[0]?.message).toMatch(/acknowledged up to character \d+ already/);
    expect(after).toEqual(before);
  });

  it.each<[string, number]>([
    ['no_items', 0],
    ['too_many_items', 51],
  ])('refuses a call with %s, all of it', async (code, count) => {
    const { answer, before, after } = await inOnePass((tools, page) =>
      tools.reviewEvidence(Array.from({ length: count }, () => ({ source: first(page) }))),
    );
    expect(answer).toMatchObject({ reviewed: 0, refused: [], error: { code } });
    expect(answer.error?.message).toMatch(/50/);
    expect(after).toEqual(before);
  });

  it('takes the others beside one that is refused, with their claims', async () => {
    const { answer, before, after } = await inOnePass((tools, page) =>
      tools.reviewEvidence([
        { source: 'note:nobody@0123456789abcdef' },
        ...page.items.map(({ source, start: at }) => ({ source, claims: [draft(at)] })),
      ]),
    );
    expect(answer).toMatchObject({ reviewed: 2, claimsWritten: 2, refused: [{ reason: 'unknown_source' }] });
    expect(after.length).toBeGreaterThan(before.length);
  });
});

describe('search_evidence', () => {
  it.each<[string, Parameters<Tools['searchEvidence']>[0]]>([
    ['unknown_source', { source: 'note:nobody' }],
    ['unknown_source', { source: undefined as never }],
    ['unknown_source', { source: 7 as never }],
    ['offset_out_of_range', { source: 'note:note-0', start: '3' as never }],
    ['invalid_time', { query: 'Ann', since: 7 as never }],
    ['scope_mismatch', { source: 'note:note-0', scope: 't' }],
    ['scope_mismatch', { scope: 't' }],
    ['scope_mismatch', { query: 'another', scope: 't' }],
    ['offset_out_of_range', { source: 'note:note-0', start: 5_000 }],
    ['offset_out_of_range', { source: 'note:note-0', start: 3, end: 2 }],
    ['invalid_time', { query: 'Ann', since: 'last week' }],
  ])('refuses with %s', async (code, request) => {
    const pages: EvidencePage[] = [];
    await inOnePass(async (tools) => {
      pages.push(await tools.searchEvidence(request));
      return { reviewed: 0, claimsWritten: 0, progress: [], refused: [] };
    });
    expect(pages).toMatchObject([{ items: [], hasMore: false, error: { code } }]);
  });

  it('takes a query of another type for none', async () => {
    const pages: EvidencePage[] = [];
    await inOnePass(async (tools) => {
      pages.push(await tools.searchEvidence({ query: 7 as never }));
      return { reviewed: 0, claimsWritten: 0, progress: [], refused: [] };
    });
    expect(pages).toMatchObject([{ lookUp: true }]);
  });

  it('has every code shown here', () => {
    expect(TOOL_ERROR_CODES).toHaveLength(10);
  });
});

/** Puts an acknowledgement of a source the pass was never given into its REVIEW row, as a session without the check would. */
function forging(store: Store, sourceKey: string, length: number): Store {
  const forge = (write: Write): Write => {
    const item = write.kind === 'put' ? write.input.Item : undefined;
    if (write.kind !== 'put' || !Array.isArray(item?.reviews)) return write;
    const reviews = [...item.reviews, { sourceKey, from: 0, to: length, length }];
    return { ...write, input: { ...write.input, Item: { ...item, reviews } } };
  };
  return { ...store, write: (write) => store.write(forge(write)) };
}
function unfenced(store: Store): Store {
  const open = (write: Write): Write =>
    JSON.stringify(write.input).includes('settledBy') ? withoutClause(write, '#leasePass = :me') : write;
  return { ...store, write: (write) => store.write(open(write)) };
}

describe('a source that another live pass holds', () => {
  /** The first pass holds one source and falls silent; the second acknowledges it, and reads the rest. */
  async function run(wraps: { forged?: boolean; fenceless?: boolean } = {}) {
    const answers: ReviewAnswer[] = [];
    let held = '';
    const executor = {
      name: 'stub',
      async run(tools: Tools, { sleep }: { sleep: (ms: number) => Promise<void> }) {
        const isHolder = held === '';
        if (isHolder) held = 'soon';
        const { items } = await tools.searchEvidence({ limit: isHolder ? 1 : 10 });
        if (isHolder) {
          held = items[0]?.source ?? '';
          await sleep(100_000);
          throw new Error('the holder breaks off');
        }
        const found = await tools.searchEvidence({ source: held });
        expect(found.items).toMatchObject([{ source: held, heldByOtherPass: true }]);
        answers.push(await tools.reviewEvidence([{ source: held }, ...items]));
      },
    };
    const deployment = deploy({
      executor,
      settings: { maxPassesPerScope: 2, passTimeoutMs: 300_000 },
      wrapStore: (store, name) => {
        if (name === 'worker' && wraps.forged) {
          const [kind = '', id = ''] = held.split(/[:@]/);
          return forging(store, `${kind}#${id}#${held.split('@')[1]}`, 27);
        }
        return name === 'finalizer' && wraps.fenceless ? unfenced(store) : store;
      },
    });
    await deployment.ingest(
      's',
      notes(4, () => 'Nothing much happened here.'),
    );
    await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' });
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1_000 });
    await look(deployment, { parallel: 1, forMs: 5_000 });
    const settled = settledOf(deployment);
    const holders = deployment.evidence().filter((item) => item.leasePass !== undefined).length;
    return { deployment, answers, settled, holders };
  }

  it('is looked up and acknowledged in vain: only the rest is settled; delivered again when its holder fails', async () => {
    const { deployment, answers, settled, holders } = await run();
    expect(answers).toMatchObject([{ reviewed: 3, refused: [{ reason: 'not_delivered' }] }]);
    expect([settled, holders]).toEqual([3, 1]);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 110_000 });
    expect(deployment.evidence().filter((item) => item.leasePass !== undefined)).toEqual([]);
    expect(deployment.evidence().filter((item) => item.state === 'pending')).toHaveLength(1);
  });

  it('is not settled by a forged acknowledgement either: the fence asks who holds it', async () => {
    expect(await run({ forged: true })).toMatchObject({ settled: 3, holders: 1 });
  });

  it('twin: without the check and without the fence it is settled unread', async () => {
    expect(await run({ forged: true, fenceless: true })).toMatchObject({ settled: 4 });
  });
});
