/** Look-ups: an exact fragment, and a search of the newest sources. They lease nothing, count as nothing, move nothing. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../functions/io/ports.ts';
import type { EvidencePage, Tools } from '../../functions/worker/executor/executor.ts';
import { isHeldByOther } from '../../functions/worker/look-up-source.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';
import { START_MS } from '../support/virtual-clock.ts';

const deploy = useDeployments();
type Request = Parameters<Tools['searchEvidence']>[0];
const HOUR_MS = 3_600_000;

interface Counted {
  writes: number;
  reads: number;
}
const counting = (counted: Counted, store: Store): Store => ({
  write: (write) => (counted.writes++, store.write(write)),
  get: (read) => (counted.reads++, store.get(read)),
  query: (read) => (counted.reads++, store.query(read)),
  batchGet: (read) => (counted.reads++, store.batchGet(read)),
});

interface LookedUp {
  readonly pages: EvidencePage[];
  /** Requests of each look-up. */
  readonly counted: Counted[];
  readonly deployment: Deployment;
}

/** Looks up in a pass that reads nothing else. */
async function lookUp(sources: readonly (readonly unknown[])[], requests: readonly Request[]): Promise<LookedUp> {
  const pages: EvidencePage[] = [];
  const counts: Counted[] = [];
  const counted: Counted = { writes: 0, reads: 0 };
  const executor = scripted(async (tools, nth) => {
    if (nth > 0) return;
    await tools.listAttention();
    for (const request of requests) {
      Object.assign(counted, { writes: 0, reads: 0 });
      pages.push(await tools.searchEvidence(request));
      counts.push({ ...counted });
    }
  });
  const wrapStore = (store: Store, name: string) => (name === 'worker' ? counting(counted, store) : store);
  const deployment = deploy({ executor, wrapStore });
  for (const batch of sources) await deployment.ingest('s', batch);
  await look(deployment);
  expect(deployment.crashes).toEqual([]);
  return { pages, counted: counts, deployment };
}

const note = (id: string, text: string, hoursAgo: number) => ({
  kind: 'note',
  id,
  format: 'text',
  text,
  capturedAt: new Date(START_MS - hoursAgo * HOUR_MS).toISOString(),
});
const idsOf = ({ items }: EvidencePage) => items.map(({ source }) => source.replace(/^note:(.*)@.*$/, '$1'));

describe('by source', () => {
  const text = `${'x'.repeat(70_000)}MIDDLE${'y'.repeat(70_000)}`;

  it('gives exactly the fragment that is asked for, across parts, by newest or by revision', async () => {
    const { pages, counted, deployment } = await lookUp(
      [[note('a', text, 1)]],
      [{ source: 'note:a', start: 65_530, end: 70_006 }, { source: 'note:a' }, { source: 'note:a', start: 140_000 }],
    );
    expect(pages[0]?.items).toMatchObject([{ start: 65_530, end: 70_006, length: 140_006 }]);
    expect(pages[0]?.items[0]?.text).toBe(text.slice(65_530, 70_006));
    expect(pages[1]?.items[0]).toMatchObject({ start: 0, end: LIMITS.lookUpExcerptCharacters });
    expect(pages[2]?.items[0]?.text).toBe('yyyyyy');
    expect(counted).toEqual(counted.map(() => ({ writes: 0, reads: 3 })));
    const { revision, ...row } = deployment.evidence()[0] ?? {};
    expect(row).toMatchObject({ state: 'pending', stalls: 0, attempts: 0, seq: 1, cursor: 0 });
    expect(pages.map((page) => page.items[0]?.source)).toEqual(pages.map(() => `note:a@${String(revision)}`));
  });

  it('gives no more than one answer holds', async () => {
    const { pages } = await lookUp([[note('a', text, 1)]], [{ source: 'note:a', start: 5, end: 16_006 }]);
    expect(pages).toMatchObject([{ items: [], error: { code: 'offset_out_of_range' } }]);
    expect(pages[0]?.error?.message).toMatch(/5 to 16005/);
  });

  it('gives an older revision where it is named, and says that a session still goes on', async () => {
    const session = (turns: string, completed: boolean) => ({ id: 'b', text: turns, completed });
    const turn = (words: string) => JSON.stringify({ speaker: 'Ann', text: words });
    const { deployment } = await lookUp(
      [[note('a', 'first', 2), session(turn('hi'), false)], [note('a', 'second', 1)]],
      [],
    );
    const [old] = deployment.evidence().filter((item) => item.id === 'a' && item.state === 'obsolete');
    const { pages } = await lookUp(
      [[note('a', 'first', 2), session(turn('hi'), false)], [note('a', 'second', 1)]],
      [{ source: `note:a@${String(old?.revision)}` }, { source: 'note:a' }, { source: 'transcript:b' }],
    );
    expect(pages.map(({ items }) => items[0]?.text)).toEqual(['first', 'second', 'Ann: hi']);
    expect(pages.map(({ items }) => items[0]?.unfinished)).toEqual([undefined, undefined, true]);
  });
});

describe('by query', () => {
  it('finds words as they stand in any case, more of them first, then the newer', async () => {
    const sources = [
      note('old-both', 'She moved to Denver in May.', 9),
      note('new-one', 'Denver again.', 1),
      note('none', 'Nothing of it.', 2),
      note('old-one', 'the DENVER list', 5),
    ];
    const { pages } = await lookUp([sources], [{ query: 'denver may' }, { query: 'c++ (x' }, { query: '' }]);
    expect(pages.map(idsOf)).toEqual([
      ['old-both', 'new-one', 'old-one'],
      [],
      ['new-one', 'none', 'old-one', 'old-both'],
    ]);
    expect(pages[0]).toMatchObject({ lookUp: true, hasMore: false });
    expect(pages[0]?.searchedBack).toBe(new Date(START_MS - 9 * HOUR_MS).toISOString());
  });

  it('keeps to since..before, before not included', async () => {
    const sources = [1, 2, 3, 4].map((hours) => note(`h${hours}`, 'word', hours));
    const at = (hours: number) => new Date(START_MS - hours * HOUR_MS).toISOString();
    const { pages } = await lookUp(
      [sources],
      [
        { query: 'word', since: at(3), before: at(1) },
        { since: at(2) },
        { before: at(3) },
        { since: at(1), before: at(2) },
      ],
    );
    expect(pages.map(idsOf)).toEqual([['h2', 'h3'], ['h1', 'h2'], ['h4'], []]);
  });

  it('takes eight words and says so; excerpts of 2,000 characters, 16,000 in all', async () => {
    const long = notes(12, (k) => `${'.'.repeat(3_000)}needle ${k}${'.'.repeat(3_000)}`);
    const { pages } = await lookUp([long], [{ query: 'needle a b c d e f g h i' }]);
    const sizes = pages[0]?.items.map(({ start, end, text }) => [end - start, text.length]) ?? [];
    expect(sizes).toEqual([
      ...Array.from({ length: 8 }, () => [2_000, 2_000]),
      ...Array.from({ length: 4 }, () => [0, 0]),
    ]);
    expect(pages[0]?.items[0]).toMatchObject({ start: 2_300, text: expect.stringContaining('needle 0') });
    expect(pages[0]?.note).toMatch(/first 8 words/);
  });

  it('looks at the 200 newest and says how far back, at the same cost however many there are', async () => {
    const many = (count: number) =>
      Array.from({ length: Math.ceil(count / 50) }, (_, batch) =>
        notes(count, (k) => `note ${k}`).slice(batch * 50, batch * 50 + 50),
      );
    const small = await lookUp(many(201), [{ query: 'note' }]);
    const large = await lookUp(many(450), [{ query: 'note' }]);
    for (const { pages, counted } of [small, large]) {
      expect(pages[0]?.searchedBack).toBe(new Date(START_MS - 200 * 60_000).toISOString());
      expect(pages[0]).toMatchObject({ hasMore: true });
      expect(pages[0]?.items).toHaveLength(LIMITS.lookUpItemsMax);
      // One Query, two batches, two reads a source that is answered.
      expect(counted).toEqual([{ writes: 0, reads: 1 + 2 + 2 * LIMITS.lookUpItemsMax }]);
    }
    const rows = large.deployment.evidence();
    expect(rows.every(({ seq, stalls, attempts }) => seq === 1 && stalls === 0 && attempts === 0)).toBe(true);
  }, 60_000);

  it('reads no more text than two batches: what is longer is searched in its beginning, and said to be', async () => {
    const part = LIMITS.textPartCharacters;
    const { pages, counted } = await lookUp(
      [[note('new', 'needle', 1)], [note('huge', `${'z'.repeat(205 * part)}needle`, 2)], [note('old', 'needle', 3)]],
      [{ query: 'needle' }],
    );
    expect(pages.map(idsOf)).toEqual([['new']]);
    expect(pages[0]).toMatchObject({ hasMore: true, note: expect.stringContaining('only its beginning') });
    expect(pages[0]?.searchedBack).toBe(new Date(START_MS - 2 * HOUR_MS).toISOString());
    expect(counted).toEqual([{ writes: 0, reads: 1 + 2 + 2 }]);
  }, 60_000);

  it('shows only the newest revision, and ids of any length', async () => {
    const id = `sessions/${'ä'.repeat(120)} #1%`;
    const { pages } = await lookUp([[note(id, 'needle one', 2)], [note(id, 'needle two', 1)]], [{ query: 'needle' }]);
    expect(pages[0]?.items).toMatchObject([{ text: 'needle two', source: expect.stringContaining(`note:${id}@`) }]);
  });

  it('does not stall what it shows: twin, the same source delivered from the queue', async () => {
    const stalls = async (request: Request) => {
      const deployment = deploy({ executor: scripted(async (tools) => void (await tools.searchEvidence(request))) });
      await deployment.ingest('s', [note('a', 'needle', 1)]);
      await look(deployment);
      return deployment.evidence()[0];
    };
    expect(await stalls({ query: 'needle' })).toMatchObject({ stalls: 0, seq: 1 });
    expect(await stalls({ source: 'note:a' })).toMatchObject({ stalls: 0, seq: 1 });
    expect(await stalls({})).toMatchObject({ stalls: 1, seq: 3 });
  });
});

describe('a source is marked as held by another pass', () => {
  const lease = (untilMs: number, leasePass = 'other') => ({ leasePass, leaseExpiresAtMs: START_MS + untilMs });

  it.each([
    ['while its lease lasts', lease(1), true],
    ['for the margin beyond it: until then nobody can take it', lease(-LIMITS.leaseMarginMs), true],
    ['and no longer', lease(-LIMITS.leaseMarginMs - 1), false],
    ['not by the pass that asks', lease(1, 'me'), false],
    ['not when nobody holds it', {}, false],
  ])('%s', (_, evidence, isHeld) => {
    expect(isHeldByOther(evidence, 'me', START_MS)).toBe(isHeld);
  });
});
