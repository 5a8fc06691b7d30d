/** A source that another pass began is read on from its cursor, with what stands before it shown again. */
import { describe, expect, it } from 'vitest';
import type { EvidenceFragment, ReviewAnswer, ReviewItem } from '../../functions/worker/executor/executor.ts';
import type { Store } from '../../functions/io/ports.ts';
import type { Write } from '../../schema/request.ts';
import { useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';
import { withoutClause } from '../support/without-clause.ts';

const deploy = useDeployments();
const SENTENCES = Array.from({ length: 60 }, (_, k) => `Sentence ${String(k).padStart(2, '0')} of this note. `);
const TEXT = SENTENCES.join('');
const source = { kind: 'note', id: 'a', format: 'text', text: TEXT };

interface Seen {
  readonly fragments: EvidenceFragment[];
  readonly answers: ReviewAnswer[];
}

/** Each pass reads one page, and sends the reviews of its turn, one call each. */
async function readIn(
  turns: readonly ((fragment: EvidenceFragment) => ReviewItem[])[],
  wrapStore?: (store: Store, name: string) => Store,
) {
  const seen: Seen = { fragments: [], answers: [] };
  const executor = scripted(async (tools, nth) => {
    const { items } = await tools.searchEvidence({});
    const [fragment] = items;
    if (!fragment) return;
    seen.fragments.push(fragment);
    for (const item of turns[nth]?.(fragment) ?? []) seen.answers.push(await tools.reviewEvidence([item]));
  });
  const deployment = deploy({ executor, ...(wrapStore && { wrapStore }) });
  await deployment.ingest('s', [source]);
  for (let k = 0; k < turns.length; k++) await look(deployment);
  return { ...seen, deployment, evidence: deployment.evidence()[0] };
}

const upTo = (through: number | string) => (fragment: EvidenceFragment) => [{ source: fragment.source, through }];
const all = ({ source: name }: EvidenceFragment) => [{ source: name }];

describe('a continuation', () => {
  it('begins at the cursor, and shows the last 200 characters before it', async () => {
    const { fragments, evidence } = await readIn([upTo(540), all]);
    expect(fragments[0]).not.toHaveProperty('overlap');
    expect(fragments[1]).toMatchObject({ start: 540, reviewedChars: 200, overlap: TEXT.slice(340, 540) });
    expect(fragments[1]?.text).toBe(TEXT.slice(540));
    expect(evidence).toMatchObject({ state: 'settled', cursor: TEXT.length });
  });

  it('shows less where there is less', async () => {
    const { fragments } = await readIn([upTo(27), all]);
    expect(fragments[1]).toMatchObject({ start: 27, reviewedChars: 27, overlap: TEXT.slice(0, 27) });
  });

  it('goes on without an overlap within one pass', async () => {
    const fragments: EvidenceFragment[] = [];
    const executor = scripted(async (tools) => {
      for (;;) {
        const { items } = await tools.searchEvidence({});
        if (items.length === 0) return;
        fragments.push(...items);
        await tools.reviewEvidence(items);
      }
    });
    const deployment = deploy({ executor, settings: { pageCharacters: 16_000 } });
    await deployment.ingest('s', [{ ...source, text: TEXT.repeat(20) }]);
    await look(deployment);
    expect(fragments.length).toBeGreaterThan(1);
    expect(fragments.filter(({ overlap }) => overlap !== undefined)).toEqual([]);
    expect(fragments.map(({ text }) => text).join('')).toBe(TEXT.repeat(20));
  });

  it('takes a quote that begins in what is shown again, and none that begins before it', async () => {
    const quoted = (start: number, end: number) => ({
      entity: 'Ann',
      attribute: 'lives_in',
      cardinality: 'one' as const,
      value: 'Oslo',
      quote: { text: TEXT.slice(start, end), start, end },
    });
    const { answers } = await readIn([
      upTo(540),
      ({ source: name }) => [{ source: name, claims: [quoted(530, 560), quoted(330, 360)] }],
    ]);
    expect(answers[1]).toMatchObject({ claimsWritten: 1, refused: [{ reason: 'quote_not_delivered' }] });
  });
});

describe('progress', () => {
  it('moves to the end of a quote', async () => {
    const quote = 'Sentence 07 of this note.';
    const { evidence } = await readIn([upTo(quote)]);
    expect(evidence).toMatchObject({ state: 'pending', cursor: TEXT.indexOf(quote) + quote.length });
  });

  it('stops at the gap when it is acknowledged out of order', async () => {
    const { evidence, answers } = await readIn([
      ({ source: name }) => [
        { source: name, from: 540, through: 810 },
        { source: name, from: 0, through: 270 },
      ],
    ]);
    expect(answers.map(({ reviewed, progress }) => [reviewed, progress[0]?.through])).toEqual([
      [0, 0],
      [1, 270],
    ]);
    expect(evidence).toMatchObject({ state: 'pending', cursor: 270 });
  });

  it('goes over a gap that was closed', async () => {
    const { evidence } = await readIn([
      ({ source: name }) => [
        { source: name, from: 540, through: 810 },
        { source: name, from: 270, through: 540 },
        { source: name, from: 0, through: 270 },
      ],
    ]);
    expect(evidence).toMatchObject({ state: 'pending', cursor: 810 });
  });

  const skewed = (without?: string) => (store: Store, name: string) => {
    if (name !== 'finalizer' && name !== 'worker') return store;
    const change = (write: Write): Write => {
      if (name === 'finalizer' && without && JSON.stringify(write.input).includes('settledBy')) {
        return withoutClause(write, without);
      }
      const item = write.kind === 'put' ? write.input.Item : undefined;
      if (name !== 'worker' || write.kind !== 'put' || !Array.isArray(item?.reviews)) return write;
      const reviews = item.reviews.map((review) => ({ ...review, from: 540, to: 810 }));
      return { ...write, input: { ...write.input, Item: { ...item, reviews } } };
    };
    return { ...store, write: (write: Write) => store.write(change(write)) };
  };

  it('is refused by the row when it does not begin at the cursor', async () => {
    expect((await readIn([all], skewed())).evidence).toMatchObject({ cursor: 0, state: 'pending' });
  });

  it('twin: without that clause characters are left unread', async () => {
    expect((await readIn([all], skewed('#cursor = :from'))).evidence).toMatchObject({ cursor: 810 });
  });
});
