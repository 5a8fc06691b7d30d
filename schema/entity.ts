/**
 * ENTITY: who or what claims are about, by slug. Written by the worker before the first claim about it.
 *
 * Key: scope partition / `ENTITY#<slug>`. Life: until erased. Stream reaction: none.
 */
import * as z from 'zod';
import type { ScopeAddress } from './citation.ts';
import { keyPart } from './ids.ts';
import { type Key, put, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';

export const entityItemSchema = z.object({ v: z.literal(ITEM_VERSION), slug: z.string(), name: z.string() });
export type EntityItem = z.infer<typeof entityItemSchema>;

/** NFKC, lower case by Unicode, runs of white space to one hyphen: names that look alike are one entity. */
export function slugOf(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase().replace(/\s+/gu, '-');
}

export function entityKey({ scope, generation }: ScopeAddress, slug: string): Key {
  return { pk: scopePartition(scope, generation), sk: `ENTITY#${keyPart(slug)}` };
}

/** Makes an entity known. Conditional on: the row does not exist. Loses when it is known: its first name stays. */
export function putEntity(address: ScopeAddress, name: string, op: string): Write {
  const slug = slugOf(name);
  return put({
    op,
    item: { ...entityKey(address, slug), v: ITEM_VERSION, slug, name },
    when: ['attribute_not_exists(#pk)'],
  });
}
