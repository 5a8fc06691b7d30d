/**
 * ENTITY: who or what claims are about, by slug. Written by the worker before the first claim about it. Its name and its
 * type are registers: each the greatest of all that was said, whatever came first.
 * ALIAS: one entity is another. Written by the curator; claims are not moved, reads follow.
 *
 * Keys: scope partition / `ENTITY#<slug>`, and / `ALIAS#<from>#<into>`. Life: until erased. Stream reaction: none.
 */
import * as z from 'zod';
import type { ScopeAddress } from './citation.ts';
import { hash22, keyPart } from './ids.ts';
import { get, type Get, type Item, type Key, put, query, type Query, update, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';
import { timeKey } from './time.ts';

/** What an entity can be said to be. */
export const ENTITY_TYPES = ['person', 'pet', 'organization', 'place', 'event', 'thing'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

export const entityItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  slug: z.string(),
  /** Of all spellings that sources use, the one with the greatest `nameKey`: whichever came first plays no part. */
  name: z.string(),
  nameKey: z.string(),
  /** What it is, by the word with the greatest `typeKey`. Absent: nobody said. */
  entityType: z.string().optional(),
  typeKey: z.string().optional(),
});
export type EntityItem = z.infer<typeof entityItemSchema>;

/** NFKC, lower case by Unicode, runs of white space to one hyphen: names that look alike are one entity. */
export function slugOf(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase().replace(/\s+/gu, '-');
}

/** Longer than any name that is taken. */
const NAME_LENGTH_MAX = 999;

/** Order of spellings: mixed case ("Maya") before all others ("MAYA", "maya"), then the shorter one. ASCII. */
export function nameKeyOf(name: string): string {
  const isMixed = name !== name.toLowerCase() && name !== name.toUpperCase();
  const shortness = NAME_LENGTH_MAX - Math.min(NAME_LENGTH_MAX, name.length);
  return `${isMixed ? 1 : 0}|${String(shortness).padStart(3, '0')}|${hash22(name)}`;
}

export function entityKey({ scope, generation }: ScopeAddress, slug: string): Key {
  return { pk: scopePartition(scope, generation), sk: `ENTITY#${keyPart(slug)}` };
}

/**
 * Makes an entity known, or gives it this spelling of its name.
 * Conditional on: there is none, or its spelling ranks lower. Loses when it is known by this or a better one.
 */
export function putEntity(address: ScopeAddress, name: string, op: string): Write {
  const slug = slugOf(name);
  const nameKey = nameKeyOf(name);
  return update({
    key: entityKey(address, slug),
    op,
    set: { v: ITEM_VERSION, slug, name, nameKey },
    when: ['attribute_not_exists(#nameKey) OR #nameKey < :nameKey'],
    values: { ':nameKey': nameKey },
  });
}

export interface TypeWord {
  readonly entityType: EntityType;
  /** When it was said. */
  readonly capturedAtMs: number;
  /** A person's word stands above what sources say. */
  readonly isPerson: boolean;
}

/** Order of what is said of one entity's type: a person's word before a source's, then what was said later. ASCII. */
export function typeKeyOf({ entityType, capturedAtMs, isPerson }: TypeWord): string {
  return `${isPerson ? 1 : 0}|${timeKey(capturedAtMs)}|${entityType}`;
}

/**
 * Says what an entity is.
 * Conditional on: it is known, and by no word on its type that ranks as high. Loses when nobody made it known, or such a
 * word stands.
 */
export function typeEntity(
  address: ScopeAddress,
  { slug, entityType, typeKey }: { readonly slug: string; readonly entityType: string; readonly typeKey: string },
  op: string,
): Write {
  return update({
    key: entityKey(address, slug),
    op,
    set: { entityType, typeKey },
    when: ['attribute_exists(#pk)', 'attribute_not_exists(#typeKey) OR #typeKey < :typeKey'],
    values: { ':typeKey': typeKey },
  });
}

/** One entity, by its slug. */
export function getEntity(address: ScopeAddress, slug: string): Get {
  return get(entityKey(address, slug));
}

/** Entities of a scope in the order of their slugs. */
export function queryEntities({ scope, generation }: ScopeAddress, limit: number, startKey?: Item): Query {
  return query({ partition: scopePartition(scope, generation), beginsWith: 'ENTITY#', limit, startKey });
}

export const aliasItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  /** Slugs. */
  from: z.string(),
  into: z.string(),
  fromName: z.string(),
  intoName: z.string(),
  author: z.string(),
  recordedAtMs: z.number(),
  /** They are two after all. */
  endedAtMs: z.number().optional(),
});
export type AliasItem = z.infer<typeof aliasItemSchema>;

type AliasName = Pick<AliasItem, 'from' | 'into'>;

export function aliasKey({ scope, generation }: ScopeAddress, { from, into }: AliasName): Key {
  return { pk: scopePartition(scope, generation), sk: `ALIAS#${keyPart(from)}#${keyPart(into)}` };
}

/**
 * Says that one entity is another. Conditional on: that is not said already, or was ended before this was said. Loses when
 * it stands, or was ended since: a copy that comes late does not take back what came after it.
 */
export function putAlias(address: ScopeAddress, alias: Omit<AliasItem, 'v'>, op: string): Write {
  return put({
    op,
    item: { ...aliasKey(address, alias), v: ITEM_VERSION, ...alias },
    when: ['attribute_not_exists(#pk) OR #endedAtMs < :saidAtMs'],
    values: { ':saidAtMs': alias.recordedAtMs },
  });
}

/** Says that they are two after all. Conditional on: they are one, by this row, and were before. Loses when that is not so. */
export function endAlias(address: ScopeAddress, alias: AliasName, nowMs: number, op: string): Write {
  return update({
    key: aliasKey(address, alias),
    op,
    set: { endedAtMs: nowMs },
    when: ['#recordedAtMs <= :set_endedAtMs', 'attribute_not_exists(#endedAtMs)'],
  });
}

/** What a scope's entities are merged by. */
export function queryAliases({ scope, generation }: ScopeAddress, limit: number, startKey?: Item): Query {
  return query({ partition: scopePartition(scope, generation), beginsWith: 'ALIAS#', limit, startKey });
}
