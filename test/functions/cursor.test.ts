/** What moves a source's cursor, and what does not. Beside each scene its twin, where the rule is left out. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../functions/io/ports.ts';
import type { EvidenceFragment, ReviewAnswer, ReviewItem } from '../../functions/worker/executor/executor.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Review } from '../../schema/review-page.ts';
import type { Write } from '../../schema/request.ts';
import { notes } from '../support/deployment.ts';
import { scopeRowOf, useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';

const deploy = useDeployments();
type Wrap = (store: Store, name: string) => Store;

const QUOTE = 'Ann lives in Oslo.';
const TEXT = `First sentence. ${QUOTE} ${Array.from({ length: 20 }, (_, k) => `Sentence ${k} of it.`).join(' ')}`;

/** Passes that read one page each and acknowledge what their turn says of it. */
async function readIn(
  sources: readonly unknown[],
  turns: readonly ((items: readonly EvidenceFragment[]) => ReviewItem[])[],
  wrapStore?: Wrap,
) {
  const given: EvidenceFragment[][] = [];
  const answers: ReviewAnswer[] = [];
  const executor = scripted(async (tools, nth) => {
    const { items } = await tools.searchEvidence({});
    if (items.length === 0) return;
    given.push([...items]);
    const reviews = turns[nth]?.(items) ?? [];
    if (reviews.length > 0) answers.push(await tools.reviewEvidence(reviews));
  });
  const deployment = deploy({ executor, ...(wrapStore && { wrapStore }) });
  await deployment.ingest('s', sources);
  for (let k = 0; k < turns.length; k++) await look(deployment, { forMs: 1000 });
  return { deployment, given, answers };
}

/** The worker's acknowledgements, changed as a session without the rule would send them. */
const acknowledging =
  (change: (reviews: readonly Review[]) => readonly Review[]): Wrap =>
  (store, name) => ({
    ...store,
    async write(write) {
      const item = write.kind === 'put' ? write.input.Item : undefined;
      if (name !== 'worker' || write.kind !== 'put' || !Array.isArray(item?.reviews)) return store.write(write);
      const reviews = change(item.reviews as Review[]);
      return store.write({ ...write, input: { ...write.input, Item: { ...item, reviews } } });
    },
  });

describe('what was delivered and not acknowledged', () => {
  const first = ([item]: readonly EvidenceFragment[]) => (item ? [{ source: item.source }] : []);
  const two = notes(2, (k) => `Text ${k}.`);

  it('is delivered again, whole, to the next pass', async () => {
    const { given, deployment } = await readIn(two, [first, first]);
    expect(given.map((items) => items.length)).toEqual([2, 1]);
    expect(given[1]?.[0]).toMatchObject({ source: given[0]?.[1]?.source, start: 0, text: given[0]?.[1]?.text });
    expect(deployment.evidence().map(({ state }) => state)).toEqual(['settled', 'settled']);
  });

  it('twin: were it enough that it was delivered, it would be settled unread', async () => {
    const others: Review[] = [];
    const asDelivered = acknowledging((reviews) => [...reviews, ...others]);
    const noting = (items: readonly EvidenceFragment[]) => {
      for (const { source, length } of items.slice(1)) {
        others.push({ sourceKey: source.replace(/[:@]/g, '#'), from: 0, to: length, length });
      }
      return first(items);
    };
    const { given, deployment } = await readIn(two, [noting, first], asDelivered);
    expect(given).toHaveLength(1);
    expect(deployment.evidence().map(({ state }) => state)).toEqual(['settled', 'settled']);
  });
});

describe('an acknowledgement up to a quote', () => {
  const source = { kind: 'note', id: 'a', format: 'text', text: TEXT };
  const upTo = ([item]: readonly EvidenceFragment[]) => (item ? [{ source: item.source, through: QUOTE }] : []);
  const end = TEXT.indexOf(QUOTE) + QUOTE.length;

  it('moves the cursor to the end of that quote, and is no end of the source, though nothing was found in it', async () => {
    const { given, deployment } = await readIn([source], [upTo, () => []]);
    expect(deployment.evidence()).toMatchObject([{ state: 'pending', cursor: end }]);
    expect(given.slice(0, 2).map(([item]) => item?.start)).toEqual([0, end]);
  });

  it('twin: taken for all that was delivered, the rest is never read', async () => {
    const toTheEnd = acknowledging((reviews) => reviews.map((review) => ({ ...review, to: review.length })));
    const { given, deployment } = await readIn([source], [upTo, () => []], toTheEnd);
    expect(deployment.evidence()).toMatchObject([{ state: 'settled', cursor: TEXT.length }]);
    expect(given).toHaveLength(1);
  });
});

describe('a sentence that begins before the cursor', () => {
  const at = TEXT.indexOf(QUOTE);
  const cut = ([item]: readonly EvidenceFragment[]) => (item ? [{ source: item.source, through: at + 4 }] : []);
  const quoting = ([item]: readonly EvidenceFragment[]) => {
    const quote = { text: QUOTE, start: at, end: at + QUOTE.length };
    const claim = { entity: 'Ann', attribute: 'lives_in', cardinality: 'one' as const, value: 'Oslo', quote };
    return item ? [{ source: item.source, claims: [claim] }] : [];
  };
  const read = () => readIn([{ kind: 'note', id: 'a', format: 'text', text: TEXT }], [cut, quoting]);

  it('is shown again, and can be quoted', async () => {
    const { given, answers } = await read();
    expect(given[1]?.[0]).toMatchObject({ start: at + 4, reviewedChars: at + 4, overlap: TEXT.slice(0, at + 4) });
    expect(answers[1]).toMatchObject({ claimsWritten: 1, refused: [] });
  });

  it('twin: without an overlap what it says cannot be cited by anybody', async () => {
    const limits = LIMITS as { overlapCharacters: number };
    const { overlapCharacters } = limits;
    limits.overlapCharacters = 0;
    try {
      const { given, answers } = await read();
      expect(given[1]?.[0]).not.toHaveProperty('overlap');
      expect(answers[1]).toMatchObject({ claimsWritten: 0, refused: [{ reason: 'quote_not_delivered' }] });
    } finally {
      limits.overlapCharacters = overlapCharacters;
    }
  });
});

describe('progress of a stalled source', () => {
  const ignore = () => [];
  const part = ([item]: readonly EvidenceFragment[]) =>
    item ? [{ source: item.source, through: item.start + 4 }] : [];
  const open = async (wrap?: Wrap) => {
    const { deployment } = await readIn(
      notes(1, () => TEXT),
      [ignore, ignore, ignore, part],
      wrap,
    );
    const attention = deployment.rows('ATTENTION#evidence#').filter((item) => item.resolvedAtMs === undefined);
    return { stalls: deployment.evidence()[0]?.stalls, attention: attention.length };
  };

  // The pass that follows by itself ignores it: that is one again.
  it('sets its count back and closes its attention', async () => {
    expect(await open()).toEqual({ stalls: 1, attention: 0 });
  });

  it('twin: a finalizer that closes none asks a person about what is read on', async () => {
    const closingNone: Wrap = (store, name) => ({
      ...store,
      write: async (write: Write) =>
        name === 'finalizer' && JSON.stringify(write.input).includes('it was read on')
          ? { kind: 'held', stored: undefined }
          : store.write(write),
    });
    expect(await open(closingNone)).toEqual({ stalls: 1, attention: 1 });
  });
});

describe('two passes whose ends are told in the other order', () => {
  /** The first to end is finalized last; answers by how much the time of the last pass is behind the later end. */
  async function behindMs(wrapStore?: Wrap): Promise<number> {
    const ends: (() => void)[] = [];
    const executor = { name: 'stub', run: () => new Promise<void>((end) => void ends.push(end)) };
    const settings = { maxPassesPerScope: 2, maxConcurrentPasses: 2 };
    const deployment = deploy({ executor, settings, ...(wrapStore && { wrapStore }) });
    await deployment.ingest('s', notes(2));
    await deployment.ask({ scope: 's', origin: 'drain', kind: 'incremental', parallel: 2 });
    const forMs = (ms: number) => deployment.quiesce({ untilMs: deployment.clock.nowMs() + ms });
    await forMs(100);
    deployment.lost.add('stream');
    ends[0]?.();
    await forMs(5000);
    deployment.lost.delete('stream');
    ends[1]?.();
    await forMs(1000);
    const [early] = deployment.passes().filter((pass) => pass.finalizedAtMs === undefined);
    await deployment.finalizeKey({ pk: String(early?.pk), sk: String(early?.sk) });
    const endedAtMs = deployment.passes().map((pass) => Number(pass.endedAtMs));
    expect(Math.max(...endedAtMs) - Math.min(...endedAtMs)).toBe(5000);
    return Math.max(...endedAtMs) - Number(scopeRowOf(deployment)?.lastPassAtMs);
  }

  it('leave the time of the last pass at the later end', async () => {
    expect(await behindMs()).toBe(0);
  });

  it('twin: set by whoever comes last, it goes back', async () => {
    const setting: Wrap = (store, name) => ({
      ...store,
      async write(write) {
        const values = write.input.ExpressionAttributeValues;
        const counted = values?.[':set_counted'] as Record<string, number> | undefined;
        const endedAtMs = counted && Object.values(counted).at(-1);
        if (name !== 'finalizer' || endedAtMs === undefined) return store.write(write);
        const changed = { ...values, ':set_lastPassAtMs': endedAtMs };
        return store.write({ ...write, input: { ...write.input, ExpressionAttributeValues: changed } } as Write);
      },
    });
    expect(await behindMs(setting)).toBe(5000);
  });
});
