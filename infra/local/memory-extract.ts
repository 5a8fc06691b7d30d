/**
 * A short extract of a memory in everyday words: who, what, since when, the words it stands on and where they are from;
 * then what was true before, and what took its place.
 */
import type { ClaimBody } from '../../functions/reader/claim-body.ts';
import { count } from './figures.ts';

/** One screen. */
const CURRENT_SHOWN_MAX = 14;
const SUPERSEDED_SHOWN_MAX = 6;
const PER_ENTITY_MAX = 5;
const QUOTE_CHARACTERS_MAX = 140;

/** How an attribute is said, and how one that is over is. Others are said by their name. */
const PHRASES: Readonly<Record<string, readonly [now: string, before: string]>> = {
  name: ['is called', 'was called'],
  lives_in: ['lives in', 'lived in'],
  works_at: ['works at', 'worked at'],
  works_as: ['works as', 'worked as'],
  age: ['is aged', 'was aged'],
  birthday: ['has a birthday on', 'was said to have a birthday on'],
  from: ['comes from', 'came from'],
  relationship: ['is', 'was'],
  family: ['has family:', 'had family:'],
  pets: ['has a pet:', 'had a pet:'],
  diet: ['eats', 'ate'],
  allergy: ['is allergic to', 'was allergic to'],
  avoids: ['avoids', 'avoided'],
  health: ['has a condition:', 'had a condition:'],
  education: ['studied', 'studied'],
  speaks: ['speaks', 'spoke'],
  learning: ['is learning', 'was learning'],
  hobby: ['has a pastime:', 'had a pastime:'],
  owns: ['owns', 'owned'],
  drives: ['drives', 'drove'],
  uses: ['uses', 'used'],
  likes: ['likes', 'liked'],
  dislikes: ['does not like', 'did not like'],
  project: ['is working on', 'was working on'],
  routine: ['has a habit:', 'had a habit:'],
  plan: ['plans to', 'planned to'],
  event: ['tells:', 'told:'],
};
/**
 * What the rules know well: of these kinds they found at least 7 in 10 of what a stranger expected of them, the measure that
 * they have to pass as a whole (`test/functions/worker/executor/blind`; few of each kind, so it is a rough one). The test
 * of this file holds the list to that table. The others are true of their quotes too, but they miss more, or say less.
 */
export const KNOWN_WELL: ReadonlySet<string> = new Set([
  'name',
  'lives_in',
  'works_at',
  'works_as',
  'age',
  'birthday',
  'family',
  'health',
  'speaks',
  'hobby',
  'uses',
  'dislikes',
  'project',
  'plan',
]);
/** What one, and several, of the other kinds are called. */
const KINDS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  event: ['happening', 'happenings'],
  relationship: ['relationship', 'relationships'],
  pets: ['pet', 'pets'],
  likes: ['thing liked', 'things liked'],
  favorite: ['favourite', 'favourites'],
  avoids: ['thing avoided', 'things avoided'],
  diet: ['diet', 'diets'],
  allergy: ['allergy', 'allergies'],
  education: ['study', 'studies'],
  owns: ['belonging', 'belongings'],
  drives: ['vehicle', 'vehicles'],
  routine: ['habit', 'habits'],
  learning: ['thing being learnt', 'things being learnt'],
  from: ['origin', 'origins'],
  nationality: ['nationality', 'nationalities'],
  fears: ['fear', 'fears'],
};
/** Kinds named with their number; the rest is one number. */
const KINDS_NAMED_MAX = 6;

/** What says most about somebody comes first; what is not listed follows. */
const ORDER = Object.keys(PHRASES);
/** Happenings have a time; everything else has a beginning. */
const HAPPENINGS: ReadonlySet<string> = new Set(['event', 'plan']);

/** `favorite:colour` is a kind of `favorite`. */
export const kindOf = (attribute: string): string => attribute.replace(/:.*$/s, '');

/**
 * Lines of the extract; empty for a memory without claims. `shown`: the kinds of which claims are shown, the others are
 * named by their number; absent: all.
 */
export function extractMemory(all: readonly ClaimBody[], shown?: ReadonlySet<string>): string[] {
  const isShown = ({ attribute }: ClaimBody): boolean => shown === undefined || shown.has(kindOf(attribute));
  const claims = all.filter(isShown);
  const others = all.filter((claim) => claim.state === 'active' && !isShown(claim));
  const lines = listClaims(claims, new Map(all.map((claim) => [claim.id, claim])));
  if (others.length > 0) {
    if (lines.length > 0) lines.push('');
    lines.push(`Also noticed, of kinds in which the rules are weaker: ${countKinds(others)}.`);
  }
  return lines;
}

function countKinds(claims: readonly ClaimBody[]): string {
  const counted = [...Map.groupBy(claims, ({ attribute }) => kindOf(attribute))]
    .map(([kind, own]) => ({ kind, count: own.length }))
    .toSorted((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
  const named = counted.slice(0, KINDS_NAMED_MAX).map(({ kind, count: number }) => {
    const plain = kind.replaceAll('_', ' ');
    return count(number, ...(KINDS[kind] ?? [plain, plain]));
  });
  const rest = counted.slice(KINDS_NAMED_MAX).reduce((sum, { count: number }) => sum + number, 0);
  return [...named, ...(rest > 0 ? [`${rest} of other kinds`] : [])].join(', ');
}

function listClaims(claims: readonly ClaimBody[], byId: ReadonlyMap<string, ClaimBody>): string[] {
  const current = choose(claims, 'active', CURRENT_SHOWN_MAX);
  const superseded = choose(claims, 'superseded', SUPERSEDED_SHOWN_MAX);
  const lines: string[] = [];
  if (current.shown.length > 0) lines.push('What is remembered now:', ...current.shown.flatMap(describeCurrent));
  if (current.leftOut > 0) lines.push(`  … and ${current.leftOut} more.`);
  if (superseded.shown.length > 0) {
    if (lines.length > 0) lines.push('');
    lines.push('What was true before, or said before:');
    lines.push(...superseded.shown.flatMap((claim) => describeSuperseded(claim, byId)));
  }
  if (superseded.leftOut > 0) lines.push(`  … and ${superseded.leftOut} more.`);
  return lines;
}

interface Choice {
  readonly shown: readonly ClaimBody[];
  readonly leftOut: number;
}

/** A few of everybody, the most telling first. */
function choose(claims: readonly ClaimBody[], state: ClaimBody['state'], max: number): Choice {
  const wanted = claims.filter((claim) => claim.state === state);
  const shown = [...Map.groupBy(wanted, ({ entity }) => entity)]
    .toSorted(([a, own], [b, others]) => others.length - own.length || (a < b ? -1 : 1))
    .flatMap(([, own]) => own.toSorted(byTelling).slice(0, PER_ENTITY_MAX))
    .slice(0, max);
  return { shown, leftOut: wanted.length - shown.length };
}

function byTelling(a: ClaimBody, b: ClaimBody): number {
  return rank(a) - rank(b) || (a.since < b.since ? 1 : a.since > b.since ? -1 : 0);
}

function rank({ attribute }: ClaimBody): number {
  const place = ORDER.indexOf(attribute);
  return place < 0 ? ORDER.length : place;
}

function describeCurrent(claim: ClaimBody): string[] {
  const { entity, attribute, value } = claim;
  return [`  ${entity} ${phrase(attribute, 0)} ${value} (${describeSince(claim)})`, ...describeQuote(claim)];
}

/** What took its place is said with its own time; when this one ended is only as exact as that. */
function describeSuperseded(claim: ClaimBody, byId: ReadonlyMap<string, ClaimBody>): string[] {
  const { entity, attribute, value, replacedBy } = claim;
  const successor = replacedBy && byId.get(replacedBy.id);
  const since = successor === undefined ? '' : ` (${describeSince(successor)})`;
  const next = replacedBy === undefined || replacedBy.value === '' ? 'no longer' : `replaced by ${replacedBy.value}`;
  return [`  ${entity} ${phrase(attribute, 1)} ${value}: ${next}${since}`, ...describeQuote(claim)];
}

function phrase(attribute: string, tense: 0 | 1): string {
  return PHRASES[attribute]?.[tense] ?? `– ${attribute.replaceAll('_', ' ')}:`;
}

/** An event gave the time, as exactly as it was said; else there is only the day of the source. */
function describeSince({ attribute, since, precision }: ClaimBody): string {
  if (precision === undefined) return `said on ${dayOf(since)}`;
  return `${HAPPENINGS.has(attribute) ? '' : 'since '}${describeTime(since, precision)}`;
}

/** A day, month or year begins at midnight where it was said; half a day later it is the same day everywhere near. */
const HALF_A_DAY_MS = 12 * 60 * 60 * 1000;
const WHOLE_DAYS: ReadonlySet<string> = new Set(['year', 'month', 'day']);

function describeTime(iso: string, precision: NonNullable<ClaimBody['precision']>): string {
  const shownMs = Date.parse(iso) + (WHOLE_DAYS.has(precision) ? HALF_A_DAY_MS : 0);
  const style: Intl.DateTimeFormatOptions =
    precision === 'year'
      ? { year: 'numeric' }
      : precision === 'month'
        ? { year: 'numeric', month: 'long' }
        : { year: 'numeric', month: 'long', day: 'numeric' };
  return new Intl.DateTimeFormat('en-GB', { ...style, timeZone: 'UTC' }).format(shownMs);
}

function dayOf(iso: string): string {
  return describeTime(iso, 'second');
}

function describeQuote({ quotes, quotesLeftOut = 0 }: ClaimBody): string[] {
  const [newest] = quotes;
  if (newest === undefined) return [];
  const others = quotes.length - 1 + quotesLeftOut;
  const more = others > 0 ? `, and ${count(others, 'more place', 'more places')}` : '';
  return [`      “${shorten(newest.text)}” — ${fileOf(newest.source)}${more}`];
}

function shorten(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ');
  if (oneLine.length <= QUOTE_CHARACTERS_MAX) return oneLine;
  // Cut at a space, so that no character is cut.
  const end = oneLine.lastIndexOf(' ', QUOTE_CHARACTERS_MAX - 1);
  return `${oneLine.slice(0, end > 0 ? end : QUOTE_CHARACTERS_MAX - 1).toWellFormed()}…`;
}

/** `transcript:2024-06/denver.jsonl@0123456789abcdef` is the file 2024-06/denver.jsonl. */
function fileOf(source: string): string {
  return source.replace(/^[a-z]+:/, '').replace(/@[0-9a-f]{16}$/, '');
}
