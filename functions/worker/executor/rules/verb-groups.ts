/** The verb group after a subject: which verb, and whether it is said as a fact, a plan, a wish or a denial. */
import type { Token } from './language.ts';
import { HEDGES, MODALS, NEGATIONS, PLAIN_ADVERBS } from './vocabulary.ts';

export interface VerbGroup {
  /** Index of the main verb; after a copula ("I'm a nurse") of the first word of what follows it. */
  main: number;
  isCopula: boolean;
  isProgressive: boolean;
  /** "have lived", "'ve moved". */
  isPerfect: boolean;
  /** Past by an auxiliary: was, were, had, did, used to. */
  isPast: boolean;
  isNegated: boolean;
  /** Would, could, might and their like, and words such as "almost" and "probably". */
  isUncertain: boolean;
  /** "will", "going to", "about to". */
  isFuture: boolean;
  /** Said with "just" or "now". */
  isRecent: boolean;
}

const GROUP_TOKENS_MAX = 10;
const BE_PRESENT = new Set(["'m", 'am', 'are', 'is', "'re", "'s"]);
const BE_PAST = new Set(['was', 'were']);
const HAVE = new Set(['have', 'has', "'ve", 'had']);
const DO = new Set(['do', 'does', 'did']);

// Tagged as verbs after "have", and nouns there: "I have band practice", "I have type 1 diabetes".
const NO_PARTICIPLES = /ing$|^(?:type|band|work|lunch|practice|dance|swim|plans|drinks|class)$/;

type Step = (tokens: readonly Token[], index: number, group: VerbGroup) => number;

/** Reads the verb group that begins at token `from`; undefined when there is no verb. */
export function readVerbGroup(tokens: readonly Token[], from: number): VerbGroup | undefined {
  const group: VerbGroup = {
    main: from,
    isCopula: false,
    isProgressive: false,
    isPerfect: false,
    isPast: false,
    isNegated: false,
    isUncertain: false,
    isFuture: false,
    isRecent: false,
  };
  let index = from;
  for (let count = 0; count < GROUP_TOKENS_MAX; count += 1) {
    const taken = readAdverb(tokens, index, group) || readAuxiliary(tokens, index, group);
    if (taken === 0) break;
    index += taken;
  }
  const main = tokens[index];
  if (main === undefined || !/[\p{L}\p{N}]/u.test(main.text)) return undefined;
  group.main = index;
  if (group.isCopula && main.lower.endsWith('ing') && (main.pos === 'VERB' || main.pos === 'AUX')) {
    group.isCopula = false;
    group.isProgressive = true;
  }
  return group;
}

/** How many tokens of adverbs and denials stand at `index`. */
const readAdverb: Step = (tokens, index, group) => {
  const lower = tokens[index]?.lower ?? '';
  if (lower === 'no' && tokens[index + 1]?.lower === 'longer') {
    group.isNegated = true;
    return 2;
  }
  if (NEGATIONS.has(lower) || lower === "n't") group.isNegated = true;
  else if (HEDGES.has(lower)) group.isUncertain = true;
  else if (lower === 'just' || lower === 'now') group.isRecent = true;
  else if (!PLAIN_ADVERBS.has(lower) && !isManner(tokens[index])) return 0;
  return 1;
};

/** "severely", "absolutely": any adverb in -ly that is no hedge changes nothing. */
function isManner(token: Token | undefined): boolean {
  return token !== undefined && token.pos === 'ADV' && /\w{2}ly$/.test(token.lower);
}

/** How many tokens of auxiliaries stand at `index`; 0 at the main verb. */
const readAuxiliary: Step = (tokens, index, group) => {
  const lower = tokens[index]?.lower ?? '';
  const next = findAfterAdverbs(tokens, index + 1);
  if (MODALS.has(lower) || lower === "'d") {
    group.isUncertain = true;
    return 1;
  }
  if (lower === 'will' || lower === "'ll" || lower === 'wo' || lower === 'shall') {
    group.isFuture = true;
    return 1;
  }
  if (lower === 'used' && tokens[index + 1]?.lower === 'to' && !group.isCopula) {
    group.isPast = true;
    return 2;
  }
  if (lower === 'gonna') {
    group.isFuture = true;
    return 1;
  }
  if ((lower === 'going' || lower === 'about') && group.isCopula && tokens[index + 1]?.lower === 'to') {
    const verb = tokens[index + 2];
    if (verb === undefined || verb.pos === 'PROPN' || verb.pos === 'DET' || verb.pos === 'PRON') return 0;
    group.isCopula = false;
    group.isFuture = true;
    return 2;
  }
  if (BE_PRESENT.has(lower) && !(lower === "'s" && (next?.lower === 'been' || next?.lower === 'got'))) {
    group.isCopula = true;
    return 1;
  }
  if (BE_PAST.has(lower) || lower === 'be' || lower === 'been') {
    group.isCopula = true;
    group.isPast ||= BE_PAST.has(lower);
    return 1;
  }
  return readHaveOrDo(tokens, index, group, next);
};

function readHaveOrDo(tokens: readonly Token[], index: number, group: VerbGroup, after: Token | undefined): number {
  const lower = tokens[index]?.lower ?? '';
  const isDenied = HAVE.has(lower) && (after?.lower === "n't" || after?.lower === 'not' || after?.lower === 'never');
  const next = isDenied ? findAfterAdverbs(tokens, index + 2) : after;
  if (HAVE.has(lower) || lower === "'s") {
    if (next?.lower === 'to') {
      group.isUncertain = true;
      return 2;
    }
    const participle =
      next !== undefined &&
      ((next.pos === 'VERB' && !NO_PARTICIPLES.test(next.lower)) || /^(?:been|got|had|become|quit)$/.test(next.lower));
    if (!participle) return 0;
    group.isPerfect = true;
    group.isPast ||= lower === 'had';
    return 1;
  }
  if (DO.has(lower)) {
    if (next === undefined || !(next.pos === 'VERB' || NEGATIONS.has(next.lower) || next.lower === "n't")) return 0;
    group.isPast ||= lower === 'did';
    return 1;
  }
  return 0;
}

function findAfterAdverbs(tokens: readonly Token[], from: number): Token | undefined {
  let index = from;
  while (index < from + 4 && PLAIN_ADVERBS.has(tokens[index]?.lower ?? '')) index += 1;
  return tokens[index];
}
