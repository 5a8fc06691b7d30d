/**
 * Identifiers and how they stand in keys. Sort keys compare as UTF-8 bytes in DynamoDB and as UTF-16 in JavaScript, so
 * every part of a key is ASCII: there both orders are the same function.
 */
import { createHash, hash } from 'node:crypto';
import * as z from 'zod';
import { timeKey } from './time.ts';

export const scopeSchema = z
  .string()
  .regex(/^[A-Za-z0-9._:@-]{1,128}$/, 'a scope is 1 to 128 characters out of A-Z a-z 0-9 . _ : @ -')
  // In a URL these two are steps in the tree, whatever their encoding.
  .refine((scope) => scope !== '.' && scope !== '..', { error: 'a scope is not "." or ".."' });

export const SOURCE_KINDS = ['transcript', 'document', 'note'] as const;
export const sourceKindSchema = z.enum(SOURCE_KINDS);
export type SourceKind = z.infer<typeof sourceKindSchema>;

const SOURCE_ID_MAX = 512;
// What it may have before it is composed: at most four characters become one, and composing takes time that is bounded.
const SOURCE_ID_GIVEN_MAX = 4 * SOURCE_ID_MAX;

/**
 * A source's id as its owner knows it: a path, a session key. Control characters are refused. NFC before its length is
 * judged: composing makes some texts three times as long.
 */
export const sourceIdSchema = z
  .string()
  .max(SOURCE_ID_GIVEN_MAX)
  .transform((id) => id.normalize('NFC'))
  .pipe(
    z
      .string()
      .min(1)
      .max(SOURCE_ID_MAX)
      // oxlint-disable-next-line no-control-regex -- control characters are what this refuses
      .regex(/^[^\u0000-\u001f\u007f]+$/, 'a source id holds no control characters'),
  );

export const revisionSchema = z.string().regex(/^[0-9a-f]{16}$/, 'a revision is 16 hexadecimal digits');

/** One immutable revision of raw input. */
export interface SourceRef {
  readonly kind: SourceKind;
  readonly id: string;
  readonly revision: string;
}

/** 22 characters of base64url(SHA-256): 132 bits, so that two of a billion texts meet with a chance below 1e-21. */
export function hash22(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 is 64 hexadecimal digits in lower case');

/** SHA-256 of bytes laid end to end, in hexadecimal. */
export function sha256Of(pieces: readonly Uint8Array[]): string {
  const whole = createHash('sha256');
  for (const piece of pieces) whole.update(piece);
  return whole.digest('hex');
}

/** Revision of a text: the first 16 hexadecimal digits of the SHA-256 of its normalised form. */
export function revisionOf(normalizedText: string): string {
  return hash('sha256', normalizedText, 'hex').slice(0, 16);
}

const PLAIN_MAX = 96;

/**
 * Free text as one part of a key: printable ASCII up to 96 characters stands as it is but for `%`, `#` and a leading `~`;
 * anything else is `~` and its hash. Injective but for hash collisions: a plain part never begins with `~`.
 */
export function keyPart(text: string): string {
  if (text.length <= PLAIN_MAX && /^[\x20-\x7e]*$/.test(text)) {
    return text.replaceAll('%', '%25').replaceAll('#', '%23').replace(/^~/, '%7E');
  }
  return `~${hash22(text)}`;
}

/** What names a revision, of a source or of what a person said. */
type Revision = Readonly<Record<keyof SourceRef, string>>;

/** `kind:id@revision`: how a source revision is named to executors and in answers. */
export function formatSourceRef(ref: Revision): string {
  return `${ref.kind}:${ref.id}@${ref.revision}`;
}

/** A source as it was named, its revision too where one was. */
export type NamedSource = Omit<SourceRef, 'revision'> & { readonly revision?: string };

/** The inverse of `formatSourceRef`, which may lack its revision; undefined for what names no source. */
export function parseSourceRef(text: string): NamedSource | undefined {
  const [, kind, name = ''] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  const [, plain, revision] = /^(.*)@([0-9a-f]{16})$/s.exec(name) ?? [undefined, name, undefined];
  const parsed = { kind: sourceKindSchema.safeParse(kind).data, id: sourceIdSchema.safeParse(plain).data };
  if (parsed.kind === undefined || parsed.id === undefined) return undefined;
  return { kind: parsed.kind, id: parsed.id, ...(revision !== undefined && { revision }) };
}

/** The key form of a source revision: what evidence, lease and review rows carry. */
export function sourceKeyOf(ref: Revision): string {
  return `${ref.kind}#${keyPart(ref.id)}#${ref.revision}`;
}

export const passIdSchema = z
  .string()
  .regex(/^[0-9]{15}-[A-Za-z0-9_-]{22}$/, 'a pass id is 15 digits, a hyphen and 22 characters');
export const triggerIdSchema = z
  .string()
  .regex(/^[0-9]{15}-[A-Za-z0-9_-]{22}$/, 'a trigger id is 15 digits, a hyphen and 22 characters');

/** A trigger's id: sorts by the time it was asked for; `seed` makes it deterministic where a replay must meet itself. */
export function triggerIdOf(requestedAtMs: number, seed: string): string {
  return `${timeKey(requestedAtMs)}-${hash22(seed)}`;
}

/**
 * The k-th pass (k >= 0) of a trigger in a generation of its scope. Deterministic: a replayed message names the same passes.
 * One that is replayed after its scope was erased names others: a pass of the generation that went, of which no row tells
 * any more, may still end, and takes the entry of its id off the ledger.
 */
export function passIdOf(triggerId: string, k: number, generation = 1): string {
  const place = generation === 1 ? `${triggerId}/${k}` : `${triggerId}/${k}/${generation}`;
  return `${triggerId.slice(0, 15)}-${hash22(place)}`;
}
