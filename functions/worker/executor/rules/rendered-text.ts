/**
 * The rendered form of a source, cut into blocks that one person says: a line of a turn, or a paragraph.
 * All offsets are UTF-16 units in the given text; `extract.ts` turns them into code points.
 */
import type { Anchor } from './calendar.ts';
import { NO_PERSONS } from './vocabulary.ts';

export interface Block {
  start: number;
  end: number;
  speaker: string;
  /** Counts the turns: what one person says in one go. A paragraph is a turn of its own. */
  turn: number;
  anchor?: Anchor;
}

export interface RenderedText {
  blocks: Block[];
  /** Persons who speak, machines left out. */
  speakers: string[];
  isTranscript: boolean;
}

interface Line {
  start: number;
  end: number;
  text: string;
}

interface Turn {
  speaker: string;
  bodyStart: number;
  isTimed: boolean;
  anchor?: Anchor;
}

/** The person behind "I" in a text without speakers. */
export const DEFAULT_PERSON = 'user';

// A header is looked for in the first characters of a line only: a 400 KB line costs no more than a short one.
const HEADER_CHARACTERS_MAX = 400;
const HEADER = /^([^\s:()][^:()\n]{0,199}?)(?: \(([^()\n]{1,80})\))?: ?/;
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:(Z)|([+-])(\d\d):?(\d\d))$/;
const UNKNOWN_ZONE = /, zone unknown$/;
const LIST_MARK = /^(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\[[ x]\])\s+/;

/** An ISO 8601 time with its offset as an anchor; undefined for anything else, and for a time without an offset. */
export function readInstant(text: string): Anchor | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zulu, sign, offsetHour, offsetMinute] = match;
  const magnitude = zulu === undefined ? Number(offsetHour) * 60 + Number(offsetMinute) : 0;
  const offsetMinutes = sign === '-' ? -magnitude : magnitude;
  const wallMs = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second ?? 0),
  );
  const millisecond = Number((fraction ?? '').padEnd(3, '0').slice(0, 3));
  return { atMs: wallMs + millisecond - offsetMinutes * 60_000, offsetMinutes };
}

/** Reads blocks from a rendered text. Turns of machines, quoted lines, code and `@claim` lines give no block. */
export function readBlocks(text: string): RenderedText {
  const lines = splitLines(text);
  const turns = lines.map(readHeader);
  if (!isTranscript(lines, turns)) return { blocks: readProse(lines), speakers: [], isTranscript: false };
  return { ...readTurns(lines, turns), isTranscript: true };
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start <= text.length) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    lines.push({ start, end, text: text.slice(start, end) });
    start = end + 1;
  }
  return lines;
}

function readHeader(line: Line): Turn | undefined {
  const match = HEADER.exec(line.text.slice(0, HEADER_CHARACTERS_MAX));
  if (match === null) return undefined;
  const [header, speaker = '', time] = match;
  const bodyStart = line.start + header.length;
  if (time === undefined) return { speaker, bodyStart, isTimed: false };
  const anchor = readInstant(time);
  if (anchor !== undefined) return { speaker, bodyStart, isTimed: true, anchor };
  return UNKNOWN_ZONE.test(time) ? { speaker, bodyStart, isTimed: true } : undefined;
}

/**
 * One header with a time makes a transcript. Without any time every line must be a header or indented by two spaces,
 * as "Note: milk" inside a document is no turn. A fragment may begin inside a turn.
 */
function isTranscript(lines: Line[], turns: (Turn | undefined)[]): boolean {
  const first = turns.findIndex((turn) => turn !== undefined);
  if (first < 0) return false;
  const startsInside = lines.slice(0, first).some((line) => line.text.trim() !== '');
  const regular = lines.every(
    (line, index) =>
      index < first || turns[index] !== undefined || line.text.trim() === '' || line.text.startsWith('  '),
  );
  const timed = turns.some((turn) => turn?.isTimed === true);
  return timed || (regular && !startsInside);
}

/** Lines before the first header belong to a turn whose speaker is not shown, so they give nothing. */
function readTurns(lines: Line[], turns: (Turn | undefined)[]): { blocks: Block[]; speakers: string[] } {
  const blocks: Block[] = [];
  const speakers = new Set<string>();
  let current: Turn | undefined;
  let code = false;
  let turnCount = 0;
  for (const [index, line] of lines.entries()) {
    const turn = turns[index];
    if (turn !== undefined) {
      current = turn;
      turnCount += 1;
      code = false;
    }
    if (current === undefined || NO_PERSONS.has(current.speaker.toLowerCase())) continue;
    speakers.add(current.speaker);
    const start = turn === undefined ? line.start : turn.bodyStart;
    const body = line.text.slice(start - line.start);
    if (/^\s*```/.test(body)) code = !code;
    else if (!code) blocks.push(...toBlocks([{ start, end: line.end, text: body }], current, turnCount));
  }
  return { blocks, speakers: [...speakers] };
}

/** Markdown or plain text: paragraphs, with the author and the date of a front matter when there is one. */
function readProse(lines: Line[]): Block[] {
  const blocks: Block[] = [];
  const { person, anchor, bodyLine } = readFrontMatter(lines);
  let paragraph: Line[] = [];
  let code = false;
  const said = anchor === undefined ? { speaker: person } : { speaker: person, anchor };
  const flush = () => {
    blocks.push(...toBlocks(paragraph, said, blocks.length));
    paragraph = [];
  };
  for (const line of lines.slice(bodyLine)) {
    const trimmed = line.text.trimStart();
    const fence = trimmed.startsWith('```');
    if (fence) code = !code;
    const alone = fence || code || trimmed === '' || trimmed.startsWith('>') || trimmed.startsWith('@claim ');
    if (alone || LIST_MARK.test(trimmed)) flush();
    if (!alone) paragraph.push(line);
  }
  flush();
  return blocks;
}

function readFrontMatter(lines: Line[]): { person: string; anchor?: Anchor; bodyLine: number } {
  const none = { person: DEFAULT_PERSON, bodyLine: 0 };
  if (lines[0]?.text.trim() !== '---') return none;
  const close = lines.findIndex((line, index) => index > 0 && line.text.trim() === '---');
  if (close < 0) return none;
  const fields = new Map<string, string>();
  for (const line of lines.slice(1, close)) {
    const match = /^(author|date):\s{0,8}(.{1,120})$/i.exec(line.text.slice(0, HEADER_CHARACTERS_MAX).trimEnd());
    if (match !== null) fields.set((match[1] ?? '').toLowerCase(), (match[2] ?? '').replace(/^["']|["']$/g, '').trim());
  }
  const anchor = readInstant(fields.get('date') ?? '');
  const person = fields.get('author') || DEFAULT_PERSON;
  return anchor === undefined ? { person, bodyLine: close + 1 } : { person, anchor, bodyLine: close + 1 };
}

/** The part of some lines that is a person's own words, without indentation and list marks; none for other lines. */
function toBlocks(lines: Line[], said: { speaker: string; anchor?: Anchor }, turn: number): Block[] {
  const first = lines[0];
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return [];
  const trimmed = first.text.trimStart();
  if (trimmed.startsWith('>') || trimmed.startsWith('@claim ')) return [];
  const mark = LIST_MARK.exec(trimmed)?.[0].length ?? 0;
  const start = first.start + (first.text.length - trimmed.length) + mark;
  if (start >= last.end) return [];
  const block = { start, end: last.end, speaker: said.speaker, turn };
  return [said.anchor === undefined ? block : { ...block, anchor: said.anchor }];
}
