/** The samples as passes would deliver them, their claims found once, written in any order by several passes at once. */
import type { ClaimDraft } from '../../functions/core/claim-draft.ts';
import { countCharacters, sliceCharacters } from '../../functions/core/characters.ts';
import { prepareSource } from '../../functions/core/intake.ts';
import { writeClaims } from '../../functions/worker/claim-writer.ts';
import { loadRules } from '../../functions/worker/executor/rules/extract.ts';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceRef } from '../../schema/ids.ts';
import { passIdAt } from '../schema/samples.ts';
import { type ClaimScene, countsFrom, createClaimScene, slowed } from './claim-scene.ts';

const SAMPLES = join(import.meta.dirname, '../../samples');
const NOW_MS = Date.UTC(2026, 0, 1);

export interface SampleSource {
  readonly source: SourceRef;
  readonly capturedAtMs: number;
  readonly text: string;
  readonly drafts: readonly ClaimDraft[];
}

/** Every sample that is taken in, with what the built-in rules find in it. */
export async function readSampleSources(): Promise<SampleSource[]> {
  const { extractClaims } = await loadRules();
  const paths = globSync('**/*.{jsonl,md,txt}', { cwd: SAMPLES }).map((path) => path.replaceAll('\\', '/'));
  return paths.sort().flatMap((path): SampleSource[] => {
    const given = { id: path, text: readFileSync(join(SAMPLES, path), 'utf8'), modifiedAt: '2025-01-01T00:00:00Z' };
    const intake = prepareSource(given, NOW_MS);
    if (intake.kind === 'refused') return [];
    const { kind, id, revision, text, capturedAtMs } = intake.source;
    const drafts = extractClaims({ text, baseOffset: 0 }).map(({ event, quote, ...draft }): ClaimDraft => {
      const words = { ...quote, text: sliceCharacters(text, quote.start, quote.end) };
      const time = event && { startMs: event.startMs, endMs: event.endMs, precision: event.precision };
      return { ...draft, entityType: 'person', quote: words, ...(time && { event: time }) };
    });
    return [{ source: { kind, id, revision }, capturedAtMs, text, drafts }];
  });
}

/** Writes all of them into a scope of its own: shuffled by the seed, dealt to so many passes, all at once. */
export async function writeShuffled(
  sources: readonly SampleSource[],
  { passes, seed }: { readonly passes: number; readonly seed: number },
): Promise<ClaimScene> {
  const scene = await createClaimScene(NOW_MS);
  const next = countsFrom(seed, 1_000_000);
  const shuffled = sources.map((source) => ({ source, rank: next() })).sort((a, b) => a.rank - b.rank);
  const store = slowed(scene.store, countsFrom(seed + 1, 1));
  const shares = Array.from({ length: passes }, (_, pass) => shuffled.filter((_one, k) => k % passes === pass));
  await Promise.all(
    shares.map(async (share, pass) => {
      const knownEntities = new Set<string>();
      for (const { source: sample } of share) {
        const { source, capturedAtMs, text, drafts } = sample;
        const { refused } = await writeClaims(scene.deps(store), {
          address: scene.address,
          passId: passIdAt(pass),
          source,
          capturedAtMs,
          executor: 'rules',
          drafts,
          delivered: { text, start: 0 },
          knownEntities,
        });
        if (refused.length > 0) throw new Error(`${source.id} (${countCharacters(text)}): ${refused[0]?.message}`);
      }
    }),
  );
  return scene;
}

/** The export without recorded times and pass ids. */
export async function exportOf(scene: ClaimScene): Promise<string> {
  let text = '';
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Response = await scene.fetch(`export?limit=50${cursor === '' ? '' : `&cursor=${cursor}`}`);
    text += await page.text();
    cursor = page.headers.get('nightjar-cursor');
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.stringify({ ...JSON.parse(line), recordedAtMs: undefined, passes: undefined }))
    .join('\n');
}
