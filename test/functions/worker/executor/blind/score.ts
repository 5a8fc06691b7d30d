/**
 * Scores the extractor on sentences and dialogues that were written before it was run on them, by someone who had not
 * seen its rules. A fact counts as found when entity and attribute fit, every expected word stands in the value or the
 * quote, and its time, where the words give one, lies inside the expected interval.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sliceCharacters } from '../../../../../functions/core/characters.ts';
import { renderTurns } from '../../../../../functions/core/render.ts';
import { type ClaimDraft, loadRules } from '../../../../../functions/worker/executor/rules/extract.ts';
import type { Turn } from '../../../../../schema/source-api.ts';

export interface ExpectedFact {
  readonly entity: string;
  readonly attribute: string | readonly string[];
  readonly valueContains: readonly string[];
  readonly event?: { readonly from: string; readonly to: string };
  readonly plan?: true;
}
interface Sentence {
  readonly id: number;
  readonly text: string;
  readonly expected: readonly ExpectedFact[];
}
interface Dialogue {
  readonly id: string;
  readonly turns: readonly Turn[];
  readonly expected: readonly ExpectedFact[];
}

export interface Case {
  readonly id: string;
  readonly text: string;
  readonly expected: readonly ExpectedFact[];
  readonly claims: readonly ClaimDraft[];
}

const SAID_AT = '2025-03-12T19:30:00-06:00';
/** Words of the writer's vocabulary beside those of the extractor's own table. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  studies_at: ['education'],
  dislikes: ['avoids'],
  routine: ['hobby'],
  hobby: ['routine', 'likes'],
  works_as: ['field'],
};
const DAY_MS = 24 * 60 * 60 * 1000;

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, name), 'utf8')) as T;
}

export async function readCases(): Promise<Case[]> {
  const rules = await loadRules();
  const caseOf = (id: string, turns: readonly Turn[], expected: readonly ExpectedFact[]): Case => {
    const { text } = renderTurns(turns);
    return { id, text, expected, claims: rules.extractClaims({ text, baseOffset: 0 }) };
  };
  const sentences = readJson<Sentence[]>('sentences.json');
  const dialogues = readJson<Dialogue[]>('dialogues.json');
  return [
    ...sentences.map(({ id, text, expected }) =>
      caseOf(String(id), [{ speaker: 'Maya', at: SAID_AT, text }], expected),
    ),
    ...dialogues.map(({ id, turns, expected }) => caseOf(id, turns, expected)),
  ];
}

export function quoteOf({ text }: Case, claim: ClaimDraft): string {
  return sliceCharacters(text, claim.quote.start, claim.quote.end);
}

function fitsEntity(expected: string, found: string): boolean {
  const [a, b] = [expected.toLowerCase(), found.toLowerCase()];
  return a === b || b.includes(a) || (a === 'mom' && b.includes('mother'));
}

function fitsTime({ event }: ExpectedFact, claim: ClaimDraft): boolean {
  if (!event || !claim.event) return true;
  // Expected intervals are days of the speaker; UTC starts up to half a day off.
  return claim.event.startMs >= Date.parse(event.from) - DAY_MS && claim.event.startMs < Date.parse(event.to) + DAY_MS;
}

/** Whether a claim states an expected fact. */
export function states(it: Case, fact: ExpectedFact, claim: ClaimDraft): boolean {
  const listed = typeof fact.attribute === 'string' ? [fact.attribute] : fact.attribute;
  const attributes = [...listed, ...listed.flatMap((name) => SAME[name] ?? [])].map((name) =>
    name.replaceAll(' ', '_'),
  );
  const said = `${claim.value} ${quoteOf(it, claim)}`.toLowerCase();
  const wanted = fact.plan && !listed.includes('plan') ? [...attributes, 'plan'] : attributes;
  const words = fact.valueContains.every((word) => said.includes(word.toLowerCase()));
  return wanted.includes(claim.attribute) && words && fitsEntity(fact.entity, claim.entity) && fitsTime(fact, claim);
}

export interface Score {
  readonly expected: number;
  readonly found: number;
  readonly missed: readonly string[];
  /** Claims from sentences that state nothing. */
  readonly unfounded: readonly string[];
}

export function score(cases: readonly Case[]): Score {
  const missed: string[] = [];
  const unfounded: string[] = [];
  let expected = 0;
  for (const it of cases) {
    expected += it.expected.length;
    for (const fact of it.expected) {
      if (!it.claims.some((claim) => states(it, fact, claim)))
        missed.push(`${it.id}: ${[fact.attribute].flat()[0]} ${fact.valueContains.join(' ')}`);
    }
    if (it.expected.length === 0)
      unfounded.push(...it.claims.map((claim) => `${it.id}: ${claim.attribute} ${claim.value}`));
  }
  return { expected, found: expected - missed.length, missed, unfounded };
}
