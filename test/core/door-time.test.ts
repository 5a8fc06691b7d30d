/**
 * How long the door takes with the worst text that one call carries: time may grow with the length of a text, not with
 * its square, or one call of 1 MiB holds a function for minutes.
 */
import { describe, expect, it } from 'vitest';
import { fragmentLength } from '../../functions/core/fragment.ts';
import { readFrontMatter } from '../../functions/core/front-matter.ts';
import { prepareSource } from '../../functions/core/intake.ts';
import { readDate, readInstant } from '../../functions/core/instant.ts';
import { cutMemoryBlocks, isOwnAuthor } from '../../functions/core/memory-block.ts';
import { readMemoryLine } from '../../functions/core/memory-lines.ts';
import { normalizeText } from '../../functions/core/normalize.ts';
import { renderTurns } from '../../functions/core/render.ts';
import { splitTextParts } from '../../functions/core/text-parts.ts';
import { openTurnHeader } from '../../functions/core/turn-context.ts';
import { looksLikeTurns, readTurnLines } from '../../functions/core/turn-lines.ts';
import { withRoutedPath } from '../../functions/io/routed-path.ts';
import { findClaimLines } from '../../functions/worker/executor/claim-lines.ts';
import { sourceIdSchema } from '../../schema/ids.ts';

const TEXT_BYTES = 1_048_576;
// The slowest pair takes a third of it on a machine that does nothing else; a square of 1 MiB takes minutes.
const CPU_MAX_MS = 2_000;

/** A piece on end, up to 1 MiB of UTF-8, before what makes a pattern fail that runs along it. */
function fill(piece: string, { after }: { after: string }): string {
  const times = Math.floor((TEXT_BYTES - Buffer.byteLength(after)) / Buffer.byteLength(piece));
  return piece.repeat(times) + after;
}

const RUNS = [
  '\n',
  ' ',
  '\t',
  '\r',
  '\u2028',
  '#',
  '-',
  '(',
  ')',
  ':',
  '"',
  '\\',
  '<',
  '{',
  '[',
  '|',
  '@',
  '7',
  '\u0000',
];
const MIXTURES = [
  ' \n',
  '\n\n ',
  '\u2028 ',
  '---\n',
  '" ',
  '\\"',
  'a\u0301\u0316',
  '\u0301\u0316',
  '\u0344',
  '\ud83d',
  '<nightjar-memory>\n',
  '<nightjar-memory ',
  '</nightjar-memory>\n',
  '@claim a|b|',
  '@claim ',
  'a: ',
  'a (',
  '2024-05-0',
  '{"speaker":"a","text":"b"}\n',
  'nightjar:',
];
const TEXTS: readonly (readonly [string, string])[] = [...RUNS, ...MIXTURES].map((piece) => [
  `${JSON.stringify(piece)} on end, a letter and a newline`,
  fill(piece, { after: 'y\n' }),
]);

const NOW_MS = 1_000_000;
const turnOf = (text: string) => [{ speaker: text.slice(0, 200), text, at: text.slice(0, 64) }];
const DOORS: readonly (readonly [string, (text: string) => unknown])[] = [
  ['normalizeText', normalizeText],
  ['looksLikeTurns', looksLikeTurns],
  ['readTurnLines', readTurnLines],
  ['readFrontMatter', (text) => readFrontMatter(`---\nauthor: x${text.slice(0, 16_000)}y\n---\n${text}`)],
  ['readFrontMatter of what is YAML', (text) => readFrontMatter(`---\n${text.slice(0, 16_000)}\n---\n${text}`)],
  ['cutMemoryBlocks', (text) => cutMemoryBlocks(`<nightjar-memory>\n</nightjar-memory>\n${text}`)],
  ['isOwnAuthor', isOwnAuthor],
  ['renderTurns', (text) => renderTurns(turnOf(text))],
  ['readInstant', (text) => readInstant(`2024-05-03${text}`)],
  ['readDate', (text) => readDate(`2024-05-03T10:00:00.${text}`)],
  ['splitTextParts', (text) => splitTextParts(text)],
  ['fragmentLength', (text) => fragmentLength(text, 100_000)],
  ['openTurnHeader', openTurnHeader],
  ['readMemoryLine', readMemoryLine],
  ['findClaimLines', (text) => findClaimLines(text, 0)],
  ['sourceIdSchema', (text) => sourceIdSchema.safeParse(text)],
  ['withRoutedPath', (text) => withRoutedPath({ routeKey: 'POST /v1/{id}', pathParameters: { id: text } })],
  ['prepareSource of a text', (text) => prepareSource({ id: 'a', text }, NOW_MS)],
  ['prepareSource of turns', (text) => prepareSource({ id: 'a', turns: turnOf(text) }, NOW_MS)],
  ['prepareSource of fields', (text) => prepareSource({ id: text, title: text, capturedAt: text, text }, NOW_MS)],
];

/** Milliseconds this process computed for: what others do on the machine does not count. */
function cpuMsOf(act: () => unknown): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('1 MiB of the worst text', () => {
  it.each(DOORS)(
    'costs %s a time that grows with its length alone',
    (_, door) => {
      const slow = TEXTS.map(([name, text]) => [name, cpuMsOf(() => door(text))] as const).filter(
        ([, ms]) => ms > CPU_MAX_MS,
      );
      expect(slow).toEqual([]);
    },
    60_000,
  );

  it('as many turns that are none costs no more', () => {
    const turns = Array.from({ length: TEXT_BYTES / 2 }, () => 1);
    expect(cpuMsOf(() => prepareSource({ id: 'a', turns }, NOW_MS))).toBeLessThan(CPU_MAX_MS);
  });

  it('twin: a pattern that looks for the end of a text from each newline takes a time that grows with the square', () => {
    const timeOf = (length: number) => cpuMsOf(() => '\n'.repeat(length).concat('x').replace(/\n+$/, ''));
    expect(timeOf(20_000)).toBeGreaterThan(4 * timeOf(5_000));
  });
});

it('a turn of very many lines is rendered, and overflows no stack', () => {
  const { text } = renderTurns([{ speaker: 'Maya', text: `${'\n'.repeat(300_000)}x` }]);
  expect(text.split('\n')).toHaveLength(300_001);
});
