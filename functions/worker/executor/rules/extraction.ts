/** The way of a text through the rules: blocks, sentences, clauses, findings, guards, claim drafts. */
import { findAge } from './ages.ts';
import { findBelongings } from './belongings.ts';
import { type Found, guardChanges } from './change-guards.ts';
import type { ClaimDraft, Finding, ExtractInput } from './claim-draft.ts';
import { type Clause, readClauses } from './clauses.ts';
import { findDatedEvent, findMishap } from './happenings.ts';
import { findHealth } from './health.ts';
import { findAnchor, findSoutherners } from './hemispheres.ts';
import { findHome } from './homes.ts';
import { findHousehold, findNamedHousehold } from './households.ts';
import { findBirth, findIdentity, findIntroduction } from './identities.ts';
import { findJob, findRoleOpener } from './jobs.ts';
import type { Language, Sentence } from './language.ts';
import { findNominals } from './nominals.ts';
import { findOrigin } from './origins.ts';
import { findKinNames, findPeople } from './people.ts';
import { findOccasions, findPlan, findStatedPlan } from './plans.ts';
import { findPursuits } from './pursuits.ts';
import { startReferents } from './referents.ts';
import { findRelationship } from './relationships.ts';
import { type Block, readBlocks } from './rendered-text.ts';
import { isTakenBack, maySetScene, readStage, type Scene } from './scenes.ts';
import { findSkills } from './skills.ts';
import type { Speech } from './subjects.ts';
import { findFears, findTastes } from './tastes.ts';

// A block without these says nothing about anybody that a rule could read, and most of a long document is such.
const GATE =
  /\b(?:i|we|my|our|me|moved|quit|adopted|joined|started|got|bought|sold|born|graduated|retired|finished|turned|based|living|live|working|work|studying|love|hate|allergic|married|engaged|divorced|drive|speak|went|mom|mum|dad|grandma|grandpa|nana|wedding|surgery|ran|signed|booked|lives|works)\b/i;

/** All claim drafts of an input, in the order of their quotes. */
export function extractFrom(language: Language, input: ExtractInput): ClaimDraft[] {
  const context = input.context === undefined ? '' : input.context.replace(/\n*$/, '\n');
  const text = context + input.text;
  const { blocks, speakers, isTranscript } = readBlocks(text);
  // The middle of a source without a header may be one long turn of a machine.
  if (!isTranscript && input.baseOffset > 0 && input.context === undefined) return [];
  const people = findPeople(text, blocks, speakers);
  const southerners = findSoutherners(text, blocks);
  const reading: Reading = {
    language,
    text,
    people,
    kinNames: findKinNames(text, blocks),
    employers: new Set(),
    southerners,
  };
  const found: Found[] = [];
  for (const turn of groupTurns(blocks)) found.push(...readTurn(reading, turn, context.length));
  return toDrafts(text, guardChanges(found), input.baseOffset - countCodePoints(context));
}

function isWorthReading(text: string, block: Block, people: ReadonlySet<string>): boolean {
  const body = text.slice(block.start, block.end);
  return GATE.test(body) || [...people].some((name) => body.includes(name));
}

interface Reading {
  language: Language;
  text: string;
  people: ReadonlySet<string>;
  kinNames: ReadonlyMap<string, string>;
  employers: Set<string>;
  southerners: ReadonlySet<string>;
}

function groupTurns(blocks: readonly Block[]): Block[][] {
  const turns: Block[][] = [];
  for (const block of blocks) {
    const last = turns.at(-1);
    if (last !== undefined && last[0]?.turn === block.turn) last.push(block);
    else turns.push([block]);
  }
  return turns;
}

/** The findings of one turn: whom "he" means, and whether a scene is played, hold as long as somebody speaks. */
function readTurn(reading: Reading, blocks: readonly Block[], from: number): Found[] {
  const { language, text, southerners } = reading;
  const { people, kinNames, employers } = reading;
  const referents = startReferents();
  const scene: Scene = { isStaged: false };
  let found: Found[] = [];
  for (const block of blocks) {
    const isRead = block.end > from && isWorthReading(text, block, people);
    // A line that says nothing by itself can still set the scene for the lines after it.
    if (!isRead && !(blocks.length > 1 && maySetScene(text.slice(block.start, block.end)))) continue;
    const speech: Speech = { speaker: block.speaker, people, kinNames, employers, referents };
    const anchor = findAnchor(block, southerners);
    if (anchor !== undefined) speech.anchor = anchor;
    for (const read of language.readSentences(text, block)) {
      if (read.start < from) continue;
      const sentence = anchor === undefined ? read : { ...read, saidAtMs: anchor.atMs };
      if (isTakenBack(sentence, text)) found = [];
      if (!readStage(sentence, text, scene)) found.push(...readSentence(sentence, speech));
    }
  }
  return found;
}

function readSentence(sentence: Sentence, speech: Speech): Found[] {
  const clauses = readClauses(sentence, speech);
  const found: Found[] = [
    ...findIdentity(sentence, speech),
    ...findNamedHousehold(sentence, speech),
    ...findRoleOpener(sentence, speech),
    ...findNominals(sentence, speech),
    ...findOccasions(sentence, speech),
    ...findStatedPlan(sentence, speech),
  ].map((finding) => ({ finding, sentence }));
  for (const clause of clauses) {
    for (const finding of readClause(clause)) {
      found.push(finding.change === true ? { finding, sentence, clause } : { finding, sentence });
    }
  }
  return found;
}

const STATEMENTS = [
  findIntroduction,
  findBirth,
  findAge,
  findHome,
  findJob,
  findOrigin,
  findRelationship,
  findHousehold,
  findHealth,
  findSkills,
  findBelongings,
  findPursuits,
  findTastes,
  findFears,
];

/** A plan is no fact yet, so it goes before all statements; what is told without being one of them may be an event. */
function readClause(clause: Clause): Finding[] {
  if (clause.isThing) return findMishap(clause);
  const plan = findPlan(clause);
  if (plan.length > 0) return plan;
  const stated = STATEMENTS.flatMap((rule) => rule(clause));
  return stated.length > 0 ? stated : findDatedEvent(clause);
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
    const { saidAtMs } = sentence;
    drafts.push({ ...draft, quote, ...(saidAtMs !== undefined && { saidAtMs }) });
  }
  return drafts;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
