/**
 * A scope's memory as JSON lines: what an export gives and an import takes. One line a row, keys in order, so that the
 * same memory is the same bytes. Heads and attentions are not among them: they follow from the rest.
 */
import * as z from 'zod';
import { citationItemSchema, NORMALIZATION } from '../../schema/citation.ts';
import { aliasItemSchema, entityItemSchema, nameKeyOf, slugOf } from '../../schema/entity.ts';
import { citationIdOf, claimIdOf } from './claims.ts';
import { wordIssue } from './word-issue.ts';

const citationLineSchema = citationItemSchema.omit({ v: true }).extend({ type: z.literal('citation') });
const entityLineSchema = entityItemSchema.omit({ v: true }).extend({ type: z.literal('entity') });
const aliasLineSchema = aliasItemSchema.omit({ v: true }).extend({ type: z.literal('alias') });

export const memoryLineSchema = z.discriminatedUnion('type', [citationLineSchema, entityLineSchema, aliasLineSchema]);
export type MemoryLine = z.infer<typeof memoryLineSchema>;

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, inOrder(inner)]));
}

/** One line, without its line feed. */
export function formatMemoryLine(line: MemoryLine): string {
  return JSON.stringify(inOrder(line));
}

/** A row of the table as a line; undefined for rows of other kinds and versions. */
export function memoryLineOf(row: Record<string, unknown>): MemoryLine | undefined {
  const [prefix] = String(row.sk).split('#', 1);
  const type = { CLAIM: 'citation', ENTITY: 'entity', ALIAS: 'alias' }[prefix ?? ''];
  return memoryLineSchema.safeParse({ ...row, type }).data;
}

export type ReadLine =
  | { readonly kind: 'ok'; readonly line: MemoryLine }
  | { readonly kind: 'refused'; readonly message: string };

const isTypeKey = (typeKey: string, entityType: string | undefined): boolean =>
  /^[01]\|[0-9]{15}\|[a-z]+$/.test(typeKey) && typeKey.split('|')[2] === entityType;

/** Why a line cannot be what an export gave: its ids must follow from what it says. */
function findFault(line: MemoryLine): string | undefined {
  if (line.type === 'alias') return undefined;
  if (line.type === 'entity') {
    const isTrue = line.slug === slugOf(line.name) && line.nameKey === nameKeyOf(line.name);
    if (!isTrue) return `its slug and nameKey are not those of the name ${JSON.stringify(line.name)}`;
    const isTyped =
      line.typeKey === undefined ? line.entityType === undefined : isTypeKey(line.typeKey, line.entityType);
    return isTyped ? undefined : `its typeKey is not one of the type ${JSON.stringify(line.entityType)}`;
  }
  if (line.normalization !== NORMALIZATION) {
    return `its normalization is ${line.normalization}; this release takes ${NORMALIZATION}`;
  }
  const isTrue = line.claimId === claimIdOf(line.slot, line.value) && line.citationId === citationIdOf(line);
  return isTrue ? undefined : 'its claimId and citationId are not those of what it says: it was changed';
}

/** Reads one line of an export. */
export function readMemoryLine(text: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'refused', message: 'it is not JSON' };
  }
  const parsed = memoryLineSchema.safeParse(value, { error: wordIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { kind: 'refused', message: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}` };
  }
  const fault = findFault(parsed.data);
  return fault === undefined ? { kind: 'ok', line: parsed.data } : { kind: 'refused', message: fault };
}
