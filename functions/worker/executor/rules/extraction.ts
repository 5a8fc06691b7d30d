/** The way of a text through the rules: blocks, sentences, clauses, findings, guards, claim drafts. */
import { type Found, guardChanges } from './change-guards.ts';
import type { ClaimDraft, Finding } from './claim-draft.ts';
import { type Clause, readClauses, type Speech } from './clauses.ts';
import type { ExtractInput } from './extract.ts';
import { findDatedEvent, findPlan } from './happenings.ts';
import { findHome } from './homes.ts';
import { findHousehold, findNamedHousehold } from './households.ts';
import { findBirth, findIdentity, findIntroduction } from './identities.ts';
import { findJob } from './jobs.ts';
import type { Language, Sentence } from './language.ts';
import { findPeople } from './people.ts';
import { type Block, readBlocks } from './rendered-text.ts';
import { findTastes } from './tastes.ts';

// A block without these says nothing about anybody that a rule could read, and most of a long document is such.
const GATE = /\b(?:i|we|my|our|moved|quit|adopted|joined|started)\b/i;

/** All claim drafts of an input, in the order of their quotes. */
export function extractFrom(language: Language, input: ExtractInput): ClaimDraft[] {
  const context = input.context === undefined ? '' : input.context.replace(/\n*$/, '\n');
  const text = context + input.text;
  const { blocks, speakers, isTranscript } = readBlocks(text);
  // The middle of a source without a header may be one long turn of a machine.
  if (!isTranscript && input.baseOffset > 0 && input.context === undefined) return [];
  const people = findPeople(text, blocks, speakers);
  const employers = new Set<string>();
  const found: Found[] = [];
  for (const block of blocks) {
    if (block.end <= context.length) continue;
    if (!isWorthReading(text, block, people)) continue;
    const speech: Speech = { speaker: block.speaker, people, employers };
    if (block.anchor !== undefined) speech.anchor = block.anchor;
    for (const sentence of language.readSentences(text, block)) {
      if (sentence.start >= context.length) found.push(...readSentence(sentence, speech));
    }
  }
  return toDrafts(text, guardChanges(found), input.baseOffset - countCodePoints(context));
}

function isWorthReading(text: string, block: Block, people: ReadonlySet<string>): boolean {
  const body = text.slice(block.start, block.end);
  return GATE.test(body) || [...people].some((name) => body.includes(name));
}

function readSentence(sentence: Sentence, speech: Speech): Found[] {
  const found: Found[] = [...findIdentity(sentence, speech), ...findNamedHousehold(sentence, speech)].map(
    (finding) => ({
      finding,
      sentence,
    }),
  );
  for (const clause of readClauses(sentence, speech)) {
    for (const finding of readClause(clause)) {
      found.push(finding.change === true ? { finding, sentence, clause } : { finding, sentence });
    }
  }
  return found;
}

/** The first family of rules that finds something in a clause has it: an event that is also a move is a move. */
function readClause(clause: Clause): Finding[] {
  const rules = [findIntroduction, findBirth, findHome, findJob, findHousehold, findTastes, findPlan, findDatedEvent];
  for (const rule of rules) {
    const findings = rule(clause);
    if (findings.length > 0) return findings;
  }
  return [];
}

function toDrafts(text: string, found: readonly Found[], baseOffset: number): ClaimDraft[] {
  const edges = [...new Set(found.flatMap(({ sentence }) => [sentence.start, sentence.end]))].sort((a, b) => a - b);
  const codePoints = new Map<number, number>();
  let counted = 0;
  let at = 0;
  for (const edge of edges) {
    counted += countCodePoints(text.slice(at, edge));
    at = edge;
    codePoints.set(edge, counted + baseOffset);
  }
  const drafts: ClaimDraft[] = [];
  const seen = new Set<string>();
  for (const { finding, sentence } of found) {
    const { change: _change, ...draft } = finding;
    const quote = { start: codePoints.get(sentence.start) ?? 0, end: codePoints.get(sentence.end) ?? 0 };
    const key = JSON.stringify([draft.entity, draft.attribute, draft.value.toLowerCase(), quote.start]);
    if (seen.has(key)) continue;
    seen.add(key);
    drafts.push({ ...draft, quote });
  }
  return drafts;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
