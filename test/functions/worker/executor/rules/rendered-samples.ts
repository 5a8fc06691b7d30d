/** The samples in the form ingest renders them in, for the tests of the extractor. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const SAMPLES = join(import.meta.dirname, '../../../../../samples');
const TURN = z.object({ speaker: z.string(), text: z.string(), at: z.string().optional() });

export interface RenderedSample {
  path: string;
  text: string;
}

/** All samples, by path. */
export function readRenderedSamples(): RenderedSample[] {
  return globSync('**/*.{jsonl,md,txt}', { cwd: SAMPLES })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(SAMPLES, path), 'utf8');
      return { path, text: path.endsWith('.jsonl') ? renderTurns(text) : text };
    });
}

function renderTurns(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { speaker, text: words, at } = TURN.parse(JSON.parse(line));
      const hasZone = at !== undefined && /(?:Z|[+-]\d\d:\d\d)$/.test(at);
      const time = at === undefined ? '' : hasZone ? ` (${at})` : ` (${at}, zone unknown)`;
      return `${speaker}${time}: ${words.replaceAll('\n', '\n  ')}\n`;
    })
    .join('');
}
