/** What the memory of one scope must be when all deeds were answered: what they say, and what its rows say of each other. */
import { isErased } from '../../../functions/core/erasing.ts';
import { joinAliases } from '../../../functions/core/aliases.ts';
import { findContests } from '../../../functions/core/contests.ts';
import { countingAt, protects } from '../../../functions/core/counting.ts';
import { forgottenHashOf } from '../../../functions/core/forgetting.ts';
import { holdsRegisters, registersOf } from '../../../functions/core/registers.ts';
import { attentionItemSchema } from '../../../schema/attention.ts';
import {
  type Citation,
  citationItemSchema,
  type CitationItem,
  type ClaimSlot,
  isEmptied,
} from '../../../schema/citation.ts';
import { aliasItemSchema, entityItemSchema, nameKeyOf, slugOf, typeKeyOf } from '../../../schema/entity.ts';
import { type HeadItem, headItemSchema, REGISTERS } from '../../../schema/head.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { isContested, lastAt, PLACES } from './claim-counting.ts';
import { type Deed, isSaying, isUnsaid, isWriting, SLOT, takes } from './claim-deeds.ts';
import { isEqual } from '../engine/expression.ts';
import type { Tables } from '../engine/tables.ts';

type Fail = (invariant: string, found: string) => void;

export interface Ended {
  readonly tables: Tables;
  readonly partition: string;
  readonly deeds: readonly Deed[];
  /** No write was on its way for long: heads are right, and not only seen to be wrong. */
  readonly isExact: boolean;
  /** Attentions that a dead process wrote last: nobody was left to look again. */
  readonly late: ReadonlySet<string>;
}

export const hashOfValue = (value: string): string =>
  forgottenHashOf({ slot: { entity: slugOf(SLOT.entity), attribute: SLOT.attribute }, value });

/** Hashes of what is asked to be forgotten. */
export function forgottenBy(deeds: readonly Deed[]): ReadonlySet<string> {
  return new Set(deeds.flatMap((deed) => (deed.kind === 'forget' ? [hashOfValue(deed.value)] : [])));
}

const citationsIn = ({ tables, partition }: Ended): CitationItem[] =>
  tables.list(partition, 'CLAIM#').map((row) => citationItemSchema.parse(row));

/** Whether the words of a forgotten claim stand anywhere: in a row, a head, an attention. */
export function checkForgotten(ended: Ended, fail: Fail): void {
  for (const hash of forgottenBy(ended.deeds)) {
    const told = citationsIn(ended).find((row) => !isEmptied(row) && isErased({ hash }, row));
    if (told) fail('forgotten', `${told.value} is told by a row of ${told.source.id}`);
  }
}

export function checkEnded(ended: Ended, fail: Fail): void {
  const rows = citationsIn(ended);
  checkRows(ended, rows, (found) => fail('citations', found));
  checkSlots(ended, rows, fail);
  checkEntities(ended, rows, (found) => fail('entities', found));
  checkMerges(ended, (found) => fail('merges', found));
  checkForgotten(ended, fail);
}

/** A claim slot by what it is, whatever its key in the tables. */
const nameOfSlot = ({ entity, attribute, key }: ClaimSlot): string => JSON.stringify([entity, attribute, key]);

function checkSlots({ tables, partition, isExact, late }: Ended, rows: readonly CitationItem[], fail: Fail): void {
  const heads = tables.list(partition, 'HEAD#').map((row) => headItemSchema.parse(row));
  const bySlot = Map.groupBy(rows, ({ slot }) => nameOfSlot(slot));
  for (const key of new Set([...bySlot.keys(), ...heads.map(({ slot }) => nameOfSlot(slot))])) {
    const own = bySlot.get(key) ?? [];
    const head = heads.find(({ slot }) => nameOfSlot(slot) === key);
    if (!holdsRegisters(head, registersOf(own)) && (isExact || !shows(head, own)))
      fail('heads', `the head of ${key} is not what its citations say`);
    const wanted = registersOf(own);
    const isNamed = REGISTERS.every((name) => head?.[name]?.citationId === wanted[name]?.citationId);
    if (isExact && !isNamed) fail('heads', `the head of ${key} names another citation than its key`);
    const isLast = PLACES.every((place) => {
      const last = lastAt(place, own).map(({ citationId }) => citationId);
      const named = head?.[place]?.citationId;
      return named === undefined ? last.length === 0 : last.includes(named);
    });
    if (isExact && !isLast) fail('heads', `the head of ${key} does not name what was told last`);
  }
  const attentions = tables.list(partition, 'ATTENTION#').map((row) => attentionItemSchema.parse(row));
  const isLate = ({ subject }: { subject: string }): boolean => late.has(`ATTENTION#contested#${subject}`);
  const wanted = [...bySlot.values()].flatMap((own) => findContests((own[0] as CitationItem).slot, own));
  const nameOf = (one: { subject: string; subjectKey: string }): string => `${one.subject} ${one.subjectKey}`;
  // What a pass declined stays closed while it stays what it was.
  const declined = new Set(attentions.filter(({ resolution }) => resolution?.startsWith('declined: ')).map(nameOf));
  const open = attentions.filter((one) => one.resolvedAtMs === undefined && !isLate(one)).map(nameOf);
  const owed = wanted
    .filter((one) => !isLate(one))
    .map(nameOf)
    .filter((name) => !declined.has(name));
  for (const [key, own] of bySlot) {
    const isAsked = attentions.some((one) => {
      const isOwn = nameOfSlot(one.details.slot) === key;
      return isOwn && (one.resolvedAtMs === undefined || declined.has(nameOf(one)) || isLate(one));
    });
    if (isExact && !isAsked && isContested(own)) fail('attention', `${key} is contested, and nobody is asked`);
  }
  if (!isEqual(open.sort(), owed.sort())) fail('attention', `open is ${open.join()}, not ${owed.join()}`);
}

/** Whether a reader who looks the head's citations up sees that it is wrong. */
function shows(head: HeadItem | undefined, rows: readonly CitationItem[]): boolean {
  const counting = new Map(countingAt(rows).map((row) => [row.citationId, row]));
  return REGISTERS.some((name) => {
    const register = head?.[name];
    const row = register && counting.get(register.citationId);
    return register !== undefined && (row === undefined || (name === 'protected' && !protects(row)));
  });
}

interface Fates {
  readonly writers: ReadonlySet<string>;
  readonly importers: ReadonlySet<string>;
  readonly capturedAtMs: number;
}

function fatesOf(deeds: readonly Deed[], id: string): Fates {
  const own = deeds.filter((deed) => 'citation' in deed && deed.citation.citationId === id);
  const told = own.filter((deed) => isWriting(deed) || isSaying(deed) || deed.kind === 'import');
  const captured = told.map((deed) => (deed as { citation: Citation }).citation.capturedAtMs);
  const passesOf = (meant: readonly Deed[]): Set<string> =>
    new Set(meant.flatMap((deed) => ('passId' in deed ? [deed.passId] : [])));
  return {
    writers: passesOf(own.filter(isWriting)),
    importers: passesOf(own.filter(({ kind }) => kind === 'import')),
    capturedAtMs: Math.max(...captured),
  };
}

/** Every citation that was said is there, with just the passes that said it, and what was taken back is. */
function checkRows({ deeds }: Ended, rows: readonly CitationItem[], fail: (found: string) => void): void {
  const undone = new Set(deeds.flatMap((deed) => (deed.kind === 'undo' ? [deed.passId] : [])));
  const has = (kind: Deed['kind'], id: string): boolean =>
    deeds.some((deed) => deed.kind === kind && 'citation' in deed && deed.citation.citationId === id);
  const forgotten = forgottenBy(deeds);
  const erased = new Set(deeds.flatMap((deed) => (deed.kind === 'erase' ? [deed.id] : [])));
  // A hash each: only where it is asked for.
  const isOut = (citation: Citation): boolean =>
    erased.has(citation.source.id) || (forgotten.size > 0 && forgotten.has(forgottenHashOf(citation)));
  const owed = deeds.flatMap((deed) =>
    'citation' in deed && !isOut(deed.citation) && !isUnsaid(deed) ? [deed.citation.citationId] : [],
  );
  const known = new Set(rows.map(({ citationId }) => citationId));
  const missing = owed.filter((id) => !known.has(id));
  if (missing.length > 0 || known.size !== new Set(owed).size)
    fail(`${known.size} rows of ${new Set(owed).size} citations`);
  for (const row of rows) {
    const { writers, importers, capturedAtMs } = fatesOf(deeds, row.citationId);
    const listed = Object.keys(row.passes);
    const named = listed.filter((passId) => !importers.has(passId));
    const most = Math.min(writers.size, LIMITS.citationPassesMax - (listed.length - named.length));
    if (named.length !== most || named.some((passId) => !writers.has(passId))) fail('a row forgot who said it');
    const own = named.filter((passId) => undone.has(passId));
    if (!isEqual(Object.keys(row.undone).sort(), own.sort())) fail('a row forgot which passes were undone');
    if (row.capturedAtMs !== capturedAtMs) fail('a row is not as late as its source');
    if ((row.withdrawnAtMs !== undefined) !== deeds.some((deed) => deed.kind === 'withdraw' && takes(deed, row)))
      fail('a row forgot that it was withdrawn');
    const isLifted = has('lift', row.citationId) || (row.protects === true && isUnprotected(deeds, row));
    if ((row.protectionLiftedAtMs !== undefined) !== isLifted) fail('a row forgot that it was lifted');
  }
}

/** Whether somebody lifted all that protects in its claim slot: they waited for whoever says so. */
function isUnprotected(deeds: readonly Deed[], { slot }: CitationItem): boolean {
  return deeds.some((deed) => deed.kind === 'unprotect' && isEqual(deed.citation.slot, slot));
}

const greatest = (keys: readonly string[]): string | undefined => keys.toSorted().at(-1);

/** By these an entity is made known; a row that is written alone says nothing of it. */
const MAKING_KNOWN: ReadonlySet<Deed['kind']> = new Set(['tell', 'correct', 'import', 'retract', 'protect']);
const idOf = (deed: Deed): string | undefined => ('citation' in deed ? deed.citation.citationId : undefined);

/** Name and type of each entity are the greatest of all that was said. */
function checkEntities(
  { tables, partition, deeds }: Ended,
  rows: readonly CitationItem[],
  fail: (found: string) => void,
): void {
  const known = tables.list(partition, 'ENTITY#').map((row) => entityItemSchema.parse(row));
  const slugs = new Set(known.map(({ slug }) => slug));
  for (const { citationId, slot } of rows) {
    const isTold = deeds.some((deed) => MAKING_KNOWN.has(deed.kind) && idOf(deed) === citationId);
    if (isTold && !slugs.has(slot.entity)) fail(`claims are told of ${slot.entity}, of whom nobody knows`);
  }
  const forgotten = forgottenBy(deeds);
  // Of a forgotten claim it depends on when: its words may have come first.
  if (forgotten.size > 0) return;
  for (const { slug, nameKey, typeKey } of known) {
    const names: string[] = [];
    const types: string[] = [];
    for (const deed of deeds) {
      if ('citation' in deed && deed.citation.slot.entity !== slug) continue;
      if (MAKING_KNOWN.has(deed.kind) && 'citation' in deed && !isUnsaid(deed))
        names.push(nameKeyOf(deed.citation.entityName));
      if ((deed.kind === 'tell' || deed.kind === 'import') && deed.entityType) {
        const { capturedAtMs } = deed.citation;
        types.push(typeKeyOf({ entityType: deed.entityType, capturedAtMs, isPerson: false }));
      }
      if (deed.kind === 'type' && slugOf(deed.name) === slug)
        types.push(typeKeyOf({ entityType: deed.entityType, capturedAtMs: deed.saidAtMs, isPerson: true }));
    }
    if (nameKey !== greatest(names)) fail(`${slug} is not called by its best name`);
    if (typeKey !== greatest(types)) fail(`${slug} is not what was said of it last`);
  }
}

/** What was merged and not taken apart is one, in whatever order it was said. */
function checkMerges({ tables, partition, deeds }: Ended, fail: (found: string) => void): void {
  const rows = tables.list(partition, 'ALIAS#').map((row) => aliasItemSchema.parse(row));
  const again = new Set(
    deeds.flatMap((deed) => (deed.kind === 'merge' && deed.isAgain ? [`${deed.from} ${deed.into}`] : [])),
  );
  const ended = deeds.flatMap((deed) => (deed.kind === 'unmerge' ? [`${deed.from} ${deed.into}`] : []));
  const apart = new Set(ended.filter((name) => !again.has(name)));
  const said = deeds.flatMap((deed) => (deed.kind === 'merge' ? [deed] : []));
  for (const { from, into } of said) {
    const row = rows.find((one) => one.from === slugOf(from) && one.into === slugOf(into));
    if (!row) fail(`${from} was never merged into ${into}`);
    else if ((row.endedAtMs !== undefined) !== apart.has(`${from} ${into}`))
      fail(`${from} and ${into}: not as said last`);
  }
  const groups = joinAliases(rows);
  for (const { from, into } of said.filter((one) => !apart.has(`${one.from} ${one.into}`))) {
    if (groups.groupOf(slugOf(from)).root !== groups.groupOf(slugOf(into)).root) fail(`${from} and ${into} are two`);
  }
}
