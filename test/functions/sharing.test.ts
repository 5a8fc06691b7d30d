/** Passes of one scope share its queue: each source is in one of them, and who gets none is told why. */
import { describe, expect, it } from 'vitest';
import type { EvidencePage, Executor, Tools } from '../../functions/worker/executor/executor.ts';
import type { QueryPage, Store } from '../../functions/io/ports.ts';
import { leaseEvidence, parseEvidence, sourceKeyOfEvidence } from '../../schema/evidence.ts';
import { leasePageSchema } from '../../schema/lease-page.ts';
import { queryTakeable } from '../../schema/queue.ts';
import type { Write } from '../../schema/request.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { useDeployments } from '../support/deployments.ts';
import { START_MS } from '../support/virtual-clock.ts';
import { withoutClause } from '../support/without-clause.ts';

const deploy = useDeployments();
const QUEUE = { scope: 's', generation: 1, lane: 'incremental' } as const;
const RIVAL = `9${'0'.repeat(37)}`;
const FREE = 'attribute_not_exists(#leasePass) OR #leasePass = :me OR #leaseExpiresAtMs < :expiredBefore';

type Wrap = (store: Store, name: string) => Store;
interface OpenPass {
  readonly tools: Tools;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

const isLease = (write: Write): boolean =>
  write.kind === 'update' && (write.input.UpdateExpression ?? '').includes('#leasePass = :');
const isLeaseRow = (write: Write): boolean => write.kind === 'put' && String(write.input.Item?.sk).includes('#LEASE#');
/** Takes a source whoever holds it, however old the reading. */
const blind: Wrap = (store) => ({
  ...store,
  write: (write) => store.write(isLease(write) ? withoutClause(withoutClause(write, '#seq = :seq'), FREE) : write),
});
/** All passes see the queue as it stood when the first of them asked: an index may be behind by that much. */
const frozen = (): Wrap => {
  let seen: Promise<QueryPage> | undefined;
  return (store, name) => ({
    ...store,
    async query(read) {
      if (name !== 'worker' || read.input.IndexName === undefined) return store.query(read);
      const { items } = await (seen ??= store.query(queryTakeable(QUEUE, 100)));
      const { ':from': from = '', ':to': to = '' } = read.input.ExpressionAttributeValues ?? {};
      const found = items.filter(({ queueKey }) => String(queueKey) >= from && String(queueKey) <= to);
      const ordered = read.input.ScanIndexForward === false ? found.reverse() : found;
      return { items: ordered.slice(0, read.input.Limit), lastKey: undefined };
    },
  });
};
const both =
  (...wraps: readonly Wrap[]): Wrap =>
  (store, name) =>
    wraps.reduce((inner, wrap) => wrap(inner, name), store);

/** As many passes of one scope as asked for, running, with their tools in the test's hands. */
async function openPasses(count: number, sources: number, wrapStore?: Wrap) {
  const passes: OpenPass[] = [];
  const executor: Executor = {
    name: 'stub',
    run: (tools) => new Promise<void>((end, fail) => void passes.push({ tools, end, fail })),
  };
  const deployment = deploy({
    executor,
    settings: { maxPassesPerScope: count, maxConcurrentPasses: count },
    ...(wrapStore && { wrapStore }),
  });
  await deployment.ingest('s', notes(sources));
  await deployment.ask({ scope: 's', origin: 'drain', kind: 'incremental', parallel: count });
  await settle(deployment);
  expect(passes).toHaveLength(count);
  return { deployment, passes: passes as [OpenPass, OpenPass, ...OpenPass[]] };
}
const settle = (deployment: Deployment) => deployment.quiesce({ untilMs: deployment.clock.nowMs() + 100 });
const namesOf = (...pages: readonly EvidencePage[]) => pages.flatMap(({ items }) => items.map(({ source }) => source));
const overlapOf = (pages: readonly EvidencePage[]) => namesOf(...pages).length - new Set(namesOf(...pages)).size;
const holdersOf = (deployment: Deployment) =>
  Object.fromEntries(
    [...Map.groupBy(deployment.evidence(), ({ leasePass }) => (leasePass === RIVAL ? 'rival' : String(leasePass)))].map(
      ([holder, rows]) => [holder === 'rival' || holder === 'undefined' ? holder : 'pass', rows.length],
    ),
  );

describe('two passes on six sources, three each', () => {
  const pagesOf = async (count: number, wrap?: Wrap) => {
    const { passes } = await openPasses(count, 6, wrap);
    const pages: EvidencePage[] = [];
    for (const { tools } of passes) pages.push(await tools.searchEvidence({ limit: 3 }));
    return { pages, passes };
  };

  it('get them all, none of them both; each may look its own up again; a third gets none, and is told why', async () => {
    const { pages, passes } = await pagesOf(3);
    const [first, second, third] = pages as [EvidencePage, EvidencePage, EvidencePage];
    expect([namesOf(first, second).length, overlapOf([first, second])]).toEqual([6, 0]);
    expect(third).toMatchObject({ items: [], heldByOtherPasses: true });
    const [own = ''] = namesOf(first);
    const again = await passes[0].tools.searchEvidence({ source: own });
    expect(again.items).toMatchObject([{ source: own }]);
    expect(again.items[0]).not.toHaveProperty('heldByOtherPass');
    const others = await passes[1].tools.searchEvidence({ source: own });
    expect(others.items).toMatchObject([{ source: own, heldByOtherPass: true }]);
  });

  it('get no source twice either while the index shows what it showed at first', async () => {
    const { pages } = await pagesOf(2, frozen());
    expect([namesOf(...pages).length, overlapOf(pages)]).toEqual([6, 0]);
  });

  it('twin: with leases that ask for nobody some of the three go to both', async () => {
    const { pages } = await pagesOf(2, both(frozen(), blind));
    expect(overlapOf(pages)).toBeGreaterThan(0);
  });
});

describe('two passes that read the same four sources at the same moment', () => {
  const race = async (wrap: Wrap) => {
    const { passes } = await openPasses(2, 4, wrap);
    return Promise.all(passes.map(({ tools }) => tools.searchEvidence({ limit: 4 })));
  };

  it('get each in one of them', async () => {
    const pages = await race(frozen());
    expect([new Set(namesOf(...pages)).size, overlapOf(pages)]).toEqual([4, 0]);
  });

  it('twin: with leases that ask for nobody all four go to both', async () => {
    expect(overlapOf(await race(both(frozen(), blind)))).toBe(4);
  });
});

describe('a pass whose sources are taken between its look and its leases', () => {
  /** A rival takes so many of four when the pass has looked, and lists what it is about to lease. */
  const overtaken = (taken: number): Wrap => {
    let armed = true;
    return (store, name) => ({
      ...store,
      async write(write) {
        if (name === 'worker' && isLeaseRow(write) && armed) {
          armed = false;
          const listed = leasePageSchema.parse(write.kind === 'put' ? write.input.Item : undefined).sourceKeys;
          const rows = (await store.query(queryTakeable(QUEUE, 9))).items.map(({ sk, seq }) => ({
            sourceKey: sourceKeyOfEvidence(String(sk), 'incremental'),
            seq: Number(seq),
          }));
          const isListed = ({ sourceKey }: (typeof rows)[number]) => listed.includes(sourceKey);
          rows.sort((a, b) => Number(isListed(b)) - Number(isListed(a)));
          for (const row of rows.slice(0, taken)) await store.write(rivalLease(row));
        }
        return store.write(write);
      },
    });
  };
  const rivalLease = ({ sourceKey, seq }: { sourceKey: string; seq: number }): Write => {
    const lease = { passId: RIVAL, seq, nowMs: START_MS, expiresAtMs: START_MS + 300_000, op: `rival ${sourceKey}` };
    return leaseEvidence({ ...QUEUE, sourceKey }, lease);
  };

  it('one of them: gets the next in its place, so that its page is full', async () => {
    const { deployment, passes } = await openPasses(2, 4, overtaken(1));
    const page = await passes[0].tools.searchEvidence({ limit: 3 });
    expect(page).toMatchObject({ hasMore: false });
    expect(page).not.toHaveProperty('heldByOtherPasses');
    expect([page.items.length, overlapOf([page])]).toEqual([3, 0]);
    expect(holdersOf(deployment)).toEqual({ rival: 1, pass: 3 });
  });

  it('twin: with leases that ask for nobody it reads what the rival reads', async () => {
    const { deployment, passes } = await openPasses(2, 4, both(blind, overtaken(1)));
    const page = await passes[0].tools.searchEvidence({ limit: 3 });
    expect(page.items).toHaveLength(3);
    expect(holdersOf(deployment)).toEqual({ pass: 3, undefined: 1 });
  });

  it('all of them: has an empty page that says others hold the rest, and so has the next', async () => {
    const { deployment, passes } = await openPasses(2, 4, overtaken(4));
    for (const { tools } of passes) {
      const page = await tools.searchEvidence({ limit: 3 });
      expect(page).toMatchObject({ items: [], hasMore: false, heldByOtherPasses: true });
      expect(page.note).toMatch(/^Other passes hold .* finish now/);
    }
    expect(holdersOf(deployment)).toEqual({ rival: 4 });
  });

  it('twin: a reader that does not look at the leases says that nothing is left', async () => {
    const blinkered: Wrap = (store, name) => ({
      ...store,
      async query(read) {
        const from = String(read.input.ExpressionAttributeValues?.[':from'] ?? '');
        return name === 'worker' && from.startsWith('4') ? { items: [], lastKey: undefined } : store.query(read);
      },
    });
    const { passes } = await openPasses(2, 4, both(blinkered, overtaken(4)));
    const page = await passes[0].tools.searchEvidence({ limit: 3 });
    expect(page.items).toEqual([]);
    expect(page).not.toHaveProperty('heldByOtherPasses');
  });
});

describe('what a pass held that failed', () => {
  /** The second pass asks until it gets nothing, after the first has failed with all three. */
  async function failed(wrap?: Wrap): Promise<string[]> {
    const { deployment, passes } = await openPasses(2, 3, wrap);
    const held = await passes[0].tools.searchEvidence({});
    expect(held.items).toHaveLength(3);
    expect(await passes[1].tools.searchEvidence({})).toMatchObject({ items: [], heldByOtherPasses: true });
    passes[0].fail(new Error('the first breaks off'));
    await settle(deployment);
    const given: string[] = [];
    for (let page = 0; page < 4; page++) {
      const { items } = await passes[1].tools.searchEvidence({});
      if (items.length > 0) await passes[1].tools.reviewEvidence(items);
      given.push(...items.map(({ source }) => source));
    }
    return given;
  }

  it('goes to the other pass, without a tick', async () => {
    expect(new Set(await failed()).size).toBe(3);
  });

  it('twin: with leases that nobody gives back it waits for their expiry', async () => {
    const keeping: Wrap = (store, name) => ({
      ...store,
      write: async (write) =>
        name === 'finalizer' && write.kind === 'update' && (write.input.UpdateExpression ?? '').includes('#homeKey')
          ? { kind: 'held', stored: undefined }
          : store.write(write),
    });
    expect(await failed(keeping)).toEqual([]);
  });
});

describe('two passes with four of eight each', () => {
  it('settle all, each row by the pass that read it, and leave no lease', async () => {
    const { deployment, passes } = await openPasses(2, 8);
    const pages: EvidencePage[] = [];
    for (const { tools } of passes) pages.push(await tools.searchEvidence({ limit: 4 }));
    expect([namesOf(...pages).length, overlapOf(pages)]).toEqual([8, 0]);
    const readBy = new Map<string, string>();
    for (const row of deployment.evidence()) readBy.set(String(row.sk), String(row.leasePass));
    for (const [k, { tools, end }] of passes.entries()) {
      await tools.reviewEvidence(pages[k]?.items ?? []);
      end();
    }
    await settle(deployment);
    expect(new Set(readBy.values()).size).toBe(2);
    for (const row of deployment.evidence()) {
      expect(parseEvidence(row)).toMatchObject({ state: 'settled', settledBy: readBy.get(String(row.sk)) });
    }
    expect(deployment.leasesLeft()).toBe(0);
  });
});
