/**
 * Seeds in which a page, a part of a stored text and a look-up hold little, so that texts of some hundred characters are
 * read in fragments as long ones are. Drawn from a stream of its own for one seed in twenty-eight, so that all others stay as
 * they are.
 */
import { sliceCharacters } from '../../../functions/core/characters.ts';
import type { PlannedIngest, PlannedSource } from './plan.ts';
import { Random } from '../engine/random.ts';

/** Of the seeds in which nothing is erased, and no text breaks its readers. */
const SHARE = 1 / 24;
/**
 * Of the least that is taken of a source: a `@claim` line has some 40 characters, and a cut falls on the last line end of
 * the second half. So no cut parts such a line, and what fragments say is what their source says.
 */
const PAGE_CHARACTERS_MIN = 100;

/** A turn of a session has its claim behind its header, some 80 characters in all. */
const SESSION_PAGE_MIN = 170;

/** Characters each. */
export interface PlannedFragments {
  readonly page: number;
  readonly pageMin: number;
  readonly overlap: number;
  /** Undefined: as ever. */
  readonly textPart: number | undefined;
  readonly excerpt: number;
  readonly result: number;
}

/** A session is looked at as it is stored, in one part. */
export function drawFragments(
  seed: number,
  { hasSessions }: { readonly hasSessions: boolean },
): PlannedFragments | undefined {
  const random = new Random(seed, 'fragments');
  if (!random.chance(SHARE)) return undefined;
  const fragments = fragmentsOf(random);
  return hasSessions ? { ...fragments, page: 300, pageMin: SESSION_PAGE_MIN, textPart: undefined } : fragments;
}

export function fragmentsOf(random: Random): PlannedFragments {
  return {
    page: random.pick([120, 160, 300]),
    pageMin: PAGE_CHARACTERS_MIN,
    overlap: random.pick([10, 40]),
    textPart: random.pick([50, 64, 200]),
    excerpt: random.pick([20, 40]),
    result: random.pick([60, 100]),
  };
}

const FLAG = '\u{1F1F3}\u{1F1F4}';
const FAMILY = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}';
const LINE_CHARACTERS = 230;
const fill = (piece: string): string => sliceCharacters(piece.repeat(LINE_CHARACTERS), 0, LINE_CHARACTERS);

/** What no line end cuts: sentences, a paragraph, one word without an end, characters of several code points. */
const PASSAGES = [
  fill('It rained all day. Nobody came! Who would? '),
  `${fill('And so on. ')}\n\n${fill('A paragraph; ')}`,
  fill('on'),
  fill(FLAG),
  fill(`${FAMILY} `),
  fill('雨が降った。'),
  `${fill('\u{1D49C}')}\n\n`,
];

/** The sources of a plan with a passage behind their first line, the same in each revision. */
export function lengthen(seed: number, ingests: readonly PlannedIngest[]): PlannedIngest[] {
  const known = new Map<PlannedSource, PlannedSource>();
  const longer = (source: PlannedSource): PlannedSource => {
    const passage = new Random(seed, `passage of ${source.id}`).pick(PASSAGES);
    const [first = '', ...rest] = source.text.split('\n');
    return { ...source, text: [first, passage, ...rest].join('\n') };
  };
  return ingests.map((call) => ({
    ...call,
    sources: call.sources.map((source) => {
      const made = known.get(source) ?? longer(source);
      known.set(source, made);
      return made;
    }),
  }));
}
