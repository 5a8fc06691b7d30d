/**
 * The rendered text of a transcript: what is stored, hashed, delivered, and what offsets count.
 *
 *   <speaker> (<at>): <text>                  the time has an offset
 *   <speaker> (<at>, zone unknown): <text>    it has none: kept as written, and anchors nothing
 *   <speaker>: <text>                         no time
 *     further lines of the turn, indented by two spaces
 *
 * A line that does not begin with two spaces is a header. A speaker holds neither colon nor parenthesis and a time no
 * parenthesis, so a header reads in one way only, whatever a turn says.
 */
import type { Turn } from '../../schema/source-api.ts';
import { readInstant } from './instant.ts';
import { cutMemoryBlocks } from './memory-block.ts';
import { mergeChanges, normalizeText, type TextChange } from './normalize.ts';

const NAMELESS = 'unknown';
const SPEAKER_MARKS = /[\p{Cc}\p{Zl}\p{Zp}():]+/gu;
const TIME_MARKS = /[\p{Cc}\p{Zl}\p{Zp}()]+/gu;
// U+2028 and U+2029 too: to a regular expression they end a line, and its reader would see a header behind them.
const LINE_END = /[\n\u2028\u2029]/;

export interface RenderedTurns {
  readonly text: string;
  /** Times of the rendered turns that have an offset, in epoch milliseconds. */
  readonly timesMs: readonly number[];
  readonly changes: readonly TextChange[];
}

function cleanLabel(label: string, marks: RegExp): string {
  return normalizeText(label).text.replace(marks, ' ').replace(/\s+/gu, ' ').trim();
}

/**
 * Renders turns in the order given. Further changes: `speaker-names` (cleaned so that the header stays readable),
 * `empty-turns` (left out), `zone-unknown` (times that anchor nothing).
 */
export function renderTurns(turns: readonly Turn[]): RenderedTurns {
  const lines: string[] = [];
  const timesMs: number[] = [];
  const changes: TextChange[] = [];
  for (const turn of turns) {
    const normalized = normalizeText(turn.text);
    const { text, changes: cuts } = cutMemoryBlocks(normalized.text);
    changes.push(...normalized.changes, ...cuts);
    if (text.trim() === '') {
      changes.push({ name: 'empty-turns', count: 1 });
      continue;
    }
    const speaker = cleanLabel(turn.speaker, SPEAKER_MARKS) || NAMELESS;
    if (speaker !== turn.speaker) changes.push({ name: 'speaker-names', count: 1 });
    const instant = turn.at === undefined ? undefined : readInstant(turn.at);
    const written = turn.at === undefined ? '' : cleanLabel(turn.at, TIME_MARKS);
    if (instant) timesMs.push(instant.atMs);
    else if (written !== '') changes.push({ name: 'zone-unknown', count: 1 });
    const when = instant ? ` (${instant.iso})` : written === '' ? '' : ` (${written}, zone unknown)`;
    const [first, ...rest] = text.split(LINE_END);
    lines.push(`${speaker}${when}: ${first}`);
    // One by one: as arguments of one call, the lines of one long turn overflow the stack.
    for (const line of rest) lines.push(`  ${line}`);
  }
  return { text: lines.join('\n'), timesMs, changes: mergeChanges(changes) };
}
