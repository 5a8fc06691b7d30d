/**
 * What makes a claim that is said again the claim that a person had forgotten: the same entity, attribute and value,
 * however it is written and whether the attribute is used with one value or many.
 */
import type { Citation } from '../../schema/citation.ts';
import { hash22 } from '../../schema/ids.ts';
import { normalizeValue } from './claims.ts';

type Said = Pick<Citation, 'slot' | 'value'>;

/** Stands for a claim where its words must not: a tombstone tells it again, and tells nothing else. */
export function forgottenHashOf({ slot: { entity, attribute, key }, value }: Said): string {
  return hash22(`${entity}\n${attribute}\n${key ?? normalizeValue(value)}`);
}
