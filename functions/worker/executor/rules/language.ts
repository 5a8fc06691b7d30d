/**
 * Sentences and tokens with parts of speech, by wink-nlp and its English model. The model takes about a quarter of a
 * second and tens of megabytes to load, so it is imported on first use and this module stays cheap.
 */
import type { ItsFunction, WinkMethods } from 'wink-nlp';

export interface Token {
  text: string;
  lower: string;
  /** Universal part of speech, for instance NOUN. Wrong often enough that rules ask it only for the shape of phrases. */
  pos: string;
  /** UTF-16 offsets in the whole text. */
  start: number;
  end: number;
}

export interface Sentence {
  tokens: Token[];
  start: number;
  end: number;
  isQuestion: boolean;
  /** For each token, whether it stands inside double quotation marks. */
  quoted: boolean[];
  /** When its turn was said, where that is known. */
  saidAtMs?: number;
}

export interface Language {
  readSentences(text: string, block: { start: number; end: number }): Sentence[];
}

// wink is quadratic in the length of a run without spaces (measured: 40,000 hyphens or apostrophes take 6 s, 400,000
// letters two minutes), and linear in all else. So long runs are masked and a block is read in pieces.
const RUN_CHARACTERS_MAX = 80;
const PIECE_CHARACTERS_MAX = 2_000;
const LONG_RUN = new RegExp(`\\S{${RUN_CHARACTERS_MAX + 1},}`, 'g');

let loading: Promise<Language> | undefined;

/** Loads the model once for the process. */
export function loadLanguage(): Promise<Language> {
  loading ??= importLanguage();
  return loading;
}

async function importLanguage(): Promise<Language> {
  const [{ default: createNlp }, { default: model }] = await Promise.all([
    import('wink-nlp'),
    import('wink-eng-lite-web-model'),
  ]);
  const nlp = createNlp(model, ['sbd', 'pos']);
  return {
    readSentences(text, block) {
      const masked = maskText(text.slice(block.start, block.end));
      const sentences: Sentence[] = [];
      for (const piece of splitPieces(masked)) sentences.push(...readPiece(nlp, masked, piece, block.start));
      markQuotations(sentences);
      return sentences;
    },
  };
}

/** Every kind of white space becomes a space and a long run an ellipsis and spaces: offsets stay as they are. */
function maskText(text: string): string {
  return text.replace(/\s/g, ' ').replace(LONG_RUN, (run) => `…${' '.repeat(run.length - 1)}`);
}

// wink cuts a word at letters beyond Latin-1 ("Gda ń sk"), so it is shown their plain form; each is one unit as before.
const FOLDED: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
  ħ: 'h',
  Ħ: 'H',
  œ: 'o',
  Œ: 'O',
};

function foldLetters(text: string): string {
  return text.replace(/[\u0100-\u024F\u1E00-\u1EFF]/g, (letter) => FOLDED[letter] ?? letter.normalize('NFD').charAt(0));
}

function splitPieces(text: string): { start: number; end: number }[] {
  const pieces: { start: number; end: number }[] = [];
  let start = 0;
  while (text.length - start > PIECE_CHARACTERS_MAX) {
    const window = text.slice(start, start + PIECE_CHARACTERS_MAX);
    const sentenceEnd = Math.max(window.lastIndexOf('. '), window.lastIndexOf('! '), window.lastIndexOf('? '));
    const cut = sentenceEnd > 0 ? sentenceEnd + 1 : window.lastIndexOf(' ');
    const end = start + (cut > 0 ? cut : PIECE_CHARACTERS_MAX);
    pieces.push({ start, end });
    start = end;
  }
  pieces.push({ start, end: text.length });
  return pieces;
}

function readPiece(
  nlp: WinkMethods,
  masked: string,
  piece: { start: number; end: number },
  blockStart: number,
): Sentence[] {
  // wink takes a sentence-initial "I'm" for one name and the verb after it for a noun. A space inside mends that, and as
  // tokens are looked up in the text as it is, no offset shifts.
  const source = masked.slice(piece.start, piece.end);
  const plain = foldLetters(source);
  const shown = plain.replace(/\b(I)(?=['’]m\b)/gi, '$1 ');
  const document = nlp.readDoc(shown);
  const its: { value: ItsFunction<string>; pos: ItsFunction<string>; span: ItsFunction<number[]> } = nlp.its;
  const values = document.tokens().out(its.value);
  const tags = document.tokens().out(its.pos);
  const spans = document.sentences().out(its.span) as [number, number][];
  const tokens: (Token | undefined)[] = [];
  let cursor = 0;
  for (const [index, value] of values.entries()) {
    const at = value.trim() === '' ? -1 : plain.indexOf(value, cursor);
    if (at < 0) {
      tokens.push(undefined);
      continue;
    }
    cursor = at + value.length;
    const start = blockStart + piece.start + at;
    const text = source.slice(at, cursor);
    const lower = text.toLowerCase().replaceAll('’', "'");
    tokens.push({ text, lower, pos: tags[index] ?? 'X', start, end: start + value.length });
  }
  return spans.flatMap(([first, last]) => splitAtPictures(tokens.slice(first, last + 1)));
}

// Asked of nobody: what stands before it is stated.
const ASIDE =
  /^(?:i|we|my|our|yes)\b[^?]*, (?:can you (?:believe|imagine) (?:it|that|this)|how \w+ is that|guess what|imagine that|crazy,? (?:right|huh)|you know) \?$/;

// Pictures, and the joiners and modifiers that wink cuts off them as tokens of their own.
const PICTURE = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200D|\uFE0F)/u;

/** People end sentences with a picture as they do with a full stop, so a picture ends one here. */
function splitAtPictures(tokens: readonly (Token | undefined)[]): Sentence[] {
  const sentences: Sentence[] = [];
  let kept: Token[] = [];
  const flush = () => {
    const head = kept[0];
    const tail = kept.at(-1);
    if (head === undefined || tail === undefined) return;
    const isQuestion =
      kept.some((token) => token.text.includes('?')) && !ASIDE.test(kept.map(({ lower }) => lower).join(' '));
    sentences.push({ tokens: kept, start: head.start, end: tail.end, isQuestion, quoted: [] });
    kept = [];
  };
  for (const token of tokens) {
    if (token === undefined) continue;
    if (PICTURE.test(token.text)) flush();
    else kept.push(token);
  }
  flush();
  return sentences;
}

/** A quotation may run over several sentences of a block; one that never closes holds to the block's end. */
function markQuotations(sentences: Sentence[]): void {
  let inside = false;
  for (const sentence of sentences) {
    for (const token of sentence.tokens) {
      if (token.text === '“') inside = true;
      else if (token.text === '”') inside = false;
      else if (token.text === '"') inside = !inside;
      sentence.quoted.push(inside);
    }
  }
}
