/**
 * Sources that come in parts: cut anywhere, sent in any order, some twice, some lost or spoiled on their way, in several
 * encodings; and files that are no source, which are refused when they are completed. Drawn from a stream of its own for
 * one seed in twenty-five, so that all others stay as they are.
 */
import { START_MS } from '../engine/kernel.ts';
import type { PlannedIngest, PlannedSource } from './plan.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** Of the seeds in which nothing is erased. */
const SHARE = 0.045;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'damaged' | 'latin-1' | 'utf-32';
/** What becomes of a part that is sent for the first time. spoiled: other bytes of that length come in. */
export type PartFate = 'sent' | 'twice' | 'lost' | 'spoiled';

export interface PlannedUpload {
  /** What its owner has; of the call's `sources`, unless it is refused. */
  readonly source: PlannedSource;
  readonly encoding: Encoding;
  /** One a part, by its number. */
  readonly fates: readonly PartFate[];
  /** The numbers of its parts, as they are sent. */
  readonly order: readonly number[];
  /** It is completed from two windows at once. */
  readonly isDoubled: boolean;
  /** The code with which it is refused in the end. */
  readonly refused?: string;
}

/** Bytes and characters that an upload, and a source, may have in these seeds. */
export const UPLOAD_BYTES_MAX = 8_000;
export const SOURCE_CHARACTERS_MAX = 4_000;

/** The first U+FFFD stands where a byte is broken: one in a hundred characters may. The second is its owner's. */
const DAMAGED = `Something is \ufffd here, and \ufffd was written. ${'It was read all the same. '.repeat(8)}`;

type Refused = readonly [code: string, text: string, encoding: Encoding];
const REFUSED: readonly Refused[] = [
  ['not_text', 'A picture\u0000 or a program.', 'utf-8'],
  ['not_text', 'Ann était née à l’étranger.', 'latin-1'],
  ['not_text', 'Ann lives north.', 'utf-32'],
  ['empty_text', '', 'utf-16be'],
  ['empty_text', ' \n\t\n', 'utf-8'],
  ['text_too_long', 'Ann. '.repeat(SOURCE_CHARACTERS_MAX / 4), 'utf-8'],
  ['upload_too_large', 'Ann. '.repeat(UPLOAD_BYTES_MAX / 4), 'utf-8'],
];

function drawFates(random: Random): PartFate[] {
  const fates: readonly PartFate[] = ['sent', 'sent', 'sent', 'twice', 'lost', 'spoiled'];
  return Array.from({ length: random.int(1, 5) }, () => random.pick(fates));
}

function shuffled(random: Random, length: number): number[] {
  const numbers = Array.from({ length }, (_, k) => k);
  return numbers
    .map((n) => ({ n, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ n }) => n);
}

function uploadOf(random: Random, source: PlannedSource, encoding: Encoding, fates = drawFates(random)): PlannedUpload {
  return { source, encoding, fates, order: shuffled(random, fates.length), isDoubled: random.chance(0.3) };
}

/** The calls that bring the revisions of one source in parts. */
function drawRevisions(random: Random, k: number, scope: string, untilMs: number): PlannedIngest[] {
  let capturedAtMs = START_MS - random.int(1, 600) * MINUTE_MS;
  const id = `u${k}`;
  return Array.from({ length: random.pick([1, 1, 2]) }, (_, n): PlannedIngest => {
    capturedAtMs += SECOND_MS;
    const claim = `@claim ${random.pick(['Ann', 'Ben'])} | home | ${random.pick(['north', 'east', 'south'])}`;
    const encoding = random.pick(['utf-8', 'utf-8', 'utf-16le', 'utf-16be', 'damaged'] as const);
    const lines = [`Upload ${id}, told ${n + 1} times.`, ...(encoding === 'damaged' ? [DAMAGED] : []), claim];
    const source = { scope, id, text: lines.join('\n'), capturedAtMs, completed: true, isPlain: true };
    const atMs = START_MS + (random.chance(0.5) ? random.int(0, 5) * SECOND_MS : random.int(0, untilMs - START_MS));
    return { atMs, scope, sources: [source], upload: uploadOf(random, source, encoding) };
  });
}

function drawRefused(random: Random, scope: string, untilMs: number): PlannedIngest {
  const [refused, text, encoding] = random.pick(REFUSED);
  const source = { scope, id: 'no source', text, capturedAtMs: START_MS, completed: true, isPlain: true };
  const upload = { ...uploadOf(random, source, encoding), refused };
  return { atMs: random.int(START_MS, untilMs), scope, sources: [], upload };
}

export function drawUploads(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedIngest[] {
  const random = new Random(seed, 'uploads');
  return random.chance(SHARE) ? uploadsOf(random, scopes, untilMs) : [];
}

export function uploadsOf(random: Random, scopes: readonly string[], untilMs: number): readonly PlannedIngest[] {
  const sources = Array.from({ length: random.int(1, 2) }, (_, k) => k);
  const taken = sources.flatMap((k) => drawRevisions(random, k, random.pick(scopes), untilMs));
  return random.chance(0.6) ? [...taken, drawRefused(random, random.pick(scopes), untilMs)] : taken;
}

/** A file as its owner has it. */
export function bytesOf({ source: { text }, encoding }: PlannedUpload): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf-16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    case 'damaged': {
      const bytes = Buffer.from(text);
      const at = bytes.indexOf('\ufffd');
      // A byte that no character begins with, in place of the three that stand for what cannot be read.
      return Buffer.concat([bytes.subarray(0, at), Buffer.of(0xff), bytes.subarray(at + 3)]);
    }
    case 'latin-1':
      return Buffer.from(text, 'latin1');
    case 'utf-32':
      return Buffer.concat(
        [0xfeff, ...Array.from(text)].map((one) => {
          const wide = Buffer.alloc(4);
          wide.writeUInt32LE(typeof one === 'number' ? one : (one.codePointAt(0) as number));
          return wide;
        }),
      );
  }
}

/** The bytes of each of its parts; fewer than its fates where it has fewer bytes. */
export function partsOf(upload: PlannedUpload): Buffer[] {
  const bytes = bytesOf(upload);
  const size = Math.max(1, Math.ceil(bytes.length / upload.fates.length));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, k) => bytes.subarray(k * size, (k + 1) * size));
}
