/** Sentences about something of the speaker's: "my favourite colour is green", "my hometown is Leeds", "my job is …". */
import type { Finding } from './claim-draft.ts';
import type { Sentence, Token } from './language.ts';
import { findPhraseEnd, isHardStop, joinTokens, readEmployer, readName, readPlace } from './phrases.ts';
import { readRole } from './role-phrases.ts';
import type { Speech } from './subjects.ts';
import { DEVICES, LANGUAGES } from './vocabulary-things.ts';
import { HYPOTHETICALS, NEGATIONS, REPORT_VERBS } from './vocabulary.ts';

const NOUN_TOKENS_MAX = 6;
const VALUE_TOKENS_MAX = 6;
const FAVORITE = /^favou?rite$/;
// "color" and "colour" are one claim slot.
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['colour', 'color'],
  ['film', 'movie'],
  ['programme', 'program'],
]);
const LOOSE_ENDS = new Set('by too now though since right so of in at to for from and or probably ever'.split(' '));

interface Nominal {
  sentence: Sentence;
  speech: Speech;
  /** The noun phrase after "my", lower case. */
  noun: string;
  /** Index of the first token of the value. */
  from: number;
}

/** What a sentence says with "my … is …", present tense only. */
export function findNominals(sentence: Sentence, speech: Speech): Finding[] {
  const { tokens } = sentence;
  if (
    sentence.isQuestion ||
    tokens.some(({ lower }) => HYPOTHETICALS.has(lower) || NEGATIONS.has(lower) || lower === "n't")
  )
    return [];
  const findings: Finding[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    if (sentence.quoted[index] === true) continue;
    if (tokens.slice(Math.max(0, index - 3), index).some(({ lower }) => REPORT_VERBS.has(lower))) continue;
    if (tokens[index]?.lower !== 'my') continue;
    // "One of my favourite dishes is" names no favourite: it is one of the things liked.
    const isOneOf = tokens[index - 1]?.lower === 'of' && tokens[index - 2]?.lower === 'one';
    const nominal = readNominal(sentence, speech, index + 1);
    if (nominal !== undefined) {
      const found = readNominalFinding(nominal);
      findings.push(...found.map((finding) => (isOneOf ? toLiked(finding) : finding)));
    } else findings.push(...findFavoriteOf(sentence, speech, index));
  }
  return findings;
}

function toLiked(finding: Finding): Finding {
  return finding.attribute.startsWith('favorite:') ? { ...finding, attribute: 'likes', cardinality: 'many' } : finding;
}

function readNominal(sentence: Sentence, speech: Speech, from: number): Nominal | undefined {
  const { tokens } = sentence;
  for (let index = from; index < Math.min(tokens.length, from + NOUN_TOKENS_MAX + 1); index += 1) {
    const token = tokens[index];
    if (token === undefined || isHardStop(tokens, index) || token.text === ',') return undefined;
    const hasBeen =
      /^(?:has|have)$/.test(token.lower) &&
      tokens[index + 1]?.lower === 'always' &&
      tokens[index + 2]?.lower === 'been';
    if (hasBeen || /^(?:is|are|'s|'re)$/.test(token.lower)) {
      if (index === from) return undefined;
      const noun = joinTokens(tokens.slice(from, index)).toLowerCase();
      const skip = /^(?:probably|definitely|still|also|now|currently|actually|called|named)$/.test(
        tokens[index + 1]?.lower ?? '',
      )
        ? 2
        : 1;
      return { sentence, speech, noun, from: hasBeen ? index + 3 : index + skip };
    }
  }
  return undefined;
}

function readNominalFinding(nominal: Nominal): Finding[] {
  const { noun, from, sentence, speech } = nominal;
  const { tokens } = sentence;
  const words = noun.split(' ');
  const last = words.at(-1) ?? '';
  const favorite = /^(?:(?:all-time|absolute|current|new|second) )*favou?rite (.+)$/.exec(noun)?.[1];
  if (favorite !== undefined) return findFavorite(nominal, favorite);
  if (/^(?:day |main |current |new )?(?:job|occupation|profession|job title)$/.test(noun)) {
    const role = readRole(tokens, from, tokens.length);
    return role === undefined ? [] : [one(speech, 'works_as', role.value, 'my-job@1')];
  }
  if (/^(?:current |new )?(?:employer|company)$/.test(noun)) {
    const employer = readEmployer(tokens, from, tokens.length);
    return employer === undefined ? [] : [one(speech, 'works_at', employer.value, 'my-employer@1')];
  }
  if (/^(?:home ?town|birthplace)$/.test(noun)) return fromPlace(nominal);
  if (/^(?:native|first|mother|home) (?:language|tongue)$/.test(noun)) {
    const language = tokens[from];
    return language !== undefined && LANGUAGES.has(language.lower)
      ? [many(speech, 'speaks', language.text, 'my-language@1')]
      : [];
  }
  if (/^(?:\w+ )?(?:hobby|hobbies|pastimes?)$/.test(noun))
    return readValues(nominal).map((value) => many(speech, 'hobby', value, 'my-hobby@1'));
  if (/^(?:(?:current|latest|new|next|side|big|main) )*(?:project|side project|side hustle)$/.test(noun)) {
    const value = readValue(nominal);
    return value === undefined ? [] : [many(speech, 'project', value, 'my-project@1')];
  }
  const attribute = DEVICES.get(last);
  return attribute === undefined || words.length > 2 ? [] : findDevice(nominal, attribute);
}

/** A device or a car is known by its make: "my phone is a Pixel 8". */
function findDevice({ sentence, speech, from }: Nominal, attribute: string): Finding[] {
  const { tokens } = sentence;
  if (!/^an?$/.test(tokens[from]?.lower ?? '')) return [];
  let index = from + 1;
  while (index < from + 5 && tokens[index] !== undefined && !/^(?:\p{Lu}|i[A-Z])/u.test(tokens[index]?.text ?? ''))
    index += 1;
  let end = index;
  while (end < tokens.length && /^(?:\p{Lu}|i[A-Z]|\d)/u.test(tokens[end]?.text ?? '')) end += 1;
  return end === index ? [] : [many(speech, attribute, joinTokens(tokens.slice(from + 1, end)), 'my-device@1')];
}

function fromPlace({ sentence, speech, from }: Nominal): Finding[] {
  const place = readPlace(sentence.tokens, from, sentence.tokens.length);
  return place === undefined ? [] : [many(speech, 'from', place.value, 'my-hometown@1')];
}

function findFavorite(nominal: Nominal, noun: string): Finding[] {
  const { speech } = nominal;
  const key = noun
    .replace(/ (?:of all time|ever)$/, '')
    .split(' ')
    .map((word) => SPELLINGS.get(word) ?? word)
    .join('_');
  if (!/^[a-z][a-z_-]{1,30}$/.test(key)) return [];
  // "My favourite part is when …" tells of the moment.
  if (/^(?:part|thing|one|bit|way|time|of)/.test(key)) return [];
  const values = readValues(nominal);
  if (
    values.length > 1 ||
    (key.endsWith('s') && /^(?:are|'re)$/.test(nominal.sentence.tokens[nominal.from - 1]?.lower ?? ''))
  ) {
    return values.map((value) => many(speech, 'likes', value, 'my-favorites@1'));
  }
  const [value] = values;
  return value === undefined ? [] : [one(speech, `favorite:${key}`, value, 'my-favorite@1')];
}

/** "Green is my favourite colour." */
function findFavoriteOf(sentence: Sentence, speech: Speech, my: number): Finding[] {
  const { tokens } = sentence;
  if (!FAVORITE.test(tokens[my + 1]?.lower ?? '') || tokens[my - 1]?.lower !== 'is' || my < 2 || my > 6) return [];
  const noun = tokens[my + 2];
  const value = joinTokens(tokens.slice(0, my - 1));
  if (
    noun === undefined ||
    !/^(?:NOUN|PROPN)$/.test(noun.pos) ||
    !/^(?:NOUN|PROPN|ADJ|VERB)$/.test(tokens[0]?.pos ?? '')
  )
    return [];
  if (/[,;:]/.test(value)) return [];
  return [one(speech, `favorite:${SPELLINGS.get(noun.lower) ?? noun.lower}`, value, 'my-favorite@1')];
}

function readValues(nominal: Nominal): string[] {
  const { tokens } = nominal.sentence;
  const values: string[] = [];
  let from = nominal.from;
  while (values.length < 4) {
    const value = readValue({ ...nominal, from });
    if (value === undefined) break;
    values.push(value);
    const end = findPhraseEnd(tokens, from, tokens.length);
    if (!/^(?:,|and)$/.test(tokens[end]?.lower ?? '')) break;
    from = end + (tokens[end + 1]?.lower === 'and' ? 2 : 1);
    // What follows must be another member and no new clause.
    if (!/^(?:NOUN|PROPN|ADJ)$/.test(tokens[from]?.pos ?? '') && !(tokens[from]?.lower ?? '').endsWith('ing')) break;
  }
  return values;
}

function readValue({ sentence, from }: Nominal): string | undefined {
  const { tokens } = sentence;
  const start =
    /^(?:an?|the)$/.test(tokens[from]?.lower ?? '') && readName(tokens, from + 1, tokens.length) === undefined
      ? from + 1
      : from;
  let end = Math.min(findPhraseEnd(tokens, start, tokens.length), start + VALUE_TOKENS_MAX);
  while (end > start && LOOSE_ENDS.has(tokens[end - 1]?.lower ?? '')) end -= 1;
  if (end <= start || !isValueStart(tokens[start])) return undefined;
  return joinTokens(tokens.slice(start, end));
}

function isValueStart(token: Token | undefined): boolean {
  return (
    token !== undefined &&
    /^(?:NOUN|PROPN|ADJ|VERB|NUM|DET|PRON)$/.test(token.pos) &&
    !/^(?:that|when|how|what|it|this|you|the|to|getting|being|too|very|so|going|coming|in|on|at|not|killing|broken)$/.test(
      token.lower,
    )
  );
}

function one(speech: Speech, attribute: string, value: string, rule: string): Finding {
  return { entity: speech.speaker, attribute, cardinality: 'one', value, rule: `rules-en/${rule}`, confidence: 0.8 };
}

function many(speech: Speech, attribute: string, value: string, rule: string): Finding {
  return { entity: speech.speaker, attribute, cardinality: 'many', value, rule: `rules-en/${rule}`, confidence: 0.75 };
}
