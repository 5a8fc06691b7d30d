/**
 * Which current claims answer a question, within a budget: entities whose names the question shares words with, then
 * claims by the words they share, then the newest.
 */

/** Estimated as everywhere in English: four characters a token. */
const CHARACTERS_PER_TOKEN = 4;

/** Words too common to tell one entity or claim from another. */
const COMMON = new Set(
  'a an and are at be been but by did do does for from had has have he her his how i in is it its me my not of on or our she so that the their them there they this to us was we were what when where which who why will with you your'.split(
    ' ',
  ),
);

export function wordsOf(text: string): ReadonlySet<string> {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared;
}

export interface Candidate {
  readonly slug: string;
  /** Every name the entity goes by. */
  readonly names: readonly string[];
}

/** The entities a question is about, best first; when it names none, the first ones of the scope. */
export function chooseEntities(q: string, candidates: readonly Candidate[], most: number): Candidate[] {
  const asked = wordsOf(q);
  const scored = candidates.map((candidate) => ({
    candidate,
    score: Math.max(0, ...candidate.names.map((name) => overlap(asked, wordsOf(name)))),
  }));
  const named = scored.filter(({ score }) => score > 0);
  return (named.length > 0 ? named : scored)
    .sort((a, b) => b.score - a.score || (a.candidate.slug < b.candidate.slug ? -1 : 1))
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

export interface Recallable {
  /** Place of its entity among those chosen. */
  readonly entityRank: number;
  readonly id: string;
  /** As it is given. */
  readonly text: string;
  readonly sinceMs: number;
}

export interface Recalled<R> {
  readonly chosen: readonly R[];
  /** Of the texts of those chosen, each with its line feed. */
  readonly tokens: number;
}

/** What one text costs of the budget. */
export function tokensOf(text: string): number {
  return Math.ceil((text.length + 1) / CHARACTERS_PER_TOKEN);
}

/** Fills the budget with the best, leaving out what does not fit any more: never over it. */
export function chooseClaims<R extends Recallable>(q: string, claims: readonly R[], budget: number): Recalled<R> {
  const asked = wordsOf(q);
  const ranked = claims
    .map((claim) => ({ claim, score: overlap(asked, wordsOf(claim.text)) }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        a.claim.entityRank - b.claim.entityRank ||
        b.claim.sinceMs - a.claim.sinceMs ||
        (a.claim.id < b.claim.id ? -1 : 1),
    );
  const chosen: R[] = [];
  let tokens = 0;
  for (const { claim } of ranked) {
    const cost = tokensOf(claim.text);
    if (tokens + cost > budget) continue;
    chosen.push(claim);
    tokens += cost;
  }
  return { chosen, tokens };
}
