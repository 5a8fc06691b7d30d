/** The whole of a source is read, once: what was settled, range by range, is its length; no cut parts what is one character. */
import { describe, expect, it } from 'vitest';
import type { EvidenceFragment } from '../../functions/worker/executor/executor.ts';
import type { Store } from '../../functions/io/ports.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { SettingOverrides } from '../../schema/settings.ts';
import { useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';

const deploy = useDeployments();

interface Range {
  readonly from: number;
  readonly to: number;
}

/** What the finalizer settled, as the row took it. */
const observing = (ranges: Range[], store: Store): Store => ({
  ...store,
  async write(write) {
    const outcome = await store.write(write);
    const values = (write.input as { ExpressionAttributeValues?: Record<string, unknown> }).ExpressionAttributeValues;
    if (outcome.kind === 'won' && values?.[':set_settledBy'] !== undefined) {
      ranges.push({ from: Number(values[':from']), to: Number(values[':set_cursor']) });
    }
    return outcome;
  },
});

async function readAll(text: string, settings: SettingOverrides, pagesPerPass = Number.POSITIVE_INFINITY) {
  const fragments: EvidenceFragment[] = [];
  const ranges: Range[] = [];
  const executor = scripted(async (tools) => {
    for (let page = 0; page < pagesPerPass; page++) {
      const { items } = await tools.searchEvidence({});
      if (items.length === 0) return;
      fragments.push(...items);
      await tools.reviewEvidence(items.map(({ source }) => ({ source })));
    }
  });
  const wrapStore = (store: Store, name: string) => (name === 'finalizer' ? observing(ranges, store) : store);
  const deployment = deploy({ executor, settings, wrapStore });
  await deployment.ingest('s', [{ kind: 'document', id: 'long', format: 'text', text }]);
  await look(deployment);
  expect(deployment.crashes).toEqual([]);
  return { fragments, ranges, evidence: deployment.evidence() };
}

/** Whether the ranges follow each other from 0 to the length without a gap or an overlap. */
function expectWhole({ fragments, ranges, evidence }: Awaited<ReturnType<typeof readAll>>, text: string): void {
  const length = Number(evidence[0]?.length);
  expect(evidence).toMatchObject([{ state: 'settled', cursor: length }]);
  expect(ranges.map(({ from }) => from)).toEqual([0, ...ranges.slice(0, -1).map(({ to }) => to)]);
  expect(ranges.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(length);
  expect(fragments.map((fragment) => fragment.text).join('') === text).toBe(true);
}

const PARAGRAPH = `${'Some words of a long report that somebody wrote down. '.repeat(9).trimEnd()}\n\n`;
const fill = (unit: string, characters: number): string =>
  unit
    .repeat(Math.ceil(characters / unit.length))
    .slice(0, characters - 1)
    .concat('.');

describe('a source is covered', () => {
  it.each<[string, string, SettingOverrides, number]>([
    ['83,400 characters', fill(PARAGRAPH, 83_400), { pageCharacters: 16_000 }, 2],
    ['8.8 MB', fill(PARAGRAPH, 8_800_000), { pageCharacters: 250_000 }, 9],
    ['one line of 400 KB', fill('abcdefghij', 400_000), { pageCharacters: 32_000 }, 4],
  ])(
    '%s',
    async (_, text, settings, pagesPerPass) => {
      const read = await readAll(text, settings, pagesPerPass);
      expectWhole(read, text);
      expect(read.ranges.length).toBeGreaterThan(2);
    },
    60_000,
  );
});

/** The grapheme boundaries of a text, in characters. */
function boundariesOf(text: string): Set<number> {
  const ends = new Set([0]);
  let at = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    at += Array.from(segment).length;
    ends.add(at);
  }
  return ends;
}

describe('what is one character to its reader', () => {
  const PART = LIMITS.textPartCharacters;
  it.each([
    ['families of emoji', '👨‍👩‍👧‍👦'],
    ['flags', '🇳🇴'],
    ['letters with marks', 'e\u0301\u0302\u0323'],
    ['marked letters and spaces', 'n\u0308. \u0301'],
    ['thumbs with skin', '👍🏽'],
  ])(
    'stays whole, at page ends and at part ends: %s',
    async (_, unit) => {
      // Odd, so that no end of a page or of a part is one of the text's by chance.
      const text = `x${unit.repeat(Math.ceil((1.3 * PART) / Array.from(unit).length))}y`.normalize('NFC');
      const read = await readAll(text, { pageCharacters: 16_000 });
      expectWhole(read, text);
      const boundaries = boundariesOf(text);
      expect(read.fragments.map(({ end }) => end).filter((end) => !boundaries.has(end))).toEqual([]);
    },
    60_000,
  );

  it('stays whole where a page ends with a part', async () => {
    const text = `${'x'.repeat(PART - 1)}👨‍👩‍👧‍👦${'y'.repeat(PART)}`;
    const read = await readAll(text, { pageCharacters: PART });
    expectWhole(read, text);
    expect(read.fragments[0]?.end).toBe(PART - 1);
  });
});
